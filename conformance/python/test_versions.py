"""In an account that keeps versions."""

import pytest
from helpers import VERSIONED_BLOB_URL, other_service, refused, unique

pytestmark = pytest.mark.skipif(not VERSIONED_BLOB_URL, reason="VERSIONED_BLOB_URL is not set")


@pytest.fixture
def container():
    with other_service(VERSIONED_BLOB_URL).create_container(unique()) as client:
        yield client
        client.delete_container()


@pytest.fixture
def written(container):
    """A blob of three versions, oldest first, and their ids."""
    blob = container.get_blob_client("a")
    ids = [blob.upload_blob(text, overwrite=True)["version_id"] for text in (b"one", b"two", b"three")]
    return blob, ids


def listed(container, *include):
    return [(b.name, b.version_id, b.is_current_version) for b in container.list_blobs(include=list(include))]


def test_every_write_leaves_a_version_behind(written):
    blob, ids = written
    assert ids == sorted(set(ids))
    for version, text in zip(ids, (b"one", b"two", b"three")):
        assert blob.download_blob(version_id=version).readall() == text
        assert blob.get_blob_properties(version_id=version).version_id == version
    properties = blob.get_blob_properties()
    assert (properties.version_id, properties.is_current_version) == (ids[-1], True)
    assert not blob.get_blob_properties(version_id=ids[0]).is_current_version


def test_metadata_makes_a_version(written):
    blob, ids = written
    fourth = blob.set_blob_metadata({"a": "b"})["version_id"]
    assert fourth > ids[-1]
    assert blob.get_blob_properties(version_id=ids[-1]).metadata == {}


def test_listed_only_when_asked_for(container, written):
    _, ids = written
    assert listed(container) == [("a", ids[-1], True)] or listed(container) == [("a", None, None)]
    assert listed(container, "versions") == [("a", ids[0], None), ("a", ids[1], None), ("a", ids[2], True)]
    pages = [list(page) for page in container.list_blobs(include=["versions"], results_per_page=2).by_page()]
    assert [[b.version_id for b in page] for page in pages] == [ids[:2], ids[2:]]


def test_deleting_keeps_the_versions(container, written):
    blob, ids = written
    blob.delete_blob()
    assert not blob.exists()
    assert [version for _, version, _ in listed(container, "versions")] == ids
    assert listed(container) == []
    assert blob.download_blob(version_id=ids[1]).readall() == b"two"
    (left,) = container.list_blobs(include=["deletedwithversions"])
    assert (left.name, left.has_versions_only) == ("a", True)


def test_a_version_is_removed_for_good(container, written):
    blob, ids = written
    blob.delete_blob(version_id=ids[0])
    with refused(404, "BlobNotFound"):
        blob.download_blob(version_id=ids[0])
    assert [version for _, version, _ in listed(container, "versions")] == ids[1:]
    with refused(403, "OperationNotAllowedOnRootBlob"):
        blob.delete_blob(version_id=ids[2])


def test_a_version_is_promoted_by_a_copy(written):
    blob, ids = written
    blob.start_copy_from_url(f"{blob.url}?versionid={ids[0]}")
    assert blob.download_blob().readall() == b"one"
    assert blob.get_blob_properties().version_id > ids[-1]


def test_a_version_has_tags_and_a_tier(written):
    blob, ids = written
    blob.set_blob_tags({"which": "first"}, version_id=ids[0])
    assert blob.get_blob_tags(version_id=ids[0]) == {"which": "first"}
    assert blob.get_blob_tags() == {}
    blob.set_standard_blob_tier("Cool", version_id=ids[0])
    assert blob.get_blob_properties(version_id=ids[0]).blob_tier == "Cool"
    assert blob.get_blob_properties().blob_tier == "Hot"


def test_what_is_no_version(written):
    blob, _ = written
    with refused(404, "BlobNotFound"):
        blob.download_blob(version_id="2020-01-01T00:00:00.0000000Z")
    with refused(400, "InvalidQueryParameterValue"):
        blob.download_blob(version_id="first")
