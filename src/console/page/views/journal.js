// The journal, live: each request with its result and, if it was refused, the reason.

import { button, h, icon } from "../ui/dom.js"
import { bytes, clock, number } from "../ui/format.js"
import { action, blank, frame, toggle } from "../ui/frame.js"
import { VirtualList } from "../ui/list.js"
import { attempt } from "../ui/notify.js"
import { hidePane, properties, returned, section, showPane } from "../ui/pane.js"
import { bars } from "../ui/plot.js"
import { clearRequests } from "../storage/server.js"
import { isConsole } from "../feed.js"

/** The card of a view whose requests the server refuses without the flag. */
export const switchedOff = what =>
	h(
		"div.blank-card",
		h("p.blank-title", `${what} is switched off`),
		h("p", "It is for test suites, and lets anyone who reaches the server change it. Start the server with"),
		h("pre.command", "lazuli --control")
	)

const took = ms => (ms >= 1000 ? `${(ms / 1000).toFixed(1)} s` : `${ms.toFixed(ms < 10 ? 1 : 0)} ms`)

export function journal(context) {
	const crumbs = [["Journal"]]
	if (!context.server.control) return { title: "Journal", element: frame({ crumbs, content: switchedOff("The journal") }).element }
	const { feed } = context
	let own = false
	let refusedOnly = false
	let paused = false
	let words = []

	const textOf = row =>
		`${row.service} ${row.account} ${row.operation} ${row.method} ${row.path} ${row.status} ${row.code ?? ""} ${row.reason ?? ""} ${row.fault ?? ""}`.toLowerCase()
	const fits = row =>
		(own || !isConsole(row)) &&
		(!refusedOnly || row.status >= 400) &&
		(words.length === 0 || words.every(word => textOf(row).includes(word)))

	const columns = [
		{ label: "Time", width: "76px", class: "dim", cell: row => clock(row.time) },
		{ label: "Status", width: "60px", cell: row => h("span", { class: `http s${Math.floor(row.status / 100)}` }, row.status) },
		{ label: "Operation", width: "minmax(84px, 190px)", class: "ellipsis", cell: row => row.operation ?? row.method },
		{
			label: "Resource",
			width: "minmax(0, 1fr)",
			class: "ellipsis",
			wide: true,
			cell: row => h("span", { title: row.path }, decodePath(row.path))
		},
		{
			label: "Reason",
			width: "minmax(0, 1.2fr)",
			class: "ellipsis",
			cell: row =>
				row.status >= 400
					? h("span", { title: row.reason }, h("b", row.code ?? ""), row.reason && ` ${row.reason}`)
					: row.fault
						? h("span.tag.warn", `fault ${row.fault}`)
						: ""
		},
		{ label: "Took", width: "68px", end: true, wide: true, class: "dim", cell: row => took(row.ms) },
		{ label: "Size", width: "78px", end: true, wide: true, class: "dim", cell: row => bytes((row.bytes_in ?? 0) + (row.bytes_out ?? 0)) }
	]
	const select = row =>
		showPane({ icon: "journal", title: row.operation ?? row.method, subtitle: `${row.status} ${row.code ?? ""}` }, add => {
			if (row.reason) add(h("p.reason-box", row.reason))
			const [path, query = ""] = row.path.split("?")
			add(
				returned({ ...row, path, reason: "", ms: "", bytes_in: "", bytes_out: "" }, [
					["Took", took(row.ms)],
					["Received", bytes(row.bytes_in)],
					["Sent", bytes(row.bytes_out)]
				]),
				query && section("Query", properties([...new URLSearchParams(query)]))
			)
		})
	const list = new VirtualList({
		label: "Requests, the latest first",
		noun: "request",
		columns,
		load: async () => ({ rows: rows() }),
		onselect: select,
		empty: () => blank(feed.entries.length > 0 ? "No request matches" : "No requests yet", "Requests appear here as they come."),
		klass: row => (row.status >= 400 ? "is-refused" : "")
	})

	const rows = () => feed.entries.filter(fits).reverse()
	const plot = h("div.journal-plot")
	const state = h("span.live")
	const show = () => {
		if (paused) return
		const selected = list.selected
		// Rows in sight stay where they are unless the first one is in sight.
		const before = list.rows.length
		const next = rows()
		list.cursor = selected ? next.findIndex(row => row.id === selected.id) : -1
		list.setRows(next)
		if (list.grid.scrollTop > 4 && next.length > before) list.grid.scrollTop += (next.length - before) * 36
	}
	// New requests are drawn together, once a frame at most.
	let waiting = false
	const news = { all: 0, refused: 0 }
	const unlisten = feed.listen(entries => {
		for (const entry of entries.filter(fits)) {
			news.all++
			if (entry.status >= 400) news.refused++
		}
		if (waiting) return
		waiting = true
		requestAnimationFrame(() => ((waiting = false), show()))
	})
	const spoken = h("p.off-screen", { "aria-live": "polite" })
	const timers = [
		setInterval(() => {
			if (document.hidden) return
			const { good, bad } = feed.rates({ console: own })
			const total = values => values.reduce((sum, value) => sum + value, 0)
			plot.replaceChildren(
				bars(good, bad, { width: 600, height: 40, label: `The last minute: ${total(good)} succeeded, ${total(bad)} refused` })
			)
			state.className = `live ${paused ? "" : feed.live ? "on" : "off"}`
			state.textContent = paused ? "paused" : feed.live ? "live" : "not connected"
		}, 1000),
		// Screen readers hear a summary now and then, not each request.
		setInterval(() => {
			if (news.all === 0 || paused) return
			spoken.textContent = `${number(news.all)} new requests, ${number(news.refused)} refused`
			;[news.all, news.refused] = [0, 0]
		}, 5000)
	]

	const pause = () => {
		paused = !paused
		pauseButton.replaceChildren(icon(paused ? "play" : "pause"), h("span", paused ? "Continue" : "Pause"))
		show()
	}
	const pauseButton = button("Pause", pause, { icon: "pause", kind: "quiet", title: "Pause (p)" })
	const clear = () => attempt(async () => (await clearRequests(), feed.clear(), hidePane()))
	const { element } = frame({
		crumbs,
		actions: [state, pauseButton, action("Clear", "trash", clear, "d", "quiet")],
		filter: {
			placeholder: "Operation, path, status, code, reason…",
			onfilter: text => ((words = text.toLowerCase().split(/\s+/).filter(Boolean)), show())
		},
		toggles: [
			toggle("Refused only", refusedOnly, on => ((refusedOnly = on), show())),
			toggle("This console's", own, on => ((own = on), show()), "Also show the requests of this page")
		],
		content: h("div.stack", plot, list.element, spoken)
	})
	list.reload()
	return { title: "Journal", element, list, keys: { p: pause, d: clear }, dispose: () => (unlisten(), timers.forEach(clearInterval)) }
}

/** The path of a request without its query, as people read it. */
function decodePath(path) {
	const bare = path.split("?")[0]
	try {
		return decodeURIComponent(bare)
	} catch {
		return bare
	}
}
