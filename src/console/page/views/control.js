// What a test suite does with the server, as switches: clock, checkpoints, faults, reset.

import { button, bytes, duration, h, icon, number, time } from "../ui/dom.js";
import { ask, confirmDelete } from "../ui/dialog.js";
import { frame } from "../ui/frame.js";
import { attempt, notify } from "../ui/notify.js";
import { sparkline } from "../ui/plot.js";
import * as server from "../storage/server.js";
import { switchedOff } from "./journal.js";

const STEPS = [["1 min", 60], ["1 h", 3600], ["1 day", 86_400], ["7 days", 604_800]];

/** Faults that most clients should survive, each a rule. */
const SWITCHES = [
	["Busy server", "Every third request is refused with 503 ServerBusy", { probability: 0.33, do: { error: { code: "ServerBusy" } } }],
	["Throttling", "Every request is refused with Retry-After: 2", { do: { throttle: { retry_after: 2 } } }],
	["Slow answers", "Every request waits for two seconds", { do: { delay: { milliseconds: 2000 } } }],
	["Lost answers", "PUT takes effect, then the connection is closed", { method: "PUT", do: { cut: "after" } }],
	["Broken downloads", "Get Blob breaks off after 1 KiB", { operation: "Get Blob", do: { truncate: { bytes: 1024 } } }],
	["Secondary behind", "The secondary endpoint is 60 seconds behind", { do: { lag: { seconds: 60 } } }],
	["Key 1 is off", "Signatures with the first key are refused, those of this page too", { do: { key_off: { key: 1 } } }],
];

/** What can happen to a request: the choice in the form, the action from its value, and the action in words. */
const ACTIONS = {
	error: ["Refuse with an error code", (text) => ({ code: text || "ServerBusy" }), ({ status, code }) => `${status ? `${status} ` : ""}${code}`],
	throttle: ["Refuse with Retry-After, in seconds", (text) => ({ retry_after: Number(text) || 1 }), ({ retry_after }) => `throttled, Retry-After ${retry_after} s`],
	delay: ["Delay, in milliseconds", (text) => ({ milliseconds: Number(text) || 1000 }), ({ milliseconds }) => `delayed by ${milliseconds} ms`],
	cut: ["Close the connection: before it has an effect, or after", (text) => (text === "before" ? "before" : "after"), (when) => `connection closed ${when} it ${when === "after" ? "took" : "takes"} effect`],
	truncate: ["Break the answer off, after bytes", (text) => ({ bytes: Number(text) || 0 }), ({ bytes }) => `answer breaks off after ${bytes} bytes`],
	drip: ["Send the answer slowly, in pieces of bytes", (text) => ({ bytes: Number(text) || 1024, milliseconds: 100 }), ({ bytes, milliseconds }) => `${bytes} bytes each ${milliseconds} ms`],
	lag: ["The secondary is behind, in seconds", (text) => ({ seconds: Number(text) || 60 }), ({ seconds }) => `secondary ${seconds} s behind`],
	key_off: ["Switch a key off: 1 or 2", (text) => ({ key: Number(text) || 1 }), ({ key }) => `key ${key} is off`],
};

function effect({ do: todo }) {
	const [[kind, value]] = Object.entries(todo);
	return ACTIONS[kind]?.[2](value) ?? kind;
}

function scope(rule) {
	const parts = [rule.operation, !rule.operation && rule.method, rule.service && `of ${rule.service}`, rule.account && `in ${rule.account}`, rule.container && `in ${rule.container}`, rule.path && `at ${rule.path}`].filter(Boolean);
	const limits = [rule.after && `after ${rule.after}`, rule.times && `${rule.times} times`, rule.probability < 1 && `with probability ${rule.probability}`].filter(Boolean);
	return `${parts.length > 0 ? parts.join(" ") : "All requests"}${limits.length > 0 ? `, ${limits.join(", ")}` : ""}`;
}

