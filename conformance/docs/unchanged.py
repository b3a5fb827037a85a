"""What `lazuli run -- pytest` on the front page runs: a test as production has its programs, with no word about Lazuli."""

import os

from azure.identity import DefaultAzureCredential
from azure.storage.blob import BlobServiceClient


def test_a_blob_is_read_as_it_was_written():
    endpoint = os.environ["AZURE_STORAGE_BLOB_ENDPOINT"]
    assert endpoint.startswith("https://")
    container = BlobServiceClient(endpoint, credential=DefaultAzureCredential()).create_container("tests")
    container.upload_blob("hello.txt", b"hello")
    assert container.download_blob("hello.txt").readall() == b"hello"
