// The shell: routes, keys, and what stays on the page from view to view.
//
// A route is the hash of the URL: #/ACCOUNT/SERVICE/RESOURCE/PATH, or #/server/journal and the like.

import { button, h, icon } from "./ui/dom.js"
import { openDialog } from "./ui/dialog.js"
import { attempt, describe, notifyError } from "./ui/notify.js"
import { hidePane } from "./ui/pane.js"
import { server } from "./storage/server.js"
import { Feed } from "./feed.js"
import { Tree } from "./tree.js"
import { foot } from "./views/foot.js"
import { overview } from "./views/overview.js"
import { resources } from "./views/resources.js"
import { blobs } from "./views/blobs.js"
import { messages } from "./views/messages.js"
import { entities } from "./views/entities.js"
import { files } from "./views/files.js"
import { journal } from "./views/journal.js"
import { control } from "./views/control.js"
import { sas } from "./views/sas.js"

const main = document.getElementById("main")

/** What views get: the server, and how to change the page. */
const context = {
	server: undefined,
	feed: undefined,
	account: name => context.server.accounts.find(account => account.name === name),
	go: (...parts) => (location.hash = href(...parts)),
	href,
	/** Reads the server's description again: clock, accounts. */
	async update() {
		const answer = await server()
		context.server = { ...answer, read: Date.now() }
		return context.server
	},
	/** The server's time. */
	now: () => new Date(new Date(context.server.now).getTime() + Date.now() - context.server.read),
	changed: () => tree?.refresh(),
	show
}

function href(...parts) {
	return `#/${parts.map(part => part.split("/").map(encodeURIComponent).join("/")).join("/")}`
}

let tree
let view
const SERVER_VIEWS = { journal, control }
const RESOURCE_VIEWS = { blob: blobs, queue: messages, table: entities, file: files }

/** Shows the view of the hash. */
async function show() {
	const parts = location.hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent)
	const [account, service, resource, ...rest] = parts
	view?.list?.dispose()
	view?.dispose?.()
	hidePane()
	document.body.classList.remove("has-side")
	document.getElementById("menu").setAttribute("aria-expanded", "false")
	const known = context.account(account)
	if (account === "server" && SERVER_VIEWS[service]) view = SERVER_VIEWS[service](context)
	else if (!known) return location.replace(href(context.server.accounts[0].name))
	else if (service === "sas") view = sas(context, known)
	else if (resource && RESOURCE_VIEWS[service]) view = RESOURCE_VIEWS[service](context, known, resource, rest.join("/"))
	else if (RESOURCE_VIEWS[service]) view = resources(context, known, service)
	else view = overview(context, known)
	main.replaceChildren(view.element)
	document.title = `${view.title} · Lazuli`
	tree.mark(parts)
	for (const link of document.querySelectorAll("#server-nav a")) link.toggleAttribute("aria-current", link.hash === location.hash)
	if (!document.activeElement || document.activeElement === document.body) (view.list?.grid ?? main).focus({ preventScroll: true })
}

// Keys

const SHORTCUTS = [
	[
		"Lists",
		[
			["j k", "next, previous"],
			["Enter", "open"],
			["x", "mark"],
			["Home End", "first, last"],
			["/", "filter"],
			["Backspace", "up one level"]
		]
	],
	[
		"Actions",
		[
			["n", "new"],
			["u", "upload files"],
			["e", "edit"],
			["d", "delete"],
			["c", "copy URL"],
			["r", "refresh"],
			["Esc", "close, or leave the filter"]
		]
	],
	[
		"Go to",
		[
			["g o", "overview of the account"],
			["g b", "blob containers"],
			["g q", "queues"],
			["g t", "tables"],
			["g f", "file shares"],
			["g j", "journal"],
			["g c", "clock, checkpoints, faults"],
			["g s", "shared access signature"]
		]
	]
]

