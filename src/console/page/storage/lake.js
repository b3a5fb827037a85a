// The Data Lake API of accounts with a hierarchical namespace:
// https://learn.microsoft.com/rest/api/storageservices/data-lake-storage-gen2

import { encodePath, put, send } from "./rest.js"

/** A page of the paths in a directory, with owners and permissions. */
export async function listPaths(account, system, directory, { marker, size = 1000 } = {}) {
	const query = { resource: "filesystem", recursive: "false", directory: directory || undefined, continuation: marker, maxResults: size }
	const response = await send("dfs", account, encodePath(system), { query })
	const { paths = [] } = await response.json()
	const rows = paths.map(path => ({ ...path, folder: path.isDirectory === "true" || path.isDirectory === true }))
	return { rows, next: response.headers.get("x-ms-continuation") }
}

export const createDirectory = (account, system, path) =>
	put("dfs", account, encodePath(system, path), { query: { resource: "directory" }, headers: { "if-none-match": "*" } })

/** Sends a request, and again as long as the service returns a continuation token. */
async function sendAll(account, path, { query, ...request }) {
	let continuation
	do {
		const response = await send("dfs", account, path, { ...request, query: { ...query, continuation } })
		continuation = response.headers.get("x-ms-continuation") || undefined
	} while (continuation)
}

/** Deletes a path; a directory with all that it contains. */
export const deletePath = (account, system, path, folder) =>
	sendAll(account, encodePath(system, path), { method: "DELETE", query: { recursive: folder ? "true" : undefined } })

export const rename = (account, system, path, to) =>
	put("dfs", account, encodePath(system, to), { headers: { "x-ms-rename-source": encodePath(system, path), "if-none-match": "*" } })

/** The URL of a path. An empty path is the root directory. */
const target = (system, path) => (path ? encodePath(system, path) : `${encodePath(system)}/`)

/** The owner, the owning group, the permissions and the access control list of a path. */
export async function access(account, system, path) {
	const { headers } = await send("dfs", account, target(system, path), { method: "HEAD", query: { action: "getAccessControl" } })
	const value = name => headers.get(`x-ms-${name}`) ?? ""
	return { owner: value("owner"), group: value("group"), permissions: value("permissions"), acl: value("acl") }
}

export function setAccess(account, system, path, { owner, group, acl }) {
	const headers = { "x-ms-owner": owner, "x-ms-group": group, "x-ms-acl": acl }
	return send("dfs", account, target(system, path), { method: "PATCH", query: { action: "setAccessControl" }, headers })
}

/** Adds the entries of an access control list to a directory and to all that it contains. */
export const propagateAccess = (account, system, path, acl) =>
	sendAll(account, target(system, path), {
		method: "PATCH",
		query: { action: "setAccessControlRecursive", mode: "modify" },
		headers: { "x-ms-acl": acl }
	})
