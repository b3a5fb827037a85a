// What is in a blob or a file: an image, text, or bytes. And the editor of texts.

import { h, hint } from "../ui/dom.js"
import { bytes } from "../ui/format.js"
import { ask } from "../ui/dialog.js"

const SHOWN = 64 * 1024
export const EDITABLE = 2 * 1024 * 1024

const IMAGES = /^image\/(png|jpeg|gif|webp|avif|svg\+xml|bmp|x-icon)/

function textOf(buffer, complete) {
	try {
		// The end of a part can be in the middle of a character.
		const text = new TextDecoder("utf-8", { fatal: true }).decode(buffer, { stream: !complete })
		return /[\u0000-\u0008\u000e-\u001a]/.test(text) ? undefined : text
	} catch {
		return undefined
	}
}

/** JSON with a line for each value; other text as it is. */
export function indented(text) {
	try {
		return JSON.stringify(JSON.parse(text), null, 2)
	} catch {
		return text
	}
}

function hex(buffer) {
	const rows = []
	const view = new Uint8Array(buffer).subarray(0, 256)
	for (let at = 0; at < view.length; at += 8) {
		const part = [...view.subarray(at, at + 8)]
		const numbers = part.map(byte => byte.toString(16).padStart(2, "0")).join(" ")
		const letters = part.map(byte => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : "·")).join("")
		rows.push(`${at.toString(16).padStart(4, "0")}  ${numbers.padEnd(24)} ${letters}`)
	}
	return rows.join("\n")
}

/** Shows the start of some content. `read(length)` returns its first bytes, `url()` its URL. */
export async function preview({ name, type, size, read, url }) {
	if (size === 0) return hint("Empty.")
	if (IMAGES.test(type ?? "")) {
		const image = h("img.preview-image", { alt: `Preview of ${name}` })
		image.src = await url()
		return image
	}
	const buffer = await read(SHOWN)
	const text = textOf(buffer, size <= SHOWN)
	if (text === undefined) return h("pre.preview.hex", { tabIndex: 0, "aria-label": "First bytes" }, hex(buffer))
	const shown = /json/.test(type ?? "") || name.endsWith(".json") ? indented(text) : text
	return h(
		"div",
		h("pre.preview", { tabIndex: 0, "aria-label": "Content" }, shown),
		size > SHOWN && hint(`The first ${bytes(SHOWN)} of ${bytes(size)}.`)
	)
}

/** Opens the editor of a text. `save(text)` stores it. */
export function editText(name, text, save) {
	return ask({
		title: name,
		wide: true,
		fields: [{ name: "text", label: "Text", type: "textarea", value: text, rows: 22 }],
		submit: "Save",
		// A text area turns all line ends into \n.
		action: values => save(text.includes("\r\n") ? values.text.replace(/\n/g, "\r\n") : values.text)
	})
}
