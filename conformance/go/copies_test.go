package conformance

import (
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blockblob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/sas"
)

// readable is a blob's address with a token that reads it.
func readable(t *testing.T, client *blockblob.Client) string {
	t.Helper()
	return done(client.GetSASURL(sas.BlobPermissions{Read: true, Tag: true}, inAnHour(t), nil))(t)
}

// settled is what a blob tells once its copy has ended.
func settled(t *testing.T, client *blockblob.Client) blob.GetPropertiesResponse {
	t.Helper()
	for started := time.Now(); ; {
		found := done(client.GetProperties(ctx, nil))(t)
		if *found.CopyStatus != blob.CopyStatusTypePending {
			return found
		}
		if time.Since(started) > 30*time.Second {
			t.Fatal("the copy does not end")
		}
	}
}

func TestACopyCarriesContentAndMetadata(t *testing.T) {
	holding := newContainer(t)
	source, target := holding.NewBlockBlobClient("source #?% blob"), holding.NewBlockBlobClient("copy")
	done(source.Upload(ctx, body("to copy"), &blockblob.UploadOptions{
		Metadata: metadata("from", "source"), HTTPHeaders: &blob.HTTPHeaders{BlobContentType: to.Ptr("text/plain")},
	}))(t)
	started := done(target.StartCopyFromURL(ctx, source.URL(), nil))(t)
	found := settled(t, target)
	equal(t, *found.CopyStatus, blob.CopyStatusTypeSuccess)
	equal(t, found.CopyID, started.CopyID)
	equal(t, *found.CopySource, source.URL())
	equal(t, *found.CopyProgress, "7/7")
	equal(t, found.Metadata, metadata("From", "source"))
	equal(t, *found.ContentType, "text/plain")
	equal(t, text(t, target), "to copy")

	done(target.StartCopyFromURL(ctx, source.URL(), &blob.StartCopyFromURLOptions{Metadata: metadata("own", "1")}))(t)
	equal(t, settled(t, target).Metadata, metadata("Own", "1"))
	_, err := target.AbortCopyFromURL(ctx, *started.CopyID, nil)
	refused(t, err, 409, "NoPendingCopyOperation", "CopyIdMismatch")
	_, err = target.StartCopyFromURL(ctx, source.URL(), &blob.StartCopyFromURLOptions{
		AccessConditions: when(blob.ModifiedAccessConditions{IfNoneMatch: to.Ptr(azcore.ETagAny)}),
	})
	refused(t, err, 409, "BlobAlreadyExists")
	_, err = target.StartCopyFromURL(ctx, source.URL(), &blob.StartCopyFromURLOptions{
		SourceModifiedAccessConditions: &blob.SourceModifiedAccessConditions{SourceIfMatch: to.Ptr(stale)},
	})
	refused(t, err, 412, "SourceConditionNotMet")
	_, err = target.StartCopyFromURL(ctx, holding.NewBlobClient("missing").URL(), nil)
	refused(t, err, 404, "BlobNotFound")
}

func TestACopyWithinTheCall(t *testing.T) {
	source := newBlob(t)
	target := newContainer(t).NewBlockBlobClient("copy")
	copied := done(target.CopyFromURL(ctx, readable(t, source), &blob.CopyFromURLOptions{BlobTags: map[string]string{"own": "1"}}))(t)
	equal(t, *copied.CopyStatus, "success")
	equal(t, text(t, target), "hello, world")
	equal(t, *done(target.GetProperties(ctx, nil))(t).TagCount, 1)
}

func TestABlobFromAnAddress(t *testing.T) {
	source := newBlob(t)
	done(source.SetTags(ctx, map[string]string{"from": "source"}, nil))(t)
	target := newContainer(t).NewBlockBlobClient("whole")
	done(target.UploadBlobFromURL(ctx, readable(t, source), &blockblob.UploadBlobFromURLOptions{
		CopySourceTags: to.Ptr(blockblob.BlobCopySourceTagsCopy),
	}))(t)
	equal(t, text(t, target), "hello, world")
	equal(t, *done(target.GetTags(ctx, nil))(t).BlobTagSet[0].Value, "source")

	done(target.StageBlockFromURL(ctx, base64Of("1"), readable(t, source), &blockblob.StageBlockFromURLOptions{
		Range: blob.HTTPRange{Offset: 7, Count: 5},
	}))(t)
	done(target.CommitBlockList(ctx, []string{base64Of("1")}, nil))(t)
	equal(t, text(t, target), "world")
	_, err := target.UploadBlobFromURL(ctx, source.URL(), nil)
	refused(t, err, 401, "CannotVerifyCopySource")
	equal(t, text(t, target), "world")
}
