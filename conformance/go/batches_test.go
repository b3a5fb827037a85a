package conformance

import (
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/sas"
)

func filled(t *testing.T, names ...string) *container.Client {
	t.Helper()
	client := newContainer(t)
	for _, name := range names {
		put(t, client.NewBlockBlobClient(name), "x")
	}
	return client
}

func TestABatchOfDeletions(t *testing.T) {
	client := filled(t, "a", "with space/ü+&=.txt", "kept")
	batch := done(client.NewBatchBuilder())(t)
	for _, name := range []string{"a", "missing", "with space/ü+&=.txt"} {
		ok(t, batch.Delete(name, nil))
	}
	answer := done(client.SubmitBatch(ctx, batch, nil))(t)
	equal(t, len(answer.Responses), 3)
	for at, response := range answer.Responses {
		equal(t, *response.ContentID, at)
		if at == 1 {
			refused(t, response.Error, 404, "BlobNotFound")
		} else {
			ok(t, response.Error)
		}
	}
	equal(t, listed(t, client, nil), []string{"kept"})
}

func TestABatchAcrossContainers(t *testing.T) {
	first, second := filled(t, "a", "b"), filled(t, "c")
	batch := done(blobs.NewBatchBuilder())(t)
	for _, name := range []string{"a", "b"} {
		ok(t, batch.SetTier(done(blob.ParseURL(first.URL()))(t).ContainerName, name, blob.AccessTierCool, nil))
	}
	ok(t, batch.SetTier(done(blob.ParseURL(second.URL()))(t).ContainerName, "c", blob.AccessTierCool, nil))
	for _, response := range done(blobs.SubmitBatch(ctx, batch, nil))(t).Responses {
		ok(t, response.Error)
	}
	equal(t, *done(second.NewBlobClient("c").GetProperties(ctx, nil))(t).AccessTier, "Cool")
}

func TestABatchOfWhoHasATokenForTheContainer(t *testing.T) {
	client := filled(t, "a")
	for _, c := range []struct {
		permissions sas.ContainerPermissions
		allowed     bool
	}{{sas.ContainerPermissions{Read: true}, false}, {sas.ContainerPermissions{Delete: true}, true}} {
		holder := done(container.NewClientWithNoCredential(
			done(client.GetSASURL(c.permissions, inAnHour(t), nil))(t), &container.ClientOptions{ClientOptions: options}))(t)
		batch := done(holder.NewBatchBuilder())(t)
		ok(t, batch.Delete("a", nil))
		answer := done(holder.SubmitBatch(ctx, batch, nil))(t)
		if c.allowed {
			ok(t, answer.Responses[0].Error)
		} else {
			refused(t, answer.Responses[0].Error, 403, "AuthorizationPermissionMismatch")
		}
	}
	equal(t, listed(t, client, nil), []string{})
}
