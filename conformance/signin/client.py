"""Writes and reads with DefaultAzureCredential and the endpoints that `lazuli run` sets, and with asyncio."""

import asyncio
import os
from datetime import datetime, timedelta, timezone

from azure.data.tables import TableServiceClient
from azure.identity import DefaultAzureCredential
from azure.identity.aio import DefaultAzureCredential as AsyncDefaultAzureCredential
from azure.storage.blob import BlobClient, BlobSasPermissions, BlobServiceClient, generate_blob_sas
from azure.storage.blob.aio import BlobServiceClient as AsyncBlobServiceClient
from azure.storage.filedatalake import DataLakeServiceClient
from azure.storage.fileshare import ShareServiceClient
from azure.storage.queue import QueueServiceClient

credential = DefaultAzureCredential()

blobs = BlobServiceClient(os.environ["AZURE_STORAGE_BLOB_ENDPOINT"], credential)
assert blobs.url.startswith("https://"), blobs.url
container = blobs.create_container("box")
blob = container.upload_blob("a", b"blob")
assert container.download_blob("a").readall() == b"blob"

now = datetime.now(timezone.utc)
start, expiry = now - timedelta(minutes=5), now + timedelta(hours=1)
key = blobs.get_user_delegation_key(start, expiry)
sas = generate_blob_sas(
    blobs.account_name, "box", "a", user_delegation_key=key, permission=BlobSasPermissions(read=True), start=start, expiry=expiry
)
assert BlobClient.from_blob_url(f"{blob.url}?{sas}").download_blob().readall() == b"blob"

queue = QueueServiceClient(os.environ["AZURE_STORAGE_QUEUE_ENDPOINT"], credential=credential).create_queue("work")
queue.send_message("message")
assert queue.receive_message().content == "message"

tables = TableServiceClient(os.environ["AZURE_STORAGE_TABLE_ENDPOINT"], credential=credential)
table = tables.create_table("people")
table.create_entity({"PartitionKey": "p", "RowKey": "r", "Age": 7})
assert table.get_entity("p", "r")["Age"] == 7

shares = ShareServiceClient(os.environ["AZURE_STORAGE_FILE_ENDPOINT"], credential=credential, token_intent="backup")
file = shares.create_share("share").get_file_client("a")
file.upload_file(b"file")
assert file.download_file().readall() == b"file"

lake = DataLakeServiceClient(os.environ["AZURE_STORAGE_DFS_ENDPOINT"], credential)
page = lake.create_file_system("lake").get_file_client("a")
page.upload_data(b"lake", overwrite=True)
assert page.download_file().readall() == b"lake"


async def read():
    async with (
        AsyncDefaultAzureCredential() as credential,
        AsyncBlobServiceClient(os.environ["AZURE_STORAGE_BLOB_ENDPOINT"], credential) as service,
    ):
        download = await service.get_blob_client("box", "a").download_blob()
        assert await download.readall() == b"blob"


asyncio.run(read())
