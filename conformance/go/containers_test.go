package conformance

import (
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/lease"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/service"
)

func TestAContainerComesAndGoes(t *testing.T) {
	client := blobs.NewContainerClient(unique())
	_, err := client.GetProperties(ctx, nil)
	refused(t, err, 404, "ContainerNotFound")
	made := done(client.Create(ctx, &container.CreateOptions{Metadata: metadata("colour", "blue")}))(t)
	_, err = client.Create(ctx, nil)
	refused(t, err, 409, "ContainerAlreadyExists")

	found := done(client.GetProperties(ctx, nil))(t)
	equal(t, found.ETag, made.ETag)
	equal(t, found.Metadata, metadata("Colour", "blue"))
	equal(t, *found.LeaseState, lease.StateTypeAvailable)
	equal(t, found.BlobPublicAccess, nil)

	done(client.SetMetadata(ctx, &container.SetMetadataOptions{Metadata: metadata("size", "small")}))(t)
	equal(t, done(client.GetProperties(ctx, nil))(t).Metadata, metadata("Size", "small"))

	done(client.Delete(ctx, nil))(t)
	_, err = client.GetProperties(ctx, nil)
	refused(t, err, 404, "ContainerNotFound")
	// The service accepts a second delete while it is deleting the container.
	done(client.Delete(ctx, nil))(t)
}

func TestANameHasRules(t *testing.T) {
	for _, name := range []string{"Upper", "a--b", "-a", "ab", "a_b"} {
		_, err := blobs.CreateContainer(ctx, name, nil)
		refused(t, err, 400, "InvalidResourceName", "OutOfRangeInput")
	}
}

func TestContainersAreListedPageByPage(t *testing.T) {
	stem := unique()
	for _, letter := range []string{"c", "a", "b"} {
		done(blobs.CreateContainer(ctx, stem+letter, &service.CreateContainerOptions{Metadata: metadata("letter", letter)}))(t)
		t.Cleanup(func() { done(blobs.DeleteContainer(ctx, stem+letter, nil))(t) })
	}
	for size, expected := range map[int32]int{1: 3, 2: 2, 3: 1, 10: 1} {
		found := done(pages(blobs.NewListContainersPager(&service.ListContainersOptions{
			Prefix: &stem, MaxResults: &size, Include: service.ListContainersInclude{Metadata: true},
		})))(t)
		equal(t, len(found), expected)
		letters := ""
		for _, page := range found {
			for _, item := range page.ContainerItems {
				equal(t, *item.Name, stem+*item.Metadata["letter"])
				letters += *item.Metadata["letter"]
			}
		}
		equal(t, letters, "abc")
	}
}

func TestWhoMayReadWithoutAName(t *testing.T) {
	client := newContainer(t)
	put(t, client.NewBlockBlobClient("a"), "data")
	anyone := done(container.NewClientWithNoCredential(client.URL(), &container.ClientOptions{ClientOptions: options}))(t)
	_, err := anyone.GetProperties(ctx, nil)
	refused(t, err, 401, "NoAuthenticationInformation")

	done(client.SetAccessPolicy(ctx, &container.SetAccessPolicyOptions{Access: to.Ptr(container.PublicAccessTypeBlob)}))(t)
	equal(t, text(t, anyone.NewBlobClient("a")), "data")
	_, err = pages(anyone.NewListBlobsFlatPager(nil))
	refused(t, err, 401, "NoAuthenticationInformation")

	done(client.SetAccessPolicy(ctx, &container.SetAccessPolicyOptions{Access: to.Ptr(container.PublicAccessTypeContainer)}))(t)
	equal(t, len(done(pages(anyone.NewListBlobsFlatPager(nil)))(t)[0].Segment.BlobItems), 1)
	equal(t, *done(client.GetAccessPolicy(ctx, nil))(t).BlobPublicAccess, container.PublicAccessTypeContainer)
	_, err = anyone.NewBlockBlobClient("a").Upload(ctx, body("other"), nil)
	refused(t, err, 401, "NoAuthenticationInformation")
}

func TestAWrongKey(t *testing.T) {
	wrong := must(azblob.NewSharedKeyCredential(account, base64Of("not the key")))
	client := must(service.NewClientWithSharedKeyCredential(blobURL, wrong, &service.ClientOptions{ClientOptions: options}))
	_, err := client.GetProperties(ctx, nil)
	refused(t, err, 403, "AuthenticationFailed")
	_, err = client.CreateContainer(ctx, unique(), nil)
	refused(t, err, 403, "AuthenticationFailed")
}

func TestPropertiesAndStatisticsOfTheBlobService(t *testing.T) {
	before := done(blobs.GetProperties(ctx, nil))(t)
	rule := &service.CORSRule{
		AllowedOrigins: to.Ptr("http://example.test"), AllowedMethods: to.Ptr("GET,PUT"), AllowedHeaders: to.Ptr("x-ms-*"),
		ExposedHeaders: to.Ptr("etag"), MaxAgeInSeconds: to.Ptr[int32](60),
	}
	t.Cleanup(func() { done(blobs.SetProperties(ctx, &service.SetPropertiesOptions{CORS: []*service.CORSRule{}}))(t) })
	done(blobs.SetProperties(ctx, &service.SetPropertiesOptions{CORS: []*service.CORSRule{rule}}))(t)
	after := done(blobs.GetProperties(ctx, nil))(t)
	equal(t, after.CORS, []*service.CORSRule{rule})
	equal(t, after.Logging, before.Logging)
	equal(t, after.HourMetrics, before.HourMetrics)

	about := done(blobs.GetAccountInfo(ctx, nil))(t)
	equal(t, *about.AccountKind, service.AccountKind("StorageV2"))
	secondary := must(service.NewClientWithSharedKeyCredential(blobURL+"-secondary", credential, &service.ClientOptions{ClientOptions: options}))
	said := done(secondary.GetStatistics(ctx, nil))(t)
	equal(t, string(*said.GeoReplication.Status), "live")
	_, err := blobs.GetStatistics(ctx, nil)
	refused(t, err, 400, "InvalidQueryParameterValue")
}
