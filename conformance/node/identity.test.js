// Who shows a token of Entra instead of a key, and what they sign with the key that the account lends them.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  BlobSASPermissions,
  BlobServiceClient,
  BlockBlobClient,
  ContainerClient,
  ContainerSASPermissions,
  generateBlobSASQueryParameters,
} from "@azure/storage-blob";
import { ACCOUNT, BEARER_TOKEN, OPTIONS, SECURE_BLOB_URL, all, credential, names, refused, text, unique } from "./helpers.js";

const options = { skip: !(SECURE_BLOB_URL && BEARER_TOKEN) && "SECURE_BLOB_URL and BEARER_TOKEN are not both set" };

/** Has one token, whatever it is asked for. */
const bearer = (token) => ({ getToken: async () => ({ token, expiresOnTimestamp: 4_102_444_800_000 }) });
const withBearer = (token) => new BlobServiceClient(SECURE_BLOB_URL, bearer(token), OPTIONS);

/** A user's container that is gone after the test, with a small blob. */
async function newUser(t) {
  const service = withBearer(BEARER_TOKEN);
  const container = service.getContainerClient(unique());
  const { date } = await container.create();
  t.after(() => container.delete());
  const blob = container.getBlockBlobClient("hello.txt");
  await blob.upload("hello, world", 12);
  const hours = (number) => new Date(date.getTime() + number * 3_600_000);
  return { service, container, blob, hours };
}

/** What looks like a token, and was issued by nobody. */
function madeUp(claims) {
  const parts = [{ typ: "JWT", alg: "RS256" }, { aud: "https://storage.azure.com", exp: 4_102_444_800, ...claims }];
  return [...parts.map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")), "unsigned"].join(".");
}

test("a user does what the owner does", options, async (t) => {
  const { service, container, blob } = await newUser(t);
  assert.equal(await text(blob), "hello, world");
  await blob.setMetadata({ a: "b" });
  assert.deepEqual((await blob.getProperties()).metadata, { a: "b" });
  assert.deepEqual(names(await all(container.listBlobsFlat())), ["hello.txt"]);
  assert.deepEqual(names(await all(service.listContainers({ prefix: container.containerName }))), [container.containerName]);
  await blob.delete();
  assert.equal(await blob.exists(), false);
});

test("a token that does not do", options, async () => {
  const iss = "https://sts.windows.net/t/";
  for (const token of [
    "no-token",
    "a.b.c",
    madeUp({ iss: "https://example.org/" }),
    madeUp({ iss, exp: 1_700_000_000 }),
    madeUp({ iss, aud: "https://vault.azure.net" }),
  ]) {
    await refused(withBearer(token).getProperties(), 401, "InvalidAuthenticationInfo");
  }
});

test("a key is lent to a user, for seven days at most", options, async (t) => {
  const { service, hours } = await newUser(t);
  const key = await service.getUserDelegationKey(hours(0), hours(1));
  assert.ok(key.signedObjectId && key.signedTenantId && key.value);
  assert.equal(key.signedService, "b");
  assert.equal(key.signedExpiresOn - key.signedStartsOn, 3_600_000);
  await refused(service.getUserDelegationKey(hours(0), hours(8 * 24)), 400, "InvalidXmlNodeValue", "InvalidXmlDocument");
  const owner = new BlobServiceClient(SECURE_BLOB_URL, credential, OPTIONS);
  await refused(owner.getUserDelegationKey(hours(0), hours(1)), 403, "AuthenticationFailed");
});

test("what is signed with it", options, async (t) => {
  const { service, container, blob, hours } = await newUser(t);
  const key = await service.getUserDelegationKey(hours(-1), hours(1));
  const { containerName } = container;
  const sign = (fields, by = key) => generateBlobSASQueryParameters({ containerName, expiresOn: hours(1), ...fields }, by, ACCOUNT);
  const ofBlob = (letters, fields, by) => {
    const token = sign({ blobName: blob.name, permissions: BlobSASPermissions.parse(letters), ...fields }, by);
    return new BlockBlobClient(`${blob.url}?${token}`, undefined, OPTIONS);
  };
  const ofContainer = (letters, fields) => {
    const token = sign({ permissions: ContainerSASPermissions.parse(letters), ...fields });
    return new ContainerClient(`${container.url}?${token}`, undefined, OPTIONS);
  };

  assert.equal(await text(ofBlob("r")), "hello, world");
  assert.equal((await ofBlob("r", { contentType: "text/css" }).getProperties()).contentType, "text/css");
  await refused(ofBlob("r").setMetadata({}), 403, "AuthorizationPermissionMismatch");
  await refused(ofBlob("r", { expiresOn: hours(-1) }).getProperties(), 403, "AuthenticationFailed");
  const forged = { ...(await service.getUserDelegationKey(hours(-1), hours(2))), value: key.value };
  await refused(ofBlob("r", {}, forged).getProperties(), 403, "AuthenticationFailed");

  assert.deepEqual(names(await all(ofContainer("rl").listBlobsFlat())), ["hello.txt"]);
  await refused(ofContainer("rl").getBlockBlobClient("new").upload("", 0), 403, "AuthorizationPermissionMismatch");
  const scoped = ofContainer("rc", { encryptionScope: "hard" }).getBlockBlobClient("scoped");
  await scoped.upload("", 0);
  assert.equal((await scoped.getProperties()).encryptionScope, "hard");
});
