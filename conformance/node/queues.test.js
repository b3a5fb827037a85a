import assert from "node:assert/strict";
import { test } from "node:test";
import {
  AccountSASPermissions,
  AccountSASResourceTypes,
  AccountSASServices,
  QueueClient,
  QueueSASPermissions,
  QueueServiceClient,
  StorageSharedKeyCredential,
  generateAccountSASQueryParameters,
  generateQueueSASQueryParameters,
} from "@azure/storage-queue";
import { ACCOUNT, CONNECTION_STRING, KEY, OPTIONS, QUEUE_URL, all, anHourAgo, inAnHour, names, refused, unique } from "./helpers.js";

const credential = new StorageSharedKeyCredential(ACCOUNT, KEY);
const queues = QueueServiceClient.fromConnectionString(CONNECTION_STRING, OPTIONS);

/** A queue that is gone after the test. */
async function newQueue(t, name = unique()) {
  const queue = queues.getQueueClient(name);
  await queue.create();
  t.after(() => queue.deleteIfExists());
  return queue;
}

const texts = async (received) => (await received).receivedMessageItems.map((item) => item.messageText);
const peeked = async (queue) => (await queue.peekMessages({ numberOfMessages: 32 })).peekedMessageItems.map((item) => item.messageText);

test("a queue comes and goes", async (t) => {
  const queue = await newQueue(t);
  assert.equal((await queue.create())._response.status, 204);
  assert.equal((await queue.createIfNotExists()).succeeded, false);
  await queue.setMetadata({ a: "1", b: "two" });
  await refused(queue.create(), 409, "QueueAlreadyExists");
  const properties = await queue.getProperties();
  assert.deepEqual([properties.metadata, properties.approximateMessagesCount], [{ a: "1", b: "two" }, 0]);
  assert.equal(await queue.exists(), true);
  await queue.delete();
  assert.equal(await queue.exists(), false);
  await refused(queue.delete(), 404, "QueueNotFound");
  await refused(queue.sendMessage("x"), 404, "QueueNotFound");
  await refused(queues.createQueue("UPPERCASE"), 400, "InvalidResourceName");
});

test("queues are listed page by page", async (t) => {
  const stem = unique();
  for (const letter of "cab") await newQueue(t, `${stem}-${letter}`);
  for (const maxPageSize of [1, 2, 3, 10]) {
    const pages = await all(queues.listQueues({ prefix: stem, includeMetadata: true }).byPage({ maxPageSize }));
    const items = pages.flatMap((page) => page.queueItems ?? []);
    assert.deepEqual(names(items), [..."abc"].map((letter) => `${stem}-${letter}`));
  }
});

test("texts come back as they were sent", async (t) => {
  const queue = await newQueue(t);
  for (const text of ["hello", " sp\tace\n", "啊齄丂狛狜 😀", "<a>&amp;'\"</a>", "x".repeat(64 * 1024)]) {
    const sent = await queue.sendMessage(text);
    const [got] = (await queue.receiveMessages()).receivedMessageItems;
    assert.deepEqual([got.messageText, got.messageId, got.dequeueCount], [text, sent.messageId, 1]);
    assert.notEqual(got.popReceipt, sent.popReceipt);
    await queue.deleteMessage(got.messageId, got.popReceipt);
  }
  await refused(queue.sendMessage("x".repeat(64 * 1024 + 1)), 413, "RequestBodyTooLarge");
  await refused(queue.sendMessage("\u0001"), 400, "InvalidXmlDocument");
});

test("what is taken is hidden, and what is looked at is not", async (t) => {
  const queue = await newQueue(t);
  for (const text of ["one", "two", "three"]) await queue.sendMessage(text);
  assert.deepEqual(await peeked(queue), ["one", "two", "three"]);
  assert.deepEqual(await texts(queue.receiveMessages({ numberOfMessages: 2, visibilityTimeout: 60 })), ["one", "two"]);
  assert.deepEqual(await peeked(queue), ["three"]);
  await queue.sendMessage("hidden", { visibilityTimeout: 60, messageTimeToLive: -1 });
  assert.deepEqual(await peeked(queue), ["three"]);
  assert.equal((await queue.getProperties()).approximateMessagesCount, 4);
  await queue.clearMessages();
  assert.equal((await queue.getProperties()).approximateMessagesCount, 0);
  await refused(queue.receiveMessages({ numberOfMessages: 33 }), 400, "OutOfRangeQueryParameterValue");
  await refused(queue.sendMessage("x", { visibilityTimeout: 60, messageTimeToLive: 60 }), 400, "InvalidQueryParameterValue");
});

