// The Data Lake client, with an account that has a hierarchical namespace.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  DataLakeFileSystemClient,
  DataLakeSASPermissions,
  DataLakeServiceClient,
  DirectorySASPermissions,
  FileSystemSASPermissions,
  StorageSharedKeyCredential,
} from "@azure/storage-file-datalake";
import { HIERARCHICAL_BLOB_URL, KEY, OPTIONS, advance, all, inAnHour, pattern, refused, unique } from "./helpers.js";

const skip = !HIERARCHICAL_BLOB_URL && "HIERARCHICAL_BLOB_URL is not set";
const account = HIERARCHICAL_BLOB_URL?.split("/").at(-1);
const lake = HIERARCHICAL_BLOB_URL && new DataLakeServiceClient(HIERARCHICAL_BLOB_URL, new StorageSharedKeyCredential(account, KEY), OPTIONS);
const ALICE = "11111111-1111-1111-1111-111111111111";
const STALE = '"0x8D0000000000000"';

async function newFileSystem(t, options) {
  const home = lake.getFileSystemClient(unique());
  await home.create(options);
  t.after(() => home.deleteIfExists());
  return home;
}

async function write(home, path, content = "content") {
  const file = home.getFileClient(path);
  await file.upload(Buffer.from(content));
  return file;
}

const read = async (file) => (await file.readToBuffer()).toString();

/** The names below a directory, those of directories with a slash. */
const paths = async (home, options = { recursive: true }) =>
  (await all(home.listPaths(options))).map(({ name, isDirectory }) => name + (isDirectory ? "/" : ""));

const READ_WRITE = { read: true, write: true, execute: false };
const entry = (accessControlType, entityId, permissions = READ_WRITE, defaultScope = false) => ({
  accessControlType,
  entityId,
  defaultScope,
  permissions,
});
const BASE = [entry("user", ""), entry("group", ""), entry("other", "")];

test("a file system comes and goes", { skip }, async (t) => {
  const home = await newFileSystem(t, { metadata: { color: "red" } });
  await refused(home.create(), 409, "ContainerAlreadyExists", "FilesystemAlreadyExists");
  assert.equal((await home.createIfNotExists()).succeeded, false);
  assert.deepEqual((await home.getProperties()).metadata, { color: "red" });
  await home.setMetadata({ size: "3" });
  const [listed] = await all(lake.listFileSystems({ prefix: home.name, includeMetadata: true }));
  assert.deepEqual([listed.name, listed.metadata], [home.name, { size: "3" }]);
  await home.delete();
  assert.equal(await home.exists(), false);
  await refused(home.getProperties(), 404, "ContainerNotFound", "FilesystemNotFound");
  await refused(home.getFileClient("f").create(), 404, "FilesystemNotFound");
  await refused(all(home.listPaths()), 404, "FilesystemNotFound");
});

test("directories", { skip }, async (t) => {
  const home = await newFileSystem(t);
  const directory = home.getDirectoryClient("a/b");
  await directory.create({ metadata: { k: "v" } });
  assert.equal((await directory.createIfNotExists()).succeeded, false);
  assert.equal((await directory.getProperties()).metadata.k, "v");
  await directory.getFileClient("file").create();
  await directory.getSubdirectoryClient("sub").create();
  assert.deepEqual(await paths(home), ["a/", "a/b/", "a/b/file", "a/b/sub/"]);
  await refused(directory.delete(), 409, "DirectoryNotEmpty");
  await directory.delete(true);
  assert.equal(await directory.exists(), false);
  assert.equal((await directory.deleteIfExists()).succeeded, false);
  await refused(directory.delete(), 404, "PathNotFound");
});

test("files", { skip }, async (t) => {
  const home = await newFileSystem(t);
  const file = home.getFileClient("a/b.txt");
  await file.create({ pathHttpHeaders: { contentType: "text/plain" }, metadata: { k: "v" } });
  await refused(file.create({ conditions: { ifNoneMatch: "*" } }), 409, "PathAlreadyExists");
  await file.append("hello, ", 0, 7);
  await file.append("world", 7, 5);
  assert.equal((await file.getProperties()).contentLength, 0);
  await refused(file.flush(13), 400, "InvalidFlushPosition");
  await refused(file.flush(12, { conditions: { ifMatch: STALE } }), 412, "ConditionNotMet");
  const { etag } = await file.flush(12, { close: true });
  const properties = await file.getProperties();
  assert.deepEqual(
    [properties.contentLength, properties.contentType, properties.metadata, properties.etag],
    [12, "text/plain", { k: "v" }, etag],
  );
  await file.append("!", 12, 1, { flush: true });
  assert.equal(await read(file), "hello, world!");
  await file.setHttpHeaders({ cacheControl: "no-cache" });
  await file.setMetadata({ n: "1" });
  const after = await file.getProperties();
  assert.deepEqual([after.cacheControl, after.metadata], ["no-cache", { n: "1" }]);
  await refused(home.getFileClient("a/b.txt/below").create(), 409, "PathConflict");
  await refused(home.getFileClient("absent").append("x", 0, 1), 404, "PathNotFound");
  await file.delete();
  await refused(file.delete(), 404, "PathNotFound");
});

