// An account: what it holds, how to connect to it, and what to do first when it is empty.

import { copy } from "../ui/clipboard.js"
import { button, capitalized, h, hint, icon } from "../ui/dom.js"
import { bytes, number, plural } from "../ui/format.js"
import { ask, field } from "../ui/dialog.js"
import { chooseFiles, dropArea, uploadAll } from "../ui/drop.js"
import { action, card, frame, wideCard } from "../ui/frame.js"
import { attempt } from "../ui/notify.js"
import { bars, sizeBar, sparkline } from "../ui/plot.js"
import { createContainer, retention, setRetention, upload } from "../storage/blob.js"
import { ENDPOINTS, KINDS } from "./kinds.js"
import { createResource } from "./resources.js"

// How many resources are counted before it is "more than".
const COUNTED = 1000
// How many containers are measured for the plot.
const MEASURED = 12

/** A connection string. Its key is not shown, and is copied with the rest. */
function secret(text, label) {
	const shown = text.replace(/AccountKey=[^;]+/, "AccountKey=••••••••")
	// Lines break after a semicolon.
	const parts = shown.split(/(?<=;)/).flatMap(part => [part, h("wbr")])
	return h(
		"div.secret",
		h("code", parts),
		button(`Copy ${label}`, () => copy(text, `${label} copied`), { icon: "copy", kind: "small" })
	)
}

/** Code that stores a first blob, in each language. */
const code = connection => ({
	Python: [
		"pip install azure-storage-blob",
		`from azure.storage.blob import BlobServiceClient\n\nservice = BlobServiceClient.from_connection_string("${connection}")\nservice.create_container("hello").upload_blob("hello.txt", b"Hello")`
	],
	JavaScript: [
		"npm install @azure/storage-blob",
		`import { BlobServiceClient } from "@azure/storage-blob";\n\nconst service = BlobServiceClient.fromConnectionString("${connection}");\nconst { containerClient } = await service.createContainer("hello");\nawait containerClient.uploadBlockBlob("hello.txt", "Hello", 5);`
	],
	"C#": [
		"dotnet add package Azure.Storage.Blobs",
		`using Azure.Storage.Blobs;\n\nvar service = new BlobServiceClient("${connection}");\nvar container = service.CreateBlobContainer("hello").Value;\ncontainer.UploadBlob("hello.txt", BinaryData.FromString("Hello"));`
	],
	Go: [
		"go get github.com/Azure/azure-sdk-for-go/sdk/storage/azblob",
		`client, err := azblob.NewClientFromConnectionString("${connection}", nil)\n_, err = client.CreateContainer(ctx, "hello", nil)\n_, err = client.UploadBuffer(ctx, "hello", "hello.txt", []byte("Hello"), nil)`
	]
})

function codeTabs(connection) {
	const samples = code(connection)
	// What is shown is short, what is copied runs.
	const shown = code(`${connection.split(";").slice(0, 2).join(";")};…`)
	const names = Object.keys(samples)
	const panel = h("div", { role: "tabpanel", id: "code-panel", tabIndex: 0 })
	const tabs = names.map(name =>
		h("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": "code-panel", onclick: () => choose(name) }, name)
	)
	const choose = name => {
		for (const tab of tabs) {
			const selected = tab.textContent === name
			tab.setAttribute("aria-selected", String(selected))
			tab.tabIndex = selected ? 0 : -1
			if (selected) panel.setAttribute("aria-labelledby", tab.id)
		}
		panel.replaceChildren(
			h("pre", h("span.dim", `${samples[name][0]}\n\n`), shown[name][1]),
			button("Copy", () => copy(samples[name][1], `${name} copied`), { icon: "copy", kind: "small" })
		)
	}
	const list = h("div", { role: "tablist", "aria-label": "Language" }, tabs)
	list.addEventListener("keydown", event => {
		const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
		if (!move) return
		const next = tabs[(tabs.indexOf(document.activeElement) + move + tabs.length) % tabs.length]
		choose(next.textContent)
		next.focus()
	})
	choose(names[0])
	return h("div.code-tabs", list, panel)
}

