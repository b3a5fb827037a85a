// Uploads a blob: upload.mjs CONNECTION-STRING
import { BlobServiceClient } from "@azure/storage-blob";

const service = BlobServiceClient.fromConnectionString(process.argv[2]);
const container = service.getContainerClient("node");
await container.createIfNotExists();
await container.getBlockBlobClient("hello.txt").uploadData(Buffer.from("hello"));
const content = await container.getBlobClient("hello.txt").downloadToBuffer();
if (content.toString() !== "hello") throw new Error(`read ${content}`);
