// The Data Lake API of accounts with a hierarchical namespace:
// https://learn.microsoft.com/rest/api/storageservices/data-lake-storage-gen2

import { encodePath, send } from "./rest.js";

/** A page of the paths in a directory, with owners and permissions. */
export async function listPaths(account, system, directory, { marker, size = 1000 } = {}) {
	const query = { resource: "filesystem", recursive: "false", directory: directory || undefined, continuation: marker, maxResults: size };
	const response = await send("dfs", account, encodePath(system), { query });
	const { paths = [] } = await response.json();
	const rows = paths.map((path) => ({ ...path, folder: path.isDirectory === "true" || path.isDirectory === true }));
	return { rows, next: response.headers.get("x-ms-continuation") };
}

export const createDirectory = (account, system, path) =>
	send("dfs", account, encodePath(system, path), { method: "PUT", query: { resource: "directory" }, headers: { "if-none-match": "*" } });

/** Deletes a path; a directory with all that it contains, over several requests if the service asks for that. */
export async function deletePath(account, system, path, folder) {
	let continuation;
	do {
		const query = { recursive: folder ? "true" : undefined, continuation };
		const response = await send("dfs", account, encodePath(system, path), { method: "DELETE", query });
		continuation = response.headers.get("x-ms-continuation") || undefined;
	} while (continuation);
}

export const rename = (account, system, path, to) =>
	send("dfs", account, encodePath(system, to), {
		method: "PUT",
		headers: { "x-ms-rename-source": encodePath(system, path), "if-none-match": "*" },
	});

/** The owner, the owning group, the permissions and the access control list of a path. An empty path is the root directory. */
export async function access(account, system, path) {
	const target = path ? encodePath(system, path) : `${encodePath(system)}/`;
	const { headers } = await send("dfs", account, target, { method: "HEAD", query: { action: "getAccessControl" } });
	const value = (name) => headers.get(`x-ms-${name}`) ?? "";
	return { owner: value("owner"), group: value("group"), permissions: value("permissions"), acl: value("acl") };
}

export function setAccess(account, system, path, { owner, group, acl }) {
	const target = path ? encodePath(system, path) : `${encodePath(system)}/`;
	const headers = { "x-ms-owner": owner, "x-ms-group": group, "x-ms-acl": acl };
	return send("dfs", account, target, { method: "PATCH", query: { action: "setAccessControl" }, headers });
}

/** Sets the access control list of a directory and of all that it contains. */
export async function setAccessBelow(account, system, path, acl) {
	const target = path ? encodePath(system, path) : `${encodePath(system)}/`;
	let continuation;
	do {
		const query = { action: "setAccessControlRecursive", mode: "modify", continuation };
		const response = await send("dfs", account, target, { method: "PATCH", query, headers: { "x-ms-acl": acl } });
		continuation = response.headers.get("x-ms-continuation") || undefined;
	} while (continuation);
}