test("uploads and downloads", { skip }, async (t) => {
  const home = await newFileSystem(t);
  const content = pattern(5 * 1024 * 1024 + 8);
  const file = home.getFileClient("ä ö/large+%.bin");
  await file.upload(content, { chunkSize: 1024 * 1024, maxConcurrency: 3, singleUploadThreshold: 1024 });
  assert.ok((await file.readToBuffer(0, undefined, { chunkSize: 1024 * 1024 })).equals(content));
  assert.ok((await file.readToBuffer(1000, 100)).equals(content.subarray(1000, 1100)));
  assert.deepEqual(await paths(home), ["ä ö/", "ä ö/large+%.bin"]);
});

test("renames", { skip }, async (t) => {
  const home = await newFileSystem(t);
  const file = await write(home, "a/b/file", "hello, world");
  const { etag } = await file.getProperties();
  await file.move("a/b/renamed");
  const renamed = home.getFileClient("a/b/renamed");
  assert.deepEqual([await read(renamed), (await renamed.getProperties()).etag], ["hello, world", etag]);
  await write(home, "other");
  await refused(renamed.move("other", { destinationConditions: { ifNoneMatch: "*" } }), 409, "PathAlreadyExists");
  await refused(renamed.move("other", { conditions: { ifMatch: STALE } }), 412, "SourceConditionNotMet");
  await refused(renamed.move("no/such/parent"), 404, "RenameDestinationParentPathNotFound");
  await refused(file.move("new"), 404, "SourcePathNotFound");
  await home.getDirectoryClient("a").move("z");
  assert.deepEqual(await paths(home), ["other", "z/", "z/b/", "z/b/renamed"]);
  await refused(home.getDirectoryClient("z").move("z/b/below"), 409, "InvalidRenameSourcePath");
  await refused(home.getDirectoryClient("z").move("other"), 409, "InvalidSourceOrDestinationResourceType");
  await home.getFileClient("z/b/renamed").move("other");
  assert.equal(await read(home.getFileClient("other")), "hello, world");
  const elsewhere = await newFileSystem(t);
  await home.getFileClient("other").move(elsewhere.name, "there");
  assert.deepEqual(await paths(elsewhere), ["there"]);
});

test("leases", { skip }, async (t) => {
  const file = await write(await newFileSystem(t), "file");
  const lease = file.getDataLakeLeaseClient(ALICE);
  await lease.acquireLease(30);
  assert.equal((await file.getProperties()).leaseState, "leased");
  await refused(file.append("x", 7, 1), 412, "LeaseIdMissing");
  await refused(file.delete(), 412, "LeaseIdMissing");
  await refused(file.move("new"), 412, "LeaseIdMissing");
  await file.append("!", 7, 1, { conditions: { leaseId: ALICE } });
  await file.flush(8, { conditions: { leaseId: ALICE } });
  await lease.renewLease();
  await lease.releaseLease();
  await refused(file.delete(false, { conditions: { leaseId: ALICE } }), 412, "LeaseNotPresent", "LeaseNotPresentWithBlobOperation");
  assert.equal(await read(file), "content!");
});

test("access control", { skip }, async (t) => {
  const home = await newFileSystem(t);
  const file = await write(home, "d/file");
  const { owner, group, permissions } = await file.getAccessControl();
  assert.deepEqual([owner, group], ["$superuser", "$superuser"]);
  assert.deepEqual([permissions.owner.write, permissions.group.write, permissions.other.read], [true, false, false]);
  await file.setPermissions({ ...permissions, other: { read: true, write: false, execute: false } });
  assert.equal((await file.getAccessControl()).permissions.other.read, true);
  await file.setAccessControl([...BASE, entry("user", ALICE)]);
  const { acl, permissions: extended } = await file.getAccessControl();
  assert.ok(acl.some((one) => one.entityId === ALICE) && acl.some((one) => one.accessControlType === "mask"));
  assert.equal(extended.extendedAcls, true);
  await refused(home.getFileClient("absent").getAccessControl(), 404, "PathNotFound");
  await refused(home.getFileClient("absent").setAccessControl(BASE), 404, "PathNotFound");
});

