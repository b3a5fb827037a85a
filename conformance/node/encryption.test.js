// Keys that the client provides, which clients send over https alone, and encryption scopes.

import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { test } from "node:test";
import { BlobServiceClient } from "@azure/storage-blob";
import { OPTIONS, SECURE_BLOB_URL, all, credential, newContainer, refused, text, unique } from "./helpers.js";

const overHttps = { skip: !SECURE_BLOB_URL && "SECURE_BLOB_URL is not set" };

function newKey() {
  const key = randomBytes(32);
  return {
    encryptionKey: key.toString("base64"),
    encryptionKeySha256: createHash("sha256").update(key).digest("base64"),
    encryptionAlgorithm: "AES256",
  };
}

async function secureContainer(t) {
  const container = new BlobServiceClient(SECURE_BLOB_URL, credential, OPTIONS).getContainerClient(unique());
  await container.create();
  t.after(() => container.delete());
  return container;
}

test("who has the key reads, and nobody else", overHttps, async (t) => {
  const blob = (await secureContainer(t)).getBlockBlobClient("a");
  const customerProvidedKey = newKey();
  const put = await blob.upload("secret", 6, { customerProvidedKey, metadata: { a: "b" } });
  assert.equal(put.encryptionKeySha256, customerProvidedKey.encryptionKeySha256);
  assert.equal(await text(blob, 0, undefined, { customerProvidedKey }), "secret");
  const properties = await blob.getProperties({ customerProvidedKey });
  assert.equal(properties.encryptionKeySha256, customerProvidedKey.encryptionKeySha256);
  const other = { customerProvidedKey: newKey() };
  await refused(blob.download(), 409, "BlobUsesCustomerSpecifiedEncryption");
  await refused(blob.getProperties(), 409, "BlobUsesCustomerSpecifiedEncryption");
  await refused(blob.download(0, 1, other), 409, "BlobCustomerSpecifiedEncryptionMismatch", "BlobUsesCustomerSpecifiedEncryption");
  await refused(blob.setMetadata({}, other), 409, "BlobCustomerSpecifiedEncryptionMismatch", "BlobUsesCustomerSpecifiedEncryption");
});

test("blocks with a key", overHttps, async (t) => {
  const blob = (await secureContainer(t)).getBlockBlobClient("a");
  const customerProvidedKey = newKey();
  const id = Buffer.from("1").toString("base64");
  assert.equal((await blob.stageBlock(id, "data", 4, { customerProvidedKey })).encryptionKeySha256, customerProvidedKey.encryptionKeySha256);
  await blob.commitBlockList([id], { customerProvidedKey });
  assert.equal(await text(blob, 0, undefined, { customerProvidedKey }), "data");
  await refused(blob.download(), 409, "BlobUsesCustomerSpecifiedEncryption");
});

test("a container sets the scope of its blobs", async (t) => {
  const container = await newContainer(t, {
    containerEncryptionScope: { defaultEncryptionScope: "hard", preventEncryptionScopeOverride: true },
  });
  const told = await container.getProperties();
  assert.deepEqual([told.defaultEncryptionScope, told.denyEncryptionScopeOverride], ["hard", true]);
  const blob = container.getBlockBlobClient("a");
  await refused(blob.upload("", 0, { encryptionScope: "other" }), 403, "RequestForbiddenByContainerEncryptionPolicy");
  await blob.upload("", 0);
  assert.equal((await blob.getProperties()).encryptionScope, "hard");
  const [listed] = await all(container.listBlobsFlat());
  assert.equal(listed.properties.encryptionScope, "hard");
});
