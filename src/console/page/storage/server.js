// The server itself: the requests below /_lazuli/ (docs/reference/control.md).

import { keyHeader } from "./key.js"
import { RestError } from "./rest.js"

async function request(path, { method = "GET", body } = {}) {
	const headers = body === undefined ? keyHeader : { "content-type": "application/json", ...keyHeader }
	const response = await fetch(`/_lazuli/${path}`, {
		method,
		headers,
		body: body === undefined ? undefined : JSON.stringify(body),
		cache: "no-store"
	})
	const text = await response.text()
	let answer = {}
	try {
		answer = text === "" ? {} : JSON.parse(text)
	} catch {
		answer = { text }
	}
	if (!response.ok)
		throw new RestError(response.status, answer.error?.code ?? "", answer.error?.message ?? answer.text ?? response.statusText)
	return answer
}

/** Version, services, accounts and clock of the server. */
export const server = () => request("server")

export const moveClock = seconds => request(`clock?seconds=${seconds}`, { method: "POST" })
export const reset = account => request(`reset${account ? `?account=${account}` : ""}`, { method: "POST" })

const checkpoint = name => `checkpoints/${encodeURIComponent(name)}`
export const checkpoints = async () => (await request("checkpoints")).checkpoints ?? []
export const saveCheckpoint = (name, account) => request(`${checkpoint(name)}${account ? `?account=${account}` : ""}`, { method: "POST" })
export const restoreCheckpoint = name => request(`${checkpoint(name)}/restore`, { method: "POST" })
export const deleteCheckpoint = name => request(checkpoint(name), { method: "DELETE" })

export const faults = async () => (await request("faults")).faults ?? []
export const addFault = rule => request("faults", { method: "POST", body: [rule] })
export const deleteFault = id => request(`faults/${id}`, { method: "DELETE" })
export const deleteFaults = () => request("faults", { method: "DELETE" })

export const requests = async limit => (await request(`requests?limit=${limit}`)).requests ?? []
export const clearRequests = () => request("requests", { method: "DELETE" })

/** The metrics of the server, by name with labels. */
export async function metrics() {
	const response = await fetch("/_lazuli/metrics", { cache: "no-store" })
	if (!response.ok) return new Map()
	const lines = (await response.text()).split("\n").filter(line => line !== "" && !line.startsWith("#"))
	return new Map(lines.map(line => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ") + 1))]))
}