test("recursive access control", { skip }, async (t) => {
  const home = await newFileSystem(t);
  for (const name of ["1", "2", "sub/3"]) await write(home, `d/${name}`);
  const directory = home.getDirectoryClient("d");
  const seen = [];
  const set = await directory.setAccessControlRecursive([...BASE, entry("user", ALICE)], {
    batchSize: 2,
    onProgress: ({ batchCounters: { changedDirectoriesCount, changedFilesCount } }) =>
      seen.push(changedDirectoriesCount + changedFilesCount),
  });
  assert.deepEqual([set.counters.changedDirectoriesCount, set.counters.changedFilesCount, set.counters.failedChangesCount], [2, 3, 0]);
  assert.deepEqual(seen, [2, 2, 1]);
  const part = await directory.updateAccessControlRecursive([entry("group", ALICE)], { batchSize: 2, maxBatches: 1 });
  assert.equal(part.counters.changedDirectoriesCount + part.counters.changedFilesCount, 2);
  const { continuationToken } = part;
  const rest = await directory.updateAccessControlRecursive([entry("group", ALICE)], { continuationToken });
  assert.equal(rest.counters.changedDirectoriesCount + rest.counters.changedFilesCount, 3);
  await directory.removeAccessControlRecursive([{ accessControlType: "user", entityId: ALICE, defaultScope: false }]);
  const { acl } = await home.getFileClient("d/sub/3").getAccessControl();
  assert.deepEqual(acl.filter((one) => one.entityId === ALICE).map((one) => one.accessControlType), ["group"]);
});

test("lists page by page", { skip }, async (t) => {
  const home = await newFileSystem(t);
  for (let n = 0; n < 5; n++) await write(home, `d/f${n}`, "x".repeat(n + 1));
  const pages = await all(home.listPaths({ path: "d" }).byPage({ maxPageSize: 2 }));
  assert.deepEqual(pages.map(({ pathItems }) => pathItems.map(({ name }) => name)), [["d/f0", "d/f1"], ["d/f2", "d/f3"], ["d/f4"]]);
  const [first] = pages[0].pathItems;
  assert.deepEqual([first.contentLength, first.owner, first.permissions.owner.read], [1, "$superuser", true]);
  const rest = await all(home.listPaths({ path: "d" }).byPage({ maxPageSize: 10, continuationToken: pages[0].continuation }));
  assert.deepEqual(rest.flatMap(({ pathItems }) => pathItems.map(({ name }) => name)), ["d/f2", "d/f3", "d/f4"]);
  assert.deepEqual(await paths(home, { recursive: false }), ["d/"]);
  await refused(all(home.listPaths({ path: "absent" })), 404, "PathNotFound");
});

test("deleted paths come back", { skip }, async (t) => {
  await lake.setProperties({ deleteRetentionPolicy: { enabled: true, days: 7 } });
  t.after(() => lake.setProperties({ deleteRetentionPolicy: { enabled: false } }));
  const home = await newFileSystem(t);
  await write(home, "d/sub/file", "hello, world");
  await home.getDirectoryClient("d").delete(true);
  assert.deepEqual(await paths(home), []);
  const [deleted] = await all(home.listDeletedPaths());
  assert.equal(deleted.name, "d");
  await home.undeletePath(deleted.name, deleted.deletionId);
  assert.equal(await read(home.getFileClient("d/sub/file")), "hello, world");
});

test("expiry", { skip: skip || (!advance && "the clock cannot be moved") }, async (t) => {
  const file = await write(await newFileSystem(t), "short");
  await file.setExpiry("RelativeToNow", { timeToExpireInMs: 60_000 });
  assert.ok((await file.getProperties()).expiresOn);
  await advance(61);
  assert.equal(await file.exists(), false);
});

test("queries", { skip }, async (t) => {
  const file = await write(await newFileSystem(t), "people.csv", "name,age\nAda,36\nGrace,85\n");
  const answer = await file.query("SELECT name from BlobStorage WHERE CAST(age AS INT) > 40", {
    inputTextConfiguration: { kind: "csv", recordSeparator: "\n", hasHeaders: true },
  });
  assert.equal((await all(answer.readableStreamBody)).join(""), "name\nGrace\n");
});

test("signatures for a file system, a directory and a file", { skip }, async (t) => {
  const home = await newFileSystem(t);
  const file = await write(home, "d/file", "hello, world");
  await write(home, "elsewhere");
  // Clients with a signature and no key.
  const signed = (address) => {
    const { search } = new URL(address);
    return new DataLakeFileSystemClient(`${HIERARCHICAL_BLOB_URL}/${home.name}${search}`, undefined, OPTIONS);
  };
  const expiresOn = inAnHour();
  const whole = signed(await home.generateSasUrl({ permissions: FileSystemSASPermissions.parse("rl"), expiresOn }));
  assert.deepEqual(await paths(whole), ["d/", "d/file", "elsewhere"]);
  await refused(whole.getFileClient("new").create(), 403, "AuthorizationPermissionMismatch");
  const directory = home.getDirectoryClient("d");
  const below = signed(await directory.generateSasUrl({ permissions: DirectorySASPermissions.parse("rl"), expiresOn }));
  assert.equal(await read(below.getFileClient("d/file")), "hello, world");
  await refused(below.getFileClient("elsewhere").readToBuffer(), 403, "AuthenticationFailed");
  const only = signed(await file.generateSasUrl({ permissions: DataLakeSASPermissions.parse("r"), expiresOn }));
  assert.equal(await read(only.getFileClient("d/file")), "hello, world");
  await refused(only.getFileClient("d/file").append("x", 12, 1), 403, "AuthorizationPermissionMismatch");
  assert.deepEqual(await paths(below, { path: "d" }), ["d/file"]);
});
