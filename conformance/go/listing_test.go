package conformance

import (
	"slices"
	"strings"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blockblob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
)

func nameOf(item *container.BlobItem) *string { return item.Name }

// listed are the names in a listing.
func listed(t *testing.T, client *container.Client, options *container.ListBlobsFlatOptions) []string {
	t.Helper()
	found := []string{}
	for _, page := range done(pages(client.NewListBlobsFlatPager(options)))(t) {
		found = append(found, names(page.Segment.BlobItems, nameOf)...)
	}
	return found
}

func TestEveryNameIsListed(t *testing.T) {
	client := newContainer(t)
	want := []string{"a/1", "a/2", "a/ü & <b>", "b", "c%20d", "e\ufffef", "日本/😀"}
	for _, name := range want {
		done(client.NewBlockBlobClient(name).Upload(ctx, body(name), &blockblob.UploadOptions{
			Metadata: metadata("name", "of-it"), Tags: map[string]string{"kind": "listed"},
		}))(t)
	}
	for _, size := range []int32{1, 2, 3, 100} {
		equal(t, listed(t, client, &container.ListBlobsFlatOptions{MaxResults: &size}), want)
	}
	equal(t, listed(t, client, &container.ListBlobsFlatOptions{Prefix: to.Ptr("a/")}), want[:3])
	equal(t, listed(t, client, &container.ListBlobsFlatOptions{Prefix: to.Ptr("none")}), []string{})
	equal(t, listed(t, client, &container.ListBlobsFlatOptions{StartFrom: to.Ptr("b")}), want[3:])

	page := done(pages(client.NewListBlobsFlatPager(&container.ListBlobsFlatOptions{
		Include: container.ListBlobsInclude{Metadata: true, Tags: true},
	})))(t)[0]
	for at, item := range page.Segment.BlobItems {
		equal(t, *item.Properties.ContentLength, int64(len(want[at])))
		equal(t, item.Metadata, metadata("name", "of-it"))
		equal(t, []string{*item.BlobTags.BlobTagSet[0].Key, *item.BlobTags.BlobTagSet[0].Value}, []string{"kind", "listed"})
		known := done(client.NewBlobClient(want[at]).GetProperties(ctx, nil))(t)
		// A listing writes ETags without quotes.
		equal(t, string(*item.Properties.ETag), strings.Trim(string(*known.ETag), `"`))
		equal(t, item.Properties.LastModified.UTC(), known.LastModified.UTC())
		equal(t, item.Properties.ContentMD5, known.ContentMD5)
	}
}

func TestAListingOfFolders(t *testing.T) {
	client := newContainer(t)
	for _, name := range []string{"a", "b/1", "b/2", "b/c/3", "d/4", "e"} {
		put(t, client.NewBlockBlobClient(name), "x")
	}
	level := func(prefix string, size int32) (blobs, folders []string) {
		for _, page := range done(pages(client.NewListBlobsHierarchyPager("/", &container.ListBlobsHierarchyOptions{Prefix: &prefix, MaxResults: &size})))(t) {
			blobs = append(blobs, names(page.Segment.BlobItems, nameOf)...)
			folders = append(folders, names(page.Segment.BlobPrefixes, func(item *container.BlobPrefix) *string { return item.Name })...)
		}
		return blobs, folders
	}
	for _, size := range []int32{1, 2, 10} {
		found, folders := level("", size)
		equal(t, found, []string{"a", "e"})
		equal(t, folders, []string{"b/", "d/"})
		found, folders = level("b/", size)
		equal(t, found, []string{"b/1", "b/2"})
		equal(t, folders, []string{"b/c/"})
	}
}

func TestAListingOfWhatIsNotCommitted(t *testing.T) {
	client := newContainer(t)
	put(t, client.NewBlockBlobClient("there"), "x")
	done(client.NewBlockBlobClient("coming").StageBlock(ctx, base64Of("1"), body("x"), nil))(t)
	equal(t, listed(t, client, nil), []string{"there"})
	found := listed(t, client, &container.ListBlobsFlatOptions{Include: container.ListBlobsInclude{UncommittedBlobs: true}})
	slices.Sort(found)
	equal(t, found, []string{"coming", "there"})
}

func TestAListingHasBounds(t *testing.T) {
	client := newContainer(t)
	_, err := pages(client.NewListBlobsFlatPager(&container.ListBlobsFlatOptions{MaxResults: to.Ptr[int32](0)}))
	refused(t, err, 400, "OutOfRangeInput", "OutOfRangeQueryParameterValue")
	_, err = pages(client.NewListBlobsFlatPager(&container.ListBlobsFlatOptions{Marker: to.Ptr("nonsense")}))
	refused(t, err, 400, "OutOfRangeInput", "InvalidQueryParameterValue")
	_, err = pages(blobs.NewContainerClient(unique()).NewListBlobsFlatPager(nil))
	refused(t, err, 404, "ContainerNotFound")
}
