// Writes and reads with DefaultAzureCredential and the endpoints that `lazuli run` sets.
const assert = require("node:assert");
const { TableServiceClient, TableClient } = require("@azure/data-tables");
const { DefaultAzureCredential } = require("@azure/identity");
const { BlobClient, BlobSASPermissions, BlobServiceClient, generateBlobSASQueryParameters } = require("@azure/storage-blob");
const { DataLakeServiceClient } = require("@azure/storage-file-datalake");
const { ShareServiceClient } = require("@azure/storage-file-share");
const { QueueServiceClient } = require("@azure/storage-queue");

async function main() {
  const credential = new DefaultAzureCredential();

  const blobs = new BlobServiceClient(process.env.AZURE_STORAGE_BLOB_ENDPOINT, credential);
  assert.match(blobs.url, /^https:/);
  const container = blobs.getContainerClient("box");
  await container.create();
  const blob = container.getBlockBlobClient("a");
  await blob.upload("blob", 4);
  assert.equal((await blob.downloadToBuffer()).toString(), "blob");

  const startsOn = new Date(Date.now() - 300_000);
  const expiresOn = new Date(Date.now() + 3_600_000);
  const key = await blobs.getUserDelegationKey(startsOn, expiresOn);
  const values = { containerName: "box", blobName: "a", permissions: BlobSASPermissions.parse("r"), startsOn, expiresOn };
  const sas = generateBlobSASQueryParameters(values, key, blobs.accountName);
  assert.equal((await new BlobClient(`${blob.url}?${sas}`).downloadToBuffer()).toString(), "blob");

  const queue = new QueueServiceClient(process.env.AZURE_STORAGE_QUEUE_ENDPOINT, credential).getQueueClient("work");
  await queue.create();
  await queue.sendMessage("message");
  assert.equal((await queue.receiveMessages()).receivedMessageItems[0].messageText, "message");

  await new TableServiceClient(process.env.AZURE_STORAGE_TABLE_ENDPOINT, credential).createTable("people");
  const table = new TableClient(process.env.AZURE_STORAGE_TABLE_ENDPOINT, "people", credential);
  await table.createEntity({ partitionKey: "p", rowKey: "r", age: 7 });
  assert.equal((await table.getEntity("p", "r")).age, 7);

  const shares = new ShareServiceClient(process.env.AZURE_STORAGE_FILE_ENDPOINT, credential, { fileRequestIntent: "backup" });
  const share = shares.getShareClient("share");
  await share.create();
  const file = share.rootDirectoryClient.getFileClient("a");
  await file.uploadData(Buffer.from("file"));
  assert.equal((await file.downloadToBuffer()).toString(), "file");

  const lake = new DataLakeServiceClient(process.env.AZURE_STORAGE_DFS_ENDPOINT, credential).getFileSystemClient("lake");
  await lake.create();
  const page = lake.getFileClient("a");
  await page.upload(Buffer.from("lake"));
  assert.equal((await page.readToBuffer()).toString(), "lake");
}

main();
