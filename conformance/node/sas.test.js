import assert from "node:assert/strict";
import { test } from "node:test";
import {
  AccountSASPermissions,
  BlobClient,
  BlobSASPermissions,
  BlobServiceClient,
  BlockBlobClient,
  ContainerClient,
  ContainerSASPermissions,
  SASProtocol,
  StorageSharedKeyCredential,
} from "@azure/storage-blob";
import { ACCOUNT, BLOB_URL, OPTIONS, all, anHourAgo, inAnHour, minutesFromNow, names, newBlob, newContainer, refused, service, text, unique } from "./helpers.js";

const letters = (permissions) => BlobSASPermissions.parse(permissions);
const withToken = async (blob, fields) =>
  new BlockBlobClient(await blob.generateSasUrl({ expiresOn: inAnHour(), ...fields }), undefined, OPTIONS);

test("an account token does what its letters say", async () => {
  const address = service.generateAccountSasUrl(inAnHour(), AccountSASPermissions.parse("rwdlac"), "sco");
  const client = new BlobServiceClient(address, undefined, OPTIONS);
  const container = client.getContainerClient(unique());
  await container.create();
  await container.getBlockBlobClient("a").upload("data", 4);
  assert.deepEqual(names(await all(container.listBlobsFlat())), ["a"]);
  await container.delete();
});

test("an account token does nothing else", async (t) => {
  const blob = await newBlob(t);
  const address = service.generateAccountSasUrl(inAnHour(), AccountSASPermissions.parse("r"), "o");
  const client = new BlobServiceClient(address, undefined, OPTIONS).getContainerClient(blob.containerName);
  assert.equal(await text(client.getBlobClient(blob.name)), "hello, world");
  await refused(client.getBlobClient(blob.name).delete(), 403, "AuthorizationPermissionMismatch");
  await refused(all(client.listBlobsFlat()), 403, "AuthorizationResourceTypeMismatch");
});

test("a container token", async (t) => {
  const container = await newContainer(t);
  const address = await container.generateSasUrl({ permissions: ContainerSASPermissions.parse("rcl"), expiresOn: inAnHour() });
  const client = new ContainerClient(address, undefined, OPTIONS);
  const blob = client.getBlockBlobClient("a");
  await blob.upload("data", 4);
  await refused(blob.upload("more", 4), 403, "UnauthorizedBlobOverwrite");
  assert.equal(await text(blob), "data");
  assert.deepEqual(names(await all(client.listBlobsFlat())), ["a"]);
  await refused(blob.delete(), 403, "AuthorizationPermissionMismatch");
});

test("a blob token", async (t) => {
  const blob = await newBlob(t);
  const client = await withToken(blob, { permissions: letters("r") });
  assert.equal(await text(client), "hello, world");
  await refused(client.upload("new", 3), 403, "AuthorizationPermissionMismatch");
});

test("a token overrides the headers of the answer", async (t) => {
  const blob = await newBlob(t);
  const client = await withToken(blob, { permissions: letters("r"), contentType: "text/x-own", contentDisposition: "attachment" });
  const properties = await client.getProperties();
  assert.deepEqual([properties.contentType, properties.contentDisposition], ["text/x-own", "attachment"]);
});

test("a token has its time, its place and its protocol", async (t) => {
  const blob = await newBlob(t);
  const permissions = letters("r");
  const past = await withToken(blob, { permissions, startsOn: anHourAgo(), expiresOn: minutesFromNow(-1) });
  await refused(past.download(), 403, "AuthenticationFailed");
  const future = await withToken(blob, { permissions, startsOn: inAnHour(), expiresOn: minutesFromNow(120) });
  await refused(future.download(), 403, "AuthenticationFailed");
  const elsewhere = await withToken(blob, { permissions, ipRange: { start: "203.0.113.1", end: "203.0.113.9" } });
  await refused(elsewhere.download(), 403, "AuthorizationSourceIPMismatch");
  const anywhere = await withToken(blob, { permissions, ipRange: { start: "0.0.0.0", end: "255.255.255.255" } });
  assert.equal(await text(anywhere), "hello, world");
  const secured = await withToken(blob, { permissions, protocol: SASProtocol.Https });
  if (BLOB_URL.startsWith("http:")) await refused(secured.download(), 403, "AuthorizationProtocolMismatch");
});

test("a stored policy grants until it is revoked", async (t) => {
  const blob = await newBlob(t);
  const container = service.getContainerClient(blob.containerName);
  await container.setAccessPolicy(undefined, [
    { id: "readers", accessPolicy: { permissions: "r", startsOn: anHourAgo(), expiresOn: inAnHour() } },
  ]);
  const client = new BlockBlobClient(await blob.generateSasUrl({ identifier: "readers" }), undefined, OPTIONS);
  assert.equal(await text(client), "hello, world");
  await refused(client.delete(), 403, "AuthorizationPermissionMismatch");
  await container.setAccessPolicy(undefined, []);
  await refused(client.download(), 403, "AuthenticationFailed");
});

test("anonymous reads are for public containers", async (t) => {
  const container = await newContainer(t, { access: "container" });
  await container.getBlockBlobClient("a").upload("data", 4);
  const anyone = new ContainerClient(container.url, undefined, OPTIONS);
  assert.deepEqual(names(await all(anyone.listBlobsFlat())), ["a"]);
  assert.equal(await text(anyone.getBlobClient("a")), "data");

  const hidden = await newBlob(t);
  await refused(new BlobClient(hidden.url, undefined, OPTIONS).download(), [401, 404], "NoAuthenticationInformation", "ResourceNotFound");
});

test("a wrong key", async () => {
  const wrong = new StorageSharedKeyCredential(ACCOUNT, Buffer.from("not the key").toString("base64"));
  await refused(new BlobServiceClient(BLOB_URL, wrong, OPTIONS).getProperties(), 403, "AuthenticationFailed");
});
