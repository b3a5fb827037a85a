import pytest
from azure.storage.blob import BlobClient
from helpers import blob_sas, refused


@pytest.fixture
def snapshot(container, blob):
    """A snapshot of a blob that has changed since."""
    taken = blob.create_snapshot()
    blob.upload_blob(b"changed", overwrite=True, metadata={"later": "1"})
    return container.get_blob_client(blob.blob_name, snapshot=taken["snapshot"])


def test_a_snapshot_stays_as_it_was(container, blob):
    before = blob.get_blob_properties()
    taken = blob.create_snapshot()
    assert taken["etag"] == before.etag, "the blob is not touched"
    blob.upload_blob(b"changed", overwrite=True)
    snapshot = container.get_blob_client(blob.blob_name, snapshot=taken)
    properties = snapshot.get_blob_properties()
    assert properties.snapshot == taken["snapshot"]
    assert (properties.etag, properties.last_modified) == (before.etag, before.last_modified)
    assert properties.lease.state is None, "snapshots have no leases"
    assert snapshot.download_blob().readall() == b"hello, world"
    assert snapshot.download_blob(offset=7).readall() == b"world"
    assert blob.download_blob().readall() == b"changed"


def test_a_snapshot_may_have_metadata_of_its_own(container, blob):
    blob.set_blob_metadata({"a": "1"})
    plain, own = blob.create_snapshot(), blob.create_snapshot({"b": "2"})
    assert plain["snapshot"] < own["snapshot"]
    told = [container.get_blob_client("hello.txt", snapshot=taken).get_blob_properties().metadata for taken in (plain, own)]
    assert told == [{"a": "1"}, {"b": "2"}]


def test_nobody_writes_to_a_snapshot(blob, snapshot):
    for write in (
        lambda: snapshot.set_blob_metadata({"a": "b"}),
        lambda: snapshot.upload_blob(b"new", overwrite=True),
        lambda: snapshot.create_snapshot(),
        lambda: snapshot.start_copy_from_url(blob.url),
    ):
        with refused(400, "InvalidQueryParameterValue"):
            write()
    assert snapshot.get_blob_properties().metadata == {}
    assert snapshot.download_blob().readall() == b"hello, world"


def test_listed_oldest_first_before_their_blob(container, blob):
    taken = [blob.create_snapshot()["snapshot"] for _ in range(3)]
    container.upload_blob("z", b"z")
    listed = [(b.name, b.snapshot) for b in container.list_blobs(include=["snapshots"])]
    assert listed == [*(("hello.txt", time) for time in taken), ("hello.txt", None), ("z", None)]
    pages = container.list_blobs(include=["snapshots"], results_per_page=1).by_page()
    assert [(b.name, b.snapshot) for page in pages for b in page] == listed
    assert [b.name for b in container.list_blobs()] == ["hello.txt", "z"]


def test_a_blob_with_snapshots_is_not_deleted_by_accident(blob, snapshot):
    with refused(409, "SnapshotsPresent"):
        blob.delete_blob()
    blob.delete_blob(delete_snapshots="only")
    assert blob.exists() and not snapshot.exists()
    blob.create_snapshot()
    blob.delete_blob(delete_snapshots="include")
    assert not blob.exists()


def test_one_snapshot_is_deleted(container, blob, snapshot):
    kept = blob.create_snapshot()["snapshot"]
    snapshot.delete_blob()
    with refused(404, "BlobNotFound"):
        snapshot.download_blob()
    assert [b.snapshot for b in container.list_blobs(include=["snapshots"])] == [kept, None]
    assert blob.download_blob().readall() == b"changed"


def test_a_snapshot_is_promoted_by_a_copy(blob, snapshot):
    started = blob.start_copy_from_url(snapshot.url)
    assert started["copy_status"] == "success"
    assert blob.download_blob().readall() == b"hello, world"
    assert blob.get_blob_properties().metadata == {}
    assert snapshot.exists()


def test_a_snapshot_has_its_tier(blob, snapshot):
    snapshot.set_standard_blob_tier("Cool")
    assert snapshot.get_blob_properties().blob_tier == "Cool"
    assert blob.get_blob_properties().blob_tier == "Hot"


def test_a_token_for_a_snapshot_opens_that_one(blob, snapshot):
    token = blob_sas(blob, "r", snapshot=snapshot.snapshot)
    reader = BlobClient.from_blob_url(snapshot.url, credential=token, retry_total=0)
    assert reader.download_blob().readall() == b"hello, world"
    with refused(403, "AuthenticationFailed", "AuthorizationFailure"):
        BlobClient.from_blob_url(blob.url, credential=token, retry_total=0).download_blob()


def test_what_is_no_snapshot(container, blob):
    with refused(404, "BlobNotFound"):
        container.get_blob_client(blob.blob_name, snapshot="2020-01-01T00:00:00.0000000Z").get_blob_properties()
    with refused(400, "InvalidQueryParameterValue"):
        container.get_blob_client(blob.blob_name, snapshot="yesterday").download_blob()
