import assert from "node:assert/strict";
import { test } from "node:test";
import { BlobBatch, ContainerClient, ContainerSASPermissions } from "@azure/storage-blob";
import { OPTIONS, credential, inAnHour, newContainer, service } from "./helpers.js";

async function fill(container, ...blobs) {
  for (const name of blobs) await container.getBlockBlobClient(name).upload("x", 1);
  return blobs.map((name) => container.getBlobClient(name).url);
}

test("blobs are deleted in a batch, of an account and of a container", async (t) => {
  const container = await newContainer(t);
  for (const client of [service, container]) {
    const urls = await fill(container, "a", "with space/ü+&=.txt", "z");
    const answer = await client.getBlobBatchClient().deleteBlobs([...urls, `${container.url}/missing`], credential);
    assert.equal(answer.subResponsesSucceededCount, 3);
    assert.equal(answer.subResponsesFailedCount, 1);
    const statuses = answer.subResponses.map((part) => part.status);
    assert.deepEqual(statuses, [202, 202, 202, 404]);
    assert.equal(answer.subResponses[3].errorCode, "BlobNotFound");
  }
});

test("tiers are set in a batch", async (t) => {
  const container = await newContainer(t);
  const urls = await fill(container, "a", "b");
  const answer = await service.getBlobBatchClient().setBlobsAccessTier(urls, credential, "Cool");
  assert.deepEqual(
    answer.subResponses.map((part) => part.status),
    [200, 200],
  );
  assert.equal((await container.getBlobClient("b").getProperties()).accessTier, "Cool");
});

test("a batch of clients with a token", async (t) => {
  const container = await newContainer(t);
  await fill(container, "a");
  const url = (permissions) => container.generateSasUrl({ permissions, expiresOn: inAnHour() });
  for (const [letters, status] of [
    ["r", 403],
    ["d", 202],
  ]) {
    const client = new ContainerClient(await url(ContainerSASPermissions.parse(letters)), undefined, OPTIONS);
    const batch = new BlobBatch();
    await batch.deleteBlob(client.getBlobClient("a"));
    const answer = await client.getBlobBatchClient().submitBatch(batch);
    assert.equal(answer.subResponses[0].status, status);
  }
});
