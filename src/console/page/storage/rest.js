// One request to the storage services, with a SAS that the server made for this page.
//
// The services are below /_lazuli/api/ at the page's own origin: the same requests, signatures and answers as at their ports, without
// CORS, and without the ports having to be reachable for the browser.

import { keyHeader } from "./key.js"

/** The version of the REST API that the console uses. */
const VERSION = "2025-11-05"

/** The first part of the client request id of every request of the console. */
export const CONSOLE = "lazuli-console"

/** A request that the server refused. */
export class RestError extends Error {
	constructor(status, code, message) {
		super(message)
		this.status = status
		this.code = code
	}
}

// The SAS of each account, and until when it is used.
const signatures = new Map()
const MINUTES = 60

/** Requests a SAS from the server: the only thing that the page gets from elsewhere than the storage services. */
export async function sign(request) {
	const response = await fetch("/_lazuli/sas", {
		method: "POST",
		headers: { "content-type": "application/json", ...keyHeader },
		body: JSON.stringify(request)
	})
	const answer = await response.json().catch(() => ({}))
	if (!response.ok) throw new RestError(response.status, answer.error?.code, answer.error?.message ?? "The server gave no SAS.")
	return answer.sas.replace(/^\?/, "")
}

async function signature(account) {
	const known = signatures.get(account)
	if (known && known.until > Date.now()) return known.sas
	const sas = await sign({ account, minutes: MINUTES })
	signatures.set(account, { sas, until: Date.now() + (MINUTES / 2) * 60_000 })
	return sas
}

/** A path of names, encoded. A name that contains `/` is one of blobs: its parts are separate segments. */
export function encodePath(...names) {
	const encoded = names.map(name => {
		const segments = name.split("/")
		// A browser removes the segments `.` and `..` from a URL.
		const separator = segments.some(segment => segment === "." || segment === "..") ? "%2F" : "/"
		return segments.map(encodeURIComponent).join(separator)
	})
	return encoded.map(name => `/${name}`).join("")
}

/** The URL of a resource below the page's origin, with a SAS: for downloads and images. */
export async function signedUrl(service, account, path, query = {}) {
	const parameters = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== undefined && value !== ""))
	const separator = parameters.size ? "&" : ""
	return `/_lazuli/api/${service}/${account}${path}?${parameters}${separator}${await signature(account)}`
}

/** Sends a request. Throws a `RestError` unless the status is one of success, or one in `allow`. */
export async function send(service, account, path, { method = "GET", query, headers = {}, body, signal, allow = [] } = {}) {
	const once = async () =>
		fetch(await signedUrl(service, account, path, query), {
			method,
			headers: { "x-ms-version": VERSION, "x-ms-client-request-id": `${CONSOLE}-${crypto.randomUUID?.() ?? Date.now()}`, ...headers },
			body: body ?? (method === "GET" || method === "HEAD" ? undefined : ""),
			signal,
			cache: "no-store"
		})
	let response = await once()
	if (response.status === 403) {
		// The SAS expires early when the server's clock is moved forward.
		signatures.delete(account)
		response = await once()
	}
	if (response.ok || allow.includes(response.status)) return response
	throw await refusal(response)
}

export const put = (service, account, path, request) => send(service, account, path, { ...request, method: "PUT" })
export const del = (service, account, path, request) => send(service, account, path, { ...request, method: "DELETE" })

/** The error in a response, in any of the three formats of the services. */
async function refusal(response) {
	const text = await response.text()
	let code = response.headers.get("x-ms-error-code")
	let message = response.statusText
	if (text.trimStart().startsWith("{")) {
		const answer = parseJson(text)
		const error = answer["odata.error"] ?? answer.error ?? {}
		code ??= error.code
		message = error.message?.value ?? error.message ?? message
	} else if (text.includes("<")) {
		const root = parseXml(text).documentElement
		code ??= childText(root, "Code") ?? childText(root, "code")
		message = childText(root, "Message") ?? childText(root, "message") ?? message
	}
	const error = new RestError(response.status, code ?? "", String(message).split("\n")[0])
	// The journal, if it is on, has the reason.
	const id = response.headers.get("x-ms-request-id")
	const journal = await fetch("/_lazuli/requests?limit=50", { headers: keyHeader })
		.then(answer => answer.json())
		.catch(() => ({}))
	error.reason = journal.requests?.find(one => one.request_id === id)?.reason
	return error
}

