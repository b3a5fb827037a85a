// What is kept of a blob's past: snapshots, versions, and what soft delete holds back.

import assert from "node:assert/strict";
import { test } from "node:test";
import { VERSIONED_BLOB_URL, advance, all, newBlob, otherService, refused, service, text, unique } from "./helpers.js";

const DAY = 24 * 60 * 60;

test("a snapshot stays as it was", async (t) => {
  const blob = await newBlob(t, "before", { metadata: { k: "v" } });
  const { snapshot, etag } = await blob.createSnapshot();
  assert.equal(etag, (await blob.getProperties()).etag);
  await blob.upload("after", 5);
  const taken = blob.withSnapshot(snapshot);
  assert.equal(await text(taken), "before");
  assert.deepEqual((await taken.getProperties()).metadata, { k: "v" });
  const own = blob.withSnapshot((await blob.createSnapshot({ metadata: { own: "1" } })).snapshot);
  assert.deepEqual((await own.getProperties()).metadata, { own: "1" });
  await refused(taken.setMetadata({ a: "b" }), 400, "InvalidQueryParameterValue");
  await refused(blob.withSnapshot("2020-01-01T00:00:00.0000000Z").getProperties(), 404, "BlobNotFound");
});

test("snapshots are listed before their blob, deleted with it or without, and promoted", async (t) => {
  const blob = await newBlob(t, "one");
  const container = service.getContainerClient(blob.containerName);
  const { snapshot: first } = await blob.createSnapshot();
  const { snapshot: second } = await blob.createSnapshot();
  for (const maxPageSize of [1, 2, 10]) {
    const pages = await all(container.listBlobsFlat({ includeSnapshots: true }).byPage({ maxPageSize }));
    const listed = pages.flatMap((page) => page.segment.blobItems.map((item) => item.snapshot));
    assert.deepEqual(listed, [first, second, undefined]);
  }
  await refused(blob.delete(), 409, "SnapshotsPresent");
  await blob.withSnapshot(second).delete();
  await blob.upload("two", 3);
  await (await blob.beginCopyFromURL(blob.withSnapshot(first).url, { intervalInMs: 1 })).pollUntilDone();
  assert.equal(await text(blob), "one");
  await blob.delete({ deleteSnapshots: "only" });
  assert.equal(await blob.exists(), true);
  await blob.createSnapshot();
  await blob.delete({ deleteSnapshots: "include" });
  assert.deepEqual(await all(container.listBlobsFlat({ includeSnapshots: true })), []);
});

test("versions", { skip: !VERSIONED_BLOB_URL && "VERSIONED_BLOB_URL is not set" }, async (t) => {
  const container = otherService(VERSIONED_BLOB_URL).getContainerClient(unique());
  await container.create();
  t.after(() => container.delete());
  const blob = container.getBlockBlobClient("a");
  const ids = [];
  for (const content of ["one", "two", "three"]) ids.push((await blob.upload(content, content.length)).versionId);
  assert.deepEqual(ids, [...ids].sort());
  assert.equal(await text(blob.withVersion(ids[0])), "one");
  const current = await blob.getProperties();
  assert.deepEqual([current.versionId, current.isCurrentVersion], [ids[2], true]);

  const listed = async (options) => (await all(container.listBlobsFlat(options))).map((item) => [item.versionId, item.isCurrentVersion]);
  assert.deepEqual(await listed({ includeVersions: true }), [[ids[0], undefined], [ids[1], undefined], [ids[2], true]]);

  await refused(blob.withVersion(ids[2]).delete(), 403, "OperationNotAllowedOnRootBlob");
  await blob.withVersion(ids[1]).delete();
  await refused(blob.withVersion(ids[1]).getProperties(), 404, "BlobNotFound");
  await blob.delete();
  assert.equal(await blob.exists(), false);
  assert.deepEqual((await listed({ includeVersions: true })).map(([id]) => id), [ids[0], ids[2]]);
  const [left] = await all(container.listBlobsFlat({ includeDeletedWithVersions: true }));
  assert.deepEqual([left.name, left.hasVersionsOnly], ["a", true]);

  await (await blob.beginCopyFromURL(blob.withVersion(ids[0]).url, { intervalInMs: 1 })).pollUntilDone();
  assert.equal(await text(blob), "one");
});

test("what is deleted comes back within its days", { skip: !advance && "LAZULI_CONTROL_URL is not set" }, async (t) => {
  await service.setProperties({ deleteRetentionPolicy: { enabled: true, days: 7 } });
  t.after(() => service.setProperties({ deleteRetentionPolicy: { enabled: false } }));
  const { enabled, days } = (await service.getProperties()).deleteRetentionPolicy;
  assert.deepEqual([enabled, days], [true, 7]);

  const blob = await newBlob(t);
  const container = service.getContainerClient(blob.containerName);
  await blob.createSnapshot();
  await blob.delete({ deleteSnapshots: "include" });
  await refused(blob.download(), 404, "BlobNotFound");
  assert.deepEqual(await all(container.listBlobsFlat({ includeSnapshots: true })), []);
  const kept = await all(container.listBlobsFlat({ includeDeleted: true, includeSnapshots: true }));
  assert.deepEqual(kept.map((item) => [item.deleted, Boolean(item.snapshot)]), [[true, true], [true, false]]);
  assert.ok([6, 7].includes(kept[1].properties.remainingRetentionDays));

  await blob.undelete();
  assert.equal(await text(blob), "hello, world");
  assert.equal((await all(container.listBlobsFlat({ includeSnapshots: true }))).length, 2);

  await blob.delete({ deleteSnapshots: "include" });
  await advance(7 * DAY + 60);
  assert.deepEqual(await all(container.listBlobsFlat({ includeDeleted: true })), []);
  await refused(blob.undelete(), 404, "BlobNotFound");
});
