import assert from "node:assert/strict";
import { test } from "node:test";
import { BlobServiceClient } from "@azure/storage-blob";
import { BLOB_URL, OPTIONS, credential, newBlob, refused, service, text } from "./helpers.js";

test("the account", async () => {
  const account = await service.getAccountInfo();
  assert.equal(account.accountKind, "StorageV2");
  assert.match(account.skuName, /^Standard_/);
});

test("the secondary endpoint reads, and tells how far it is", async (t) => {
  const blob = await newBlob(t);
  const secondary = new BlobServiceClient(`${BLOB_URL}-secondary`, credential, OPTIONS);
  const { geoReplication } = await secondary.getStatistics();
  assert.equal(geoReplication.status, "live");
  assert.ok(geoReplication.lastSyncOn instanceof Date);
  const copy = secondary.getContainerClient(blob.containerName).getBlockBlobClient(blob.name);
  assert.equal(await text(copy), "hello, world");
  await refused(copy.upload("new", 3), 403, "InsufficientAccountPermissions");
});

test("service properties, and what a browser asks first", async (t) => {
  const { cors, blobAnalyticsLogging } = await service.getProperties();
  t.after(() => service.setProperties({ cors: cors ?? [], blobAnalyticsLogging }));
  const rule = {
    allowedOrigins: "http://example.test",
    allowedMethods: "GET,PUT",
    allowedHeaders: "x-ms-*",
    exposedHeaders: "x-ms-meta-*",
    maxAgeInSeconds: 60,
  };
  await service.setProperties({ cors: [rule] });
  const kept = await service.getProperties();
  assert.deepEqual(kept.cors, [rule]);
  assert.deepEqual(kept.blobAnalyticsLogging, blobAnalyticsLogging);

  const blob = await newBlob(t);
  const ask = (origin, method) =>
    fetch(blob.url, { method: "OPTIONS", headers: { Origin: origin, "Access-Control-Request-Method": method } });
  const granted = await ask("http://example.test", "PUT");
  assert.equal(granted.status, 200);
  assert.equal(granted.headers.get("access-control-allow-origin"), "http://example.test");
  assert.equal((await ask("http://other.test", "PUT")).status, 403);
  assert.equal((await ask("http://example.test", "DELETE")).status, 403);
});
