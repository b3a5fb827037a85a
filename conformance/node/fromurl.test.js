// Blobs and blocks whose bytes the service fetches itself.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { newBlob, newContainer, pattern, readable, refused, text } from "./helpers.js";

const MIB = 1024 * 1024;
const id = (name) => Buffer.from(name).toString("base64");
const full = { metadata: { k: "v" }, tags: { t: "1" }, blobHTTPHeaders: { blobContentType: "text/plain" } };

test("a blob", async (t) => {
  const source = await readable(await newBlob(t, "hello", full));
  const blob = (await newContainer(t)).getBlockBlobClient("blob");
  await blob.syncUploadFromURL(source);
  const properties = await blob.getProperties();
  assert.equal(properties.contentType, "text/plain");
  assert.equal(properties.copyId, undefined, "it is a blob of its own, and no copy");
  assert.deepEqual((await blob.getTags()).tags, {});
  assert.equal(await text(blob), "hello");
  await refused(blob.syncUploadFromURL(source, { conditions: { ifNoneMatch: "*" } }), 409, "BlobAlreadyExists");
  await refused(blob.syncUploadFromURL(source, { sourceContentMD5: Buffer.alloc(16) }), 400, "Md5Mismatch");
  const own = { copySourceBlobProperties: false, metadata: { own: "1" }, blobHTTPHeaders: { blobContentType: "text/html" } };
  await blob.syncUploadFromURL(source, own);
  const after = await blob.getProperties();
  assert.deepEqual([after.contentType, after.metadata], ["text/html", { own: "1" }]);
});

test("blocks", async (t) => {
  const container = await newContainer(t);
  const origin = container.getBlockBlobClient("origin");
  const data = pattern(2 * MIB);
  await origin.uploadData(data);
  const source = await readable(origin);
  const blob = container.getBlockBlobClient("blob");
  await blob.stageBlockFromURL(id("a"), source, MIB, MIB);
  await blob.stageBlockFromURL(id("b"), source, 0, 10);
  await blob.commitBlockList([id("b"), id("a")]);
  assert.ok(Buffer.concat([data.subarray(0, 10), data.subarray(MIB)]).equals(await blob.downloadToBuffer()));
});

test("a copy that is waited for", async (t) => {
  const source = await readable(await newBlob(t, "hello", full));
  const blob = (await newContainer(t)).getBlockBlobClient("blob");
  const md5 = createHash("md5").update("hello").digest();
  const answer = await blob.syncCopyFromURL(source, { sourceContentMD5: md5, copySourceTags: "COPY" });
  assert.equal(answer.copyStatus, "success");
  const properties = await blob.getProperties();
  assert.deepEqual([properties.copyStatus, properties.metadata], ["success", { k: "v" }]);
  assert.deepEqual((await blob.getTags()).tags, { t: "1" });
  const wrong = { sourceConditions: { ifMatch: '"0x8D000000000000"' } };
  await refused(blob.syncCopyFromURL(source, wrong), 412, "SourceConditionNotMet", "CannotVerifyCopySource");
});
