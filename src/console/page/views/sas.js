// Shared access signatures of an account, with URLs and a connection string that use them.

import { copy } from "../ui/clipboard.js"
import { button, h, hint } from "../ui/dom.js"
import { time } from "../ui/format.js"
import { field, openDialog, values } from "../ui/dialog.js"
import { frame } from "../ui/frame.js"
import { attempt } from "../ui/notify.js"
import { encodePath, sign } from "../storage/rest.js"
import { ENDPOINTS } from "./kinds.js"

const SERVICES = [
	["b", "Blob"],
	["q", "Queue"],
	["t", "Table"],
	["f", "File"]
]
const letterOf = service => (service === "dfs" ? "b" : service[0])
const TITLE = "Shared access signature"
const TYPES = [
	["s", "service"],
	["c", "container"],
	["o", "object"]
]
const PERMISSIONS = [
	["r", "read"],
	["w", "write"],
	["d", "delete"],
	["x", "delete a version"],
	["y", "delete permanently"],
	["l", "list"],
	["a", "add"],
	["c", "create"],
	["u", "update"],
	["p", "process"],
	["i", "immutability"],
	["t", "tags"],
	["f", "find by tags"]
]
const LIVES = [
	["15", "15 minutes"],
	["60", "1 hour"],
	["1440", "1 day"],
	["10080", "7 days"],
	["525600", "1 year"]
]

const copyable = (label, text) =>
	h(
		"div.result",
		h("span.result-label", label),
		h("code", text),
		button(`Copy ${label}`, () => copy(text, `${label} copied`), { icon: "copy", iconOnly: true, kind: "quiet" })
	)

/** The form and its results. `resource` limits the results to one blob or file. */
function maker(context, account, { service, resource } = {}) {
	const results = h("div.results", { "aria-live": "polite" })
	const form = h(
		"form.sas-form",
		!resource && field({ name: "services", label: "Services", type: "checks", options: SERVICES, value: "bqtf" }),
		!resource && field({ name: "types", label: "Resource types", type: "checks", options: TYPES, value: "sco" }),
		field({ name: "permissions", label: "Permissions", type: "checks", options: PERMISSIONS, value: resource ? "r" : "rl" }),
		field({ name: "minutes", label: "Expires after", type: "select", options: LIVES, value: "60", hint: "By the server's clock" }),
		h("footer", h("button.button.primary", { type: "submit" }, "Generate SAS"))
	)
	form.addEventListener("submit", event => {
		event.preventDefault()
		attempt(async () => {
			const { services = service && letterOf(service), types = "o", permissions, minutes } = values(form)
			const sas = await sign({ account: account.name, services, resource_types: types, permissions, minutes: Number(minutes) })
			const expires = new URLSearchParams(sas).get("se")
			const endpoints = Object.entries(account.endpoints).filter(([name]) => services.includes(letterOf(name)))
			const urls = resource
				? [copyable("URL", `${account.endpoints[service]}${encodePath(...resource)}?${sas}`)]
				: [
						// SDKs know no endpoint of Data Lake in a connection string.
						copyable(
							"Connection string",
							`${endpoints.map(([name, url]) => (name === "dfs" ? "" : `${ENDPOINTS[name]}Endpoint=${url};`)).join("")}SharedAccessSignature=${sas}`
						),
						...endpoints.map(([name, url]) => copyable(`${ENDPOINTS[name]} URL`, `${url}?${sas}`))
					]
			results.replaceChildren(hint(`Expires ${time(expires)}`), copyable("SAS token", sas), ...urls)
		})
	})
	return h("div", form, results)
}

export function sasDialog(context, account, target) {
	const note = hint("An account SAS for objects of this service, and the URL of this one with it.")
	const body = h("div.dialog-body", note, maker(context, account, target))
	openDialog(`SAS for ${target.resource.at(-1).split("/").at(-1)}`, body, { wide: true })
}

export function sas(context, account) {
	const card = h(
		"section.card.wide",
		hint("With it, a client without the account key has these permissions until it expires."),
		maker(context, account)
	)
	const { element } = frame({
		crumbs: [[account.name, context.href(account.name)], [TITLE]],
		content: h("div.columns", card),
		scroll: true
	})
	return { title: TITLE, element }
}
