"""Containers of a test's own, filled or empty, gone after it."""

import pytest
from azure.core.exceptions import ResourceNotFoundError
from azure.storage.blob import BlobServiceClient
from helpers import CONNECTION_STRING, unique


@pytest.fixture(scope="session")
def service():
    """What a test fills a container with and looks into it with: the SDK, which has a suite of its own."""
    with BlobServiceClient.from_connection_string(CONNECTION_STRING, retry_total=0) as client:
        yield client


@pytest.fixture
def make_container(service):
    made = []

    def make(files=None):
        client = service.create_container(unique())
        made.append(client)
        for name, content in (files or {}).items():
            client.upload_blob(name, content)
        return client

    yield make
    for client in made:
        try:
            client.delete_container()
        except ResourceNotFoundError:
            pass


@pytest.fixture
def container(make_container):
    return make_container()
