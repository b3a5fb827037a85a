"""Who gets in without a token: anonymous reads, keys right and wrong."""

from base64 import b64encode

import pytest
from azure.core.exceptions import ClientAuthenticationError
from azure.storage.blob import BlobClient, BlobServiceClient, ContainerClient
from helpers import ACCOUNT, BLOB_URL, refused, unique


def anyone_at_the_container(container):
    return ContainerClient.from_container_url(container.url, retry_total=0)


def anyone_at_the_blob(blob):
    return BlobClient.from_blob_url(blob.url, retry_total=0)


# How a private resource is hidden has changed from version to version of the service.
HIDDEN = (401, 404), "NoAuthenticationInformation", "ResourceNotFound"


def test_a_private_container_shows_nothing(container, blob):
    with refused(*HIDDEN):
        anyone_at_the_blob(blob).download_blob()
    with refused(*HIDDEN):
        list(anyone_at_the_container(container).list_blobs())


def test_public_blobs_are_read_but_not_listed(make_container):
    container = make_container(public_access="blob")
    blob = container.upload_blob("a", b"data")
    assert anyone_at_the_blob(blob).download_blob().readall() == b"data"
    assert anyone_at_the_blob(blob).get_blob_properties().size == 4
    with refused(*HIDDEN):
        list(anyone_at_the_container(container).list_blobs())


def test_a_public_container_is_read_and_listed(make_container):
    container = make_container(public_access="container")
    blob = container.upload_blob("a", b"data")
    assert anyone_at_the_blob(blob).download_blob().readall() == b"data"
    assert list(anyone_at_the_container(container).list_blob_names()) == ["a"]
    assert anyone_at_the_container(container).get_container_properties().public_access == "container"


def test_nobody_writes_without_a_name(make_container):
    container = make_container(public_access="container")
    blob = container.upload_blob("a", b"data")
    with refused(
        (401, 403, 404), "NoAuthenticationInformation", "AuthenticationFailed", "AuthorizationFailure", "ResourceNotFound"
    ):
        anyone_at_the_blob(blob).upload_blob(b"other", overwrite=True)
    assert blob.download_blob().readall() == b"data"


def test_a_container_can_be_closed_again(make_container):
    container = make_container(public_access="container")
    blob = container.upload_blob("a", b"data")
    container.set_container_access_policy(signed_identifiers={})
    with refused(*HIDDEN):
        anyone_at_the_blob(blob).download_blob()


@pytest.mark.parametrize(
    "act", [lambda s: list(s.list_containers()), lambda s: s.create_container(unique())], ids=["read", "write"]
)
def test_a_wrong_key(act):
    key = b64encode(b"not the key of this account").decode()
    service = BlobServiceClient(BLOB_URL, credential={"account_name": ACCOUNT, "account_key": key}, retry_total=0)
    with refused(403, "AuthenticationFailed") as caught:
        act(service)
    assert isinstance(caught.value, ClientAuthenticationError)
