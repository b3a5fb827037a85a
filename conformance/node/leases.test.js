import assert from "node:assert/strict";
import { test } from "node:test";
import { newBlob, newContainer, refused, text } from "./helpers.js";

const FIRST = "11111111-2222-3333-4444-555555555555";
const SECOND = "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee";

async function state(client) {
  const { leaseStatus, leaseState, leaseDuration } = await client.getProperties();
  return [leaseStatus, leaseState, leaseDuration];
}

for (const [kind, make] of [["blob", newBlob], ["container", newContainer]]) {
  test(`the life of a ${kind}'s lease`, async (t) => {
    const target = await make(t);
    const lease = target.getBlobLeaseClient(FIRST);
    assert.equal((await lease.acquireLease(15)).leaseId, FIRST);
    assert.deepEqual(await state(target), ["locked", "leased", "fixed"]);
    await refused(target.getBlobLeaseClient(SECOND).acquireLease(-1), 409, "LeaseAlreadyPresent");
    await refused(target.getBlobLeaseClient(SECOND).renewLease(), 409, "LeaseIdMismatchWithLeaseOperation");
    await lease.renewLease();
    await lease.changeLease(SECOND);
    await refused(target.getBlobLeaseClient(FIRST).releaseLease(), 409, "LeaseIdMismatchWithLeaseOperation");
    await lease.releaseLease();
    assert.deepEqual(await state(target), ["unlocked", "available", undefined]);
  });

  test(`a ${kind}'s lease is broken`, async (t) => {
    const target = await make(t);
    const lease = target.getBlobLeaseClient(FIRST);
    await refused(lease.breakLease(0), 409, "LeaseNotPresentWithLeaseOperation");
    await lease.acquireLease(-1);
    const { leaseTime } = await lease.breakLease(30);
    assert.ok(leaseTime > 0 && leaseTime <= 30);
    assert.deepEqual(await state(target), ["locked", "breaking", undefined]);
    assert.equal((await lease.breakLease(0)).leaseTime, 0);
    assert.deepEqual(await state(target), ["unlocked", "broken", undefined]);
    await refused(lease.renewLease(), 409, "LeaseIsBrokenAndCannotBeRenewed");
  });
}

test("a leased blob is written by its holder and read by anyone", async (t) => {
  const blob = await newBlob(t);
  const holder = { conditions: { leaseId: FIRST } };
  await refused(blob.upload("new", 3, holder), 412, "LeaseNotPresentWithBlobOperation");
  await blob.getBlobLeaseClient(FIRST).acquireLease(-1);
  await refused(blob.upload("new", 3), 412, "LeaseIdMissing");
  await refused(blob.upload("new", 3, { conditions: { leaseId: SECOND } }), 412, "LeaseIdMismatchWithBlobOperation");
  await blob.upload("new", 3, holder);
  assert.equal(await text(blob), "new");
  await blob.delete(holder);
});

test("a leased container is deleted by its holder", async (t) => {
  const container = await newContainer(t);
  await container.getBlobLeaseClient(FIRST).acquireLease(-1);
  await refused(container.delete(), 412, "LeaseIdMissing");
  await container.delete({ conditions: { leaseId: FIRST } });
});
