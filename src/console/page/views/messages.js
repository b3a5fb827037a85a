// The messages of a queue.

import { button, h } from "../ui/dom.js"
import { bytes, number, time } from "../ui/format.js"
import { ask, confirmDelete } from "../ui/dialog.js"
import { action, blank, common, frame, resourceCrumbs, toggle } from "../ui/frame.js"
import { VirtualList } from "../ui/list.js"
import { attempt, notify } from "../ui/notify.js"
import { hidePane, properties, section, showPane } from "../ui/pane.js"
import * as queue from "../storage/queue.js"
import { indented } from "./preview.js"

const EVERY = 2000

export function messages(context, account, name) {
	let decode = true
	let follow = false
	const expires = row => (new Date(row.ExpirationTime).getFullYear() > 9000 ? "never" : time(row.ExpirationTime))
	const shown = row => (decode ? (queue.decoded(row.MessageText) ?? row.MessageText) : row.MessageText)

	const count = h("span.dim", { role: "status" })
	async function load() {
		const [rows, { count: all }] = await Promise.all([queue.peek(account.name, name), queue.queueProperties(account.name, name)])
		const hidden = all - rows.length
		count.textContent = hidden > 0 ? `${number(all)} in the queue: ${number(hidden)} more are invisible now, or beyond the first 32` : ""
		return { rows }
	}

	const put = () =>
		ask({
			title: "Add message",
			fields: [
				{ name: "text", label: "Text", type: "textarea", rows: 8 },
				{ name: "encode", label: "Encode as Base64, as Azure Functions expects", type: "checkbox", value: false },
				{ name: "visibility", label: "Visible after, in seconds", type: "number", value: "0", min: 0 },
				{ name: "life", label: "Expires after, in seconds", type: "number", value: "604800", hint: "-1: never" }
			],
			submit: "Add",
			action: ({ text, encode, visibility, life }) =>
				queue.putMessage(account.name, name, encode ? queue.encoded(text) : text, { visibility, life })
		}).then(done => done && (notify("Message added"), list.reload()))

	const clear = async () => {
		if (await confirmDelete(`all messages of ${name}`, () => queue.clearQueue(account.name, name))) {
			hidePane()
			list.reload()
		}
	}
	const dequeue = () =>
		attempt(async () => {
			const message = await queue.dequeue(account.name, name)
			notify(message ? "The first message was removed from the queue" : "No message is visible")
			hidePane()
			list.reload()
		})

	const select = row =>
		showPane({ icon: "queue", title: "Message", subtitle: row.MessageId }, add => {
			const text = shown(row)
			add(h("pre.preview", { tabIndex: 0, "aria-label": "Text" }, indented(text)))
			add(
				section(
					"Properties",
					properties([
						["Id", row.MessageId],
						["Inserted", time(row.InsertionTime)],
						["Expires", expires(row)],
						["Times dequeued", row.DequeueCount],
						["Size", bytes(new TextEncoder().encode(row.MessageText).length)],
						["Stored as", text === row.MessageText ? "text" : "Base64"]
					])
				)
			)
		})

	const columns = [
		{ label: "Text", width: "minmax(0, 1fr)", class: "code ellipsis", cell: row => shown(row).slice(0, 300) },
		{ label: "Dequeued", width: "84px", end: true, cell: row => row.DequeueCount },
		{ label: "Inserted", width: "152px", wide: true, cell: row => time(row.InsertionTime) },
		{ label: "Expires", width: "152px", wide: true, cell: expires }
	]
	const list = new VirtualList({
		label: `Messages of ${name}`,
		noun: "message",
		columns,
		load,
		onselect: select,
		empty: () =>
			blank(
				"No message is visible",
				"Messages that a worker has dequeued are visible again when their visibility timeout ends.",
				button("Add message", put, { icon: "plus", kind: "primary" })
			)
	})
	const refresh = () => list.reload((row, before) => row.MessageId === before.MessageId)
	const timer = setInterval(() => follow && !document.hidden && refresh(), EVERY)
	const { element } = frame({
		crumbs: resourceCrumbs(context, account, "queue", "Queues", name),
		actions: [
			...common(clear, refresh, "Clear queue"),
			action("Dequeue message", "download", dequeue, "t", "quiet"),
			action("Add message", "plus", put, "n", "primary")
		],
		toggles: [
			toggle("Decode Base64", decode, on => ((decode = on), list.setRows(list.rows)), "Show messages that are Base64 as the text in them"),
			toggle("Follow", follow, on => (follow = on), "Peek every two seconds"),
			count
		],
		content: list.element
	})
	list.reload()
	return { title: name, element, list, keys: { n: put, d: clear, t: dequeue, r: refresh }, dispose: () => clearInterval(timer) }
}