function showShortcuts() {
	const group = ([title, keys]) =>
		h(
			"section",
			h("h3", title),
			h(
				"dl",
				keys.map(([key, text]) => [
					h(
						"dt",
						key.split(" ").map(one => h("kbd", one))
					),
					h("dd", text)
				])
			)
		)
	openDialog("Keyboard shortcuts", h("div.shortcuts", SHORTCUTS.map(group)), { wide: true })
}

const isTyping = target => target.closest("input, textarea, select, [contenteditable]") !== null

let pending = ""

/** The key after `g`. A list with the focus has keys of its own, so this comes before them. */
function onSecondKey(event) {
	if (pending !== "g") return
	pending = ""
	if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey || !goTo(event.key)) return
	event.preventDefault()
	event.stopPropagation()
}

function onKey(event) {
	if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return
	const typing = isTyping(event.target) && !["checkbox", "radio"].includes(event.target.type)
	if (event.key === "Escape") {
		// Without this, a browser also empties the filter.
		event.preventDefault()
		if (typing) (view?.list?.grid ?? main).focus()
		else if (view?.list?.marked.size > 0) view.list.unmark()
		else if (!hidePane()) document.body.classList.remove("has-side")
		return
	}
	if (typing) return
	if (event.key === "g") {
		pending = "g"
		setTimeout(() => (pending = ""), 1200)
	} else if (event.key === "?") showShortcuts()
	else if (event.key === "/") (main.querySelector("input[type=search]") ?? main.querySelector("input"))?.focus()
	else if (event.key === "Backspace") [...main.querySelectorAll(".crumbs a")].at(-1)?.click()
	else if (view?.keys?.[event.key]) view.keys[event.key]()
	else if (event.target.closest("#tree-nav, button, a, summary") || !view?.list?.key(event)) return
	else view.list.grid.focus({ preventScroll: true })
	event.preventDefault()
}

function goTo(key) {
	const here = location.hash.split("/")[1]
	const account = context.account(here)?.name ?? context.server.accounts[0].name
	const routes = {
		o: [account],
		b: [account, "blob"],
		q: [account, "queue"],
		t: [account, "table"],
		f: [account, "file"],
		s: [account, "sas"],
		j: ["server", "journal"],
		c: ["server", "control"]
	}
	if (routes[key]) context.go(...routes[key])
	return routes[key] !== undefined
}

// Start

function serverNav() {
	const link = (name, label, route) => h("a", { href: href(...route) }, icon(name), label)
	document
		.getElementById("server-nav")
		.replaceChildren(link("journal", "Journal", ["server", "journal"]), link("clock", "Clock, checkpoints, faults", ["server", "control"]))
}

function unreachable(error) {
	const again = button("Try again", () => location.reload(), { kind: "primary" })
	main.replaceChildren(
		h(
			"div.blank-card",
			h("p.blank-title", error.code ? "The server refuses this page" : "The server does not answer"),
			h("p", describe(error)),
			again
		)
	)
}

async function start() {
	try {
		await context.update()
	} catch (error) {
		return unreachable(error)
	}
	context.feed = new Feed(context)
	tree = new Tree(document.getElementById("tree-nav"), context)
	serverNav()
	foot(document.getElementById("foot"), context)
	document.getElementById("help").addEventListener("click", showShortcuts)
	const menu = document.getElementById("menu")
	menu.append(icon("menu", 18))
	menu.addEventListener("click", () => menu.setAttribute("aria-expanded", String(document.body.classList.toggle("has-side"))))
	main.addEventListener("click", () => document.body.classList.remove("has-side"))
	// A drop beside an upload area would replace the page with the file.
	for (const type of ["dragover", "drop"]) window.addEventListener(type, event => event.preventDefault())
	window.addEventListener("hashchange", () => attempt(show))
	document.addEventListener("keydown", onSecondKey, true)
	document.addEventListener("keydown", onKey)
	window.addEventListener("unhandledrejection", event => notifyError(event.reason))
	await show()
}

start()
