package conformance

import (
	"bytes"
	"crypto/md5"
	"io"
	"os"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blockblob"
)

const mib = 1 << 20

func TestASmallBlobGoesUpAndDown(t *testing.T) {
	client := newContainer(t).NewBlockBlobClient("a folder/grüße #1?.txt")
	_, err := get(client, nil)
	refused(t, err, 404, "BlobNotFound")
	sum := md5.Sum([]byte("Hello"))
	up := done(client.Upload(ctx, body("Hello"), &blockblob.UploadOptions{
		Metadata: metadata("author", "somebody"),
		Tags:     map[string]string{"topic": "greetings / more"},
		HTTPHeaders: &blob.HTTPHeaders{
			BlobContentType: to.Ptr("text/plain"), BlobCacheControl: to.Ptr("no-store"), BlobContentLanguage: to.Ptr("de"),
			BlobContentDisposition: to.Ptr("attachment"), BlobContentEncoding: to.Ptr("identity"),
		},
	}))(t)
	equal(t, up.ContentMD5, sum[:])
	equal(t, *up.IsServerEncrypted, true)

	down := done(client.DownloadStream(ctx, nil))(t)
	content := done(io.ReadAll(down.Body))(t)
	equal(t, string(content), "Hello")
	equal(t, down.ETag, up.ETag)
	equal(t, *down.ContentLength, 5)
	equal(t, *down.TagCount, 1)

	found := done(client.GetProperties(ctx, nil))(t)
	equal(t, found.ETag, up.ETag)
	equal(t, found.Metadata, metadata("Author", "somebody"))
	equal(t, []string{*found.ContentType, *found.CacheControl, *found.ContentLanguage, *found.ContentDisposition, *found.ContentEncoding},
		[]string{"text/plain", "no-store", "de", "attachment", "identity"})
	equal(t, found.ContentMD5, sum[:])
	equal(t, *found.BlobType, blob.BlobTypeBlockBlob)
	equal(t, *found.AccessTier, "Hot")
	equal(t, *found.AccessTierInferred, true)
	equal(t, found.CreationTime, found.LastModified)
}

func TestWhatIsSaidOfABlobChanges(t *testing.T) {
	client := newBlob(t)
	before := done(client.GetProperties(ctx, nil))(t)
	equal(t, *before.ContentType, "application/octet-stream")
	done(client.SetHTTPHeaders(ctx, blob.HTTPHeaders{BlobContentLanguage: to.Ptr("fr")}, nil))(t)
	done(client.SetMetadata(ctx, metadata("a", "b"), nil))(t)
	after := done(client.GetProperties(ctx, nil))(t)
	equal(t, *after.ContentLanguage, "fr")
	equal(t, after.ContentMD5, nil)
	equal(t, after.Metadata, metadata("A", "b"))
	equal(t, after.CreationTime, before.CreationTime)
	if *after.ETag == *before.ETag {
		t.Fatal("the ETag is as before")
	}
}

func TestAnEmptyBlob(t *testing.T) {
	client := newContainer(t).NewBlockBlobClient("empty")
	for _, upload := range []func() error{
		func() error { _, err := client.Upload(ctx, body(""), nil); return err },
		func() error { _, err := client.UploadBuffer(ctx, nil, nil); return err },
		func() error { _, err := client.UploadStream(ctx, bytes.NewReader(nil), nil); return err },
	} {
		ok(t, upload())
		equal(t, text(t, client), "")
		equal(t, *done(client.GetProperties(ctx, nil))(t).ContentLength, 0)
		equal(t, done(client.DownloadBuffer(ctx, nil, nil))(t), 0)
	}
	_, err := get(client, &blob.DownloadStreamOptions{Range: blob.HTTPRange{Count: 1}})
	refused(t, err, 416, "InvalidRange")
}

func TestALargeBlobGoesUpInParallelAndDownInPieces(t *testing.T) {
	content := pattern(5*mib + 17)
	client := newContainer(t).NewBlockBlobClient("large")
	// The SDK takes one request for what fits into one, whatever the size of the blocks: a file of blocks needs a stream.
	done(client.UploadStream(ctx, bytes.NewReader(content), &blockblob.UploadStreamOptions{
		BlockSize: mib, Concurrency: 4, Metadata: metadata("made", "of-blocks"), Tags: map[string]string{"made": "of blocks"},
	}))(t)
	blocks := done(client.GetBlockList(ctx, blockblob.BlockListTypeAll, nil))(t)
	sizes := []int64{}
	for _, block := range blocks.CommittedBlocks {
		sizes = append(sizes, *block.Size)
	}
	equal(t, sizes, []int64{mib, mib, mib, mib, mib, 17})
	equal(t, len(blocks.UncommittedBlocks), 0)
	equal(t, *blocks.BlobContentLength, 5*mib+17)

	buffer := make([]byte, len(content))
	read := done(client.DownloadBuffer(ctx, buffer, &blob.DownloadBufferOptions{BlockSize: mib, Concurrency: 3}))(t)
	equal(t, read, int64(len(content)))
	same(t, buffer, content)

	file := done(os.CreateTemp(t.TempDir(), "down"))(t)
	done(client.DownloadFile(ctx, file, &blob.DownloadFileOptions{BlockSize: mib + 1, Concurrency: 2}))(t)
	same(t, done(os.ReadFile(file.Name()))(t), content)
	equal(t, done(client.GetProperties(ctx, nil))(t).Metadata, metadata("Made", "of-blocks"))
}

