import assert from "node:assert/strict";
import { test } from "node:test";
import { all, newBlob, refused } from "./helpers.js";

const PEOPLE = 'name,city,age\nAda,London,36\nGrace,New York,85\nAlan,London,41\n"Doe, Jane",Paris,20\n';
const HEADED = { kind: "csv", hasHeaders: true, recordSeparator: "\n", columnSeparator: ",", fieldQuote: '"' };
const JSON_LINES = { kind: "json", recordSeparator: "\n" };

async function ask(blob, query, options) {
  const errors = [];
  const answer = await blob.query(query, { onError: (error) => errors.push(error), ...options });
  return { text: Buffer.concat(await all(answer.readableStreamBody)).toString(), errors };
}

for (const [query, rows] of [
  ["SELECT name FROM BlobStorage WHERE city = 'London'", "name\nAda\nAlan\n"],
  ["SELECT name, age FROM BlobStorage WHERE CAST(age AS INT) > 40", "name,age\nGrace,85\nAlan,41\n"],
  ["SELECT _1 FROM BlobStorage LIMIT 1", "_1\nAda\n"],
  ["SELECT COUNT(*) FROM BlobStorage", "4\n"],
]) {
  test(query, async (t) => {
    const blob = await newBlob(t, PEOPLE);
    const answer = await ask(blob, query, { inputTextConfiguration: HEADED });
    assert.deepEqual(answer, { text: rows, errors: [] });
  });
}

test("everything, with its progress", async (t) => {
  const blob = await newBlob(t, PEOPLE);
  const seen = [];
  const answer = await ask(blob, "SELECT * FROM BlobStorage", { onProgress: ({ loadedBytes }) => seen.push(loadedBytes) });
  assert.equal(answer.text, PEOPLE);
  assert.equal(seen.at(-1), PEOPLE.length);
});

test("from csv to json, from json to csv", async (t) => {
  const blob = await newBlob(t, PEOPLE);
  const formats = { inputTextConfiguration: HEADED, outputTextConfiguration: JSON_LINES };
  assert.deepEqual(JSON.parse((await ask(blob, "SELECT name FROM BlobStorage LIMIT 1", formats)).text), { name: "Ada" });
  const lines = await newBlob(t, '{"a":1,"b":{"c":"x"}}\n{"a":2,"b":{"c":"y"}}\n');
  const back = { inputTextConfiguration: JSON_LINES, outputTextConfiguration: { ...HEADED, hasHeaders: false } };
  assert.equal((await ask(lines, "SELECT a, b.c FROM BlobStorage WHERE a > 1", back)).text, "2,y\n");
});

test("a row that is none is told", async (t) => {
  const blob = await newBlob(t, '{"a": 1}\n{"a": \n');
  const { errors } = await ask(blob, "SELECT a FROM BlobStorage", { inputTextConfiguration: JSON_LINES });
  assert.ok(errors.length > 0 && errors[0].name && errors[0].description);
});

test("refusals", async (t) => {
  const blob = await newBlob(t, PEOPLE);
  await refused(blob.query("SELEKT nonsense"), 400, "InvalidXmlNodeValue", "InvalidInput");
  await refused(blob.query("SELECT * FROM BlobStorage", { conditions: { ifMatch: '"0x8D000000000000"' } }), 412, "ConditionNotMet");
});
