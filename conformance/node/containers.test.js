import assert from "node:assert/strict";
import { test } from "node:test";
import { all, anHourAgo, inAnHour, names, newContainer, refused, service, unique } from "./helpers.js";

test("a container comes and goes", async () => {
  const container = service.getContainerClient(unique());
  assert.equal(await container.exists(), false);
  assert.equal((await container.createIfNotExists()).succeeded, true);
  assert.equal((await container.createIfNotExists()).succeeded, false);
  assert.equal(await container.exists(), true);
  assert.equal((await container.deleteIfExists()).succeeded, true);
  assert.equal(await container.exists(), false);
  // The service accepts a second delete while it is deleting the container.
  assert.equal((await container.deleteIfExists()).succeeded, true);
});

test("refusals have their codes", async (t) => {
  const container = await newContainer(t);
  await refused(container.create(), 409, "ContainerAlreadyExists");
  await refused(service.getContainerClient(unique()).getProperties(), 404, "ContainerNotFound");
  await refused(service.getContainerClient(unique()).delete(), 404, "ContainerNotFound");
  await refused(service.getContainerClient("No_Such-Name").create(), 400, "InvalidResourceName");
});

test("properties and metadata", async (t) => {
  const container = await newContainer(t, { metadata: { camelCase: "1" } });
  const before = await container.getProperties();
  assert.deepEqual(before.metadata, { camelcase: "1" });
  assert.equal(before.leaseState, "available");
  assert.equal(before.leaseStatus, "unlocked");
  assert.equal(before.blobPublicAccess, undefined);
  await container.setMetadata({ other: "2" });
  const after = await container.getProperties();
  assert.deepEqual(after.metadata, { other: "2" });
  assert.notEqual(after.etag, before.etag);
});

test("containers are listed by prefix, with metadata, in pages", async (t) => {
  const made = [await newContainer(t, { metadata: { CamelCase: "1" } }), await newContainer(t), await newContainer(t)];
  const [listed] = await all(service.listContainers({ prefix: made[0].containerName, includeMetadata: true }));
  assert.equal(listed.name, made[0].containerName);
  assert.deepEqual(listed.metadata, { CamelCase: "1" });

  const pages = await all(service.listContainers({ prefix: "test-" }).byPage({ maxPageSize: 2 }));
  const found = pages.flatMap((page) => names(page.containerItems));
  assert.deepEqual(found, [...found].sort());
  for (const container of made) assert.ok(found.includes(container.containerName));
});

test("stored policies are kept and replaced", async (t) => {
  const container = await newContainer(t);
  const [startsOn, expiresOn] = [anHourAgo(), inAnHour()];
  await container.setAccessPolicy("blob", [
    { id: "reader", accessPolicy: { permissions: "rl", startsOn, expiresOn } },
    { id: "bare", accessPolicy: { permissions: "w" } },
  ]);
  const kept = await container.getAccessPolicy();
  assert.equal(kept.blobPublicAccess, "blob");
  assert.deepEqual(kept.signedIdentifiers.map((identifier) => identifier.id), ["reader", "bare"]);
  const [reader] = kept.signedIdentifiers;
  assert.equal(reader.accessPolicy.permissions, "rl");
  assert.equal(Math.trunc(reader.accessPolicy.startsOn / 1000), Math.trunc(startsOn / 1000));
  assert.equal(Math.trunc(reader.accessPolicy.expiresOn / 1000), Math.trunc(expiresOn / 1000));

  await container.setAccessPolicy(undefined, []);
  const none = await container.getAccessPolicy();
  assert.deepEqual([none.blobPublicAccess, none.signedIdentifiers], [undefined, []]);
});
