"""Shares of an account that keeps deleted ones for some days."""

import pytest
from azure.storage.fileshare import ShareServiceClient
from helpers import KEY, RETAINING_FILE_URL, refused, unique

pytestmark = pytest.mark.skipif(not RETAINING_FILE_URL, reason="RETAINING_FILE_URL is not set")


@pytest.fixture
def service():
    account = {"account_name": RETAINING_FILE_URL.rsplit("/", 1)[1], "account_key": KEY}
    with ShareServiceClient(RETAINING_FILE_URL, credential=account, retry_total=0) as client:
        yield client


def listed(service, name):
    return list(service.list_shares(name_starts_with=name, include_deleted=True, include_metadata=True))


def test_a_deleted_share_comes_back(service, advance):
    share = service.create_share(unique(), metadata={"a": "b"})
    share.create_directory("d")
    share.delete_share()
    (deleted,) = listed(service, share.share_name)
    assert deleted.deleted and deleted.version and deleted.deleted_time
    assert (deleted.remaining_retention_days, deleted.metadata) == (7, {"a": "b"})
    assert list(service.list_shares(name_starts_with=share.share_name)) == []
    with refused(409, "ShareBeingDeleted"):
        service.create_share(share.share_name)
    advance(30)
    back = service.undelete_share(deleted.name, deleted.version)
    assert back.get_share_properties().metadata == {"a": "b"}
    assert [one.name for one in back.list_directories_and_files()] == ["d"]
    (there,) = listed(service, share.share_name)
    assert not there.deleted
    with refused(409, "ShareAlreadyExists"):
        service.undelete_share(deleted.name, deleted.version)
    back.delete_share()
