// What a test suite does with the server, as switches: clock, checkpoints, faults, reset.

import { button, h, hint, icon } from "../ui/dom.js"
import { bytes, duration, number, time } from "../ui/format.js"
import { ask, confirmDelete, field } from "../ui/dialog.js"
import { card, frame, wideCard } from "../ui/frame.js"
import { attempt, notify } from "../ui/notify.js"
import { sparkline } from "../ui/plot.js"
import * as server from "../storage/server.js"
import { switchedOff } from "./journal.js"

const STEPS = [
	["1 min", 60],
	["1 h", 3600],
	["1 day", 86_400],
	["7 days", 604_800]
]

/** Faults that most clients should survive, each a rule. */
const SWITCHES = [
	["Busy server", "Every third request is refused with 503 ServerBusy", { probability: 0.33, do: { error: { code: "ServerBusy" } } }],
	["Throttling", "Every request is refused with Retry-After: 2", { do: { throttle: { retry_after: 2 } } }],
	["Slow responses", "Every request waits for two seconds", { do: { delay: { milliseconds: 2000 } } }],
	["Lost responses", "PUT takes effect, then the connection is closed", { method: "PUT", do: { cut: "after" } }],
	["Broken downloads", "Get Blob breaks off after 1 KiB", { operation: "Get Blob", do: { truncate: { bytes: 1024 } } }],
	["Secondary lags", "The secondary endpoint is 60 seconds behind", { do: { lag: { seconds: 60 } } }],
	["Key 1 is off", "Signatures with it are refused, this console's too", { do: { key_off: { key: 1 } } }]
]

const numeric = member => text => ({ [member]: Number(text) })

/** What can happen to a request: the choice in the form with a first value, the action from a value, and the action in words. */
const ACTIONS = {
	error: ["Refuse with an error code", "ServerBusy", code => ({ code }), ({ status, code }) => `${status ? `${status} ` : ""}${code}`],
	throttle: [
		"Refuse with 503 and Retry-After, in seconds",
		"2",
		numeric("retry_after"),
		({ retry_after }) => `throttled, Retry-After ${retry_after} s`
	],
	delay: ["Delay, in milliseconds", "1000", numeric("milliseconds"), ({ milliseconds }) => `delayed by ${milliseconds} ms`],
	cut: [
		"Close the connection before or after the request takes effect",
		"after",
		text => text,
		when => `connection closed ${when} it ${when === "after" ? "took" : "takes"} effect`
	],
	truncate: ["Break the response off, after bytes", "1024", numeric("bytes"), ({ bytes }) => `response breaks off after ${bytes} bytes`],
	drip: [
		"Send the response slowly, in pieces of bytes",
		"1024",
		text => ({ bytes: Number(text), milliseconds: 100 }),
		({ bytes, milliseconds }) => `${bytes} bytes each ${milliseconds} ms`
	],
	lag: ["The secondary lags, in seconds", "60", numeric("seconds"), ({ seconds }) => `secondary lags by ${seconds} s`],
	key_off: ["Switch a key off: 1 or 2", "1", numeric("key"), ({ key }) => `key ${key} is off`]
}

function effect({ do: todo }) {
	const [[kind, value]] = Object.entries(todo)
	return ACTIONS[kind]?.[3](value) ?? kind
}

function scope(rule) {
	const parts = [
		rule.operation,
		!rule.operation && rule.method,
		rule.service && `of ${rule.service}`,
		rule.account && `in ${rule.account}`,
		rule.container && `in ${rule.container}`,
		rule.path && `at ${rule.path}`
	].filter(Boolean)
	const limits = [
		rule.after && `after ${rule.after}`,
		rule.times && `${rule.times} times`,
		rule.probability < 1 && `with probability ${rule.probability}`
	].filter(Boolean)
	return `${parts.length > 0 ? parts.join(" ") : "All requests"}${limits.length > 0 ? `, ${limits.join(", ")}` : ""}`
}

/** A line of a list: a name, what is known about it, and what can be done with it. */
const line = (name, text, ...actions) => h("li", h("div", h("b", name), h("span.dim", ` ${text}`)), actions)

/** Replaces the lines of a list. If the focus was in it, it goes to the button below. */
function replaceLines(list, lines, none) {
	const hadFocus = list.contains(document.activeElement)
	list.replaceChildren(...(lines.length > 0 ? lines : [h("li.none", none)]))
	if (hadFocus) list.nextElementSibling.querySelector("button").focus()
}

