"""In an account that keeps deleted containers for some days."""

import pytest
from helpers import RETAINING_BLOB_URL, other_service, refused, unique

pytestmark = pytest.mark.skipif(not RETAINING_BLOB_URL, reason="RETAINING_BLOB_URL is not set")

DAY = 24 * 60 * 60


@pytest.fixture
def service():
    with other_service(RETAINING_BLOB_URL) as client:
        yield client


@pytest.fixture
def gone(service):
    """A container that was deleted with a blob in it, as the list tells of it."""
    container = service.create_container(unique(), metadata={"a": "b"})
    container.upload_blob("hello.txt", b"hello, world")
    container.delete_container()
    (deleted,) = listed(service, container)
    yield deleted
    for left in service.list_containers(name_starts_with=container.container_name):
        service.delete_container(left.name)


def listed(service, container):
    return list(service.list_containers(name_starts_with=container.container_name, include_deleted=True, include_metadata=True))


def test_it_is_listed_for_who_asks(service, gone):
    assert gone.deleted and gone.version
    assert gone.metadata == {"a": "b"}
    assert list(service.list_containers(name_starts_with=gone.name)) == []
    with refused(404, "ContainerNotFound"):
        service.get_container_client(gone.name).get_container_properties()


def test_it_comes_back_with_all_that_was_in_it(service, gone, advance):
    advance(60)
    restored = service.undelete_container(gone.name, gone.version)
    assert restored.get_container_properties().metadata == {"a": "b"}
    assert restored.download_blob("hello.txt").readall() == b"hello, world"
    assert not [c for c in listed(service, restored) if c.deleted]
    with refused(404, "ContainerNotFound"):
        service.undelete_container(unique(), gone.version)


def test_its_name_is_free_after_a_while(service, gone, advance):
    with refused(409, "ContainerBeingDeleted"):
        service.create_container(gone.name)
    advance(60)
    service.create_container(gone.name)
    with refused(409, "ContainerAlreadyExists"):
        service.undelete_container(gone.name, gone.version)


def test_after_its_days_it_is_gone(service, gone, advance):
    advance(7 * DAY + 60)
    assert list(service.list_containers(name_starts_with=gone.name, include_deleted=True)) == []
    with refused(404, "ContainerNotFound"):
        service.undelete_container(gone.name, gone.version)
