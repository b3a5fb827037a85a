// The File service: https://learn.microsoft.com/rest/api/storageservices/file-service-rest-api

import { child, childText, encodePath, fieldsOf, metadataHeaders, metadataOf, nameOf, resourcesOf, send, signedUrl, xml } from "./rest.js";

export async function listShares(account, { prefix, marker, deleted, size = 1000 } = {}) {
	const include = deleted ? "metadata,deleted" : "metadata";
	const root = await xml("file", account, "/", { query: { comp: "list", include, prefix, marker, maxresults: size } });
	return resourcesOf(root, "Shares");
}

const SHARE = { restype: "share" };

export const createShare = (account, name, quota) =>
	send("file", account, encodePath(name), { method: "PUT", query: SHARE, headers: quota ? { "x-ms-share-quota": quota } : {} });

export const deleteShare = (account, name) =>
	send("file", account, encodePath(name), { method: "DELETE", query: SHARE, headers: { "x-ms-delete-snapshots": "include" } });

export const restoreShare = (account, name, version) =>
	send("file", account, encodePath(name), {
		method: "PUT",
		query: { ...SHARE, comp: "undelete" },
		headers: { "x-ms-deleted-share-name": name, "x-ms-deleted-share-version": version },
	});

export const setShareMetadata = (account, name, metadata) =>
	send("file", account, encodePath(name), { method: "PUT", query: { ...SHARE, comp: "metadata" }, headers: metadataHeaders(metadata) });

export async function shareUsage(account, name) {
	const root = await xml("file", account, encodePath(name), { query: { ...SHARE, comp: "stats" } });
	return Number(childText(root, "ShareUsageBytes") ?? 0);
}

const DIRECTORY = { restype: "directory" };

const pathOf = (share, path) => encodePath(share, ...path.split("/").filter(Boolean));

export async function listFiles(account, share, path, { prefix, marker, size = 1000 } = {}) {
	const query = { ...DIRECTORY, comp: "list", prefix, marker, maxresults: size, include: "Timestamps,ETag" };
	const root = await xml("file", account, pathOf(share, path), { query, headers: { "x-ms-file-extended-info": "true" } });
	const rows = [...child(root, "Entries").children].map((item) => ({
		name: nameOf(item),
		folder: item.localName === "Directory",
		properties: fieldsOf(child(item, "Properties")),
	}));
	return { rows, next: childText(root, "NextMarker") };
}

export const createDirectory = (account, share, path) => send("file", account, pathOf(share, path), { method: "PUT", query: DIRECTORY });

export const deletePath = (account, share, path, folder) =>
	send("file", account, pathOf(share, path), { method: "DELETE", query: folder ? DIRECTORY : {} });

export const fileUrl = (account, share, path) => signedUrl("file", account, pathOf(share, path));

export async function fileProperties(account, share, path, folder) {
	const { headers } = await send("file", account, pathOf(share, path), { method: "HEAD", query: folder ? DIRECTORY : {} });
	return { headers: Object.fromEntries(headers), metadata: metadataOf(headers) };
}

export const setFileMetadata = (account, share, path, folder, metadata) =>
	send("file", account, pathOf(share, path), {
		method: "PUT",
		query: { ...(folder ? DIRECTORY : {}), comp: "metadata" },
		headers: metadataHeaders(metadata),
	});

export async function fileStart(account, share, path, length) {
	const headers = { "x-ms-range": `bytes=0-${length - 1}` };
	const response = await send("file", account, pathOf(share, path), { headers, allow: [416] });
	return response.status === 416 ? new ArrayBuffer(0) : response.arrayBuffer();
}

export async function fileText(account, share, path) {
	const response = await send("file", account, pathOf(share, path));
	return { text: await response.text(), etag: response.headers.get("etag") };
}

// Put Range writes at most 4 MiB.
const RANGE = 4 * 1024 * 1024;

/** Creates a file of the content's size, then writes its ranges. */
export async function uploadFile(account, share, path, content, { type, metadata = {}, progress = () => {}, signal } = {}) {
	const target = pathOf(share, path);
	const headers = { "x-ms-type": "file", "x-ms-content-length": content.size, ...metadataHeaders(metadata) };
	if (type) headers["x-ms-content-type"] = type;
	await send("file", account, target, { method: "PUT", headers, signal });
	for (let start = 0; start < content.size; start += RANGE) {
		const end = Math.min(start + RANGE, content.size);
		const range = { "x-ms-write": "update", "x-ms-range": `bytes=${start}-${end - 1}` };
		await send("file", account, target, { method: "PUT", query: { comp: "range" }, headers: range, body: content.slice(start, end), signal });
		progress(end);
	}
}

export async function replaceFileText(account, share, path, text) {
	const { headers, metadata } = await fileProperties(account, share, path, false);
	return uploadFile(account, share, path, new Blob([text]), { type: headers["content-type"], metadata });
}
