package conformance

import (
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blockblob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/lease"
)

const (
	one = "00000000-1111-2222-3333-444444444444"
	two = "55555555-6666-7777-8888-999999999999"
)

func holder(t *testing.T, client *blockblob.Client, id string) *lease.BlobClient {
	t.Helper()
	return done(lease.NewBlobClient(client, &lease.BlobClientOptions{LeaseID: &id}))(t)
}

func leased(id string) *blob.AccessConditions {
	return &blob.AccessConditions{LeaseAccessConditions: &blob.LeaseAccessConditions{LeaseID: &id}}
}

func state(t *testing.T, client *blockblob.Client) lease.StateType {
	t.Helper()
	return *done(client.GetProperties(ctx, nil))(t).LeaseState
}

func TestALeasedBlobIsItsHolders(t *testing.T) {
	client := newBlob(t)
	mine, theirs := holder(t, client, one), holder(t, client, two)
	equal(t, *done(mine.AcquireLease(ctx, 15, nil))(t).LeaseID, one)
	equal(t, state(t, client), lease.StateTypeLeased)
	found := done(client.GetProperties(ctx, nil))(t)
	equal(t, *found.LeaseDuration, lease.DurationTypeFixed)
	equal(t, *found.LeaseStatus, lease.StatusTypeLocked)

	_, err := theirs.AcquireLease(ctx, -1, nil)
	refused(t, err, 409, "LeaseAlreadyPresent")
	_, err = theirs.RenewLease(ctx, nil)
	refused(t, err, 409, "LeaseIdMismatchWithLeaseOperation")
	_, err = client.Upload(ctx, body("new"), nil)
	refused(t, err, 412, "LeaseIdMissing")
	_, err = client.Upload(ctx, body("new"), &blockblob.UploadOptions{AccessConditions: leased(two)})
	refused(t, err, 412, "LeaseIdMismatchWithBlobOperation")
	done(client.Upload(ctx, body("new"), &blockblob.UploadOptions{AccessConditions: leased(one)}))(t)
	equal(t, text(t, client), "new")

	equal(t, *done(mine.ChangeLease(ctx, two, nil))(t).LeaseID, two)
	equal(t, *mine.LeaseID(), two)
	done(theirs.ReleaseLease(ctx, nil))(t)
	equal(t, state(t, client), lease.StateTypeAvailable)
	_, err = client.Upload(ctx, body("x"), &blockblob.UploadOptions{AccessConditions: leased(one)})
	refused(t, err, 412, "LeaseNotPresentWithBlobOperation", "LeaseLost")
}

func TestALeaseIsBroken(t *testing.T) {
	client := newBlob(t)
	mine := holder(t, client, one)
	done(mine.AcquireLease(ctx, -1, nil))(t)
	equal(t, *done(mine.BreakLease(ctx, &lease.BlobBreakOptions{BreakPeriod: to.Ptr[int32](0)}))(t).LeaseTime, 0)
	equal(t, state(t, client), lease.StateTypeBroken)
	_, err := mine.RenewLease(ctx, nil)
	refused(t, err, 409, "LeaseIsBrokenAndCannotBeRenewed")
	done(holder(t, client, two).AcquireLease(ctx, 60, nil))(t)
}

func TestALeaseRunsOut(t *testing.T) {
	client := newBlob(t)
	mine := holder(t, client, one)
	done(mine.AcquireLease(ctx, 15, nil))(t)
	advance(t, 15*time.Second)
	equal(t, state(t, client), lease.StateTypeExpired)
	done(mine.RenewLease(ctx, nil))(t)
	equal(t, state(t, client), lease.StateTypeLeased)
	left := done(mine.BreakLease(ctx, &lease.BlobBreakOptions{BreakPeriod: to.Ptr[int32](60)}))(t)
	if *left.LeaseTime > 15 || *left.LeaseTime < 10 {
		t.Fatalf("%d seconds are left", *left.LeaseTime)
	}
	equal(t, state(t, client), lease.StateTypeBreaking)
	advance(t, 15*time.Second)
	put(t, client, "free again")
}

func TestADurationHasBounds(t *testing.T) {
	client := newBlob(t)
	for _, seconds := range []int32{0, 14, 61} {
		_, err := holder(t, client, one).AcquireLease(ctx, seconds, nil)
		refused(t, err, 400, "InvalidHeaderValue")
	}
}

func TestALeasedContainerIsNotDeleted(t *testing.T) {
	client := newContainer(t)
	mine := done(lease.NewContainerClient(client, &lease.ContainerClientOptions{LeaseID: to.Ptr(one)}))(t)
	done(mine.AcquireLease(ctx, 60, nil))(t)
	_, err := client.Delete(ctx, nil)
	refused(t, err, 412, "LeaseIdMissing")
	put(t, client.NewBlockBlobClient("a"), "leases are of the container, not of what is in it")
	done(mine.RenewLease(ctx, nil))(t)
	done(client.Delete(ctx, &container.DeleteOptions{AccessConditions: &container.AccessConditions{
		LeaseAccessConditions: &container.LeaseAccessConditions{LeaseID: to.Ptr(one)},
	}}))(t)
}
