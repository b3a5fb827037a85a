// What is kept of a blob's past, and the tags that find it.
package conformance

import (
	"os"
	"path"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blockblob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/service"
)

func TestASnapshotStaysAsItWas(t *testing.T) {
	client := newBlob(t)
	first := done(client.CreateSnapshot(ctx, nil))(t)
	put(t, client, "after")
	second := done(client.CreateSnapshot(ctx, &blob.CreateSnapshotOptions{Metadata: metadata("own", "1")}))(t)
	taken := done(client.WithSnapshot(*first.Snapshot))(t)
	equal(t, text(t, taken), "hello, world")
	equal(t, done(done(client.WithSnapshot(*second.Snapshot))(t).GetProperties(ctx, nil))(t).Metadata, metadata("Own", "1"))

	found := []string{}
	for _, page := range done(pages(containerOf(t, client).NewListBlobsFlatPager(&container.ListBlobsFlatOptions{
		Include: container.ListBlobsInclude{Snapshots: true}, MaxResults: to.Ptr[int32](2),
	})))(t) {
		for _, item := range page.Segment.BlobItems {
			if item.Snapshot == nil {
				found = append(found, "")
			} else {
				found = append(found, *item.Snapshot)
			}
		}
	}
	equal(t, found, []string{*first.Snapshot, *second.Snapshot, ""})

	_, err := client.Delete(ctx, nil)
	refused(t, err, 409, "SnapshotsPresent")
	done(taken.Delete(ctx, nil))(t)
	_, err = get(taken, nil)
	refused(t, err, 404, "BlobNotFound")
	done(client.Delete(ctx, &blob.DeleteOptions{DeleteSnapshots: to.Ptr(blob.DeleteSnapshotsOptionTypeInclude)}))(t)
	equal(t, listed(t, containerOf(t, client), &container.ListBlobsFlatOptions{Include: container.ListBlobsInclude{Snapshots: true}}), []string{})
}

func TestASnapshotIsPromoted(t *testing.T) {
	client := newBlob(t)
	taken := done(client.WithSnapshot(*done(client.CreateSnapshot(ctx, nil))(t).Snapshot))(t)
	put(t, client, "after")
	done(client.StartCopyFromURL(ctx, taken.URL(), nil))(t)
	settled(t, client)
	equal(t, text(t, client), "hello, world")
}

func TestVersions(t *testing.T) {
	address := os.Getenv("VERSIONED_BLOB_URL")
	if address == "" {
		t.Skip("VERSIONED_BLOB_URL is not set")
	}
	versioned := must(service.NewClientWithSharedKeyCredential(address, must(azblob.NewSharedKeyCredential(path.Base(address), key)),
		&service.ClientOptions{ClientOptions: options}))
	holding := versioned.NewContainerClient(unique())
	done(holding.Create(ctx, nil))(t)
	t.Cleanup(func() { remove(t, holding) })
	client := holding.NewBlockBlobClient("a")
	ids := []string{}
	for _, content := range []string{"one", "two", "three"} {
		ids = append(ids, *put(t, client, content).VersionID)
	}
	equal(t, slices.IsSorted(ids), true)
	old := done(client.WithVersionID(ids[0]))(t)
	equal(t, text(t, old), "one")
	found := done(client.GetProperties(ctx, nil))(t)
	equal(t, *found.VersionID, ids[2])
	equal(t, *found.IsCurrentVersion, true)

	known := func() (found []string) {
		for _, page := range done(pages(holding.NewListBlobsFlatPager(&container.ListBlobsFlatOptions{Include: container.ListBlobsInclude{Versions: true}})))(t) {
			found = append(found, names(page.Segment.BlobItems, func(item *container.BlobItem) *string { return item.VersionID })...)
		}
		return found
	}
	equal(t, known(), ids)
	done(done(client.WithVersionID(ids[1]))(t).Delete(ctx, nil))(t)
	_, err := done(client.WithVersionID(ids[2]))(t).Delete(ctx, nil)
	refused(t, err, 403, "OperationNotAllowedOnRootBlob")
	done(client.Delete(ctx, nil))(t)
	_, err = get(client, nil)
	refused(t, err, 404, "BlobNotFound")
	equal(t, known(), []string{ids[0], ids[2]})
	equal(t, text(t, done(client.WithVersionID(ids[2]))(t)), "three")
}

