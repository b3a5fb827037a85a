// The Blob service: https://learn.microsoft.com/rest/api/storageservices/blob-service-rest-api

import {
	child,
	childText,
	del,
	encodePath,
	escapeXml,
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

// Containers

export const listContainers = (account, options) => listResources("blob", account, "Containers", options)

const container = extra => ({ restype: "container", ...extra })

export const createContainer = (account, name, access) =>
	put("blob", account, encodePath(name), { query: container(), headers: access ? { "x-ms-blob-public-access": access } : {} })

export const deleteContainer = (account, name) => del("blob", account, encodePath(name), { query: container() })

export const restoreContainer = (account, row) => restoreResource("blob", account, "container", row)

export const setContainerMetadata = (account, name, metadata) => setMetadataOf("blob", account, encodePath(name), metadata, container())

/**
 * Acquires a lease of a blob, or of a container if no blob is named, for some seconds, or breaks the one that is held after so many.
 * Returns the id of an acquired lease.
 */
export async function lease(account, name, blob, action, seconds) {
	const query = { restype: blob ? undefined : "container", comp: "lease" }
	const headers = { "x-ms-lease-action": action, [action === "acquire" ? "x-ms-lease-duration" : "x-ms-lease-break-period"]: seconds }
	const response = await put("blob", account, encodePath(name, ...[blob].filter(Boolean)), { query, headers })
	return response.headers.get("x-ms-lease-id")
}

// Blobs

/** A page of the blobs of a container, or of one folder of it. */
export async function listBlobs(account, name, { prefix, marker, delimiter, include, size = 1000 } = {}) {
	const query = container({ comp: "list", prefix, marker, delimiter, include, maxresults: size })
	const root = await xml("blob", account, encodePath(name), { query })
	const rows = [...child(root, "Blobs").children].map(item =>
		item.localName === "BlobPrefix"
			? { name: nameOf(item), folder: true, properties: {} }
			: {
					name: nameOf(item),
					deleted: childText(item, "Deleted") === "true",
					snapshot: childText(item, "Snapshot"),
					version: childText(item, "VersionId"),
					current: childText(item, "IsCurrentVersion") === "true",
					properties: fieldsOf(child(item, "Properties"))
				}
	)
	return { rows, next: childText(root, "NextMarker") }
}

/** The query that selects a state of a blob: a snapshot, a version, or the blob itself. */
const state = ({ snapshot, version, current } = {}) => ({ snapshot, versionid: current ? undefined : version })

export const blobUrl = (account, name, blob, which) => signedUrl("blob", account, encodePath(name, blob), state(which))

export const blobProperties = (account, name, blob, which) => propertiesOf("blob", account, encodePath(name, blob), state(which))
export const blobStart = (account, name, blob, length, which) => startOf("blob", account, encodePath(name, blob), length, state(which))
export const blobText = (account, name, blob) => textOf("blob", account, encodePath(name, blob))

// Headers of a blob that Put Blob and Set Blob Properties set, and those that return them.
const CONTENT = ["content-type", "content-encoding", "content-language", "content-disposition", "cache-control"]

const contentHeaders = properties =>
	Object.fromEntries(CONTENT.filter(name => properties[name]).map(name => [`x-ms-blob-${name}`, properties[name]]))

// Put Blob sends up to this many bytes; larger files are sent as blocks.
const SINGLE = 32 * 1024 * 1024
const BLOCK = 8 * 1024 * 1024

/** Uploads a block blob. `progress` gets the bytes that were sent. */
export async function upload(account, name, blob, content, { type, headers = {}, progress = () => {}, signal } = {}) {
	const path = encodePath(name, blob)
	const own = { ...(type ? { "x-ms-blob-content-type": type } : {}), ...headers }
	const size = content.size ?? content.length
	if (size <= SINGLE) {
		await put("blob", account, path, { headers: { "x-ms-blob-type": "BlockBlob", ...own }, body: content, signal })
		progress(size)
		return
	}
	const ids = []
	for (let start = 0; start < size; start += BLOCK) {
		const id = btoa(String(ids.length).padStart(8, "0"))
		const body = content.slice(start, start + BLOCK)
		await put("blob", account, path, { query: { comp: "block", blockid: id }, body, signal })
		ids.push(id)
		progress(Math.min(start + BLOCK, size))
	}
	const list = `<BlockList>${ids.map(id => `<Latest>${id}</Latest>`).join("")}</BlockList>`
	await put("blob", account, path, { query: { comp: "blocklist" }, headers: own, body: list, signal })
}

/** Replaces the text of a blob that has not changed since it was read. Its properties, metadata and tags remain. */
export async function replaceText(account, name, blob, text, etag) {
	const { headers, metadata } = await blobProperties(account, name, blob)
	const tags = Number(headers["x-ms-tag-count"] ?? 0) > 0 ? await blobTags(account, name, blob) : []
	const kept = { ...contentHeaders(headers), ...metadataHeaders(metadata), "if-match": etag }
	if (tags.length > 0) kept["x-ms-tags"] = new URLSearchParams(tags).toString()
	return upload(account, name, blob, new Blob([text]), { headers: kept })
}

const setOf = (account, name, blob, comp, headers, body) => put("blob", account, encodePath(name, blob), { query: { comp }, headers, body })

export const setProperties = (account, name, blob, properties) => setOf(account, name, blob, "properties", contentHeaders(properties))
export const setMetadata = (account, name, blob, metadata) => setMetadataOf("blob", account, encodePath(name, blob), metadata)
export const setTier = (account, name, blob, tier) => setOf(account, name, blob, "tier", { "x-ms-access-tier": tier })
export const snapshot = (account, name, blob) => setOf(account, name, blob, "snapshot")
export const undelete = (account, name, blob) => setOf(account, name, blob, "undelete")

export async function blobTags(account, name, blob) {
	const root = await xml("blob", account, encodePath(name, blob), { query: { comp: "tags" } })
	return [...(child(root, "TagSet")?.children ?? [])].map(tag => [childText(tag, "Key"), childText(tag, "Value")])
}

export function setTags(account, name, blob, tags) {
	const set = tags.map(([key, value]) => `<Tag><Key>${escapeXml(key)}</Key><Value>${escapeXml(value)}</Value></Tag>`).join("")
	return setOf(account, name, blob, "tags", {}, `<?xml version="1.0" encoding="utf-8"?><Tags><TagSet>${set}</TagSet></Tags>`)
}

/** Deletes a blob with its snapshots, or one snapshot or version of it. */
export function deleteBlob(account, name, blob, which = {}) {
	const one = which.snapshot || (which.version && !which.current)
	const headers = one ? {} : { "x-ms-delete-snapshots": "include" }
	return del("blob", account, encodePath(name, blob), { query: one ? state(which) : {}, headers })
}

/** Makes an earlier state the current one, by a copy. `endpoint` is the account's URL as the server knows it. */
export async function promote(account, name, blob, which, endpoint) {
	const source = (await blobUrl(account, name, blob, which)).replace(`/_lazuli/api/blob/${account}`, endpoint)
	return put("blob", account, encodePath(name, blob), { headers: { "x-ms-copy-source": source } })
}

/** All states of one blob: itself, snapshots, versions and deleted ones, the newest first. */
export async function history(account, name, blob, include) {
	const states = []
	let marker
	do {
		const page = await listBlobs(account, name, { prefix: blob, include, marker, size: 200 })
		states.push(...page.rows.filter(row => row.name === blob))
		// The list is ordered by name: other blobs come after all states of this one.
		marker = page.rows.at(-1)?.name === blob ? page.next : undefined
	} while (marker)
	const when = one => one.snapshot ?? one.version ?? "~"
	return states.sort((a, b) => when(b).localeCompare(when(a)))
}

/** Blob service properties: the retention of deleted blobs. */
export async function retention(account) {
	const root = await xml("blob", account, "/", { query: { restype: "service", comp: "properties" } })
	const policy = child(root, "DeleteRetentionPolicy")
	return childText(policy, "Enabled") === "true" ? Number(childText(policy, "Days")) : 0
}

/** Switches soft delete of blobs on, for some days, or off with 0. */
export function setRetention(account, days) {
	const policy = days > 0 ? `<Enabled>true</Enabled><Days>${days}</Days>` : "<Enabled>false</Enabled>"
	const body = `<?xml version="1.0" encoding="utf-8"?><StorageServiceProperties><DeleteRetentionPolicy>${policy}</DeleteRetentionPolicy></StorageServiceProperties>`
	return put("blob", account, "/", { query: { restype: "service", comp: "properties" }, body })
}
