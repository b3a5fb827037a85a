// The frame of a view: path, actions, filter, and a list or anything else.

import { button, h } from "./dom.js"

/** Calls a function once, when it was not called for a while. */
function debounce(run, milliseconds) {
	let timer
	return (...values) => {
		clearTimeout(timer)
		timer = setTimeout(() => run(...values), milliseconds)
	}
}

/** Builds the frame. Returns its element, the input of its filter, and the element for actions. */
export function frame({ crumbs, actions = [], filter, toggles = [], content, scroll = false }) {
	const trail = crumbs.map(([label, href], at) => {
		const last = at === crumbs.length - 1
		return h("li", last ? h("h1", { "aria-current": "page", title: label }, label) : h("a", { href }, label))
	})
	const bar = h("div.actions", { role: "toolbar", "aria-label": "Actions" }, actions)
	const head = h("header.view-head", h("nav", { "aria-label": "Path", class: "crumbs" }, h("ol", trail)), bar)
	let input
	let tools
	if (filter || toggles.length > 0) {
		if (filter) {
			input = h("input", {
				type: "search",
				class: filter.wide ? "filter code" : "filter",
				placeholder: filter.placeholder,
				"aria-label": filter.placeholder,
				autocomplete: "off",
				spellcheck: false,
				value: filter.value ?? "",
				"aria-keyshortcuts": "/"
			})
			const run = () => filter.onfilter(input.value)
			if (filter.enter) {
				input.addEventListener("keydown", event => event.key === "Enter" && run())
				input.addEventListener("search", run)
			} else input.addEventListener("input", debounce(run, 180))
		}
		tools = h(
			"div.tools",
			{ role: filter ? "search" : undefined },
			input && h("div.filter-box", input, h("kbd", { "aria-hidden": "true" }, "/")),
			toggles
		)
	}
	const element = h("section", { class: `view ${scroll ? "scroll" : ""}` }, head, tools, content)
	return { element, input, bar }
}

/** A part of a view that has several. */
export const card = (title, ...content) => h("section.card", h("h2", title), content)

export const wideCard = (title, ...content) => h("section.card.wide", h("h2", title), content)

export function toggle(label, value, onchange, title) {
	const input = h("input", { type: "checkbox", checked: value, onchange: () => onchange(input.checked) })
	return h("label.toggle", { title }, input, h("span", label))
}

/** What a list shows in place of no rows. */
export function blank(title, text, ...actions) {
	return h("div.blank-card", h("p.blank-title", title), text && h("p", text), h("div.blank-actions", actions))
}

/** A primary action of a view. The key is shown in its title. */
export const action = (label, name, run, key, kind = "") =>
	button(label, run, { icon: name, kind, title: key ? `${label} (${key})` : label })

export const common = (remove, refresh, label = "Delete") => [
	action(label, "trash", remove, "d", "quiet"),
	action("Refresh", "refresh", refresh, "r", "quiet")
]

/** The filter of a list by the beginning of names, which the server applies. */
export const byPrefix = onfilter => ({ placeholder: "Names that begin with…", onfilter })

/** The path to a container, queue, table or share, or to a folder of it. `href` is that of a path in it. */
export function resourceCrumbs(context, account, service, title, name, base = "", href) {
	const segments = base.split("/").filter(Boolean)
	const folders = segments.map((segment, at) => [segment, href(segments.slice(0, at + 1).join("/"))])
	return [
		[account.name, context.href(account.name)],
		[title, context.href(account.name, service)],
		[name, context.href(account.name, service, name)],
		...folders
	]
}
