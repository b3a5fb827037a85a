import assert from "node:assert/strict";
import { test } from "node:test";
import { all, newContainer, readable, refused } from "./helpers.js";

const PAGE = 512;
const [A, B, C] = ["a", "b", "c"].map((letter) => Buffer.alloc(PAGE, letter));

async function newDisk(t, pages = 8) {
  const disk = (await newContainer(t)).getPageBlobClient("disk");
  await disk.create(pages * PAGE, { metadata: { kind: "disk" } });
  return disk;
}

/** Where each range begins and how long it is, in pages. What the client calls a count is one less. */
const parts = (ranges) => ranges.map(({ offset, count }) => [offset / PAGE, (count + 1) / PAGE]);

test("pages are written and cleared", async (t) => {
  const disk = await newDisk(t);
  assert.deepEqual(await disk.downloadToBuffer(), Buffer.alloc(8 * PAGE));
  await disk.uploadPages(Buffer.concat([A, B]), PAGE, 2 * PAGE);
  await disk.uploadPages(C, 5 * PAGE, PAGE);
  await disk.clearPages(2 * PAGE, PAGE);
  const { pageRange, clearRange, etag } = await disk.getPageRanges(0, 8 * PAGE);
  assert.deepEqual(parts(pageRange), [[1, 1], [5, 1]]);
  assert.deepEqual(clearRange ?? [], []);
  const properties = await disk.getProperties();
  assert.deepEqual([properties.etag, properties.blobType, properties.contentLength], [etag, "PageBlob", 8 * PAGE]);
  const content = await disk.downloadToBuffer();
  assert.deepEqual(content, Buffer.concat([Buffer.alloc(PAGE), A, Buffer.alloc(3 * PAGE), C, Buffer.alloc(2 * PAGE)]));
});

test("pages are whole, and end where the blob ends", async (t) => {
  const disk = await newDisk(t);
  await refused(disk.uploadPages(A, 8 * PAGE, PAGE), 416, "InvalidPageRange");
  await refused(disk.clearPages(7 * PAGE, 2 * PAGE), 416, "InvalidPageRange");
  await refused(disk.uploadPages(Buffer.alloc(100), 0, 100), [400, 416], "InvalidHeaderValue", "InvalidPageRange");
});

test("ranges come in pages", async (t) => {
  const disk = await newDisk(t);
  for (const place of [0, 2, 4, 6]) await disk.uploadPages(A, place * PAGE, PAGE);
  const pages = await all(disk.listPageRanges(0, 8 * PAGE).byPage({ maxPageSize: 3 }));
  const starts = pages.map((page) => (page.pageRange ?? []).map(({ start }) => start / PAGE));
  assert.deepEqual(starts, [[0, 2, 4], [6]]);
  const items = await all(disk.listPageRanges(0, 8 * PAGE));
  assert.deepEqual(items.map(({ start, end, isClear }) => [start, end, isClear]), [0, 2, 4, 6].map((p) => [p * PAGE, (p + 1) * PAGE - 1, false]));
});

test("what changed since a snapshot", async (t) => {
  const disk = await newDisk(t);
  await disk.uploadPages(Buffer.concat([A, B, C]), 0, 3 * PAGE);
  const { snapshot } = await disk.createSnapshot();
  await disk.uploadPages(C, PAGE, PAGE);
  await disk.clearPages(2 * PAGE, PAGE);
  await disk.uploadPages(A, 6 * PAGE, PAGE);
  const { pageRange, clearRange } = await disk.getPageRangesDiff(0, 8 * PAGE, snapshot);
  assert.deepEqual([parts(pageRange), parts(clearRange)], [[[1, 1], [6, 1]], [[2, 1]]]);
  const changes = await all(disk.listPageRangesDiff(0, 8 * PAGE, snapshot));
  assert.equal(changes.length, 3);
});

test("it grows and shrinks", async (t) => {
  const disk = await newDisk(t);
  await disk.uploadPages(B, 7 * PAGE, PAGE);
  await disk.resize(PAGE);
  await disk.resize(8 * PAGE);
  assert.deepEqual(await disk.downloadToBuffer(), Buffer.alloc(8 * PAGE));
});

test("sequence numbers", async (t) => {
  const disk = await newDisk(t);
  assert.equal((await disk.updateSequenceNumber("update", 7)).blobSequenceNumber, 7);
  assert.equal((await disk.updateSequenceNumber("max", 5)).blobSequenceNumber, 7);
  assert.equal((await disk.updateSequenceNumber("increment")).blobSequenceNumber, 8);
  for (const conditions of [{ ifSequenceNumberLessThan: 8 }, { ifSequenceNumberEqualTo: 7 }, { ifSequenceNumberLessThanOrEqualTo: 7 }]) {
    await refused(disk.uploadPages(A, 0, PAGE, { conditions }), 412, "SequenceNumberConditionNotMet");
    await refused(disk.clearPages(0, PAGE, { conditions }), 412, "SequenceNumberConditionNotMet");
  }
  await disk.uploadPages(A, 0, PAGE, { conditions: { ifSequenceNumberEqualTo: 8 } });
});

test("pages come from other blobs", async (t) => {
  const disk = await newDisk(t);
  const source = (await newContainer(t)).getBlockBlobClient("source");
  await source.upload(Buffer.concat([A, B]), 2 * PAGE);
  await disk.uploadPagesFromURL(await readable(source), PAGE, 2 * PAGE, PAGE);
  assert.deepEqual(await disk.downloadToBuffer(2 * PAGE, PAGE), B);
  assert.deepEqual(parts((await disk.getPageRanges()).pageRange), [[2, 1]]);
});