test("who holds a message may change it", async (t) => {
  const queue = await newQueue(t);
  await queue.sendMessage("before");
  const [got] = (await queue.receiveMessages({ visibilityTimeout: 60 })).receivedMessageItems;
  const updated = await queue.updateMessage(got.messageId, got.popReceipt, "after", 0);
  assert.ok(updated.nextVisibleOn instanceof Date);
  await refused(queue.updateMessage(got.messageId, got.popReceipt, "again", 0), 404, "MessageNotFound");
  await refused(queue.deleteMessage(got.messageId, got.popReceipt), 404, "MessageNotFound");
  assert.deepEqual(await peeked(queue), ["after"]);
  await refused(queue.deleteMessage(got.messageId, "nonsense"), 400, "InvalidQueryParameterValue");
  await queue.deleteMessage(got.messageId, updated.popReceipt);
  assert.deepEqual(await peeked(queue), []);
});

test("tokens of a queue, of its policies, of the account", async (t) => {
  const queue = await newQueue(t);
  const holder = (fields) => {
    const sas = generateQueueSASQueryParameters({ queueName: queue.name, ...fields }, credential);
    return new QueueClient(`${QUEUE_URL}/${queue.name}?${sas}`, undefined, OPTIONS);
  };
  const allowed = (letters) => holder({ permissions: QueueSASPermissions.parse(letters), expiresOn: inAnHour() });
  await allowed("a").sendMessage("by token");
  assert.deepEqual(await peeked(allowed("r")), ["by token"]);
  await refused(allowed("a").peekMessages(), 403, "AuthorizationPermissionMismatch");
  await refused(allowed("rau").receiveMessages(), 403, "AuthorizationPermissionMismatch");
  await refused(allowed("raup").delete(), 403, "AuthorizationFailure");
  assert.deepEqual(await texts(allowed("p").receiveMessages()), ["by token"]);

  await queue.setAccessPolicy([{ id: "readers", accessPolicy: { startsOn: anHourAgo(), expiresOn: inAnHour(), permissions: "r" } }]);
  assert.equal((await queue.getAccessPolicy()).signedIdentifiers[0].accessPolicy.permissions, "r");
  assert.deepEqual(await peeked(holder({ identifier: "readers" })), []);
  await queue.setAccessPolicy([]);
  await refused(holder({ identifier: "readers" }).peekMessages(), 403, "AuthenticationFailed");

  const sas = generateAccountSASQueryParameters(
    {
      services: AccountSASServices.parse("q").toString(),
      resourceTypes: AccountSASResourceTypes.parse("sco").toString(),
      permissions: AccountSASPermissions.parse("l"),
      expiresOn: inAnHour(),
    },
    credential,
  );
  const account = new QueueServiceClient(`${QUEUE_URL}?${sas}`, undefined, OPTIONS);
  assert.deepEqual(names(await all(account.listQueues({ prefix: queue.name }))), [queue.name]);
  await refused(account.createQueue(unique()), 403, "AuthorizationPermissionMismatch");
});

test("properties and statistics of the service", async (t) => {
  t.after(() => queues.setProperties({ cors: [] }));
  const rule = { allowedOrigins: "http://example.test", allowedMethods: "GET", allowedHeaders: "", exposedHeaders: "", maxAgeInSeconds: 5 };
  await queues.setProperties({ cors: [rule] });
  assert.equal((await queues.getProperties()).cors[0].allowedOrigins, "http://example.test");
  const secondary = new QueueServiceClient(`${QUEUE_URL}-secondary`, credential, OPTIONS);
  // The SDK looks for another root element than the service's, and so reads nothing itself.
  assert.match((await secondary.getStatistics())._response.bodyAsText, /<Status>live<\/Status>/);
});
