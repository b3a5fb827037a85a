import assert from "node:assert/strict";
import { lookup } from "node:dns/promises";
import { test } from "node:test";
import { BlobSASPermissions, BlobServiceClient, StorageSharedKeyCredential as BlobCredential } from "@azure/storage-blob";
import {
  FileSASPermissions,
  ShareSASPermissions,
  ShareServiceClient,
  StorageSharedKeyCredential,
  generateFileSASQueryParameters,
} from "@azure/storage-file-share";
import { ACCOUNT, BLOB_URL, KEY, OPTIONS, all, inAnHour, names, pattern, refused, unique } from "./helpers.js";

const FILE_URL = process.env.FILE_URL ?? `http://127.0.0.1:10003/${ACCOUNT}`;
const { RETAINING_FILE_URL, LAZULI_CONTROL_URL: CONTROL_URL } = process.env;
const credential = new StorageSharedKeyCredential(ACCOUNT, KEY);
const files = new ShareServiceClient(FILE_URL, credential, OPTIONS);
const SDDL = "O:SYG:BAD:(A;;FA;;;SY)(A;;FA;;;BA)S:NO_ACCESS_CONTROL";

/** A share that is gone after the test, snapshots and lease and all. */
async function newShare(t, options) {
  const share = files.getShareClient(unique());
  await share.create(options);
  t.after(async () => {
    try {
      await share.deleteIfExists({ deleteSnapshots: "include" });
    } catch (error) {
      if (error.code !== "LeaseIdMissing") throw error;
      await share.getShareLeaseClient().breakLease({ breakPeriod: 0 });
      await share.delete({ deleteSnapshots: "include" });
    }
  });
  return share;
}

async function newFile(share, name, content) {
  const file = share.rootDirectoryClient.getFileClient(name);
  await file.uploadData(Buffer.from(content));
  return file;
}

const text = async (file) => (await file.downloadToBuffer()).toString();

test("a share comes and goes", async (t) => {
  const share = await newShare(t, { metadata: { color: "red" }, quota: 7 });
  const before = await share.getProperties();
  assert.deepEqual([before.quota, before.metadata, before.accessTier], [7, { color: "red" }, "TransactionOptimized"]);
  await share.setQuota(8);
  await share.setMetadata({ size: "3" });
  await share.setProperties({ accessTier: "Cool" });
  const after = await share.getProperties();
  assert.deepEqual([after.quota, after.metadata, after.accessTier], [8, { size: "3" }, "Cool"]);
  assert.equal((await share.getStatistics()).shareUsageBytes, 0);
  assert.equal((await share.createIfNotExists()).succeeded, false);
  await refused(share.create(), 409, "ShareAlreadyExists");
  const listed = await all(files.listShares({ prefix: share.name, includeMetadata: true }));
  assert.deepEqual([listed[0].name, listed[0].metadata, listed[0].properties.quota], [share.name, { size: "3" }, 8]);
  await share.delete();
  assert.equal(await share.exists(), false);
  await refused(share.getProperties(), 404, "ShareNotFound");
});

test("policies, permissions and service properties", async (t) => {
  const share = await newShare(t);
  await share.setAccessPolicy([{ id: "reader", accessPolicy: { permissions: "rl", expiresOn: inAnHour() } }]);
  const { signedIdentifiers } = await share.getAccessPolicy();
  assert.deepEqual(signedIdentifiers.map(({ id, accessPolicy }) => [id, accessPolicy.permissions]), [["reader", "rl"]]);
  const { filePermissionKey } = await share.createPermission(SDDL);
  assert.equal((await share.getPermission(filePermissionKey)).permission, SDDL);
  const properties = await files.getProperties();
  assert.equal(typeof properties.protocol.smb.multichannel.enabled, "boolean");
  await files.setProperties({ hourMetrics: properties.hourMetrics });
});

test("directories and what is in them", async (t) => {
  const share = await newShare(t);
  const { directoryClient: directory } = await share.createDirectory("Dir", { metadata: { k: "v" } });
  assert.deepEqual((await share.getDirectoryClient("dIR").getProperties()).metadata, { k: "v" });
  await directory.setMetadata({ n: "1" });
  await directory.setProperties({ fileAttributes: undefined, creationTime: new Date(Date.UTC(2020, 0, 2)) });
  assert.equal((await directory.getProperties()).fileCreatedOn.getTime(), Date.UTC(2020, 0, 2));
  for (const name of ["b", "A", "c"]) await directory.createFile(name, 3);
  await directory.createSubdirectory("sub");
  const listed = await all(directory.listFilesAndDirectories());
  assert.deepEqual(listed.map(({ kind, name }) => `${kind} ${name}`).sort(), ["directory sub", "file A", "file b", "file c"]);
  const [full] = await all(
    directory.listFilesAndDirectories({
      prefix: "a",
      includeTimestamps: true,
      includeEtag: true,
      includeAttributes: true,
      includePermissionKey: true,
      includeExtendedInfo: true,
    }),
  );
  assert.ok(full.name === "A" && full.fileId && full.permissionKey && full.properties.etag && full.properties.creationTime);
  const pages = await all(directory.listFilesAndDirectories().byPage({ maxPageSize: 3 }));
  assert.equal(pages.length, 2);
  await refused(directory.delete(), 409, "DirectoryNotEmpty");
  await refused(share.createDirectory("none/sub"), 404, "ParentNotFound");
  await directory.deleteFile("b");
  await directory.deleteSubdirectory("sub");
  assert.equal((await directory.createIfNotExists()).succeeded, false);
});

