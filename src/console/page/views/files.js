// The files and directories of a share.

import { button, h } from "../ui/dom.js"
import { bytes, time } from "../ui/format.js"
import { dropArea, uploadAll } from "../ui/drop.js"
import { blank, byPrefix, frame, resourceCrumbs } from "../ui/frame.js"
import { named, VirtualList } from "../ui/list.js"
import { attempt } from "../ui/notify.js"
import { metadataSection, returned, showPane } from "../ui/pane.js"
import * as fileApi from "../storage/file.js"
import { bound, encodePath } from "../storage/rest.js"
import { contentActions } from "./content.js"
import { preview } from "./preview.js"
import { sasDialog } from "./sas.js"

export function files(context, account, share, folder) {
	const file = bound(fileApi, account.name, share)
	const base = folder ? `${folder.replace(/\/$/, "")}/` : ""
	const pathOf = row => base + row.name
	const urlOf = path => account.endpoints.file + encodePath(share, ...path.split("/").filter(Boolean))
	const href = path => context.href(account.name, "file", share, path)
	let prefix = ""

	const upload = async chosen => {
		const made = new Set()
		// Directories do not come into being with their files, as they do with blobs.
		for (const { path } of chosen) {
			const names = path.split("/").slice(0, -1)
			for (let end = 1; end <= names.length; end++) made.add(names.slice(0, end).join("/"))
		}
		const ready = await attempt(async () => {
			for (const path of made) {
				await file.createDirectory(base + path).catch(error => {
					if (error.code !== "ResourceAlreadyExists") throw error
				})
			}
		})
		if (ready)
			await uploadAll(chosen, (path, content, progress, signal) =>
				file.uploadFile(base + path, content, { type: content.type, progress, signal })
			)
		list.reload()
	}
	/** Deletes a file, or a directory from its leaves up: the service deletes empty directories only. */
	async function removePath(path, isFolder) {
		while (isFolder) {
			const { rows } = await file.listFiles(path, { size: 500 })
			if (rows.length === 0) break
			for (const row of rows) await removePath(`${path}/${row.name}`, row.folder)
		}
		await file.deletePath(path, isFolder)
	}
	const { buttons, keys, choose, createDirectory, remove, download, edit } = contentActions({
		noun: "file",
		types: false,
		list: () => list,
		select: row => select(row),
		nameOf: row => row.name,
		upload,
		create: ({ name, text }) => file.uploadFile(base + name, new Blob([text]), { type: "text/plain; charset=utf-8" }),
		remove: row => removePath(pathOf(row), row.folder),
		url: row => file.fileUrl(pathOf(row)),
		address: row => urlOf(row ? pathOf(row) : base),
		read: row => file.fileText(pathOf(row)),
		makeDirectory: name => file.createDirectory(base + name),
		write: (row, text) => file.replaceFileText(pathOf(row), text)
	})

	const select = row => {
		const path = pathOf(row)
		const actions = row.folder
			? [button("Open", () => (location.hash = href(path)), { icon: "folder", kind: "primary" })]
			: [
					button("Download", download, { icon: "download", kind: "primary" }),
					button("Edit", edit, { icon: "edit", title: "Edit as text (e)" }),
					button("SAS", () => sasDialog(context, account, { service: "file", resource: [share, path] }), { icon: "key" })
				]
		actions.push(button("Delete", remove, { icon: "trash", kind: "danger-quiet" }))
		showPane(
			{ icon: row.folder ? "folder" : "file", title: row.name, subtitle: row.folder ? "directory" : undefined, actions },
			async (add, current) => {
				const { headers, metadata } = await file.fileProperties(path, row.folder)
				if (!current()) return
				const size = Number(headers["content-length"])
				if (!row.folder)
					add(
						await preview({
							name: row.name,
							type: headers["content-type"],
							size,
							read: length => file.fileStart(path, length),
							url: () => file.fileUrl(path)
						})
					)
				add(
					returned(headers, [
						["Path", path],
						["URL", urlOf(path)]
					]),
					metadataSection(metadata, next => file.setFileMetadata(path, row.folder, next))
				)
			}
		)
	}

	const nameCell = row =>
		row.folder ? named("folder", h("a", { href: href(pathOf(row)), tabIndex: -1 }, row.name), row.name) : named("file", row.name, row.name)
	const empty = () =>
		prefix
			? blank(`Nothing begins with “${prefix}”`)
			: blank(
					base ? "This directory is empty" : "This share is empty",
					"Drop files here, choose them, or create a directory.",
					button("Upload files", choose, { icon: "upload", kind: "primary" }),
					button("New directory", createDirectory, { icon: "folder" })
				)
	const list = new VirtualList({
		label: `Files of ${share}`,
		noun: "item",
		columns: [
			{ label: "Name", width: "minmax(0, 1fr)", cell: nameCell },
			{ label: "Size", width: "92px", end: true, cell: row => (row.folder ? "" : bytes(row.properties["Content-Length"])) },
			{ label: "Last write", width: "152px", wide: true, cell: row => time(row.properties.LastWriteTime) },
			{ label: "Created", width: "152px", wide: true, cell: row => time(row.properties.CreationTime) }
		],
		load: ({ marker }) => file.listFiles(base, { prefix, marker }),
		onselect: select,
		onopen: row => (row.folder ? (location.hash = href(pathOf(row))) : select(row)),
		empty,
		marks: true
	})
	const segments = base.split("/").filter(Boolean)
	const { element } = frame({
		crumbs: resourceCrumbs(context, account, "file", "File shares", share, base, href),
		actions: buttons,
		filter: byPrefix(text => ((prefix = text), list.reload())),
		content: list.element
	})
	dropArea(element, upload)
	list.reload()
	return { title: segments.at(-1) ?? share, element, list, keys }
}
