// The helper for Node.js: what a test changes is undone, and a test sees and disturbs requests.

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { Lazuli } from "../../clients/node/lazuli.mjs";

let lazuli;

async function send(method, path) {
  const { sas } = await lazuli.control("POST", "/sas", { account: "devstoreaccount1" });
  const base = lazuli.url.replace("/_lazuli", "");
  return (await fetch(`${base}/devstoreaccount1${path}&${sas}`, { method })).status;
}

before(async () => {
  lazuli = await Lazuli.start();
  assert.equal(await send("PUT", "/fixture?restype=container"), 201);
});
beforeEach(() => lazuli.checkpoint());
afterEach(() => lazuli.restore());
after(() => lazuli.stop());

for (const attempt of [1, 2]) {
  test(`each test finds the fixtures and nothing else, ${attempt}`, async () => {
    assert.equal(await send("GET", "/fixture?restype=container"), 200);
    assert.equal(await send("PUT", "/new?restype=container"), 201);
    await lazuli.advance(60);
  });
}

test("faults and requests", async () => {
  await lazuli.fault({ operation: "Create Container", do: { error: { code: "ServerBusy" } } });
  assert.equal(await send("PUT", "/new?restype=container"), 503);
  const [request] = await lazuli.requests({ operation: "Create Container", status: 503, wait: 5 });
  assert.equal(request.code, "ServerBusy");
});

test("faults end with their test", async () => {
  assert.equal(await send("PUT", "/new?restype=container"), 201);
});
