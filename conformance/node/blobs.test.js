import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { test } from "node:test";
import { all, names, newBlob, newContainer, pattern, refused, service, text, unique } from "./helpers.js";

const MIB = 1024 * 1024;
const md5 = (bytes) => createHash("md5").update(bytes).digest();

test("what goes up comes down", async (t) => {
  const blob = await newBlob(t, "grüße, 世界");
  assert.equal(await text(blob), "grüße, 世界");
  const answer = await blob.download();
  assert.equal(Buffer.concat(await all(answer.readableStreamBody)).toString(), "grüße, 世界");
});

test("an empty blob", async (t) => {
  const blob = await newBlob(t, "");
  const properties = await blob.getProperties();
  assert.equal(properties.contentLength, 0);
  assert.deepEqual(Buffer.from(properties.contentMD5), md5(""));
  assert.deepEqual(await all((await blob.download()).readableStreamBody), []);
});

for (const size of [1, MIB, MIB + 1, 5 * MIB + 7]) {
  test(`${size} bytes, in one request or in blocks`, async (t) => {
    const blob = (await newContainer(t)).getBlockBlobClient("data");
    const data = pattern(size);
    await blob.uploadData(data, { maxSingleShotSize: MIB, blockSize: MIB, concurrency: 4 });
    assert.equal((await blob.getProperties()).contentLength, size);
    assert.ok(data.equals(await blob.downloadToBuffer(0, undefined, { blockSize: MIB, concurrency: 4 })));
  });
}

test("a stream of unknown length", async (t) => {
  const blob = (await newContainer(t)).getBlockBlobClient("stream");
  const pieces = Array.from({ length: 40 }, (_, i) => Buffer.alloc(100_000, i));
  await blob.uploadStream(Readable.from(pieces), MIB, 4);
  assert.ok(Buffer.concat(pieces).equals(await blob.downloadToBuffer()));
});

test("ranges", async (t) => {
  const blob = await newBlob(t, "0123456789");
  assert.equal(await text(blob, 2, 3), "234");
  assert.equal(await text(blob, 9, 1), "9");
  const open = await blob.download(7);
  assert.equal(open.contentRange, "bytes 7-9/10");
  assert.equal(Buffer.concat(await all(open.readableStreamBody)).toString(), "789");
  await refused(blob.download(10, 1), 416, "InvalidRange");
});

test("a range can be asked for with its MD5", async (t) => {
  const blob = await newBlob(t, "0123456789");
  const answer = await blob.download(0, 4, { rangeGetContentMD5: true });
  assert.deepEqual(Buffer.from(answer.contentMD5), md5("0123"));
  await all(answer.readableStreamBody);
});

test("overwriting can be ruled out", async (t) => {
  const blob = await newBlob(t);
  await refused(blob.upload("again", 5, { conditions: { ifNoneMatch: "*" } }), 409, "BlobAlreadyExists");
  await blob.upload("again", 5);
  assert.equal(await text(blob), "again");
});

test("what is not there", async (t) => {
  const blob = (await newContainer(t)).getBlockBlobClient("missing");
  assert.equal(await blob.exists(), false);
  await refused(blob.download(), 404, "BlobNotFound");
  await refused(blob.delete(), 404, "BlobNotFound");
  assert.deepEqual([(await blob.deleteIfExists()).succeeded, await blob.exists()], [false, false]);
  await refused(service.getContainerClient(unique()).getBlockBlobClient("a").upload("", 0), 404, "ContainerNotFound");
});

test("properties, headers and metadata", async (t) => {
  const headers = {
    blobContentType: "text/plain; charset=utf-8",
    blobContentEncoding: "identity",
    blobContentLanguage: "de",
    blobContentDisposition: "inline",
    blobCacheControl: "max-age=60",
  };
  const blob = await newBlob(t, "hello", { blobHTTPHeaders: headers, metadata: { first: "1" } });
  const before = await blob.getProperties();
  assert.equal(before.contentType, headers.blobContentType);
  assert.equal(before.contentEncoding, headers.blobContentEncoding);
  assert.equal(before.contentLanguage, headers.blobContentLanguage);
  assert.equal(before.contentDisposition, headers.blobContentDisposition);
  assert.equal(before.cacheControl, headers.blobCacheControl);
  assert.equal(before.blobType, "BlockBlob");
  assert.deepEqual(before.metadata, { first: "1" });
  assert.deepEqual(Buffer.from(before.contentMD5), md5("hello"));

  await blob.setHTTPHeaders({ blobContentType: "text/html" });
  await blob.setMetadata({ second: "2" });
  const after = await blob.getProperties();
  assert.equal(after.contentType, "text/html");
  assert.equal(after.cacheControl, undefined);
  assert.deepEqual(after.metadata, { second: "2" });
  assert.notEqual(after.etag, before.etag);
  assert.deepEqual(after.createdOn, before.createdOn);
});

for (const name of ["a b/c", "a+b", "100%", "%20", "a//b", "a..b", "grüße", "世界/🦀", "q?m#h", "'q'", "<a>&b=c;d"]) {
  test(`the name ${name}`, async (t) => {
    const container = await newContainer(t);
    const blob = container.getBlockBlobClient(name);
    await blob.upload(name, Buffer.byteLength(name));
    assert.deepEqual(names(await all(container.listBlobsFlat())), [name]);
    assert.equal(await text(blob), name);
    await blob.delete();
    assert.deepEqual(await all(container.listBlobsFlat()), []);
  });
}

test("blocks are staged and committed", async (t) => {
  const blob = (await newContainer(t)).getBlockBlobClient("blocks");
  const id = (text) => Buffer.from(text).toString("base64");
  await blob.stageBlock(id("a"), "alpha ", 6);
  await blob.stageBlock(id("b"), "beta ", 5);
  assert.equal(await blob.exists(), false);
  await refused(blob.commitBlockList([id("a"), id("x")]), 400, "InvalidBlockList");
  await blob.commitBlockList([id("b"), id("a")], { metadata: { k: "v" } });
  await blob.stageBlock(id("c"), "gamma", 5);
  const list = await blob.getBlockList("all");
  assert.deepEqual(list.committedBlocks, [{ name: id("b"), size: 5 }, { name: id("a"), size: 6 }]);
  assert.deepEqual(list.uncommittedBlocks, [{ name: id("c"), size: 5 }]);
  assert.equal(await text(blob), "beta alpha ");
  assert.deepEqual((await blob.getProperties()).metadata, { k: "v" });
});
