from uuid import uuid4

import pytest
from azure.storage.blob import BlobLeaseClient
from helpers import refused

OTHER = "11111111-2222-3333-4444-555555555555"


def state(client):
    properties = client.get_blob_properties() if hasattr(client, "blob_name") else client.get_container_properties()
    lease = properties.lease
    return lease.status, lease.state, lease.duration


@pytest.fixture(params=["blob", "container"])
def target(request):
    """What is leased: the same rules hold for both."""
    return request.getfixturevalue(request.param)


def test_acquire_and_release(target):
    assert state(target) == ("unlocked", "available", None)
    lease = target.acquire_lease()
    assert lease.id
    assert state(target) == ("locked", "leased", "infinite")
    lease.release()
    assert state(target) == ("unlocked", "available", None)


def test_a_lease_leaves_the_etag(target):
    before = target.get_blob_properties() if hasattr(target, "blob_name") else target.get_container_properties()
    lease = target.acquire_lease(lease_duration=15)
    assert lease.etag == before.etag
    lease.renew()
    assert lease.etag == before.etag
    assert state(target) == ("locked", "leased", "fixed")


def test_only_one_holds_it(target):
    target.acquire_lease()
    with refused(409, "LeaseAlreadyPresent"):
        target.acquire_lease()


def test_the_holder_may_acquire_again(target):
    lease = target.acquire_lease(lease_id=OTHER)
    assert lease.id == OTHER
    target.acquire_lease(lease_duration=15, lease_id=OTHER)
    assert state(target) == ("locked", "leased", "fixed")


@pytest.mark.parametrize("seconds", [0, 14, 61])
def test_a_duration_has_bounds(target, seconds):
    with refused(400, "InvalidHeaderValue"):
        target.acquire_lease(lease_duration=seconds)


def test_change(target):
    lease = target.acquire_lease()
    lease.change(OTHER)
    assert lease.id == OTHER
    lease.change(OTHER)
    with refused(409, "LeaseIdMismatchWithLeaseOperation"):
        BlobLeaseClient(target, lease_id=str(uuid4())).change(str(uuid4()))
    lease.release()


def test_what_needs_a_lease_finds_none(target):
    lease = BlobLeaseClient(target, lease_id=OTHER)
    with refused(409, "LeaseIdMismatchWithLeaseOperation"):
        lease.renew()
    with refused(409, "LeaseIdMismatchWithLeaseOperation"):
        lease.release()
    with refused(409, "LeaseNotPresentWithLeaseOperation"):
        lease.change(str(uuid4()))
    with refused(409, "LeaseNotPresentWithLeaseOperation"):
        lease.break_lease()


def test_another_id_opens_nothing(target):
    target.acquire_lease()
    stranger = BlobLeaseClient(target, lease_id=OTHER)
    with refused(409, "LeaseIdMismatchWithLeaseOperation"):
        stranger.renew()
    with refused(409, "LeaseIdMismatchWithLeaseOperation"):
        stranger.release()


def test_break_at_once(target):
    lease = target.acquire_lease()
    assert lease.break_lease(lease_break_period=0) == 0
    assert state(target) == ("unlocked", "broken", None)
    with refused(409, "LeaseIsBrokenAndCannotBeRenewed"):
        lease.renew()
    target.acquire_lease()


def test_an_infinite_lease_breaks_at_once_unless_told_otherwise(target):
    assert target.acquire_lease().break_lease() == 0
    assert state(target) == ("unlocked", "broken", None)


def test_break_after_a_while(target):
    lease = target.acquire_lease()
    assert 0 < lease.break_lease(lease_break_period=30) <= 30
    assert state(target) == ("locked", "breaking", None)
    with refused(409, "LeaseIsBreakingAndCannotBeAcquired"):
        target.acquire_lease(lease_id=lease.id)
    with refused(409, "LeaseIsBreakingAndCannotBeChanged"):
        lease.change(OTHER)
    with refused(409, "LeaseAlreadyPresent"):
        target.acquire_lease()
    lease.release()
    assert state(target) == ("unlocked", "available", None)


def test_a_lease_expires_and_can_be_renewed(target, advance):
    lease = target.acquire_lease(lease_duration=15)
    advance(16)
    assert state(target) == ("unlocked", "expired", None)
    lease.renew()
    assert state(target) == ("locked", "leased", "fixed")
    advance(16)
    target.acquire_lease()
    with refused(409, "LeaseIdMismatchWithLeaseOperation"):
        lease.renew()


def test_a_breaking_lease_ends(target, advance):
    target.acquire_lease().break_lease(lease_break_period=20)
    advance(21)
    assert state(target) == ("unlocked", "broken", None)


WRITES = {
    "upload": lambda blob, **lease: blob.upload_blob(b"new", overwrite=True, **lease),
    "headers": lambda blob, **lease: blob.set_http_headers(**lease),
    "metadata": lambda blob, **lease: blob.set_blob_metadata({"a": "b"}, **lease),
    "stage": lambda blob, **lease: blob.stage_block("MQ==", b"data", **lease),
    "commit": lambda blob, **lease: blob.commit_block_list([], **lease),
    "delete": lambda blob, **lease: blob.delete_blob(**lease),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_a_leased_blob_is_written_by_its_holder(blob, write):
    lease = blob.acquire_lease()
    with refused(412, "LeaseIdMissing"):
        write(blob)
    with refused(412, "LeaseIdMismatchWithBlobOperation"):
        write(blob, lease=OTHER)
    write(blob, lease=lease)


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_no_lease_no_id(blob, write):
    with refused(412, "LeaseNotPresentWithBlobOperation"):
        write(blob, lease=OTHER)


def test_anyone_reads_a_leased_blob(blob):
    lease = blob.acquire_lease()
    assert blob.download_blob().readall() == b"hello, world"
    assert blob.download_blob(lease=lease).readall() == b"hello, world"
    with refused(412, "LeaseIdMismatchWithBlobOperation"):
        blob.download_blob(lease=OTHER)
    with refused(412, "LeaseIdMismatchWithBlobOperation"):
        blob.get_blob_properties(lease=OTHER)


def test_a_lease_outlives_an_upload(blob):
    lease = blob.acquire_lease()
    blob.upload_blob(b"new", overwrite=True, lease=lease)
    assert state(blob) == ("locked", "leased", "infinite")


def test_a_lost_lease_does_not_write(blob, advance):
    lease = blob.acquire_lease(lease_duration=15)
    advance(16)
    with refused(412, "LeaseLost"):
        blob.upload_blob(b"late", overwrite=True, lease=lease)
    blob.upload_blob(b"new", overwrite=True)
    assert state(blob) == ("unlocked", "available", None)
    with refused(409, "LeaseIdMismatchWithLeaseOperation"):
        lease.renew()


def test_a_leased_container_is_deleted_by_its_holder(container):
    lease = container.acquire_lease()
    container.upload_blob("a", b"a")
    container.set_container_metadata({"a": "b"})
    with refused(412, "LeaseIdMissing"):
        container.delete_container()
    with refused(412, "LeaseIdMismatchWithContainerOperation"):
        container.delete_container(lease=OTHER)
    container.delete_container(lease=lease)
    assert not container.exists()


def test_a_container_goes_whatever_its_blobs_hold(container, blob):
    blob.acquire_lease()
    container.delete_container()
    assert not container.exists()


def test_the_listing_tells_the_lease(container, blob):
    blob.acquire_lease(lease_duration=30)
    (listed,) = container.list_blobs()
    assert (listed.lease.status, listed.lease.state, listed.lease.duration) == ("locked", "leased", "fixed")