test("files come back as they were uploaded", async (t) => {
  const share = await newShare(t);
  const file = share.rootDirectoryClient.getFileClient("file");
  for (const size of [0, 5000, 9 * 1024 * 1024 + 7]) {
    const data = pattern(size - (size % 4));
    await file.uploadData(data, { concurrency: 3 });
    assert.equal((await file.getProperties()).contentLength, data.length);
    if (data.length > 0) assert.ok((await file.downloadToBuffer()).equals(data));
  }
  await file.resize(20);
  await file.setMetadata({ n: "1" });
  await file.setHttpHeaders({ fileContentType: "text/plain", fileContentLanguage: "fr" });
  const properties = await file.getProperties();
  assert.deepEqual(
    [properties.contentLength, properties.contentType, properties.contentLanguage, properties.metadata],
    [20, "text/plain", "fr", { n: "1" }],
  );
  await file.setProperties({ filePermission: SDDL });
  await file.delete();
  assert.equal(await file.exists(), false);
});

test("ranges, their list, and what changed since a snapshot", async (t) => {
  const share = await newShare(t);
  const { fileClient: file } = await share.createFile("f", 4096);
  await file.uploadRange("a".repeat(512), 512, 512);
  await file.uploadRange("b".repeat(512), 2048, 512);
  assert.deepEqual((await file.getRangeList()).rangeList, [
    { start: 512, end: 1023 },
    { start: 2048, end: 2559 },
  ]);
  const { snapshot } = await share.createSnapshot();
  await file.clearRange(512, 512);
  await file.uploadRange("c".repeat(512), 3072, 512);
  const difference = await file.getRangeListDiff(snapshot);
  assert.deepEqual(difference.ranges, [{ start: 3072, end: 3583 }]);
  assert.deepEqual(difference.clearRanges, [{ start: 512, end: 1023 }]);
  const then = share.withSnapshot(snapshot).rootDirectoryClient.getFileClient("f");
  assert.equal((await then.downloadToBuffer(512, 3)).toString(), "aaa");
  await refused(share.delete(), 409, "ShareHasSnapshots");
  await refused(file.uploadRange("x", 4096, 1), 416, "InvalidRange");
});

test("copies, and ranges from a URL", async (t) => {
  const share = await newShare(t);
  const file = await newFile(share, "old", "hello, world");
  const copy = share.rootDirectoryClient.getFileClient("copy");
  const { copyId, copyStatus } = await copy.startCopyFromURL(file.url);
  assert.equal(copyStatus, "success");
  assert.equal(await text(copy), "hello, world");
  await refused(copy.abortCopyFromURL(copyId), 409, "NoPendingCopyOperation");
  const source = file.generateSasUrl({ permissions: FileSASPermissions.parse("r"), expiresOn: inAnHour() });
  await copy.uploadRangeFromURL(source, 7, 0, 5);
  assert.equal(await text(copy), "world, world");
});

// This client renames where the account is in the host's name: from a URL that has it in the path it drops the account.
test("renames", async (t) => {
  const { port } = new URL(FILE_URL);
  const host = `${ACCOUNT}.file.localhost`;
  const reachable = await lookup(host).then(() => true, () => false);
  if (!reachable) return t.skip(`${host} has no address here`);
  const share = new ShareServiceClient(`http://${host}:${port}`, credential, OPTIONS).getShareClient((await newShare(t)).name);
  const file = await newFile(share, "old", "hello, world");
  await newFile(share, "other", "other");
  const { destinationFileClient: renamed } = await file.rename("new");
  assert.equal(await text(renamed), "hello, world");
  await refused(renamed.rename("other"), 409, "ResourceAlreadyExists");
  await renamed.rename("other", { replaceIfExists: true });
  const { directoryClient: directory } = await share.createDirectory("d");
  await directory.createFile("inside", 1);
  const { destinationDirectoryClient: moved } = await directory.rename("e");
  assert.deepEqual(names(await all(moved.listFilesAndDirectories())), ["inside"]);
});

