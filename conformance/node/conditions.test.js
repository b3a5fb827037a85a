import assert from "node:assert/strict";
import { test } from "node:test";
import { newBlob, newContainer, refused, text } from "./helpers.js";

const WRONG = '"0x8D000000000000"';
const earlier = (date) => new Date(date.getTime() - 1000);

const reads = {
  properties: (blob, conditions) => blob.getProperties({ conditions }),
  download: (blob, conditions) => blob.downloadToBuffer(0, undefined, { conditions }),
};
const writes = {
  upload: (blob, conditions) => blob.upload("new", 3, { conditions }),
  headers: (blob, conditions) => blob.setHTTPHeaders({}, { conditions }),
  metadata: (blob, conditions) => blob.setMetadata({ a: "b" }, { conditions }),
  commit: (blob, conditions) => blob.commitBlockList([], { conditions }),
  delete: (blob, conditions) => blob.delete({ conditions }),
};

for (const [name, read] of Object.entries(reads)) {
  test(`${name} under conditions`, async (t) => {
    const blob = await newBlob(t);
    const { etag, lastModified } = await blob.getProperties();
    await read(blob, { ifMatch: etag, ifUnmodifiedSince: lastModified });
    await read(blob, { ifNoneMatch: WRONG, ifModifiedSince: earlier(lastModified) });
    await refused(read(blob, { ifMatch: WRONG }), 412, "ConditionNotMet");
    await refused(read(blob, { ifUnmodifiedSince: earlier(lastModified) }), 412, "ConditionNotMet");
    await refused(read(blob, { ifNoneMatch: etag }), 304, "ConditionNotMet");
    await refused(read(blob, { ifModifiedSince: lastModified }), 304, "ConditionNotMet");
  });
}

for (const [name, write] of Object.entries(writes)) {
  test(`${name} under conditions`, async (t) => {
    const blob = await newBlob(t);
    const { etag, lastModified } = await blob.getProperties();
    await refused(write(blob, { ifMatch: WRONG }), 412, "ConditionNotMet");
    await refused(write(blob, { ifNoneMatch: etag }), 412, "ConditionNotMet");
    await refused(write(blob, { ifModifiedSince: lastModified }), 412, "ConditionNotMet");
    await refused(write(blob, { ifUnmodifiedSince: earlier(lastModified) }), 412, "ConditionNotMet");
    assert.equal((await blob.getProperties()).etag, etag);
    await write(blob, { ifMatch: etag });
  });
}

test("one of many creates it", async (t) => {
  const blob = (await newContainer(t)).getBlockBlobClient("contended");
  const tries = Array.from({ length: 16 }, (_, i) => blob.upload(`${i}`.padStart(2), 2, { conditions: { ifNoneMatch: "*" } }));
  const results = await Promise.allSettled(tries);
  const winners = results.flatMap((result, i) => (result.status === "fulfilled" ? [i] : []));
  assert.equal(winners.length, 1);
  for (const lost of results.filter((result) => result.status === "rejected")) assert.equal(lost.reason.code, "BlobAlreadyExists");
  assert.equal((await text(blob)).trim(), `${winners[0]}`);
});

test("tags as a condition", async (t) => {
  const blob = await newBlob(t, "data", { tags: { colour: "blue" } });
  assert.equal(await text(blob, 0, undefined, { conditions: { tagConditions: "colour = 'blue'" } }), "data");
  await refused(blob.delete({ conditions: { tagConditions: "colour = 'red'" } }), 412, "ConditionNotMet");
  await blob.delete({ conditions: { tagConditions: "colour = 'blue'" } });
});
