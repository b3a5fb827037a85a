"""A service, a container of its own for each test that asks, and the server's clock."""

import pytest
import requests
from azure.core.exceptions import HttpResponseError, ResourceNotFoundError
from azure.storage.blob import BlobLeaseClient, BlobServiceClient
from helpers import CONNECTION_STRING, CONTROL_URL, unique


@pytest.fixture(scope="session")
def service():
    # No retries: a refusal is what many tests are about, and a server error must show at once.
    # Small limits, so that a few megabytes already go up in blocks and come down in pieces.
    with BlobServiceClient.from_connection_string(
        CONNECTION_STRING,
        retry_total=0,
        max_single_put_size=1024 * 1024,
        max_block_size=1024 * 1024,
        max_page_size=1024 * 1024,
        max_single_get_size=1024 * 1024,
        max_chunk_get_size=1024 * 1024,
    ) as client:
        yield client


@pytest.fixture
def make_container(service):
    """Creates containers that are gone after the test, leased or not."""
    made = []

    def make(**options):
        client = service.get_container_client(unique())
        client.create_container(**options)
        made.append(client)
        return client

    yield make
    for client in made:
        remove(client)


@pytest.fixture
def container(make_container):
    return make_container()


@pytest.fixture
def blob(container):
    """A small blob."""
    client = container.get_blob_client("hello.txt")
    client.upload_blob(b"hello, world")
    return client


@pytest.fixture
def advance():
    """Moves the server's clock on by some seconds."""
    if not CONTROL_URL:
        pytest.skip("the server's clock cannot be moved: LAZULI_CONTROL_URL is not set")

    def move(seconds):
        requests.post(f"{CONTROL_URL}/clock", params={"seconds": seconds}, timeout=10).raise_for_status()

    return move


def remove(container):
    try:
        container.delete_container()
    except ResourceNotFoundError:
        pass
    except HttpResponseError as error:
        if error.error_code != "LeaseIdMissing":
            raise
        BlobLeaseClient(container).break_lease(lease_break_period=0)
        container.delete_container()
