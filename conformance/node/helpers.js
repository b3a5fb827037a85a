// What the tests share: where the server is, a container for each test that asks, tokens, and how a refusal is read.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { BlobSASPermissions, BlobServiceClient, StorageSharedKeyCredential } from "@azure/storage-blob";

export const ACCOUNT = process.env.AZURE_STORAGE_ACCOUNT ?? "devstoreaccount1";
export const KEY =
  process.env.AZURE_STORAGE_KEY ??
  "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";
export const BLOB_URL = process.env.BLOB_URL ?? `http://127.0.0.1:10000/${ACCOUNT}`;
export const VERSIONED_BLOB_URL = process.env.VERSIONED_BLOB_URL;
export const IMMUTABLE_BLOB_URL = process.env.IMMUTABLE_BLOB_URL;
export const RETAINING_BLOB_URL = process.env.RETAINING_BLOB_URL;
export const HIERARCHICAL_BLOB_URL = process.env.HIERARCHICAL_BLOB_URL;
export const SECURE_BLOB_URL = process.env.SECURE_BLOB_URL;
export const QUEUE_URL = process.env.QUEUE_URL ?? `http://127.0.0.1:10001/${ACCOUNT}`;
export const BEARER_TOKEN = process.env.BEARER_TOKEN;
export const CONNECTION_STRING =
  process.env.AZURE_STORAGE_CONNECTION_STRING ??
  `DefaultEndpointsProtocol=http;AccountName=${ACCOUNT};AccountKey=${KEY};BlobEndpoint=${BLOB_URL};QueueEndpoint=${QUEUE_URL};`;

// One try: a refusal is what many tests are about, and a server error must show at once.
export const OPTIONS = { retryOptions: { maxTries: 1 } };

export const credential = new StorageSharedKeyCredential(ACCOUNT, KEY);
export const service = BlobServiceClient.fromConnectionString(CONNECTION_STRING, OPTIONS);

/** Another account, with the same key. */
export const otherService = (url) =>
  new BlobServiceClient(url, new StorageSharedKeyCredential(url.split("/").at(-1), KEY), OPTIONS);

export const unique = () => `test-${randomUUID()}`;

// The server's clock may have been moved: its time is the date of an answer, whatever it says.
const ahead = Date.parse((await fetch(BLOB_URL)).headers.get("date")) - Date.now();
export const minutesFromNow = (minutes) => new Date(Date.now() + ahead + minutes * 60_000);
export const inAnHour = () => minutesFromNow(60);
export const anHourAgo = () => minutesFromNow(-60);

const CONTROL_URL = process.env.LAZULI_CONTROL_URL;
/** Moves the server's clock on by some seconds; undefined where that cannot be done. */
export const advance =
  CONTROL_URL &&
  (async (seconds) => {
    assert.ok((await fetch(`${CONTROL_URL}/clock?seconds=${seconds}`, { method: "POST" })).ok);
  });

/** A container that is gone after the test, leased or not. */
export async function newContainer(t, options) {
  const container = service.getContainerClient(unique());
  await container.create(options);
  t.after(async () => {
    try {
      await container.deleteIfExists();
    } catch (error) {
      if (error.code !== "LeaseIdMissing") throw error;
      await container.getBlobLeaseClient().breakLease(0);
      await container.delete();
    }
  });
  return container;
}

/** A small blob in a container of its own. */
export async function newBlob(t, content = "hello, world", options) {
  const container = await newContainer(t);
  const blob = container.getBlockBlobClient("hello.txt");
  await blob.upload(content, Buffer.byteLength(content), options);
  return blob;
}

/** A blob's address with a token that reads it. */
export function readable(blob) {
  return blob.generateSasUrl({ permissions: BlobSASPermissions.parse("rt"), expiresOn: inAnHour() });
}

/** The call is refused with this status and one of these error codes. */
export async function refused(call, status, ...codes) {
  const error = await call.then(
    () => assert.fail(`not refused, though ${status} ${codes.join(" or ")} was due`),
    (refusal) => refusal,
  );
  const code = error.code ?? error.details?.errorCode; // without a body the code is only in a header
  assert.ok([status].flat().includes(error.statusCode) && codes.includes(code), `${error.statusCode} ${code}: ${error.message}`);
}

/** Everything an iterator gives. */
export async function all(iterator) {
  const items = [];
  for await (const item of iterator) items.push(item);
  return items;
}

export const names = (items) => items.map((item) => item.name);

export async function text(blob, ...range) {
  return (await blob.downloadToBuffer(...range)).toString();
}

/** Bytes that differ from place to place, so that a piece put in the wrong place shows. */
export function pattern(size) {
  const bytes = Buffer.alloc(size);
  for (let i = 0; i + 4 <= size; i += 4) bytes.writeUInt32BE(i, i);
  return bytes;
}
