"""Writes and reads over https with the variables of `lazuli run`, with the SDKs and with asyncio."""

import asyncio
import os

from azure.core.credentials import AzureNamedKeyCredential
from azure.data.tables import TableServiceClient
from azure.storage.blob import BlobServiceClient
from azure.storage.blob.aio import BlobServiceClient as AsyncBlobServiceClient
from azure.storage.fileshare import ShareServiceClient
from azure.storage.queue import QueueServiceClient

account, key = os.environ["AZURE_STORAGE_ACCOUNT"], os.environ["AZURE_STORAGE_KEY"]

blobs = BlobServiceClient.from_connection_string(os.environ["AZURE_STORAGE_CONNECTION_STRING"])
assert blobs.url.startswith("https://"), blobs.url
container = blobs.create_container("box")
container.upload_blob("a", b"blob")

queues = QueueServiceClient(os.environ["AZURE_STORAGE_QUEUE_ENDPOINT"], credential=key)
queue = queues.create_queue("work")
queue.send_message("message")
assert queue.receive_message().content == "message"

tables = TableServiceClient(os.environ["AZURE_STORAGE_TABLE_ENDPOINT"], credential=AzureNamedKeyCredential(account, key))
table = tables.create_table("people")
table.create_entity({"PartitionKey": "p", "RowKey": "r", "Age": 7})
assert table.get_entity("p", "r")["Age"] == 7

files = ShareServiceClient(os.environ["AZURE_STORAGE_FILE_ENDPOINT"], credential=key)
share = files.create_share("share")
share.get_file_client("a").upload_file(b"file")
assert share.get_file_client("a").download_file().readall() == b"file"


async def read():
    async with AsyncBlobServiceClient(os.environ["AZURE_STORAGE_BLOB_ENDPOINT"], credential=key) as service:
        download = await service.get_blob_client("box", "a").download_blob()
        assert await download.readall() == b"blob"


asyncio.run(read())