export function overview(context, account) {
	const services = Object.keys(KINDS).filter(service => account.endpoints[service])
	const content = h("div.columns")
	let stopped = false
	const ends = []

	const uploadTo = files => {
		let name
		return ask({
			title: plural(files.length, "file"),
			fields: [{ name: "name", label: "Container", value: "files", required: true, hint: "It is created if it does not exist." }],
			submit: "Upload",
			action: async values => {
				name = values.name
				await createContainer(account.name, name).catch(error => {
					if (error.code !== "ContainerAlreadyExists") throw error
				})
			}
		}).then(async done => {
			if (!done) return
			await uploadAll(files, (path, file, progress, signal) =>
				upload(account.name, name, path, file, { type: file.type, progress, signal })
			)
			context.changed()
			context.go(account.name, "blob", name)
		})
	}
	const choose = () => chooseFiles(uploadTo)
	const copyConnection = () => copy(account.connection_string, "Connection string copied")

	const connect = wideCard(
		"Connection string",
		secret(account.connection_string, "connection string"),
		h(
			"dl.endpoints",
			Object.entries(account.endpoints).map(([service, url]) => [
				h("dt", ENDPOINTS[service]),
				h("dd", h("button.value", { type: "button", title: "Copy", onclick: () => copy(url, "Endpoint copied") }, url))
			])
		),
		account.options.length > 0 &&
			hint(
				"Options: ",
				account.options.map(option => h("span.tag", option))
			)
	)

	const dropCard = h(
		"section.card.drop-card",
		icon("upload", 28),
		h("p", h("b", "Drop files here"), " to store them as blobs"),
		button("Choose files", choose, { icon: "upload", kind: "primary" })
	)
	dropArea(dropCard, uploadTo)

	const first = () => [
		h(
			"div.hero",
			h("h2", "This account is empty"),
			h("p", "Connect with the SDK or the tool that you use with Azure, unchanged, or put something into it here.")
		),
		connect,
		wideCard("Store a first blob", codeTabs(account.connection_string)),
		dropCard,
		card(
			"Or create",
			h(
				"div.create-list",
				services.map(service =>
					button(capitalized(KINDS[service].noun), () => createResource(context, account, service), { icon: KINDS[service].icon })
				)
			)
		)
	]

	function counts(pages) {
		const tile = (service, at) => {
			const { rows, next } = pages[at]
			const { title, icon: name } = KINDS[service]
			return h(
				"a.tile",
				{ href: context.href(account.name, service) },
				icon(name, 18),
				h("span.tile-number", `${number(rows.length)}${next ? "+" : ""}`),
				h("span.dim", title)
			)
		}
		return h("div.tiles", services.map(tile))
	}

	function sizes(containers) {
		const rows = h("div.sizes", hint("Loading"))
		const measure = async () => {
			const found = []
			for (const { name } of containers.slice(0, MEASURED)) {
				if (stopped) return
				found.push({ name, ...(await KINDS.blob.measure(account.name, { name })) })
			}
			found.sort((a, b) => b.size - a.size)
			const line = ({ name, more, count, size }) =>
				h(
					"a.size-row",
					{ href: context.href(account.name, "blob", name) },
					h("span.ellipsis", name),
					h("span.dim", `${number(count)}${more ? "+" : ""}`),
					sizeBar(size, found[0].size)
				)
			const total = found.reduce((sum, one) => sum + one.size, 0)
			rows.replaceChildren(
				...found.map(line),
				hint(
					`${bytes(total)} in ${plural(found.length, "container")}${containers.length > MEASURED ? ", the first ones by name" : ""}${found.some(one => one.more) ? `; + is more than the first ${number(COUNTED)} blobs` : ""}`
				)
			)
		}
		attempt(measure)
		return card("Containers by size", rows)
	}

	function rates() {
		const { feed } = context
		if (!context.server.control)
			return card("Requests", hint("The server records requests when it is started with ", h("code", "--control"), "."))
		const body = h("div.rates")
		const show = () => {
			const { good, bad, bytesIn, bytesOut } = feed.rates()
			const sum = values => values.reduce((total, value) => total + value, 0)
			const figure = (label, value, plot) => h("figure", plot, h("figcaption", h("b", value), " ", label))
			body.replaceChildren(
				figure(
					"requests in the last minute",
					number(sum(good) + sum(bad)),
					bars(good, bad, { label: `Requests of each second: ${sum(good)} succeeded, ${sum(bad)} refused` })
				),
				figure("refused", number(sum(bad)), sparkline(bad, { kind: "bad", label: "Refused requests of each second" })),
				figure("received", bytes(sum(bytesIn)), sparkline(bytesIn, { label: "Bytes received in each second" })),
				figure("sent", bytes(sum(bytesOut)), sparkline(bytesOut, { label: "Bytes sent in each second" }))
			)
		}
		show()
		const timer = setInterval(() => !document.hidden && show(), 1000)
		ends.push(() => clearInterval(timer))
		return card("Requests", body, h("a", { href: context.href("server", "journal") }, "Journal"))
	}

	function softDelete() {
		const control = h("div", hint("Loading"))
		attempt(async () => {
			const days = await retention(account.name)
			const select = field({
				name: "days",
				label: "Retention of deleted blobs",
				type: "select",
				value: String(days),
				options: [...new Set([0, 1, 7, 14, 30, 365, days])]
					.sort((a, b) => a - b)
					.map(one => [String(one), one === 0 ? "off" : plural(one, "day")])
			})
			select
				.querySelector("select")
				.addEventListener("change", event => attempt(() => setRetention(account.name, Number(event.target.value)), "Soft delete set"))
			control.replaceChildren(select)
		})
		return card("Soft delete", control, hint("A deleted blob can be undeleted for that long. “Deleted” above a list of blobs shows them."))
	}

	const { element } = frame({
		crumbs: [[account.name]],
		actions: [
			action("Shared access signature", "key", () => context.go(account.name, "sas"), "g s", "quiet"),
			action("Connection string", "copy", copyConnection, "c"),
			action("Upload", "upload", choose, "u", "primary")
		],
		content,
		scroll: true
	})

	const fill = async () => {
		const pages = await Promise.all(services.map(service => KINDS[service].list(account.name, { size: COUNTED })))
		if (stopped) return
		if (pages.every(({ rows }) => rows.length === 0)) content.replaceChildren(...first())
		else
			content.replaceChildren(
				counts(pages),
				connect,
				...(services.includes("blob") ? [sizes(pages[services.indexOf("blob")].rows)] : []),
				rates(),
				dropCard,
				softDelete(),
				wideCard("Code", codeTabs(account.connection_string))
			)
	}
	attempt(fill)
	return {
		title: account.name,
		element,
		keys: { u: choose, c: copyConnection, r: context.show },
		dispose: () => ((stopped = true), ends.forEach(end => end()))
	}
}
