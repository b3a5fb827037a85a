// Elements, icons and buttons.

/**
 * Creates an element: `h("p.hint", { title }, children)`. Properties that begin with `on` are listeners, `class`, `role`, `aria-…` and
 * `data-…` are attributes, and the rest are properties of the element. Children are nodes, text, or nothing.
 */
export function h(selector, ...children) {
	const [tag, ...classes] = selector.split(".")
	const element = document.createElement(tag)
	element.classList.add(...classes)
	const properties = children[0]?.constructor === Object ? children.shift() : {}
	for (const [name, value] of Object.entries(properties)) {
		if (value === undefined || value === null || value === false) continue
		if (name.startsWith("on")) element.addEventListener(name.slice(2), value)
		else if (name in element && !["list", "form", "role"].includes(name) && !name.includes("-")) element[name] = value
		else element.setAttribute(name, value === true ? "" : value)
	}
	element.append(...children.flat(Infinity).filter(child => child !== undefined && child !== null && child !== false))
	return element
}

const SVG = "http://www.w3.org/2000/svg"

/** Creates an element of SVG. All properties are attributes. */
export function svg(tag, attributes = {}, ...children) {
	const element = document.createElementNS(SVG, tag)
	for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
	element.append(...children)
	return element
}

// One path each, drawn with lines on a square of 16.
const ICONS = {
	account: "M2.5 13.5V6L8 2.5 13.5 6v7.5zM6.5 13.5v-4h3v4",
	blob: "M2.5 4.5h11v8h-11zM2.5 7h11M6.5 9.5h3",
	queue: "M2.5 4h11M2.5 8h11M2.5 12h6M11 10.5v3M9.5 12h3",
	table: "M2.5 3.5h11v9h-11zM2.5 6.5h11M2.5 9.5h11M6.5 6.5v6",
	share: "M2 12.5v-9h4l1.5 2H14v7zM2 7.5h12",
	folder: "M2 12.5v-9h4l1.5 2H14v7z",
	file: "M4 2.5h5l3 3v8H4zM9 2.5v3h3",
	journal: "M2 8h2.5l2-4.5 3 9 2-4.5H14",
	clock: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11M8 5v3.2l2 1.3",
	key: "M10.5 2.5a3 3 0 1 0 0 6 3 3 0 0 0 0-6M8.3 7.7 2.5 13.5M4.5 11.5l1.8 1.8",
	upload: "M8 10.5v-8M5 5l3-3 3 3M2.5 10.5v3h11v-3",
	download: "M8 2.5v8M5 7.5l3 3 3-3M2.5 10.5v3h11v-3",
	plus: "M8 3v10M3 8h10",
	trash: "M3 4.5h10M6 4.5v-2h4v2M4.5 4.5l.5 9h6l.5-9",
	edit: "M3 13l.7-2.9L11 2.8l2.2 2.2-7.3 7.3z",
	copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
	close: "M4 4l8 8M12 4l-8 8",
	refresh: "M13 5.5A5.5 5.5 0 1 0 13.5 9M13.5 2.5v3.2h-3.2",
	restore: "M3 5.5A5.5 5.5 0 1 1 2.5 9M2.5 2.5v3.2h3.2",
	right: "M6.5 4 10 8l-3.5 4",
	menu: "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
	play: "M5 3.5v9l7-4.5z",
	pause: "M5.5 3.5v9M10.5 3.5v9",
	camera: "M2.5 5h3l1-1.5h3l1 1.5h3v7.5h-11zM8 6.8a2 2 0 1 0 0 4 2 2 0 0 0 0-4",
	bolt: "M9 2 4 9h3.5L7 14l5-7H8.5z"
}

export function icon(name, size = 16) {
	const path = svg("path", { d: ICONS[name] })
	return svg("svg", { viewBox: "0 0 16 16", width: size, height: size, class: "icon", "aria-hidden": "true" }, path)
}

/** A button. `label` is its text, or its name for assistive technology if `iconOnly` is set. */
export function button(label, onclick, { icon: name, kind = "", iconOnly = false, title, disabled } = {}) {
	const text = iconOnly ? null : h("span", label)
	return h(
		"button",
		{
			type: "button",
			class: `button ${kind} ${iconOnly ? "icon-only" : ""}`,
			onclick,
			title: title ?? (iconOnly ? label : undefined),
			"aria-label": iconOnly ? label : undefined,
			disabled
		},
		name && icon(name),
		text
	)
}

export const capitalized = text => text.replace(/^./, letter => letter.toUpperCase())

/** A paragraph that explains what is beside it. */
export const hint = (...text) => h("p.hint", text)