const removeButton = (label, run) => button(label, run, { icon: "trash", iconOnly: true, kind: "quiet" })
const buttonRow = (...buttons) => h("div.button-row", buttons)
const facts = rows => rows.filter(([, value]) => value).flatMap(([name, value]) => [h("dt", name), h("dd", value)])

export function control(context) {
	const crumbs = [["Clock, checkpoints, faults"]]
	if (!context.server.control) return { title: "Control", element: frame({ crumbs, content: switchedOff("Control") }).element }

	// Clock

	const now = h("p.big-time")
	const offset = h("p.hint", { role: "status" })
	const showClock = () => {
		now.textContent = time(context.now())
		const moved = context.server.clock_offset_seconds
		offset.textContent = moved > 0 ? `${duration(moved)} ahead of this machine` : "The time of this machine"
	}
	const move = seconds =>
		attempt(async () => (await server.moveClock(seconds), await context.update(), showClock()), `The clock moved by ${duration(seconds)}`)
	const custom = () =>
		ask({
			title: "Move the clock",
			fields: [{ name: "seconds", label: "Seconds", type: "number", min: 1, required: true, value: "60" }],
			submit: "Move",
			action: ({ seconds }) => server.moveClock(Number(seconds))
		}).then(async done => done && (await context.update(), showClock()))
	const clockCard = card(
		[icon("clock"), "Clock"],
		now,
		offset,
		buttonRow(
			STEPS.map(([label, seconds]) => button(`+ ${label}`, () => move(seconds), { kind: "small" })),
			button("Other…", custom, { kind: "small quiet" })
		),
		hint("Leases, signatures, messages and deleted blobs expire by this clock. It only moves forward; a reset or a restore sets it back.")
	)

	// Checkpoints

	const points = h("ul.rules")
	const showPoints = async () => {
		const found = await server.checkpoints()
		const lines = found.map(point =>
			line(
				point.name,
				`${time(point.created)}${point.account ? ` · ${point.account}` : ""}`,
				button(
					"Restore",
					() =>
						attempt(
							async () => (await server.restoreCheckpoint(point.name), await context.update(), showClock(), context.changed()),
							`${point.name} restored`
						),
					{ icon: "restore", kind: "small" }
				),
				removeButton(`Delete ${point.name}`, () => attempt(async () => (await server.deleteCheckpoint(point.name), await showPoints())))
			)
		)
		replaceLines(points, lines, "No checkpoints.")
	}
	const save = () =>
		ask({
			title: "New checkpoint",
			fields: [
				{
					name: "name",
					label: "Name",
					required: true,
					value: "before",
					pattern: "[A-Za-z0-9._\\-]{1,64}",
					hint: "Letters, digits, dots, dashes and underscores"
				},
				{
					name: "account",
					label: "Of",
					type: "select",
					options: [["", "all accounts"], ...context.server.accounts.map(({ name }) => [name, name])]
				}
			],
			submit: "Save",
			action: ({ name, account }) => server.saveCheckpoint(name, account)
		}).then(done => done && (notify("Checkpoint saved"), attempt(showPoints)))
	const pointsCard = card(
		[icon("camera"), "Checkpoints"],
		points,
		buttonRow(button("Save a checkpoint", save, { icon: "plus", kind: "primary small" })),
		hint("A checkpoint is the state of all data. Restoring it takes milliseconds, however much there is.")
	)

	// Faults

	const rules = h("ul.rules")
	let known = []
	const same = (rule, preset) => effect(rule) === effect(preset) && scope(rule) === scope(preset)
	const change = run => attempt(async () => (await run(), await showFaults()))
	const showFaults = async () => {
		known = await server.faults()
		for (const { input, ruleOn } of switches) input.checked = Boolean(ruleOn())
		const lines = known.map(rule =>
			line(
				effect(rule),
				scope(rule),
				h("span.tag", { title: "Faults so far, of the requests that match the rule" }, `${rule.fired} of ${rule.matched}`),
				removeButton(`Remove fault ${rule.id}`, () => change(() => server.deleteFault(rule.id)))
			)
		)
		replaceLines(rules, lines, "No faults.")
	}
	const switches = SWITCHES.map(([label, text, preset]) => {
		const ruleOn = () => known.find(one => same(one, preset))
		const input = h("input", { type: "checkbox", role: "switch" })
		input.addEventListener("change", () => change(() => (ruleOn() ? server.deleteFault(ruleOn().id) : server.addFault(preset))))
		return { input, ruleOn, element: h("label.switch", input, h("span", h("b", label), h("small", text))) }
	})
	const addRule = () => {
		const action = field({
			name: "action",
			label: "What happens",
			type: "select",
			options: Object.entries(ACTIONS).map(([kind, [label]]) => [kind, label])
		})
		action.addEventListener("change", ({ target }) => (target.form.elements.value.value = ACTIONS[target.value][1]))
		ask({
			title: "New fault",
			wide: true,
			fields: [
				action,
				{ name: "value", label: "Error code, time or number", value: "ServerBusy" },
				{
					name: "service",
					label: "Service",
					type: "select",
					options: [["", "any"], ...["blob", "queue", "table", "file", "dfs"].map(one => [one, one])]
				},
				{ name: "operation", label: "Operation", placeholder: "Put Blob" },
				{ name: "container", label: "Container, queue, table or share", placeholder: "orders*" },
				{ name: "path", label: "Path below the account", placeholder: "/orders/*.json" },
				{ name: "times", label: "Times at most", type: "number", min: 1 },
				{ name: "after", label: "Skip the first", type: "number", min: 0 },
				{ name: "probability", label: "Probability, 0 to 1", value: "1" }
			],
			submit: "Add",
			action: values => server.addFault(ruleOf(values))
		}).then(done => done && attempt(showFaults))
	}
	const faultsCard = wideCard(
		[icon("bolt"), "Faults"],
		h(
			"div.switches",
			switches.map(({ element }) => element)
		),
		rules,
		buttonRow(
			button("New fault", addRule, { icon: "plus", kind: "primary small" }),
			button("Remove all", () => change(server.deleteFaults), { kind: "small" })
		),
		hint("Faults apply to the requests of this console too. The journal names the fault of each request.")
	)

	// Reset

	const resetAll = () =>
		confirmDelete(
			"everything",
			async () => (await server.reset(), await context.update(), context.changed()),
			"All data of all accounts, on disk too, and the clock is set back."
		).then(done => done && (showClock(), notify("The server is empty")))
	const resetOne = name =>
		confirmDelete(`all data of ${name}`, async () => (await server.reset(name), context.changed())).then(
			done => done && notify(`${name} is empty`)
		)
	const resetCard = card(
		[icon("trash"), "Reset"],
		buttonRow(
			context.server.accounts.length > 1 &&
				context.server.accounts.map(({ name }) => button(`Empty ${name}`, () => resetOne(name), { kind: "small" })),
			button("Empty the server", resetAll, { kind: "small danger-quiet" })
		)
	)

	const usage = h("dl")
	const memory = []
	const showUsage = async () => {
		const metrics = await server.metrics()
		const used = metrics.get("process_resident_memory_bytes")
		const disk = metrics.get("lazuli_disk_content_bytes")
		if (used) memory.push(used)
		if (memory.length > 60) memory.shift()
		const total = [...metrics].reduce((sum, [name, value]) => sum + (name.startsWith("lazuli_requests_total") ? value : 0), 0)
		const rows = [
			["Requests", number(total)],
			["On disk", disk !== undefined && bytes(disk)],
			["Memory", used && [bytes(used), memory.length > 1 && sparkline(memory, { label: "Memory of the process over time" })]]
		]
		usage.replaceChildren(...facts(rows))
	}
	const { version, started, location, tls } = context.server
	const serverCard = card(
		"Server",
		h(
			"dl",
			facts([
				["Version", version],
				["Started", time(started)],
				["Data", location ?? "in memory"],
				["TLS", tls ? "yes" : "no"]
			])
		),
		usage
	)

	const { element } = frame({ crumbs, content: h("div.columns", clockCard, pointsCard, faultsCard, resetCard, serverCard), scroll: true })
	showClock()
	const timers = [
		setInterval(showClock, 1000),
		setInterval(() => !document.hidden && attempt(showUsage), 3000),
		setInterval(
			() =>
				!document.hidden &&
				!document.querySelector("dialog[open]") &&
				known.length > 0 &&
				!rules.contains(document.activeElement) &&
				attempt(showFaults),
			3000
		)
	]
	attempt(showPoints)
	attempt(showFaults)
	attempt(showUsage)
	return { title: "Clock, checkpoints, faults", element, keys: { n: addRule, s: save }, dispose: () => timers.forEach(clearInterval) }
}

function ruleOf({ action, value, probability, ...limits }) {
	const rule = { do: { [action]: ACTIONS[action][2](value.trim()) } }
	for (const [name, text] of Object.entries(limits))
		if (text.trim()) rule[name] = ["times", "after"].includes(name) ? Number(text) : text.trim()
	if (Number(probability) !== 1) rule.probability = Number(probability)
	return rule
}
