// The line at the bottom: the server, its time, and the requests of the last minute.

import { h } from "../ui/dom.js"
import { clock, duration } from "../ui/format.js"
import { sparkline } from "../ui/plot.js"

export function foot(element, context) {
	const { server, feed } = context
	const state = h("span.live")
	const now = h("span.foot-time", { title: "The server's clock" })
	const last = h("span.ellipsis.foot-last")
	const plot = h("a", {
		href: context.href("server", "journal"),
		class: "foot-plot",
		"aria-label": "Journal",
		title: "Requests of the last minute"
	})
	element.append(
		state,
		h("span", `Lazuli ${server.version}`),
		h("span.foot-place.ellipsis", { title: server.location ?? "" }, server.location ?? "in memory"),
		now,
		h("span.spacer"),
		last,
		plot
	)

	const show = () => {
		if (document.hidden) return
		const moved = context.server.clock_offset_seconds
		now.textContent = `${clock(context.now())}${moved > 0 ? ` (+${duration(moved)})` : ""}`
		const connected = !server.control || feed.live
		state.className = `live ${connected ? "on" : "off"}`
		state.title = connected ? "Connected" : "Not connected"
		if (!server.control) return
		const { good, bad } = feed.rates()
		plot.replaceChildren(
			sparkline(
				good.map((value, at) => value + bad[at]),
				{ width: 110, height: 18, label: "Requests of the last minute" }
			)
		)
	}
	feed.listen(entries => {
		const entry = entries.at(-1)
		if (entry) last.textContent = `${entry.method} ${entry.path.split("?")[0]} ${entry.status}`
	})
	show()
	setInterval(show, 1000)
}
