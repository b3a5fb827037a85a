// What lists of blobs and of files have in common: actions on their rows.

import { h, plural } from "../ui/dom.js";
import { ask, confirmDelete } from "../ui/dialog.js";
import { chooseFiles } from "../ui/drop.js";
import { attempt, notify } from "../ui/notify.js";
import { hidePane } from "../ui/pane.js";
import { EDITABLE, editText } from "./preview.js";

/** Follows a link to a URL that the browser saves. */
function save(url, name) {
	const link = h("a", { href: url, download: name });
	document.body.append(link);
	link.click();
	link.remove();
}

/**
 * The actions. `list()` is the list, `select(row)` shows a row, `nameOf(row)` is its name, `upload(files)` stores files, `create(values)` a
 * text, `remove(row)` deletes one, `url(row)` is its URL, `read(row)` its text with its ETag, and `write(row, text, etag)` replaces that.
 * `canEdit(row)` is false for states that cannot change.
 */
export function contentActions({ list, select, nameOf, upload, create, remove, url, read, write, canEdit = () => true, noun, types = true }) {
	const reload = () => (hidePane(), list().reload());
	const form = (options) => ask(options).then((done) => done && reload());
	return {
		reload,
		form,
		choose: () => chooseFiles(upload),
		create: () =>
			form({
				title: `New text ${noun}`,
				wide: true,
				fields: [
					{ name: "name", label: "Name", required: true, placeholder: "notes.txt" },
					...(types ? [{ name: "type", label: "Content type", value: "text/plain; charset=utf-8" }] : []),
					{ name: "text", label: "Text", type: "textarea", rows: 12 },
				],
				submit: "Create",
				action: create,
			}),
		async remove() {
			const rows = list().chosen.filter((row) => !row.deleted);
			if (rows.length === 0) return;
			const what = rows.length === 1 ? nameOf(rows[0]) : plural(rows.length, "item");
			const run = async () => {
				for (const row of rows) await remove(row);
			};
			const text = rows.some((row) => row.folder) ? "With all that the folders contain." : undefined;
			if (await confirmDelete(what, run, text)) {
				notify(`${what} deleted`);
				reload();
			}
		},
		async download() {
			for (const row of list().chosen.filter((one) => !one.folder && !one.deleted)) save(await url(row), nameOf(row).split("/").at(-1));
		},
		async edit() {
			const row = list().selected;
			if (!row || row.folder || row.deleted || !canEdit(row)) return;
			if (Number(row.properties["Content-Length"]) > EDITABLE) return notify(`This ${noun} is too large to be edited here`);
			await attempt(async () => {
				const { text, etag } = await read(row);
				if (!(await editText(nameOf(row), text, (next) => write(row, next, etag)))) return;
				notify("Saved");
				await list().reload((other) => other.name === row.name);
				if (list().selected) select(list().selected);
			});
		},
	};
}
