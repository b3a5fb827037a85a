import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { newBlob, newContainer, readable, refused, text } from "./helpers.js";

async function newLog(t, options) {
  const log = (await newContainer(t)).getAppendBlobClient("log");
  await log.create(options);
  return log;
}

test("blocks go to the end", async (t) => {
  const log = await newLog(t, { blobHTTPHeaders: { blobContentType: "text/plain" }, metadata: { kind: "log" } });
  const first = await log.appendBlock("one ", 4);
  const second = await log.appendBlock("two ", 4);
  assert.deepEqual([first.blobAppendOffset, first.blobCommittedBlockCount], ["0", 1]);
  assert.deepEqual([second.blobAppendOffset, second.blobCommittedBlockCount], ["4", 2]);
  const properties = await log.getProperties();
  assert.equal(properties.blobType, "AppendBlob");
  assert.equal(properties.blobCommittedBlockCount, 2);
  assert.equal(properties.contentType, "text/plain");
  assert.equal(properties.etag, second.etag);
  assert.deepEqual(properties.metadata, { kind: "log" });
  assert.equal(await text(log), "one two ");
  assert.equal((await log.createIfNotExists()).succeeded, false);
});

test("only at a position, and up to a size", async (t) => {
  const log = await newLog(t);
  await log.appendBlock("12345", 5, { conditions: { appendPosition: 0, maxSize: 5 } });
  await refused(log.appendBlock("6", 1, { conditions: { appendPosition: 0 } }), 412, "AppendPositionConditionNotMet");
  await refused(log.appendBlock("6", 1, { conditions: { maxSize: 5 } }), 412, "MaxBlobSizeConditionNotMet");
  assert.equal(await text(log), "12345");
});

test("a block is checked", async (t) => {
  const log = await newLog(t);
  const md5 = createHash("md5").update("data").digest();
  const answer = await log.appendBlock("data", 4, { transactionalContentMD5: md5 });
  assert.deepEqual(Buffer.from(answer.contentMD5), md5);
  await refused(log.appendBlock("other", 5, { transactionalContentMD5: md5 }), 400, "Md5Mismatch");
  assert.equal(await text(log), "data");
});

test("a sealed one is only read", async (t) => {
  const log = await newLog(t);
  await log.appendBlock("data", 4);
  await refused(log.seal({ conditions: { appendPosition: 3 } }), 412, "AppendPositionConditionNotMet");
  assert.equal((await log.seal()).isSealed, true);
  await refused(log.appendBlock("more", 4), 409, "BlobIsSealed");
  assert.equal((await log.getProperties()).isSealed, true);
  assert.equal(await text(log), "data");
});

test("blocks come from other blobs", async (t) => {
  const log = await newLog(t);
  const source = await readable(await newBlob(t));
  const answer = await log.appendBlockFromURL(source, 7, 5);
  assert.equal(answer.blobAppendOffset, "0");
  await log.appendBlockFromURL(source, 0, 5, { conditions: { appendPosition: 5 } });
  assert.equal(await text(log), "worldhello");
  await refused(log.appendBlockFromURL(source, 0, 5, { conditions: { appendPosition: 5 } }), 412, "AppendPositionConditionNotMet");
  await refused(log.appendBlockFromURL(source, 0, 5, { sourceContentMD5: Buffer.alloc(16) }), 400, "Md5Mismatch");
});

test("no line of many writers is lost", async (t) => {
  const log = await newLog(t);
  const line = (i) => `${i}`.padStart(3, "0") + "\n";
  const answers = await Promise.all(Array.from({ length: 64 }, (_, i) => log.appendBlock(line(i), 4)));
  const content = await text(log);
  answers.forEach(({ blobAppendOffset }, i) => assert.equal(content.substr(Number(blobAppendOffset), 4), line(i)));
  assert.equal(content.length, 256);
});
