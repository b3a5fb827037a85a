// Accounts that keep what others let go: deleted containers, what is immutable; and blobs that end by themselves.

import assert from "node:assert/strict";
import { test } from "node:test";
import { BlobSASPermissions } from "@azure/storage-blob";
import {
  HIERARCHICAL_BLOB_URL,
  IMMUTABLE_BLOB_URL,
  RETAINING_BLOB_URL,
  advance,
  all,
  otherService,
  refused,
  text,
  unique,
} from "./helpers.js";

const DAY = 24 * 60 * 60;
const withClock = (name, url) => ({ skip: (!url && `${name} is not set`) || (!advance && "LAZULI_CONTROL_URL is not set") });

/** A new container in another account, with a small blob. */
async function newContainerIn(url) {
  const service = otherService(url);
  const container = service.getContainerClient(unique());
  await container.create({ metadata: { k: "v" } });
  const blob = container.getBlockBlobClient("hello.txt");
  const { date, versionId } = await blob.upload("hello, world", 12);
  const later = (seconds) => new Date(date.getTime() + seconds * 1000);
  return { service, container, blob, versionId, later };
}

test("a deleted container comes back", withClock("RETAINING_BLOB_URL", RETAINING_BLOB_URL), async () => {
  const { service, container } = await newContainerIn(RETAINING_BLOB_URL);
  const { containerName } = container;
  const listed = (options) => all(service.listContainers({ prefix: containerName, ...options }));
  await container.delete();
  assert.deepEqual(await listed(), []);
  const [gone] = await listed({ includeDeleted: true, includeMetadata: true });
  assert.deepEqual([gone.deleted, gone.metadata], [true, { k: "v" }]);
  assert.ok([6, 7].includes(gone.properties.remainingRetentionDays));
  await refused(container.create(), 409, "ContainerBeingDeleted");
  await refused(container.getProperties(), 404, "ContainerNotFound");

  await advance(60);
  const { containerClient: restored } = await service.undeleteContainer(containerName, gone.version);
  assert.deepEqual((await restored.getProperties()).metadata, { k: "v" });
  assert.equal(await text(restored.getBlobClient("hello.txt")), "hello, world");
  await refused(service.undeleteContainer(containerName, gone.version), 409, "ContainerAlreadyExists");

  await restored.delete();
  await advance(7 * DAY + 60);
  assert.deepEqual(await listed({ includeDeleted: true }), []);
});

test("policies and holds", withClock("IMMUTABLE_BLOB_URL", IMMUTABLE_BLOB_URL), async (t) => {
  const { container, blob, versionId, later } = await newContainerIn(IMMUTABLE_BLOB_URL);
  assert.equal((await container.getProperties()).isImmutableStorageWithVersioningEnabled, true);
  t.after(async () => {
    await advance(DAY);
    await blob.delete();
    for (const kept of await all(container.listBlobsFlat({ includeVersions: true }))) {
      await container.getBlobClient(kept.name).withVersion(kept.versionId).delete();
    }
    await container.delete();
  });
  const until = later(3600);
  const set = await blob.setImmutabilityPolicy({ expiriesOn: until, policyMode: "Unlocked" });
  assert.deepEqual(set.immutabilityPolicyExpiry, until);
  const told = await blob.getProperties();
  assert.deepEqual(told.immutabilityPolicyExpiresOn, until);
  assert.equal(told.immutabilityPolicyMode.toLowerCase(), "unlocked");
  const [listed] = await all(container.listBlobsFlat({ includeImmutabilityPolicy: true }));
  assert.deepEqual(listed.properties.immutabilityPolicyExpiresOn, until);
  await refused(blob.setMetadata({ a: "b" }), 409, "BlobImmutableDueToPolicy");
  await blob.deleteImmutabilityPolicy();
  assert.equal((await blob.getProperties()).immutabilityPolicyMode, undefined);

  assert.equal((await blob.setLegalHold(true)).legalHold, true);
  assert.equal((await blob.getProperties()).legalHold, true);
  await refused(blob.setMetadata({ a: "b" }), 409, "BlobImmutableDueToLegalHold");
  assert.equal((await blob.setLegalHold(false)).legalHold, false);

  await blob.setImmutabilityPolicy({ expiriesOn: until, policyMode: "Locked" });
  await refused(blob.deleteImmutabilityPolicy(), 409, "ImmutabilityPolicyDeleteOnLockedPolicy");
  await blob.upload("new", 3);
  await refused(blob.withVersion(versionId).delete(), 409, "BlobImmutableDueToPolicy");
  assert.equal(await text(blob.withVersion(versionId)), "hello, world");
});

test("a blob ends by itself", withClock("HIERARCHICAL_BLOB_URL", HIERARCHICAL_BLOB_URL), async (t) => {
  const { container, blob, later } = await newContainerIn(HIERARCHICAL_BLOB_URL);
  t.after(() => container.delete());
  const token = await blob.generateSasUrl({ permissions: BlobSASPermissions.parse("rw"), expiresOn: later(3600) });
  // The SDK tells when a blob ends, and has no call to say so.
  const setExpiry = async (headers) => {
    const answer = await fetch(`${token}&comp=expiry`, { method: "PUT", headers: { "x-ms-version": "2021-12-02", ...headers } });
    return [answer.status, answer.headers.get("x-ms-error-code")];
  };
  assert.equal((await blob.getProperties()).expiresOn, undefined);
  assert.deepEqual(await setExpiry({ "x-ms-expiry-option": "Absolute", "x-ms-expiry-time": later(600).toUTCString() }), [200, null]);
  assert.deepEqual((await blob.getProperties()).expiresOn, later(600));
  const [listed] = await all(container.listBlobsFlat());
  assert.deepEqual(listed.properties.expiresOn, later(600));
  assert.deepEqual(await setExpiry({ "x-ms-expiry-option": "NeverExpire" }), [200, null]);
  assert.equal((await blob.getProperties()).expiresOn, undefined);
  assert.deepEqual(await setExpiry({ "x-ms-expiry-option": "RelativeToNow", "x-ms-expiry-time": "10000" }), [200, null]);
  assert.equal(await text(blob), "hello, world");
  await advance(12);
  await refused(blob.download(), 404, "BlobNotFound");
  assert.deepEqual(await all(container.listBlobsFlat()), []);
});
