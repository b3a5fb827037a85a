// Small plots.

import { h, svg } from "./dom.js"
import { bytes } from "./format.js"

/** A line of values over time, with the area below it. `label` says what it shows, for assistive technology. */
export function sparkline(values, { width = 120, height = 28, label, kind = "" } = {}) {
	const most = Math.max(1, ...values)
	const step = width / Math.max(1, values.length - 1)
	const points = values.map((value, at) => `${(at * step).toFixed(1)},${(height - 1.5 - (value / most) * (height - 4)).toFixed(1)}`)
	const element = svg("svg", {
		viewBox: `0 0 ${width} ${height}`,
		class: `plot ${kind}`,
		preserveAspectRatio: "none",
		role: "img",
		"aria-label": label ?? ""
	})
	element.append(
		svg("polygon", { points: `0,${height} ${points.join(" ")} ${width},${height}` }),
		svg("polyline", { points: points.join(" "), "vector-effect": "non-scaling-stroke" })
	)
	return element
}

/** Bars of two series on top of each other, such as successes and failures in each second. */
export function bars(values, others, { width = 240, height = 56, label } = {}) {
	const most = Math.max(1, ...values.map((value, at) => value + others[at]))
	const step = width / values.length
	const element = svg("svg", {
		viewBox: `0 0 ${width} ${height}`,
		class: "plot bars",
		preserveAspectRatio: "none",
		role: "img",
		"aria-label": label
	})
	const bar = (at, from, value, kind) => {
		const size = (value / most) * (height - 2)
		if (size > 0)
			element.append(
				svg("rect", { x: at * step + step * 0.1, width: step * 0.8, y: height - from - size, height: size, class: kind, rx: 0.5 })
			)
		return from + size
	}
	values.forEach((value, at) => bar(at, bar(at, 0, value, "good"), others[at], "bad"))
	return element
}

/** A share of the largest value, as a bar behind a size. */
export function sizeBar(size, largest) {
	const bar = svg("svg", { viewBox: "0 0 100 4", class: "size-bar", preserveAspectRatio: "none", "aria-hidden": "true" })
	const share = largest > 0 ? (size / largest) * 100 : 0
	bar.append(svg("rect", { x: 100 - share, width: share, y: 0, height: 4, rx: 1 }))
	return h("span.size", h("span", bytes(size)), bar)
}