export function control(context) {
	const crumbs = [["Clock, checkpoints, faults"]];
	if (!context.server.control) return { title: "Control", element: frame({ crumbs, content: switchedOff("Control") }).element };

	// Clock

	const now = h("p", { class: "big-time" });
	const offset = h("p", { class: "hint", role: "status" });
	const showClock = () => {
		now.textContent = time(context.now());
		const moved = context.server.clock_offset_seconds;
		offset.textContent = moved > 0 ? `${duration(moved)} ahead of this machine` : "The time of this machine";
	};
	const move = (seconds) => attempt(async () => (await server.moveClock(seconds), await context.update(), showClock()), `The clock moved by ${duration(seconds)}`);
	const custom = () =>
		ask({ title: "Move the clock", fields: [{ name: "seconds", label: "Seconds", type: "number", min: 1, required: true, value: "60" }], submit: "Move", action: ({ seconds }) => server.moveClock(Number(seconds)) }).then(async (done) => done && (await context.update(), showClock()));
	const clockCard = h("section", { class: "card" }, h("h2", {}, icon("clock"), "Clock"), now, offset, h("div", { class: "button-row" }, STEPS.map(([label, seconds]) => button(`+ ${label}`, () => move(seconds), { kind: "small" })), button("Other…", custom, { kind: "small quiet" })), h("p", { class: "hint" }, "Leases, signatures, messages and deleted blobs expire by this clock. It only moves forward; a reset sets it back."));

	// Checkpoints

	const points = h("ul", { class: "rules" });
	const showPoints = async () => {
		const found = await server.checkpoints();
		const line = (point) =>
			h(
				"li",
				{},
				h("div", {}, h("b", {}, point.name), h("span", { class: "dim" }, ` ${time(point.created ?? point.time)}${point.account ? ` · ${point.account}` : ""}`)),
				button("Restore", () => attempt(async () => (await server.restoreCheckpoint(point.name), await context.update(), showClock(), context.changed()), `${point.name} restored`), { icon: "restore", kind: "small" }),
				button(`Delete ${point.name}`, () => attempt(async () => (await server.deleteCheckpoint(point.name), await showPoints())), { icon: "trash", iconOnly: true, kind: "quiet" }),
			);
		points.replaceChildren(...(found.length > 0 ? found.map(line) : [h("li", { class: "none" }, "No checkpoints.")]));
	};
	const save = () =>
		ask({
			title: "New checkpoint",
			fields: [
				{ name: "name", label: "Name", required: true, value: "before", pattern: "[A-Za-z0-9._\\-]{1,64}", hint: "Letters, digits, dots, dashes and underscores" },
				{ name: "account", label: "Of", type: "select", options: [["", "all accounts"], ...context.server.accounts.map(({ name }) => [name, name])] },
			],
			submit: "Save",
			action: ({ name, account }) => server.saveCheckpoint(name, account),
		}).then((done) => done && (notify("Checkpoint saved"), attempt(showPoints)));
	const pointsCard = h("section", { class: "card" }, h("h2", {}, icon("camera"), "Checkpoints"), points, h("div", { class: "button-row" }, button("Save a checkpoint", save, { icon: "plus", kind: "primary small" })), h("p", { class: "hint" }, "A checkpoint is the state of all data. Restoring it takes milliseconds, however much there is."));

	// Faults

	const rules = h("ul", { class: "rules" });
	const switches = h("div", { class: "switches" });
	let known = [];
	const same = (rule, preset) => effect(rule) === effect(preset) && scope(rule) === scope(preset);
	const showFaults = async () => {
		known = await server.faults();
		switches.replaceChildren(
			...SWITCHES.map(([label, text, preset]) => {
				const rule = known.find((one) => same(one, preset));
				const input = h("input", { type: "checkbox", role: "switch", checked: Boolean(rule) });
				input.addEventListener("change", () => attempt(async () => ((input.disabled = true), rule ? await server.deleteFault(String(rule.id)) : await server.addFault(preset), await showFaults())));
				return h("label", { class: "switch" }, input, h("span", {}, h("b", {}, label), h("small", {}, text)));
			}),
		);
		const line = (rule) =>
			h(
				"li",
				{},
				h("div", {}, h("b", {}, effect(rule)), h("span", { class: "dim" }, ` ${scope(rule)}`)),
				h("span", { class: "tag", title: "Faults so far, of the requests that the rule concerned" }, `${rule.fired ?? 0} of ${rule.matched ?? 0}`),
				button(`Remove fault ${rule.id}`, () => attempt(async () => (await server.deleteFault(String(rule.id)), await showFaults())), { icon: "trash", iconOnly: true, kind: "quiet" }),
			);
		rules.replaceChildren(...(known.length > 0 ? known.map(line) : [h("li", { class: "none" }, "No faults: every request is answered as it should be.")]));
	};
	const addRule = () =>
		ask({
			title: "New fault",
			wide: true,
			fields: [
				{ name: "action", label: "What happens", type: "select", options: Object.entries(ACTIONS).map(([kind, [label]]) => [kind, label]) },
				{ name: "value", label: "Its value", value: "ServerBusy" },
				{ name: "service", label: "Service", type: "select", options: [["", "any"], ...["blob", "queue", "table", "file", "dfs"].map((one) => [one, one])] },
				{ name: "operation", label: "Operation", placeholder: "Put Blob" },
				{ name: "container", label: "Container, queue, table or share", placeholder: "orders*" },
				{ name: "path", label: "Path below the account", placeholder: "/orders/*.json" },
				{ name: "times", label: "At most this many times", type: "number", min: 1 },
				{ name: "after", label: "Not for the first", type: "number", min: 0 },
				{ name: "probability", label: "Probability", value: "1" },
			],
			submit: "Add",
			action: (values) => server.addFault(ruleOf(values)),
		}).then((done) => done && attempt(showFaults));
	const faultsCard = h("section", { class: "card wide" }, h("h2", {}, icon("bolt"), "Faults"), switches, rules, h("div", { class: "button-row" }, button("New fault", addRule, { icon: "plus", kind: "primary small" }), button("Remove all", () => attempt(async () => (await server.deleteFaults(), await showFaults())), { kind: "small" })), h("p", { class: "hint" }, "Faults concern the requests of this console too. The journal names the fault of each request."));

	// Reset

	const resetAll = () => confirmDelete("everything", async () => (await server.reset(), await context.update(), context.changed()), "All data of all accounts, on disk too, and the clock is set back.").then((done) => done && (showClock(), notify("The server is empty")));
	const resetOne = (name) => confirmDelete(`all data of ${name}`, async () => (await server.reset(name), context.changed())).then((done) => done && notify(`${name} is empty`));
	const resetCard = h("section", { class: "card" }, h("h2", {}, icon("trash"), "Reset"), h("div", { class: "button-row" }, context.server.accounts.length > 1 && context.server.accounts.map(({ name }) => button(`Empty ${name}`, () => resetOne(name), { kind: "small" })), button("Empty the server", resetAll, { kind: "small danger-quiet" })));

	const facts = context.server;
	const usage = h("dl", {});
	const memory = [];
	const showUsage = async () => {
		const metrics = await server.metrics();
		const used = metrics.get("process_resident_memory_bytes");
		const disk = metrics.get("lazuli_disk_content_bytes");
		if (used) memory.push(used);
		if (memory.length > 60) memory.shift();
		const total = [...metrics].reduce((sum, [name, value]) => sum + (name.startsWith("lazuli_requests_total") ? value : 0), 0);
		const rows = [["Requests", number(total)], ["On disk", disk !== undefined && bytes(disk)], ["Memory", used && [bytes(used), memory.length > 1 && sparkline(memory, { label: "Memory of the process over time" })]]];
		usage.replaceChildren(...rows.filter(([, value]) => value).flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
	};
	const serverCard = h("section", { class: "card" }, h("h2", {}, "Server"), h("dl", {}, [["Version", facts.version], ["Started", time(facts.started)], ["Data", facts.location ?? "in memory"], ["TLS", facts.tls ? "yes" : "no"]].map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])), usage);

	const { element } = frame({ crumbs, content: h("div", { class: "columns" }, clockCard, pointsCard, faultsCard, resetCard, serverCard), scroll: true });
	showClock();
	const timers = [setInterval(showClock, 1000), setInterval(() => !document.hidden && attempt(showUsage), 3000), setInterval(() => !document.hidden && !document.querySelector("dialog[open]") && known.length > 0 && attempt(showFaults), 3000)];
	attempt(showPoints);
	attempt(showFaults);
	attempt(showUsage);
	return { title: "Clock, checkpoints, faults", element, keys: { n: addRule, s: save }, dispose: () => timers.forEach(clearInterval) };
}

function ruleOf({ action, value, probability, ...limits }) {
	const rule = { do: { [action]: ACTIONS[action][1](value.trim()) } };
	for (const [name, text] of Object.entries(limits)) if (text.trim()) rule[name] = ["times", "after"].includes(name) ? Number(text) : text.trim();
	if (Number(probability) !== 1) rule.probability = Number(probability);
	return rule;
}
