// What lists of blobs and of files have in common: actions on their rows.

import { copy } from "../ui/clipboard.js"
import { h } from "../ui/dom.js"
import { plural } from "../ui/format.js"
import { ask, confirmDelete } from "../ui/dialog.js"
import { chooseFiles } from "../ui/drop.js"
import { action, common } from "../ui/frame.js"
import { attempt, notify } from "../ui/notify.js"
import { hidePane } from "../ui/pane.js"
import { EDITABLE, editText } from "./preview.js"

/** Follows a link to a URL that the browser saves. */
function save(url, name) {
	const link = h("a", { href: url, download: name })
	document.body.append(link)
	link.click()
	link.remove()
}

/**
 * The actions. `list()` is the list, `select(row)` shows a row, `nameOf(row)` is its name, `upload(files)` stores files, `create(values)` a
 * text, `remove(row)` deletes one, `url(row)` is the URL of a download, `read(row)` its text with its ETag, `write(row, text, etag)` replaces
 * that, and `canEdit(row)` is false for states that cannot change. `address(row)` is the URL for clients, without a row that of the folder.
 * `makeDirectory(name)`, if given, creates a directory.
 */
export function contentActions({
	list,
	select,
	nameOf,
	upload,
	create,
	remove: removeOne,
	url,
	address,
	read,
	write,
	makeDirectory,
	canEdit = () => true,
	noun,
	types = true
}) {
	const reload = () => (hidePane(), list().reload())
	const form = options => ask(options).then(done => done && reload())
	const keyOf = row => [row.name, row.snapshot, row.current || row.version].join()
	const refresh = () => list().reload((row, before) => keyOf(row) === keyOf(before))
	const copyUrl = () => copy(address(list().selected), "URL copied")
	const choose = () => chooseFiles(upload)
	const createDirectory = () =>
		form({
			title: "New directory",
			fields: [{ name: "name", label: "Name", required: true }],
			submit: "Create",
			action: ({ name }) => makeDirectory(name)
		})
	const createText = () =>
		form({
			title: `New text ${noun}`,
			wide: true,
			fields: [
				{ name: "name", label: "Name", required: true, placeholder: "notes.txt" },
				...(types ? [{ name: "type", label: "Content type", value: "text/plain; charset=utf-8" }] : []),
				{ name: "text", label: "Text", type: "textarea", rows: 12 }
			],
			submit: "Create",
			action: create
		})
	const remove = async () => {
		const rows = list().chosen.filter(row => !row.deleted)
		if (rows.length === 0) return
		const what = rows.length === 1 ? nameOf(rows[0]) : plural(rows.length, "item")
		const run = async () => {
			for (const row of rows) await removeOne(row)
		}
		const text = rows.some(row => row.folder) ? "With all that the folders contain." : undefined
		if (await confirmDelete(what, run, text)) {
			notify(`${what} deleted`)
			reload()
		}
	}
	const download = async () => {
		for (const row of list().chosen.filter(one => !one.folder && !one.deleted)) save(await url(row), nameOf(row).split("/").at(-1))
	}
	const edit = async () => {
		const row = list().selected
		if (!row || row.folder || row.deleted || !canEdit(row)) return
		if (Number(row.properties["Content-Length"]) > EDITABLE) return notify(`This ${noun} is too large to be edited here`)
		await attempt(async () => {
			const { text, etag } = await read(row)
			if (!(await editText(nameOf(row), text, next => write(row, next, etag)))) return
			notify("Saved")
			await refresh()
			if (list().selected) select(list().selected)
		})
	}
	const buttons = [
		...common(remove, refresh),
		action("Download", "download", download, undefined, "quiet"),
		action("Copy URL", "copy", copyUrl, "c", "quiet"),
		...(makeDirectory ? [action("New directory", "folder", createDirectory, undefined, "quiet")] : []),
		action("New", "plus", createText, "n"),
		action("Upload", "upload", choose, "u", "primary")
	]
	const keys = { n: createText, u: choose, e: edit, d: remove, Delete: remove, r: refresh, c: copyUrl }
	return { buttons, keys, choose, createDirectory, create: createText, remove, download, edit, refresh, reload, form }
}
