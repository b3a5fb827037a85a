// The blobs of a container. In an account with a hierarchical namespace, also owners, permissions and access control lists.

import { button, h, hint } from "../ui/dom.js"
import { bytes, time } from "../ui/format.js"
import { ask, field } from "../ui/dialog.js"
import { dropArea, uploadAll } from "../ui/drop.js"
import { blank, byPrefix, frame, resourceCrumbs, toggle } from "../ui/frame.js"
import { named, VirtualList } from "../ui/list.js"
import { attempt } from "../ui/notify.js"
import { editablePairs, foot, metadataSection, returned, section, showPane } from "../ui/pane.js"
import * as blobApi from "../storage/blob.js"
import * as lakeApi from "../storage/lake.js"
import { bound, encodePath } from "../storage/rest.js"
import { accessSection } from "./access.js"
import { contentActions } from "./content.js"
import { leaseButton } from "./lease.js"
import { preview } from "./preview.js"
import { sasDialog } from "./sas.js"

const TIERS = ["Hot", "Cool", "Cold", "Archive"]
const CONTENT = ["Content type", "Content encoding", "Content language", "Content disposition", "Cache control"]

export function blobs(context, account, container, folder) {
	const [blob, lake] = [blobApi, lakeApi].map(api => bound(api, account.name, container))
	const hns = account.options.includes("hns")
	const versioning = account.options.some(option => ["versioning", "immutability"].includes(option))
	const base = folder && !folder.endsWith("/") ? `${folder}/` : folder
	let typed = ""
	let folders = true
	let deleted = false
	let states = false

	// Lists

	async function load({ marker }) {
		// The Data Lake API lists directories with their owners, and has no filter.
		if (hns && folders && !typed && !deleted && !states) {
			const page = await lake.listPaths(base.replace(/\/$/, ""), { marker })
			const rows = page.rows.map(path => ({
				name: path.folder ? `${path.name}/` : path.name,
				folder: path.folder,
				owner: path.owner,
				permissions: path.permissions,
				properties: { "Content-Length": path.contentLength, "Last-Modified": path.lastModified, Etag: path.etag }
			}))
			return { rows, next: page.next }
		}
		const include = [deleted && "deleted", states && "snapshots", states && versioning && "versions"].filter(Boolean).join(",")
		const page = await blob.listBlobs({
			prefix: base + typed,
			marker,
			delimiter: folders ? "/" : undefined,
			include,
			size: marker ? 5000 : 1000
		})
		// A directory is a row already, as the start of the names in it.
		return { ...page, rows: page.rows.filter(row => !folders || row.properties.ResourceType !== "directory") }
	}

	const urlOf = path => account.endpoints.blob + encodePath(container, ...[path].filter(Boolean))
	const shortName = row => row.name.slice(base.length) || row.name
	const which = row => ({ snapshot: row.snapshot, version: row.version, current: row.current })
	const isPast = row => Boolean(row.snapshot || (versioning && row.version && !row.current))
	const href = path => context.href(account.name, "blob", container, path.replace(/\/$/, ""))

	function nameCell(row) {
		const label = row.folder ? h("a", { href: href(row.name), tabIndex: -1 }, shortName(row)) : shortName(row)
		const tags = [
			row.deleted && h("span.tag.warn", "deleted"),
			row.snapshot && h("span.tag", { title: row.snapshot }, "snapshot"),
			!row.snapshot && isPast(row) && h("span.tag", { title: row.version }, "version")
		]
		return named(row.folder ? "folder" : "file", label, row.name, tags)
	}

	const columns = [
		{ label: "Name", width: "minmax(0, 1fr)", cell: nameCell },
		hns && { label: "Owner", width: "120px", wide: true, cell: row => row.owner ?? "" },
		hns && { label: "Permissions", width: "108px", wide: true, class: "code", cell: row => row.permissions ?? "" },
		!hns && { label: "Type", width: "156px", wide: true, cell: row => row.properties["Content-Type"] ?? "" },
		!hns && {
			label: "Tier",
			width: "72px",
			wide: true,
			cell: row =>
				row.properties.BlobType === "BlockBlob"
					? (row.properties.AccessTier ?? "")
					: (row.properties.BlobType?.replace("Blob", " blob") ?? "")
		},
		{ label: "Size", width: "92px", end: true, cell: row => (row.folder ? "" : bytes(row.properties["Content-Length"])) },
		{ label: "Modified", width: "152px", wide: true, cell: row => time(row.properties["Last-Modified"]) }
	].filter(Boolean)

	// Actions

	const upload = async files => {
		await uploadAll(files, (path, file, progress, signal) => blob.upload(base + path, file, { type: file.type, progress, signal }))
		list.reload()
	}

	async function removeOne(row) {
		if (hns) return lake.deletePath(row.name.replace(/\/$/, ""), row.folder)
		if (!row.folder) return blob.deleteBlob(row.name, isPast(row) ? which(row) : {})
		// A folder is the common start of names: each of its blobs is deleted.
		for (let marker, again = true; again; again = Boolean(marker)) {
			const page = await blob.listBlobs({ prefix: row.name, marker, size: 500 })
			await Promise.all(page.rows.map(one => blob.deleteBlob(one.name)))
			marker = page.next
		}
	}

	const actions = contentActions({
		noun: "blob",
		list: () => list,
		select,
		nameOf: shortName,
		upload,
		create: ({ name, type, text }) => blob.upload(base + name, new Blob([text]), { type, headers: { "if-none-match": "*" } }),
		remove: removeOne,
		url: row => blob.blobUrl(row.name, which(row)),
		read: row => blob.blobText(row.name),
		write: (row, text, etag) => blob.replaceText(row.name, text, etag),
		address: row => urlOf(row?.name ?? base),
		makeDirectory: hns && (name => lake.createDirectory(base + name)),
		canEdit: row => !isPast(row)
	})

	const { choose, create, remove, download, edit, refresh, reload, form } = actions
	const undelete = async row => (await attempt(() => blob.undelete(row.name), `${shortName(row)} restored`)) && reload()
	const rename = row =>
		form({
			title: `Rename ${shortName(row)}`,
			fields: [{ name: "to", label: "New path", value: row.name.replace(/\/$/, ""), required: true }],
			submit: "Rename",
			action: ({ to }) => lake.rename(row.name.replace(/\/$/, ""), to)
		})

	// The pane

	function selectFolder(row) {
		const path = row.name.replace(/\/$/, "")
		const buttons = [
			button("Open", () => (location.hash = href(row.name)), { icon: "folder", kind: "primary" }),
			hns && button("Rename", () => rename(row), { icon: "edit" }),
			button("Delete", remove, { icon: "trash", kind: "danger-quiet" })
		].filter(Boolean)
		showPane(
			{ icon: "folder", title: shortName(row), subtitle: hns ? "directory" : "folder: the common start of names", actions: buttons },
			add => {
				add(
					returned(row.properties, [
						["Path", path],
						["Owner", row.owner],
						["Permissions", row.permissions]
					])
				)
				if (hns) add(accessSection(lake, path, true))
			}
		)
	}

	function select(row) {
		if (row.folder) return selectFolder(row)
		const state = which(row)
		const past = isPast(row)
		const subtitle = row.deleted
			? "deleted"
			: row.snapshot
				? `snapshot ${time(row.snapshot)}`
				: past
					? `version ${time(row.version)}`
					: undefined
		const buttons = row.deleted
			? [button("Undelete", () => undelete(row), { icon: "restore", kind: "primary" })]
			: [
					button("Download", download, { icon: "download", kind: "primary" }),
					!past && button("Edit", edit, { icon: "edit", title: "Edit as text (e)" }),
					past && button("Make current", () => promote(row), { icon: "restore" }),
					!past && !hns && button("Snapshot", () => takeSnapshot(row), { icon: "camera" }),
					hns && !past && button("Rename", () => rename(row), { icon: "edit" }),
					button("SAS", () => sasDialog(context, account, { service: "blob", resource: [container, row.name] }), { icon: "key" }),
					button("Delete", remove, { icon: "trash", kind: "danger-quiet" })
				].filter(Boolean)
		showPane({ icon: "file", title: shortName(row), subtitle, actions: buttons }, async (add, current) => {
			if (row.deleted) {
				add(returned(row.properties, [["Name", row.name]]))
				return
			}
			const { headers, metadata } = await blob.blobProperties(row.name, state)
			if (!current()) return
			const size = Number(headers["content-length"])
			const archived = headers["x-ms-access-tier"] === "Archive"
			add(
				archived
					? hint("The content is archived. Another tier makes it readable.")
					: await preview({
							name: row.name,
							type: headers["content-type"],
							size,
							read: length => blob.blobStart(row.name, length, state),
							url: () => blob.blobUrl(row.name, state)
						})
			)
			const all = returned(headers, [
				["Name", row.name],
				["URL", urlOf(row.name)]
			])
			const reselect = () => (select(row), refresh())
			if (!past) {
				const editButton = button("Edit properties", () => editProperties(row, headers).then(done => done && reselect()), { kind: "small" })
				all.lastChild.append(
					foot(
						leaseButton(headers["x-ms-lease-state"], (action, seconds) => blob.lease(row.name, action, seconds), reselect),
						editButton
					)
				)
			}
			add(all)
			if (hns && !past) add(accessSection(lake, row.name, false))
			if (!past && headers["x-ms-blob-type"] === "BlockBlob") add(tierSection(row, headers["x-ms-access-tier"]))
			add(metadataSection(metadata, next => blob.setMetadata(row.name, next)))
			if (!past && !hns) add(tagSection(row, Number(headers["x-ms-tag-count"] ?? 0)))
			if (!hns) add(historySection(row))
		})
	}

	const editProperties = (row, headers) => {
		const header = label => label.toLowerCase().replace(" ", "-")
		return ask({
			title: `Properties of ${shortName(row)}`,
			fields: CONTENT.map(label => ({ name: header(label), label, value: headers[header(label)] ?? "" })),
			action: values => blob.setProperties(row.name, values)
		})
	}

	const tierSection = (row, tier) => {
		const select = field({ name: "tier", label: "Access tier", type: "select", options: TIERS.map(one => [one, one]), value: tier })
		select.querySelector("select").addEventListener("change", async event => {
			await attempt(() => blob.setTier(row.name, event.target.value), "Tier set")
			refresh()
		})
		return section("Tier", select, { open: false })
	}

	const tagSection = (row, count) =>
		section("Tags", undefined, {
			open: count > 0,
			count: count || "",
			fill: async body => {
				const tags = count > 0 ? await blob.blobTags(row.name) : []
				body.append(editablePairs(tags, entries => blob.setTags(row.name, entries), { name: "Tag", add: "Add a tag" }))
			}
		})

	const takeSnapshot = async row => {
		if (await attempt(() => blob.snapshot(row.name), "Snapshot created")) select(row)
	}
	// The source of a copy is a URL of this server that it recognizes by its port.
	const own = () => {
		const { port } = context.server.services.find(({ name }) => name === "blob")
		return `${context.server.tls ? "https" : "http"}://127.0.0.1:${port}/${account.name}`
	}
	const promote = async row => {
		if (await attempt(() => blob.promote(row.name, which(row), own()), "This state is current now")) reload()
	}

	const historySection = row =>
		section(versioning ? "Versions and snapshots" : "Snapshots", undefined, {
			open: true,
			fill: async body => {
				const states = await blob.history(row.name, versioning ? "snapshots,versions" : "snapshots")
				const others = states.filter(one => one.snapshot !== row.snapshot || one.version !== row.version)
				const line = one =>
					h(
						"li",
						h(
							"button.value",
							{ type: "button", onclick: () => select(one) },
							time(one.snapshot ?? one.version ?? one.properties["Last-Modified"])
						),
						h("span.tag", one.snapshot ? "snapshot" : isPast(one) ? "version" : "current"),
						h("span.dim", bytes(one.properties["Content-Length"]))
					)
				body.append(others.length > 0 ? h("ul.history", others.map(line)) : hint("None."))
			}
		})

	// The view

	const segments = base.split("/").filter(Boolean)
	const open = row => (row.folder ? (location.hash = href(row.name)) : select(row))
	const empty = () =>
		typed
			? blank(`No blob begins with “${base}${typed}”`)
			: blank(
					segments.length > 0 ? "This folder is empty" : "This container is empty",
					"Drop files here, choose them, or write a text.",
					button("Upload files", choose, { icon: "upload", kind: "primary" }),
					button("New text blob", create, { icon: "plus" })
				)
	const list = new VirtualList({
		label: `Blobs of ${container}`,
		noun: "item",
		columns,
		load,
		onselect: select,
		onopen: open,
		empty,
		marks: true,
		klass: row => (row.deleted ? "is-deleted" : isPast(row) ? "is-past" : "")
	})
	const { element } = frame({
		crumbs: resourceCrumbs(context, account, "blob", "Blob containers", container, base, href),
		actions: actions.buttons,
		filter: byPrefix(text => ((typed = text), list.reload())),
		toggles: [
			toggle("Folders", folders, on => ((folders = on), reload()), "Show / in names as folders"),
			!hns && toggle("History", states, on => ((states = on), reload()), "Also show snapshots and earlier versions"),
			!hns && toggle("Deleted", deleted, on => ((deleted = on), reload()), "Also show deleted blobs that can be restored")
		].filter(Boolean),
		content: list.element
	})
	dropArea(element, upload)
	list.reload()
	return { title: segments.at(-1) ?? container, element, list, keys: actions.keys }
}
