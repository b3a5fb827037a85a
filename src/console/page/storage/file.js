// The File service: https://learn.microsoft.com/rest/api/storageservices/file-service-rest-api

import {
	child,
	childText,
	del,
	encodePath,
	fieldsOf,
	listResources,
	metadataHeaders,
	nameOf,
	propertiesOf,
	put,
	restoreResource,
	setMetadataOf,
	signedUrl,
	startOf,
	textOf,
	xml
} from "./rest.js"

export const listShares = (account, options) => listResources("file", account, "Shares", options)

const SHARE = { restype: "share" }

export const createShare = (account, name, quota) =>
	put("file", account, encodePath(name), { query: SHARE, headers: quota ? { "x-ms-share-quota": quota } : {} })

export const deleteShare = (account, name) =>
	del("file", account, encodePath(name), { query: SHARE, headers: { "x-ms-delete-snapshots": "include" } })

export const restoreShare = (account, row) => restoreResource("file", account, "share", row)

export const setShareMetadata = (account, name, metadata) => setMetadataOf("file", account, encodePath(name), metadata, SHARE)

export async function shareUsage(account, name) {
	const root = await xml("file", account, encodePath(name), { query: { ...SHARE, comp: "stats" } })
	return Number(childText(root, "ShareUsageBytes") ?? 0)
}

const DIRECTORY = { restype: "directory" }

const pathOf = (share, path) => encodePath(share, ...path.split("/").filter(Boolean))

export async function listFiles(account, share, path, { prefix, marker, size = 1000 } = {}) {
	const query = { ...DIRECTORY, comp: "list", prefix, marker, maxresults: size, include: "Timestamps,ETag" }
	const root = await xml("file", account, pathOf(share, path), { query, headers: { "x-ms-file-extended-info": "true" } })
	const rows = [...child(root, "Entries").children].map(item => ({
		name: nameOf(item),
		folder: item.localName === "Directory",
		properties: fieldsOf(child(item, "Properties"))
	}))
	return { rows, next: childText(root, "NextMarker") }
}

export const createDirectory = (account, share, path) => put("file", account, pathOf(share, path), { query: DIRECTORY })

export const fileUrl = (account, share, path) => signedUrl("file", account, pathOf(share, path))

/** The parameters that distinguish a directory from a file. */
const kind = folder => (folder ? DIRECTORY : {})

export const deletePath = (account, share, path, folder) => del("file", account, pathOf(share, path), { query: kind(folder) })
export const fileProperties = (account, share, path, folder) => propertiesOf("file", account, pathOf(share, path), kind(folder))
export const setFileMetadata = (account, share, path, folder, metadata) =>
	setMetadataOf("file", account, pathOf(share, path), metadata, kind(folder))
export const fileStart = (account, share, path, length) => startOf("file", account, pathOf(share, path), length)
export const fileText = (account, share, path) => textOf("file", account, pathOf(share, path))

// Put Range writes at most 4 MiB.
const RANGE = 4 * 1024 * 1024

/** Creates a file of the content's size, then writes its ranges. */
export async function uploadFile(account, share, path, content, { type, metadata = {}, progress = () => {}, signal } = {}) {
	const target = pathOf(share, path)
	const headers = { "x-ms-type": "file", "x-ms-content-length": content.size, ...metadataHeaders(metadata) }
	if (type) headers["x-ms-content-type"] = type
	await put("file", account, target, { headers, signal })
	for (let start = 0; start < content.size; start += RANGE) {
		const end = Math.min(start + RANGE, content.size)
		const range = { "x-ms-write": "update", "x-ms-range": `bytes=${start}-${end - 1}` }
		await put("file", account, target, { query: { comp: "range" }, headers: range, body: content.slice(start, end), signal })
		progress(end)
	}
}

export async function replaceFileText(account, share, path, text) {
	const { headers, metadata } = await fileProperties(account, share, path, false)
	return uploadFile(account, share, path, new Blob([text]), { type: headers["content-type"], metadata })
}