test("leases on a share and on a file", async (t) => {
  const share = await newShare(t);
  const lease = share.getShareLeaseClient();
  await lease.acquireLease(15); // this client takes every lease for a file's when it renews
  await refused(share.delete(), 412, "LeaseIdMissing");
  await lease.releaseLease();
  const file = await newFile(share, "f", "old");
  const held = file.getShareLeaseClient();
  const { leaseId } = await held.acquireLease();
  await refused(file.uploadRange("new", 0, 3), 412, "LeaseIdMissing");
  await file.uploadRange("new", 0, 3, { leaseAccessConditions: { leaseId } });
  await held.changeLease("aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa");
  await held.breakLease();
  await file.delete();
});

test("handles and links", async (t) => {
  const share = await newShare(t);
  const file = await newFile(share, "f", "x");
  assert.deepEqual(await all(file.listHandles()), []);
  assert.deepEqual(await all(share.rootDirectoryClient.listHandles({ recursive: true })), []);
  assert.equal((await file.forceCloseAllHandles()).closedHandlesCount, 0);
  assert.equal((await share.rootDirectoryClient.forceCloseHandle("1")).closedHandlesCount, 0);
  const nfs = await newShare(t, { protocols: { nfsEnabled: true } });
  const { fileClient: first } = await nfs.createFile("first", 3, { posixProperties: { owner: "345", group: "123" } });
  assert.equal((await first.getProperties()).posixProperties.owner, "345");
  const hard = nfs.rootDirectoryClient.getFileClient("hard");
  assert.equal((await hard.createHardLink("/first")).posixProperties.linkCount, 2);
  const link = nfs.rootDirectoryClient.getFileClient("link");
  await link.createSymbolicLink("first");
  assert.equal(decodeURIComponent((await link.getSymbolicLink()).linkText), "first");
});

test("signatures", async (t) => {
  const share = await newShare(t);
  await newFile(share, "f", "data");
  const token = (permissions, more) =>
    generateFileSASQueryParameters({ shareName: share.name, permissions, expiresOn: inAnHour(), ...more }, credential).toString();
  const as = (sas) => new ShareServiceClient(`${FILE_URL}?${sas}`, undefined, OPTIONS).getShareClient(share.name).rootDirectoryClient;
  const reader = as(token(ShareSASPermissions.parse("rl")));
  assert.equal(await text(reader.getFileClient("f")), "data");
  assert.deepEqual(names(await all(reader.listFilesAndDirectories())), ["f"]);
  await refused(reader.getFileClient("f").delete(), 403, "AuthorizationPermissionMismatch");
  const writer = as(token(FileSASPermissions.parse("w"), { filePath: "f" }));
  await writer.getFileClient("f").uploadRange("D", 0, 1);
  await refused(writer.getFileClient("f").getProperties(), 403, "AuthorizationPermissionMismatch");
});

test("a copy from a blob", async (t) => {
  const share = await newShare(t);
  const blobs = new BlobServiceClient(BLOB_URL, new BlobCredential(ACCOUNT, KEY), OPTIONS);
  const container = blobs.getContainerClient(unique());
  await container.create();
  t.after(() => container.delete());
  const blob = container.getBlockBlobClient("b");
  await blob.upload("content", 7, { metadata: { a: "b" } });
  const url = await blob.generateSasUrl({ permissions: BlobSASPermissions.parse("r"), expiresOn: inAnHour() });
  const file = share.rootDirectoryClient.getFileClient("f");
  await refused(file.startCopyFromURL(blob.url), 401, "CannotVerifyCopySource");
  assert.equal((await file.startCopyFromURL(url)).copyStatus, "pending");
  let found = await file.getProperties();
  for (let tries = 0; found.copyStatus === "pending" && tries < 1000; tries += 1) found = await file.getProperties();
  assert.deepEqual([found.copyStatus, found.copyProgress, found.metadata], ["success", "7/7", { a: "b" }]);
  assert.equal(await text(file), "content");
  await refused(file.abortCopyFromURL(found.copyId), 409, "NoPendingCopyOperation");
});

test("a deleted share comes back", { skip: !(RETAINING_FILE_URL && CONTROL_URL) }, async () => {
  const account = RETAINING_FILE_URL.split("/").at(-1);
  const retaining = new ShareServiceClient(RETAINING_FILE_URL, new StorageSharedKeyCredential(account, KEY), OPTIONS);
  const share = retaining.getShareClient(unique());
  await share.create();
  await share.createDirectory("d");
  await share.delete();
  const [deleted] = await all(retaining.listShares({ prefix: share.name, includeDeleted: true }));
  assert.deepEqual([deleted.deleted, deleted.properties.remainingRetentionDays], [true, 7]);
  await refused(retaining.undeleteShare(share.name, deleted.version), 409, "ShareBeingDeleted");
  await fetch(`${CONTROL_URL}/clock?seconds=30`, { method: "POST" });
  const back = await retaining.undeleteShare(share.name, deleted.version);
  assert.deepEqual(names(await all(back.rootDirectoryClient.listFilesAndDirectories())), ["d"]);
  await back.delete();
});
