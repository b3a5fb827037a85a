// The pane beside a list: what is known about the selected item, and what can be done with it.

import { copy } from "./clipboard.js"
import { button, capitalized, h, icon } from "./dom.js"
import { bytes, plural, time } from "./format.js"
import { attempt, describe } from "./notify.js"
import { pairs } from "./dialog.js"

const pane = () => document.getElementById("pane")
let generation = 0

/** Shows the pane. `fill` gets its body and may wait; what it adds after another item was selected is dropped. */
export async function showPane({ icon: name, title, subtitle, actions = [] }, fill) {
	const mine = ++generation
	const body = h("div.pane-body")
	const close = button("Close details (Esc)", hidePane, { icon: "close", iconOnly: true, kind: "quiet" })
	const head = h("header", icon(name, 20), h("div.pane-title", h("h2", { title }, title), subtitle && h("p", subtitle)), close)
	pane().replaceChildren(head, h("div.pane-actions", actions), body)
	pane().hidden = false
	document.body.classList.add("has-pane")
	const add = (...nodes) => mine === generation && body.append(...nodes.filter(Boolean))
	try {
		await fill(add, () => mine === generation)
	} catch (error) {
		add(h("p.problem", describe(error)))
	}
}

/** Hides the pane. Returns true if it was shown. */
export function hidePane() {
	generation++
	const was = !pane().hidden
	pane().hidden = true
	pane().replaceChildren()
	document.body.classList.remove("has-pane")
	if (was) document.querySelector("#main .grid")?.focus({ preventScroll: true })
	return was
}

/** A part of the pane that can be folded. `open` parts are unfolded; `fill`, if given, is called when the part is first unfolded. */
export function section(title, content, { open = true, count, fill } = {}) {
	const body = h("div.section-body", content)
	const summary = h("summary", title, count !== undefined && count !== "" && h("span.count", String(count)))
	const element = h("details.section", { open }, summary, body)
	if (fill) {
		let filled = false
		const start = () => {
			if (filled || !element.open) return
			filled = true
			attempt(() => fill(body))
		}
		element.addEventListener("toggle", start)
		start()
	}
	return element
}

/** The buttons at the end of a part. */
export const foot = (...buttons) => h("div.section-foot", buttons)

/** Names and values. A click copies a value. */
export function properties(entries) {
	const rows = entries
		.filter(([, value]) => value !== undefined && value !== null && value !== "")
		.map(([name, value]) => [
			h("dt", name),
			h(
				"dd",
				value instanceof Node
					? value
					: h("button.value", { type: "button", title: "Copy", onclick: () => copy(String(value), `${name} copied`) }, String(value))
			)
		])
	return h("dl", rows)
}

// What the answers to all requests have, what only means "no", and what has a part of the pane for itself.
const SKIPPED =
	/^(date|server|accept-ranges|x-ms-(request-id|client-request-id|version|meta-.*|server-encrypted|server-request-encrypted|acl|tag-count|fault)|x-lazuli.*|content-security-policy|x-content-type-options|connection|keep-alive|transfer-encoding|access-control-.*|vary)$/i

/** Names and values of all properties that the service returned, whether they are headers or elements. */
export function returned(entries, first = []) {
	const label = name => {
		const words = name
			.replace(/^x-ms-/i, "")
			.replace(/([a-z])([A-Z])/g, "$1 $2")
			.replace(/[-_]/g, " ")
			.toLowerCase()
		return capitalized(words).replace("Etag", "ETag").replace(" md5", " MD5")
	}
	const value = (name, text) => {
		if (/length$/i.test(name)) return `${bytes(text)}${text >= 1024 ? ` (${plural(Number(text), "byte")})` : ""}`
		if (/source$/i.test(name)) return text.replace(/\?.*/, "")
		return /(GMT|\dZ)$/.test(text) ? time(text) : text
	}
	const shown = Object.entries(entries).filter(
		([name, text]) => !SKIPPED.test(name) && !["", "false", null, false, undefined].includes(text)
	)
	return section("Properties", properties([...first, ...shown.map(([name, text]) => [label(name), value(name, text)])]))
}

/** Pairs that can be edited, with a button that saves them. */
export function editablePairs(entries, save, labels) {
	const editor = pairs(entries, labels)
	const send = button("Save", () => attempt(() => save(editor.read()), "Saved"), { kind: "small" })
	return h("div", editor.element, foot(send))
}

export const metadataSection = (metadata, save) =>
	section(
		"Metadata",
		editablePairs(Object.entries(metadata), entries => save(Object.fromEntries(entries))),
		{ open: Object.keys(metadata).length > 0, count: Object.keys(metadata).length || "" }
	)
