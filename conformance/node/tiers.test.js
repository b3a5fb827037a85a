import assert from "node:assert/strict";
import { test } from "node:test";
import { advance, newBlob, newContainer, refused, text } from "./helpers.js";

test("a blob is moved", async (t) => {
  const blob = await newBlob(t);
  const before = await blob.getProperties();
  assert.deepEqual([before.accessTier, before.accessTierInferred], ["Hot", true]);
  for (const tier of ["Cool", "Cold", "Hot"]) {
    await blob.setAccessTier(tier);
    const { accessTier, accessTierInferred, etag } = await blob.getProperties();
    assert.deepEqual([accessTier, accessTierInferred, etag], [tier, undefined, before.etag]);
  }
  await refused(blob.setAccessTier("P10"), [400, 409], "AccessTierNotSupportedForBlobType", "InvalidBlobTier");
});

test("a blob is made in a tier", async (t) => {
  const container = await newContainer(t);
  const blob = container.getBlockBlobClient("a");
  await blob.upload("data", 4, { tier: "Cool" });
  assert.equal((await blob.getProperties()).accessTier, "Cool");
  const copy = container.getBlockBlobClient("copy");
  await (await copy.beginCopyFromURL(blob.url, { tier: "Cold", intervalInMs: 1 })).pollUntilDone();
  assert.equal((await copy.getProperties()).accessTier, "Cold");
});

test("the archive gives back slowly", { skip: !advance && "LAZULI_CONTROL_URL is not set" }, async (t) => {
  const blob = await newBlob(t);
  await blob.setAccessTier("Archive");
  await refused(blob.download(), 409, "BlobArchived");
  await blob.setAccessTier("Hot", { rehydratePriority: "High" });
  const { accessTier, archiveStatus, rehydratePriority } = await blob.getProperties();
  assert.deepEqual([accessTier, archiveStatus, rehydratePriority], ["Archive", "rehydrate-pending-to-hot", "High"]);
  await refused(blob.setAccessTier("Cool"), 409, "BlobBeingRehydrated");
  await advance(16 * 60 * 60);
  assert.equal((await blob.getProperties()).accessTier, "Hot");
  assert.equal(await text(blob), "hello, world");
});
