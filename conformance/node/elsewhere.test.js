// Copies from other accounts and from any web server, and copies of one snapshot of a page blob after another.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import { BLOB_URL, VERSIONED_BLOB_URL, all, newContainer, otherService, pattern, readable, refused, text, unique } from "./helpers.js";

const CONTENT = pattern(64 * 1024);
const onThisMachine = {
  skip: !BLOB_URL.startsWith("http://127.0.0.1") && "the server is elsewhere and does not see a web server of this machine",
};

/** The address of a file on a web server. A first half of it comes at once, and the rest when `rest` is resolved. */
async function newFile(t, rest = Promise.resolve()) {
  const server = createServer(async (request, response) => {
    if (request.url !== "/file") return response.writeHead(404, { "content-length": 0 }).end();
    const [, start = 0, end = CONTENT.length - 1] = request.headers.range?.match(/bytes=(\d+)-(\d+)?/) ?? [];
    const content = CONTENT.subarray(Number(start), Number(end) + 1);
    response.writeHead(request.headers.range ? 206 : 200, {
      "content-type": "text/css",
      "content-length": content.length,
      "content-range": `bytes ${start}-${end}/${CONTENT.length}`,
      "last-modified": "Mon, 01 Jan 2024 00:00:00 GMT",
      etag: '"of the file"',
    });
    if (request.method === "HEAD") return response.end();
    response.write(content.subarray(0, content.length / 2));
    await rest;
    response.end(content.subarray(content.length / 2));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close() && server.closeAllConnections());
  return `http://127.0.0.1:${server.address().port}/file`;
}

const quick = { intervalInMs: 1 };

test("a file becomes a blob", onThisMachine, async (t) => {
  const file = await newFile(t);
  const copy = (await newContainer(t)).getBlockBlobClient("copy");
  const poller = await copy.beginCopyFromURL(file, { ...quick, metadata: { a: "b" } });
  const done = await poller.pollUntilDone();
  assert.equal(done.copyStatus, "success");
  const properties = await copy.getProperties();
  assert.equal(properties.copyId, done.copyId);
  assert.equal(properties.copyProgress, `${CONTENT.length}/${CONTENT.length}`);
  assert.equal(properties.copySource, file);
  assert.equal(properties.contentType, "text/css");
  assert.deepEqual(properties.metadata, { a: "b" });
  assert.ok(CONTENT.equals(await copy.downloadToBuffer()));
});

test("a pending copy is left alone, and aborted", onThisMachine, async (t) => {
  const file = await newFile(t, new Promise((resolve) => t.after(resolve)));
  const container = await newContainer(t);
  const copy = container.getBlockBlobClient("copy");
  const poller = await copy.beginCopyFromURL(file, quick);
  const { copyId, copyStatus, contentLength } = await copy.getProperties();
  assert.deepEqual([copyStatus, contentLength], ["pending", CONTENT.length]);
  assert.equal(poller.getOperationState().copyId, copyId);
  const [listed] = await all(container.listBlobsFlat({ includeCopy: true }));
  assert.deepEqual([listed.properties.copyId, listed.properties.copyStatus], [copyId, "pending"]);
  await refused(copy.upload("new", 3), 409, "PendingCopyOperation");
  await refused(copy.abortCopyFromURL("b8a15c1e-6a3f-4f8e-9c3d-2f1e0d9c8b7a"), 409, "CopyIdMismatch");
  await poller.cancelOperation();
  const after = await copy.getProperties();
  assert.deepEqual([after.copyStatus, after.contentLength], ["aborted", 0]);
  await refused(copy.abortCopyFromURL(copyId), 409, "NoPendingCopyOperation");
});

test("a file that is not there", onThisMachine, async (t) => {
  const missing = `${await newFile(t)}-of-another-name`;
  const copy = (await newContainer(t)).getBlockBlobClient("copy");
  await refused(copy.beginCopyFromURL(missing, quick), 404, "CannotVerifyCopySource");
  await refused(copy.syncUploadFromURL(missing), 404, "CannotVerifyCopySource");
  assert.equal(await copy.exists(), false);
});

test("bytes of a file", onThisMachine, async (t) => {
  const file = await newFile(t);
  const container = await newContainer(t);
  const whole = container.getBlockBlobClient("whole");
  await whole.syncUploadFromURL(file);
  assert.ok(CONTENT.equals(await whole.downloadToBuffer()));

  const blocks = container.getBlockBlobClient("blocks");
  const id = Buffer.from("1").toString("base64");
  await blocks.stageBlockFromURL(id, file, 1024, 512);
  await blocks.commitBlockList([id]);
  assert.ok(CONTENT.subarray(1024, 1536).equals(await blocks.downloadToBuffer()));

  const log = container.getAppendBlobClient("log");
  await log.create();
  await log.appendBlockFromURL(file, 100, 50);
  assert.ok(CONTENT.subarray(100, 150).equals(await log.downloadToBuffer()));

  const disk = container.getPageBlobClient("disk");
  await disk.create(1024);
  await disk.uploadPagesFromURL(file, 2048, 512, 512);
  assert.ok(Buffer.concat([Buffer.alloc(512), CONTENT.subarray(2048, 2560)]).equals(await disk.downloadToBuffer()));
});

test("a blob of another account", { skip: !VERSIONED_BLOB_URL && "VERSIONED_BLOB_URL is not set" }, async (t) => {
  const theirs = otherService(VERSIONED_BLOB_URL).getContainerClient(unique());
  await theirs.create();
  t.after(() => theirs.delete());
  const source = theirs.getBlockBlobClient("source");
  await source.upload("theirs", 6, { metadata: { of: "the source" } });
  const copy = (await newContainer(t)).getBlockBlobClient("copy");
  await refused(copy.beginCopyFromURL(source.url, quick), [401, 403, 404], "CannotVerifyCopySource");
  const done = await (await copy.beginCopyFromURL(await readable(source), quick)).pollUntilDone();
  assert.equal(done.copyStatus, "success");
  assert.deepEqual((await copy.getProperties()).metadata, { of: "the source" });
  assert.equal(await text(copy), "theirs");
});

test("one snapshot of a disk after another", async (t) => {
  const container = await newContainer(t);
  const disk = container.getPageBlobClient("disk");
  await disk.create(1024);
  const copy = container.getPageBlobClient("copy");
  const kept = [];
  for (const letter of ["a", "b"]) {
    await disk.uploadPages(letter.repeat(512), kept.length * 512, 512);
    const { snapshot } = await disk.createSnapshot();
    const started = await copy.startCopyIncremental(await readable(disk.withSnapshot(snapshot)));
    assert.ok(["pending", "success"].includes(started.copyStatus));
    let properties;
    do properties = await copy.getProperties();
    while (properties.copyStatus === "pending");
    assert.deepEqual([properties.copyId, properties.copyStatus], [started.copyId, "success"]);
    assert.equal(properties.isIncrementalCopy, true);
    kept.push(properties.destinationSnapshot);
  }
  assert.equal(await text(copy.withSnapshot(kept[0])), "a".repeat(512) + "\0".repeat(512));
  assert.equal(await text(copy.withSnapshot(kept[1])), "a".repeat(512) + "b".repeat(512));
  const listed = await all(container.listBlobsFlat({ includeSnapshots: true, prefix: "copy" }));
  assert.deepEqual(listed.map((item) => item.snapshot), [...kept, undefined]);
  await refused(copy.startCopyIncremental(await readable(disk)), 409, "IncrementalCopySourceMustBeSnapshot");
  await refused(copy.uploadPages("c".repeat(512), 0, 512), 409, "OperationNotAllowedOnIncrementalCopyBlob");
});
