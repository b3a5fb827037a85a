import assert from "node:assert/strict";
import { test } from "node:test";
import { all, newBlob, newContainer, names, refused, service, text, unique } from "./helpers.js";

test("tags are set whole and leave the blob alone", async (t) => {
  const blob = await newBlob(t, "data", { tags: { colour: "blue", "size + shape": "large: round/oval" } });
  const before = await blob.getProperties();
  assert.equal(before.tagCount, 2);
  assert.deepEqual((await blob.getTags()).tags, { colour: "blue", "size + shape": "large: round/oval" });
  await blob.setTags({ other: "" });
  assert.deepEqual((await blob.getTags()).tags, { other: "" });
  assert.equal((await blob.getProperties()).etag, before.etag);
  await refused(blob.setTags(Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`t${i}`, ""]))), 400, "TagsTooLarge", "InvalidTag", "InvalidXmlDocument");
  await blob.setTags({});
  assert.deepEqual((await blob.getTags()).tags, {});
});

const acts = {
  download: (blob, conditions) => text(blob, 0, undefined, { conditions }),
  properties: (blob, conditions) => blob.getProperties({ conditions }),
  tags: (blob, conditions) => blob.getTags({ conditions }),
  "set tags": (blob, conditions) => blob.setTags({ colour: "blue" }, { conditions }),
  metadata: (blob, conditions) => blob.setMetadata({ a: "b" }, { conditions }),
  headers: (blob, conditions) => blob.setHTTPHeaders({}, { conditions }),
  upload: (blob, conditions) => blob.upload("new", 3, { conditions }),
  tier: (blob, conditions) => blob.setAccessTier("Cool", { conditions }),
  snapshot: (blob, conditions) => blob.createSnapshot({ conditions }),
  delete: (blob, conditions) => blob.delete({ conditions, deleteSnapshots: "include" }),
};

for (const [name, act] of Object.entries(acts)) {
  test(`tags as a condition of ${name}`, async (t) => {
    const blob = await newBlob(t, "data", { tags: { colour: "blue" } });
    await refused(act(blob, { tagConditions: "colour = 'red'" }), 412, "ConditionNotMet");
    await act(blob, { tagConditions: "colour > 'a' AND \"colour\" <> 'red'" });
  });
}

test("a search spans containers and pages", async (t) => {
  const mark = unique();
  const made = [await newContainer(t), await newContainer(t)].sort((a, b) => (a.containerName < b.containerName ? -1 : 1));
  for (const container of made) {
    for (const name of ["a", "b", "c"]) await container.getBlockBlobClient(name).upload("", 0, { tags: { mark, name } });
    await container.getBlockBlobClient("d").upload("", 0);
  }
  const wanted = made.flatMap(({ containerName }) => ["b", "c"].map((name) => [containerName, name]));
  const search = `mark='${mark}' AND name>='b'`;
  for (const maxPageSize of [1, 2, 3, 100]) {
    const pages = await all(service.findBlobsByTags(search).byPage({ maxPageSize }));
    const found = pages.flatMap((page) => page.blobs.map((blob) => [blob.containerName, blob.name]));
    assert.deepEqual(found, wanted);
  }
  assert.deepEqual(names(await all(made[1].findBlobsByTags(search))), ["b", "c"]);
  const found = await all(service.findBlobsByTags(`@container='${made[0].containerName}' AND name='c'`));
  assert.deepEqual(found.map(({ tags }) => tags), [{ name: "c" }], "the tags that were asked about");
  await refused(all(service.findBlobsByTags("name = 'a' OR name = 'b'")), 400, "InvalidQueryParameterValue");
});