const parseJson = text => {
	try {
		return JSON.parse(text)
	} catch {
		return {}
	}
}

/** Sends a request, and parses its XML. Returns the root element. */
export async function xml(...request) {
	const response = await send(...request)
	return parseXml(await response.text()).documentElement
}

const parser = new DOMParser()
const parseXml = text => parser.parseFromString(text.replace(/^\uFEFF/, ""), "application/xml")

export function child(element, name) {
	for (let one = element?.firstElementChild; one; one = one.nextElementSibling) if (one.localName === name) return one
	return undefined
}

/** The text of the first child element with this name; `undefined` if there is none. */
export const childText = (element, name) => child(element, name)?.textContent

export function fieldsOf(element) {
	const result = {}
	for (let one = element?.firstElementChild; one; one = one.nextElementSibling) result[one.localName] = one.textContent
	return result
}

/** The name of an item of a list. Names that XML cannot hold are percent-encoded. */
export function nameOf(element) {
	const name = child(element, "Name")
	return name?.getAttribute("Encoded") === "true" ? decodeURIComponent(name.textContent) : (name?.textContent ?? "")
}

/** A page of an account's containers, queues or shares. `element` is the element with the list. */
export async function listResources(service, account, element, { prefix, marker, deleted, size = 1000 } = {}) {
	const include = deleted ? "metadata,deleted" : "metadata"
	const root = await xml(service, account, "/", { query: { comp: "list", include, prefix, marker, maxresults: size } })
	const rows = [...child(root, element).children].map(item => ({
		name: nameOf(item),
		deleted: childText(item, "Deleted") === "true",
		version: childText(item, "Version"),
		properties: fieldsOf(child(item, "Properties")),
		metadata: fieldsOf(child(item, "Metadata"))
	}))
	return { rows, next: childText(root, "NextMarker") }
}

function metadataOf(headers) {
	const pairs = [...headers].filter(([name]) => name.startsWith("x-ms-meta-"))
	return Object.fromEntries(pairs.map(([name, value]) => [name.slice("x-ms-meta-".length), value]))
}

export const metadataHeaders = metadata => Object.fromEntries(Object.entries(metadata).map(([name, value]) => [`x-ms-meta-${name}`, value]))

/** Restores a deleted container or share. `type` is its value of `restype`. */
export const restoreResource = (service, account, type, { name, version }) =>
	put(service, account, encodePath(name), {
		query: { restype: type, comp: "undelete" },
		headers: { [`x-ms-deleted-${type}-name`]: name, [`x-ms-deleted-${type}-version`]: version }
	})

/** The properties and the metadata of a resource. Properties have the names of their headers. */
export async function propertiesOf(service, account, path, query) {
	const { headers } = await send(service, account, path, { method: "HEAD", query })
	return { headers: Object.fromEntries(headers), metadata: metadataOf(headers) }
}

export const setMetadataOf = (service, account, path, metadata, query) =>
	put(service, account, path, { query: { ...query, comp: "metadata" }, headers: metadataHeaders(metadata) })

/** The first bytes of a content. */
export async function startOf(service, account, path, length, query) {
	const response = await send(service, account, path, { query, headers: { "x-ms-range": `bytes=0-${length - 1}` }, allow: [416] })
	// An empty content has no range.
	return response.status === 416 ? new ArrayBuffer(0) : response.arrayBuffer()
}

/** The text of a content, with its ETag. */
export async function textOf(service, account, path) {
	const response = await send(service, account, path)
	return { text: await response.text(), etag: response.headers.get("etag") }
}

/** The functions of a module, for one account and, if given, one container or share of it. */
export const bound = (module, ...names) =>
	Object.fromEntries(Object.entries(module).map(([name, run]) => [name, (...rest) => run(...names, ...rest)]))

/** Text that can be inserted into XML. */
export const escapeXml = text => text.replace(/[<>&"']/g, one => `&#${one.charCodeAt(0)};`)