func TestWhatWasDeletedComesBack(t *testing.T) {
	client := newBlob(t)
	t.Cleanup(func() {
		done(blobs.SetProperties(ctx, &service.SetPropertiesOptions{DeleteRetentionPolicy: &service.RetentionPolicy{Enabled: to.Ptr(false)}}))(t)
	})
	done(blobs.SetProperties(ctx, &service.SetPropertiesOptions{
		DeleteRetentionPolicy: &service.RetentionPolicy{Enabled: to.Ptr(true), Days: to.Ptr[int32](2)},
	}))(t)
	done(client.Delete(ctx, nil))(t)
	_, err := get(client, nil)
	refused(t, err, 404, "BlobNotFound")
	deleted := &container.ListBlobsFlatOptions{Include: container.ListBlobsInclude{Deleted: true}}
	item := done(pages(containerOf(t, client).NewListBlobsFlatPager(deleted)))(t)[0].Segment.BlobItems[0]
	equal(t, *item.Deleted, true)
	equal(t, *item.Properties.RemainingRetentionDays, 1)
	done(client.Undelete(ctx, nil))(t)
	equal(t, text(t, client), "hello, world")

	done(client.Delete(ctx, nil))(t)
	advance(t, 49*time.Hour)
	_, err = client.Undelete(ctx, nil)
	refused(t, err, 404, "BlobNotFound")
	equal(t, listed(t, containerOf(t, client), deleted), []string{})
}

func tagsOf(t *testing.T, client *blockblob.Client) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, tag := range done(client.GetTags(ctx, nil))(t).BlobTagSet {
		found[*tag.Key] = *tag.Value
	}
	return found
}

func TestTagsAreSetWhole(t *testing.T) {
	client := newBlob(t)
	before := done(client.GetProperties(ctx, nil))(t)
	equal(t, tagsOf(t, client), map[string]string{})
	want := map[string]string{"colour": "blue", "size + shape": "large: round/oval"}
	done(client.SetTags(ctx, want, nil))(t)
	equal(t, tagsOf(t, client), want)
	done(client.SetTags(ctx, map[string]string{"other": ""}, nil))(t)
	equal(t, tagsOf(t, client), map[string]string{"other": ""})
	equal(t, done(client.GetProperties(ctx, nil))(t).ETag, before.ETag)
	many := map[string]string{}
	for n := range 11 {
		many[strconv.Itoa(n)] = ""
	}
	_, err := client.SetTags(ctx, many, nil)
	refused(t, err, 400, "TagsTooLarge", "InvalidTag", "InvalidXmlDocument")
	equal(t, tagsOf(t, client), map[string]string{"other": ""})
}

func TestTagsAreSearched(t *testing.T) {
	first, second, mark := newContainer(t), newContainer(t), unique()
	for at, client := range []*container.Client{first, second, first} {
		done(client.NewBlockBlobClient(strconv.Itoa(at)).Upload(ctx, body("x"), &blockblob.UploadOptions{
			Tags: map[string]string{"mark": mark, "n": strconv.Itoa(at)},
		}))(t)
	}
	search := func(where string) []string {
		found, marker := []string{}, (*string)(nil)
		for {
			page := done(blobs.FilterBlobs(ctx, where, &service.FilterBlobsOptions{MaxResults: to.Ptr[int32](2), Marker: marker}))(t)
			for _, item := range page.Blobs {
				found = append(found, *item.Name)
			}
			if marker = page.NextMarker; marker == nil || *marker == "" {
				slices.Sort(found)
				return found
			}
		}
	}
	equal(t, search("mark = '"+mark+"'"), []string{"0", "1", "2"})
	equal(t, search("mark = '"+mark+"' AND n >= '1'"), []string{"1", "2"})
	here := done(first.FilterBlobs(ctx, "mark = '"+mark+"'", nil))(t)
	equal(t, len(here.Blobs), 2)
	equal(t, *here.Blobs[0].Tags.BlobTagSet[0].Value, mark)
	_, err := blobs.FilterBlobs(ctx, "mark like 'x'", nil)
	refused(t, err, 400, "InvalidQueryParameterValue")
}
