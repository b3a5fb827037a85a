// Dialogs: forms and questions.

import { button, h } from "./dom.js"
import { describe } from "./notify.js"

let nextId = 0

/**
 * A labelled control. `type` is that of an input, or `select` (with `options`), `textarea`, or `checks` (several of `options`, as one
 * string of letters).
 */
export function field({ name, label, type = "text", value = "", options = [], hint, required, placeholder, min, pattern, rows = 8 }) {
	const id = `field-${nextId++}`
	const described = hint ? `${id}-hint` : undefined
	const note = hint && h("small", { id: described, class: "hint" }, hint)
	const common = { id, name, required, "aria-describedby": described }
	if (type === "checkbox") {
		return h("div.field.check", h("label", { for: id }, h("input", { ...common, type, checked: Boolean(value) }), " ", label), note)
	}
	if (type === "checks") {
		const box = ([letter, text]) =>
			h("label", h("input", { type: "checkbox", name, value: letter, checked: value.includes(letter) }), h("code", letter), " ", text)
		return h("fieldset.field.checks", h("legend", label), h("div", options.map(box)), note)
	}
	let control
	if (type === "select") {
		control = h(
			"select",
			common,
			options.map(([option, text]) => h("option", { value: option, selected: option === value }, text))
		)
	} else if (type === "textarea") {
		control = h("textarea", { ...common, value, rows, spellcheck: false, placeholder: placeholder ?? "" })
	} else {
		control = h("input", { ...common, type, value, min, pattern, placeholder: placeholder ?? "", autocomplete: "off", spellcheck: false })
	}
	return h("div.field", h("label", { for: id }, label), control, note)
}

export function values(form) {
	const result = {}
	for (const control of form.elements) {
		if (!control.name) continue
		if (control.type === "checkbox" && control.value !== "on")
			result[control.name] = (result[control.name] ?? "") + (control.checked ? control.value : "")
		else result[control.name] = control.type === "checkbox" ? control.checked : control.value
	}
	return result
}

/** Opens a dialog with any content. Returns the element; `close()` closes it, and so does Esc. */
export function openDialog(title, content, { wide = false } = {}) {
	const id = `dialog-${nextId++}`
	const before = document.activeElement
	const close = button("Close", () => dialog.close(), { icon: "close", iconOnly: true, kind: "quiet" })
	const head = h("header", h("h2", { id }, title), close)
	const dialog = h("dialog", { class: wide ? "wide" : "", "aria-labelledby": id }, head, content)
	dialog.addEventListener("close", () => {
		dialog.remove()
		before?.focus?.()
	})
	// A click beside the dialog closes it.
	dialog.addEventListener("mousedown", event => event.target === dialog && dialog.close())
	document.body.append(dialog)
	dialog.showModal()
	return dialog
}

/**
 * Shows a form. `action` gets its values when it is submitted; the dialog stays open, with the message, if that fails. Resolves to true
 * when the action succeeded, to false when the dialog was closed.
 */
export function ask({ title, text, fields = [], submit = "Save", danger = false, wide = false, action }) {
	return new Promise(resolve => {
		let done = false
		const problem = h("p.problem", { role: "alert" })
		const send = h("button", { type: "submit", class: `button ${danger ? "danger" : "primary"}` }, submit)
		const form = h(
			"form",
			{
				onsubmit: async event => {
					event.preventDefault()
					send.disabled = true
					problem.replaceChildren()
					try {
						await action(values(form))
						done = true
						dialog.close()
					} catch (error) {
						problem.replaceChildren(describe(error))
					} finally {
						send.disabled = false
					}
				}
			},
			text && h("p", text),
			fields.map(one => (one instanceof Node ? one : field(one))),
			problem,
			h(
				"footer",
				button("Cancel", () => dialog.close()),
				send
			)
		)
		// Ctrl+Enter submits from a text area too.
		form.addEventListener("keydown", event => event.key === "Enter" && (event.ctrlKey || event.metaKey) && form.requestSubmit())
		const dialog = openDialog(title, form, { wide })
		dialog.addEventListener("close", () => resolve(done))
		;(form.querySelector("input:not([type=checkbox], [readonly]), textarea, select:enabled") ?? send).focus()
	})
}

export const confirmDelete = (what, action, text) => ask({ title: `Delete ${what}?`, text, submit: "Delete", danger: true, action })

/** Rows of a name and a value that can be added and removed, for metadata and tags. Returns the element and a function for the pairs. */
export function pairs(entries, { name = "Name", value = "Value", add = "Add" } = {}) {
	const body = h("div.pairs")
	const row = (key = "", text = "") => {
		const remove = button(`Remove ${key || "row"}`, () => line.remove(), { icon: "close", iconOnly: true, kind: "quiet" })
		const input = (which, initial) =>
			h("input", { "aria-label": which, placeholder: which, value: initial, autocomplete: "off", spellcheck: false })
		const line = h("div.pair", input(name, key), input(value, text), remove)
		body.append(line)
		return line
	}
	for (const [key, text] of entries) row(key, text)
	const more = button(add, () => row().querySelector("input").focus(), { icon: "plus", kind: "quiet" })
	const read = () =>
		[...body.children].map(line => [...line.querySelectorAll("input")].map(input => input.value)).filter(([key]) => key !== "")
	return { element: h("div", body, more), read, row }
}
