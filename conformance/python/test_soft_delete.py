"""Deleted blobs are kept for some days, where the account says so."""

import pytest
from azure.storage.blob import RetentionPolicy
from helpers import refused

DAY = 24 * 60 * 60


@pytest.fixture(autouse=True)
def retention(service):
    service.set_service_properties(delete_retention_policy=RetentionPolicy(enabled=True, days=7))
    assert service.get_service_properties()["delete_retention_policy"].days == 7
    yield
    service.set_service_properties(delete_retention_policy=RetentionPolicy(enabled=False))
    assert service.get_service_properties()["delete_retention_policy"].enabled is False


def listed(container, *include):
    return [(b.name, bool(b.snapshot), bool(b.deleted)) for b in container.list_blobs(include=list(include))]


def test_a_deleted_blob_comes_back(container, blob):
    etag = blob.get_blob_properties().etag
    blob.delete_blob()
    assert not blob.exists()
    with refused(404, "BlobNotFound"):
        blob.download_blob()
    assert listed(container) == []
    (deleted,) = container.list_blobs(include=["deleted"])
    assert (deleted.name, deleted.deleted) == ("hello.txt", True)
    assert deleted.remaining_retention_days in (6, 7), "whole days from now"
    assert deleted.deleted_time
    blob.undelete_blob()
    assert blob.download_blob().readall() == b"hello, world"
    assert blob.get_blob_properties().etag == etag
    assert listed(container, "deleted") == [("hello.txt", False, False)]


def test_snapshots_come_back_with_their_blob(container, blob):
    blob.create_snapshot()
    blob.delete_blob(delete_snapshots="include")
    assert listed(container, "deleted", "snapshots") == [("hello.txt", True, True), ("hello.txt", False, True)]
    blob.undelete_blob()
    assert listed(container, "deleted", "snapshots") == [("hello.txt", True, False), ("hello.txt", False, False)]


def test_what_is_overwritten_is_kept_as_a_snapshot(container, blob):
    blob.upload_blob(b"changed", overwrite=True)
    assert listed(container, "deleted", "snapshots") == [("hello.txt", True, True), ("hello.txt", False, False)]
    blob.undelete_blob()
    (kept,) = (b.snapshot for b in container.list_blobs(include=["snapshots"]) if b.snapshot)
    assert container.get_blob_client("hello.txt", snapshot=kept).download_blob().readall() == b"hello, world"
    assert blob.download_blob().readall() == b"changed"


def test_after_its_days_it_is_gone(container, blob, advance):
    blob.delete_blob()
    advance(3 * DAY)
    (deleted,) = container.list_blobs(include=["deleted"])
    assert deleted.remaining_retention_days in (3, 4)
    advance(4 * DAY + 60)
    assert listed(container, "deleted") == []
    with refused(404, "BlobNotFound"):
        blob.undelete_blob()


def test_undeleting_what_was_never_there(container, blob):
    blob.undelete_blob()
    assert blob.download_blob().readall() == b"hello, world"
    with refused(404, "BlobNotFound"):
        container.get_blob_client("missing").undelete_blob()


def allow_permanent_delete(service, allow):
    policy = RetentionPolicy(enabled=True, days=7)
    policy.allow_permanent_delete = allow  # the SDK has it, and no word for it
    service.set_service_properties(delete_retention_policy=policy)


@pytest.fixture
def permanent(service):
    allow_permanent_delete(service, True)
    yield
    allow_permanent_delete(service, False)


def test_a_deleted_snapshot_is_removed_for_good(container, blob, permanent):
    taken = blob.create_snapshot()["snapshot"]
    snapshot = container.get_blob_client(blob.blob_name, snapshot=taken)
    with refused(409, "BlobSnapshotNotSoftDeleted"):
        snapshot.delete_blob(blob_delete_type="Permanent")
    snapshot.delete_blob()
    assert listed(container, "deleted", "snapshots") == [("hello.txt", True, True), ("hello.txt", False, False)]
    snapshot.delete_blob(blob_delete_type="Permanent")
    assert listed(container, "deleted", "snapshots") == [("hello.txt", False, False)]
    blob.undelete_blob()
    assert listed(container, "snapshots") == [("hello.txt", False, False)]
    with refused(409, "BlobOperationNotSupported"):
        blob.delete_blob(blob_delete_type="Permanent")
    assert blob.exists()


def test_nothing_is_removed_for_good_where_that_is_not_allowed(container, blob):
    taken = blob.create_snapshot()["snapshot"]
    snapshot = container.get_blob_client(blob.blob_name, snapshot=taken)
    snapshot.delete_blob()
    with refused(409, "BlobOperationNotSupported"):
        snapshot.delete_blob(blob_delete_type="Permanent")
    blob.undelete_blob()
    assert snapshot.exists()
