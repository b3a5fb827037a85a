import assert from "node:assert/strict";
import { test } from "node:test";
import { newBlob, newContainer, refused, text } from "./helpers.js";

async function copied(target, source, options) {
  const poller = await target.beginCopyFromURL(source, { intervalInMs: 1, ...options });
  return poller.pollUntilDone();
}

test("a copy has everything of its source and lives apart", async (t) => {
  const source = await newBlob(t, "data", { metadata: { k: "v" }, blobHTTPHeaders: { blobContentType: "text/plain" } });
  const copy = (await newContainer(t)).getBlockBlobClient("a copy");
  const done = await copied(copy, source.url);
  assert.equal(done.copyStatus, "success");
  await source.delete();
  const properties = await copy.getProperties();
  assert.equal(properties.copyId, done.copyId);
  assert.equal(properties.copyProgress, "4/4");
  assert.equal(properties.copySource, source.url);
  assert.equal(properties.contentType, "text/plain");
  assert.deepEqual(properties.metadata, { k: "v" });
  assert.equal(await text(copy), "data");
});

test("a copy may have metadata of its own", async (t) => {
  const source = await newBlob(t, "data", { metadata: { k: "v" } });
  await copied(source, source.url, { metadata: { own: "1" } });
  assert.deepEqual((await source.getProperties()).metadata, { own: "1" });
});

test("refusals", async (t) => {
  const container = await newContainer(t);
  const source = await newBlob(t);
  const copy = container.getBlockBlobClient("copy");
  await refused(copied(copy, container.getBlobClient("missing").url), 404, "BlobNotFound");
  const wrong = { ifMatch: '"0x8D000000000000"' };
  await refused(copied(copy, source.url, { sourceConditions: wrong }), 412, "SourceConditionNotMet");
  assert.equal(await copy.exists(), false);
  const { copyId } = await copied(copy, source.url);
  await refused(copy.abortCopyFromURL(copyId), 409, "NoPendingCopyOperation");
});
