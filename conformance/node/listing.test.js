import assert from "node:assert/strict";
import { before, after, test } from "node:test";
import { all, names, newContainer, service, unique } from "./helpers.js";

const TREE = ["a/b/1", "a/b/2", "a/c", "b", "dir with space/x", "é/accent"];
const TOP = ["a/", "b", "dir with space/", "é/"];
const tree = service.getContainerClient(unique());

before(async () => {
  await tree.create();
  await Promise.all(TREE.map((name) => tree.getBlockBlobClient(name).upload(name, Buffer.byteLength(name))));
});
after(() => tree.delete());

/** The client hands out the directories of a page before its blobs; here both are in order of name. */
const walked = (page) => names([...(page.segment.blobPrefixes ?? []), ...page.segment.blobItems]).sort();

test("flat, in order", async () => {
  assert.deepEqual(names(await all(tree.listBlobsFlat())), TREE);
});

for (const prefix of ["a", "a/", "a/b/", "dir with", "é", "nothing"]) {
  test(`by the prefix ${prefix}`, async () => {
    assert.deepEqual(names(await all(tree.listBlobsFlat({ prefix }))), TREE.filter((name) => name.startsWith(prefix)));
  });
}

test("in pages, and on from a page", async () => {
  for (const maxPageSize of [1, 2, 6, 100]) {
    const pages = await all(tree.listBlobsFlat().byPage({ maxPageSize }));
    assert.deepEqual(pages.flatMap((page) => names(page.segment.blobItems)), TREE);
  }
  const { value: first } = await tree.listBlobsFlat().byPage({ maxPageSize: 4 }).next();
  const rest = await all(tree.listBlobsFlat().byPage({ continuationToken: first.continuationToken }));
  assert.deepEqual([first, ...rest].flatMap((page) => names(page.segment.blobItems)), TREE);
});

test("by hierarchy, in pages", async () => {
  for (const maxPageSize of [1, 2, 3, 100]) {
    const pages = await all(tree.listBlobsByHierarchy("/").byPage({ maxPageSize }));
    assert.deepEqual(pages.flatMap(walked), TOP);
  }
  const [inside] = await all(tree.listBlobsByHierarchy("/", { prefix: "a/" }).byPage());
  assert.deepEqual(walked(inside), ["a/b/", "a/c"]);
  const kinds = await all(tree.listBlobsByHierarchy("/"));
  assert.deepEqual(kinds.filter((item) => item.kind === "prefix").length, 3);
});

test("with metadata, tags and uncommitted blobs when asked for", async (t) => {
  const container = await newContainer(t);
  await container.getBlockBlobClient("a").upload("a", 1, { metadata: { CamelCase: "1" }, tags: { colour: "blue" } });
  await container.getBlockBlobClient("b").stageBlock("MQ==", "b", 1);
  const [plain, ...none] = await all(container.listBlobsFlat());
  assert.deepEqual([plain.metadata, plain.tags, none], [undefined, undefined, []]);
  const [full, staged] = await all(
    container.listBlobsFlat({ includeMetadata: true, includeTags: true, includeUncommitedBlobs: true }),
  );
  assert.deepEqual(full.metadata, { CamelCase: "1" });
  assert.deepEqual(full.tags, { colour: "blue" });
  assert.equal(staged.name, "b");
});

test("a listing tells what the properties tell", async (t) => {
  const container = await newContainer(t);
  const blob = container.getBlockBlobClient("a");
  await blob.upload("hello", 5, { blobHTTPHeaders: { blobContentType: "text/plain", blobCacheControl: "no-cache" } });
  const properties = await blob.getProperties();
  const [{ properties: listed }] = await all(container.listBlobsFlat());
  for (const field of ["contentLength", "contentType", "cacheControl", "lastModified", "createdOn", "blobType", "leaseState"]) {
    assert.deepEqual(listed[field], properties[field], field);
  }
  assert.deepEqual(Buffer.from(listed.contentMD5), Buffer.from(properties.contentMD5));
  assert.equal(listed.etag, properties.etag.replaceAll('"', ""));
});
