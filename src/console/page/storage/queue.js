// The Queue service: https://learn.microsoft.com/rest/api/storageservices/queue-service-rest-api

import { del, encodePath, escapeXml, fieldsOf, listResources, propertiesOf, put, send, setMetadataOf, xml } from "./rest.js"

export const listQueues = (account, options) => listResources("queue", account, "Queues", options)

export const createQueue = (account, name) => put("queue", account, encodePath(name))
export const deleteQueue = (account, name) => del("queue", account, encodePath(name))

export async function queueProperties(account, name) {
	const { headers, metadata } = await propertiesOf("queue", account, encodePath(name), { comp: "metadata" })
	return { count: Number(headers["x-ms-approximate-messages-count"]), metadata }
}

export const setQueueMetadata = (account, name, metadata) => setMetadataOf("queue", account, encodePath(name), metadata)

const messages = name => `${encodePath(name)}/messages`

const read = root => [...root.children].map(fieldsOf)

/** Up to 32 messages from the front of a queue, which stay as they are. */
export const peek = async (account, name) =>
	read(await xml("queue", account, messages(name), { query: { peekonly: "true", numofmessages: 32 } }))

/** Adds a message. `visibility` and `life` are seconds; a life of -1 has no end. */
export function putMessage(account, name, text, { visibility = 0, life = 604_800 } = {}) {
	const body = `<QueueMessage><MessageText>${escapeXml(text)}</MessageText></QueueMessage>`
	return send("queue", account, messages(name), { method: "POST", query: { visibilitytimeout: visibility, messagettl: life }, body })
}

/** Gets the first message of a queue and deletes it. Returns it; `undefined` if no message is visible. */
export async function dequeue(account, name) {
	const [message] = read(await xml("queue", account, messages(name), { query: { numofmessages: 1, visibilitytimeout: 30 } }))
	if (!message) return undefined
	const path = `${messages(name)}/${message.MessageId}`
	await del("queue", account, path, { query: { popreceipt: message.PopReceipt } })
	return message
}

export const clearQueue = (account, name) => del("queue", account, messages(name))

/** The text in a message that is Base64, as most SDKs write it; `undefined` if it is not. */
export function decoded(text) {
	if (!/^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$|^[A-Za-z0-9+/]{2}==$|^[A-Za-z0-9+/]{3}=$/.test(text))
		return undefined
	try {
		const bytes = Uint8Array.from(atob(text), letter => letter.charCodeAt(0))
		const plain = new TextDecoder("utf-8", { fatal: true }).decode(bytes)
		// Plain words can look like Base64: what they decode to is not printable.
		return /[\u0000-\u0008\u000e-\u001f]/.test(plain) ? undefined : plain
	} catch {
		return undefined
	}
}

export const encoded = text => btoa(String.fromCharCode(...new TextEncoder().encode(text)))
