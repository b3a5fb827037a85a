// Writes and reads over https with the variables of `lazuli run`.
const assert = require("node:assert");
const { BlobServiceClient } = require("@azure/storage-blob");
const { QueueServiceClient } = require("@azure/storage-queue");
const { ShareServiceClient } = require("@azure/storage-file-share");
const { TableClient } = require("@azure/data-tables");

async function main() {
  const connection = process.env.AZURE_STORAGE_CONNECTION_STRING;
  const blobs = BlobServiceClient.fromConnectionString(connection);
  assert.match(blobs.url, /^https:/);
  const container = blobs.getContainerClient("box");
  await container.create();
  await container.getBlockBlobClient("a").upload("blob", 4);
  assert.equal((await container.getBlobClient("a").downloadToBuffer()).toString(), "blob");

  const queue = QueueServiceClient.fromConnectionString(connection).getQueueClient("work");
  await queue.create();
  await queue.sendMessage("message");
  assert.equal((await queue.receiveMessages()).receivedMessageItems[0].messageText, "message");

  const table = TableClient.fromConnectionString(connection, "people");
  await table.createTable();
  await table.createEntity({ partitionKey: "p", rowKey: "r", age: 7 });
  assert.equal((await table.getEntity("p", "r")).age, 7);

  const share = ShareServiceClient.fromConnectionString(connection).getShareClient("share");
  await share.create();
  await share.rootDirectoryClient.getFileClient("a").create(4);

  const health = await fetch(new URL("/_lazuli/health", process.env.AZURE_STORAGE_BLOB_ENDPOINT));
  assert.equal(health.status, 200);
}

main();