func TestAFileGoesUp(t *testing.T) {
	content := pattern(3*mib + 1)
	file := done(os.CreateTemp(t.TempDir(), "up"))(t)
	done(file.Write(content))(t)
	client := newContainer(t).NewBlockBlobClient("file")
	done(client.UploadFile(ctx, file, &blockblob.UploadFileOptions{BlockSize: mib, Concurrency: 2}))(t)
	same(t, []byte(text(t, client)), content)
}

func TestChecksumsOnTheWay(t *testing.T) {
	client := newContainer(t).NewBlockBlobClient("checked")
	for _, check := range []blob.TransferValidationType{blob.TransferValidationTypeComputeCRC64()} {
		done(client.Upload(ctx, body("checked"), &blockblob.UploadOptions{TransactionalValidation: check}))(t)
		equal(t, text(t, client), "checked")
	}
	_, err := client.Upload(ctx, body("other"), &blockblob.UploadOptions{
		TransactionalValidation: blob.TransferValidationTypeCRC64(1),
	})
	refused(t, err, 400, "Crc64Mismatch")
	_, err = client.Upload(ctx, body("other"), &blockblob.UploadOptions{
		TransactionalValidation: blob.TransferValidationTypeMD5(make([]byte, 16)),
	})
	refused(t, err, 400, "Md5Mismatch")
	equal(t, text(t, client), "checked")

	part := done(client.DownloadStream(ctx, &blob.DownloadStreamOptions{
		Range: blob.HTTPRange{Offset: 2, Count: 3}, RangeGetContentMD5: to.Ptr(true),
	}))(t)
	sum := md5.Sum([]byte("eck"))
	equal(t, part.ContentMD5, sum[:])
}

func TestRanges(t *testing.T) {
	client := newBlob(t)
	for _, c := range []struct {
		offset, count int64
		expected      string
	}{{0, 5, "hello"}, {7, 0, "world"}, {7, 100, "world"}, {11, 1, "d"}, {0, 0, "hello, world"}} {
		equal(t, done(get(client, &blob.DownloadStreamOptions{Range: blob.HTTPRange{Offset: c.offset, Count: c.count}}))(t), c.expected)
	}
	part := done(client.DownloadStream(ctx, &blob.DownloadStreamOptions{Range: blob.HTTPRange{Offset: 7, Count: 2}}))(t)
	equal(t, *part.ContentRange, "bytes 7-8/12")
	equal(t, *part.ContentLength, 2)
	_, err := get(client, &blob.DownloadStreamOptions{Range: blob.HTTPRange{Offset: 12, Count: 1}})
	refused(t, err, 416, "InvalidRange")
}

func TestBlocksWaitUntilTheyAreCommitted(t *testing.T) {
	client := newContainer(t).NewBlockBlobClient("of three")
	one, two, six := base64Of("one"), base64Of("two"), base64Of("six")
	for id, content := range map[string]string{one: "aaa", two: "bb", six: "c"} {
		done(client.StageBlock(ctx, id, body(content), nil))(t)
	}
	_, err := get(client, nil)
	refused(t, err, 404, "BlobNotFound")
	equal(t, len(done(client.GetBlockList(ctx, blockblob.BlockListTypeUncommitted, nil))(t).UncommittedBlocks), 3)

	done(client.CommitBlockList(ctx, []string{two, one}, nil))(t)
	equal(t, text(t, client), "bbaaa")
	blocks := done(client.GetBlockList(ctx, blockblob.BlockListTypeAll, nil))(t)
	equal(t, []string{*blocks.CommittedBlocks[0].Name, *blocks.CommittedBlocks[1].Name}, []string{two, one})
	equal(t, len(blocks.UncommittedBlocks), 0)
	_, err = client.CommitBlockList(ctx, []string{six}, nil)
	refused(t, err, 400, "InvalidBlockList")
	done(client.StageBlock(ctx, base64Of("longer"), body("d"), nil))(t)
	_, err = client.StageBlock(ctx, one, body("d"), nil)
	refused(t, err, 400, "InvalidBlobOrBlock")
	equal(t, text(t, client), "bbaaa")
}

func TestTiers(t *testing.T) {
	client := newBlob(t)
	done(client.SetTier(ctx, blob.AccessTierCool, nil))(t)
	found := done(client.GetProperties(ctx, nil))(t)
	equal(t, *found.AccessTier, "Cool")
	equal(t, found.AccessTierInferred, nil)
	done(client.SetTier(ctx, blob.AccessTierArchive, nil))(t)
	_, err := get(client, nil)
	refused(t, err, 409, "BlobArchived")
	done(client.SetTier(ctx, blob.AccessTierHot, nil))(t)
	equal(t, *done(client.GetProperties(ctx, nil))(t).ArchiveStatus, "rehydrate-pending-to-hot")
}
