import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import {
  AzureNamedKeyCredential,
  AzureSASCredential,
  RestError,
  TableClient,
  TableServiceClient,
  TableTransaction,
  generateTableSas,
  odata,
} from "@azure/data-tables";
import { ACCOUNT, KEY, all, inAnHour } from "./helpers.js";

const TABLE_URL = process.env.TABLE_URL ?? `http://127.0.0.1:10002/${ACCOUNT}`;
const OPTIONS = { allowInsecureConnection: true, retryOptions: { maxRetries: 0 } };
const credential = new AzureNamedKeyCredential(ACCOUNT, KEY);
const service = new TableServiceClient(TABLE_URL, credential, OPTIONS);
const unique = () => `test${randomUUID().replaceAll("-", "")}`;
const keys = (rowKey, more) => ({ partitionKey: "p", rowKey, ...more });
const rows = (entities) => entities.map((entity) => entity.rowKey);

/** A table that is gone after the test. */
async function newTable(t) {
  const table = new TableClient(TABLE_URL, unique(), credential, OPTIONS);
  await table.createTable();
  t.after(() => table.deleteTable());
  return table;
}

/** The call is refused with this status and error code. */
async function refused(call, status, code) {
  const error = await call.then(
    () => assert.fail(`not refused, though ${status} ${code} was due`),
    (refusal) => refusal,
  );
  assert.ok(error instanceof RestError, error);
  const said = error.details?.odataError?.code ?? error.details?.code ?? error.code;
  assert.deepEqual([error.statusCode, said], [status, code], error.message);
}

test("tables are made, listed and deleted", async () => {
  const names = [unique(), unique()];
  for (const name of names) await service.createTable(name);
  await service.createTable(names[0]); // the client takes a table that is there for made
  const filter = odata`TableName eq ${names[0]} or TableName eq ${names[1]}`;
  const listed = () => all(service.listTables({ queryOptions: { filter } }));
  assert.deepEqual((await listed()).map((table) => table.name).sort(), [...names].sort());
  for (const name of names) await service.deleteTable(name);
  assert.deepEqual(await listed(), []);
});

test("every type comes back", async (t) => {
  const table = await newTable(t);
  const entity = keys("r", {
    text: "é'\"\\\n啊😀",
    small: 39,
    ratio: 3.5,
    large: 9223372036854775807n,
    yes: true,
    born: new Date("1973-10-04T01:02:03.456Z"),
    id: { type: "Guid", value: "c9da6455-213d-42c9-9a79-3e9149a57833" },
    bytes: new Uint8Array([0, 1, 254, 255]),
    none: null,
  });
  await table.createEntity(entity);
  const got = await table.getEntity("p", "r");
  assert.deepEqual([got.text, got.small, got.ratio, got.large, got.yes], [entity.text, 39, 3.5, entity.large, true]);
  assert.equal(got.born.toISOString?.() ?? new Date(got.born).toISOString(), "1973-10-04T01:02:03.456Z");
  assert.deepEqual([got.id.value ?? got.id, Buffer.from(got.bytes)], [entity.id.value, Buffer.from(entity.bytes)]);
  assert.ok(!("none" in got) && got.etag && got.timestamp);
  const some = await table.getEntity("p", "r", { queryOptions: { select: ["small"] } });
  assert.deepEqual([some.small, some.text], [39, undefined]);
});

test("odd keys", async (t) => {
  const table = await newTable(t);
  for (const row of ["it's", "a b", "%41+&=:@,;$!*()", "é啊😀", "''"]) {
    await table.createEntity(keys(row, { n: 1 }));
    await table.updateEntity(keys(row, { n: 2 }), "Merge");
    assert.equal((await table.getEntity("p", row)).n, 2, row);
    const found = await all(table.listEntities({ queryOptions: { filter: odata`RowKey eq ${row}` } }));
    assert.deepEqual(rows(found), [row]);
    await table.deleteEntity("p", row);
    await refused(table.getEntity("p", row), 404, "ResourceNotFound");
  }
});

test("changes are made on their conditions", async (t) => {
  const table = await newTable(t);
  const { etag } = await table.createEntity(keys("r", { a: 1, b: 2 }));
  await refused(table.createEntity(keys("r")), 409, "EntityAlreadyExists");
  await refused(table.updateEntity(keys("none")), 404, "ResourceNotFound");
  await table.updateEntity(keys("r", { b: 3 }), "Merge", { etag });
  await refused(table.updateEntity(keys("r", { c: 4 }), "Replace", { etag }), 412, "UpdateConditionNotSatisfied");
  await refused(table.deleteEntity("p", "r", { etag }), 412, "UpdateConditionNotSatisfied");
  const merged = await table.getEntity("p", "r");
  assert.deepEqual([merged.a, merged.b, merged.c], [1, 3, undefined]);
  await table.upsertEntity(keys("r", { d: 5 }), "Replace");
  assert.equal((await table.getEntity("p", "r")).a, undefined);
  await table.upsertEntity(keys("new", { d: 5 }), "Merge");
});

test("queries and pages", async (t) => {
  const table = await newTable(t);
  for (let n = 0; n < 9; n++) await table.createEntity(keys(`${n}`, { n, even: n % 2 === 0, large: BigInt(n) }));
  for (const [filter, expected] of [
    [odata`n gt ${6}`, "78"],
    [odata`even eq ${true} and n lt ${4}`, "02"],
    [odata`large ge ${7n}`, "78"],
    ["not (n lt 7)", "78"],
    ["n eq '7'", ""],
    ["", "012345678"],
  ]) {
    assert.equal(rows(await all(table.listEntities({ queryOptions: { filter } }))).join(""), expected, filter);
  }
  const pages = await all(table.listEntities().byPage({ maxPageSize: 4 }));
  assert.deepEqual(pages.map((page) => rows(page).join("")), ["0123", "4567", "8"]);
  await refused(all(table.listEntities({ queryOptions: { filter: "aaa bbb ccc" } })), 400, "InvalidInput");
});

test("transactions are all or nothing", async (t) => {
  const table = await newTable(t);
  const transaction = new TableTransaction();
  transaction.createEntity(keys("a", { n: 1 }));
  transaction.upsertEntity(keys("b", { n: 2 }), "Merge");
  transaction.upsertEntity(keys("it's", { n: 3 }), "Replace");
  const answer = await table.submitTransaction(transaction.actions);
  assert.equal(answer.status, 202);
  assert.deepEqual(answer.subResponses.map((part) => part.status), [204, 204, 204]);
  assert.ok(answer.subResponses.every((part) => part.etag));
  await refused(table.submitTransaction([["create", keys("c")], ["create", keys("a")]]), 409, "EntityAlreadyExists");
  await refused(table.submitTransaction([["create", keys("c")], ["delete", keys("none")]]), 404, "ResourceNotFound");
  assert.deepEqual(rows(await all(table.listEntities())), ["a", "b", "it's"]);
  await table.submitTransaction([["update", keys("a", { m: 2 }), "Merge"], ["delete", keys("b")]]);
  const a = await table.getEntity("p", "a");
  assert.deepEqual([a.n, a.m], [1, 2]);
});

test("tokens hold to their letters and bounds", async (t) => {
  const table = await newTable(t);
  for (const row of ["a", "b", "c"]) await table.createEntity(keys(row));
  const token = generateTableSas(table.tableName, credential, {
    permissions: { query: true, update: true, add: true },
    expiresOn: inAnHour(),
    startPartitionKey: "p",
    startRowKey: "b",
    endPartitionKey: "p",
    endRowKey: "c",
  });
  const bounded = new TableClient(TABLE_URL, table.tableName, new AzureSASCredential(token), OPTIONS);
  assert.deepEqual(rows(await all(bounded.listEntities())), ["b", "c"]);
  await bounded.upsertEntity(keys("b", { n: 1 }));
  await refused(bounded.upsertEntity(keys("a", { n: 1 })), 403, "AuthorizationFailure");
  await refused(bounded.deleteEntity("p", "b"), 403, "AuthorizationPermissionMismatch");
});

test("policies and properties", async (t) => {
  const table = await newTable(t);
  await table.setAccessPolicy([{ id: "readers", accessPolicy: { permission: "r", expiry: inAnHour(), start: new Date() } }]);
  const [policy] = await table.getAccessPolicy();
  assert.deepEqual([policy.id, policy.accessPolicy.permission], ["readers", "r"]);
  const properties = await service.getProperties();
  assert.equal(properties.logging.version, "1.0");
});
