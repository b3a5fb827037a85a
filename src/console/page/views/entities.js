// The entities of a table: a query, and an editor.

import { button, h } from "../ui/dom.js"
import { plural, time } from "../ui/format.js"
import { ask, confirmDelete } from "../ui/dialog.js"
import { action, blank, common, frame, resourceCrumbs } from "../ui/frame.js"
import { VirtualList } from "../ui/list.js"
import { notify } from "../ui/notify.js"
import { hidePane, properties, section, showPane } from "../ui/pane.js"
import * as table from "../storage/table.js"

const KEYS = ["PartitionKey", "RowKey", "Timestamp"]
/** The most columns for properties. */
const COLUMNS = 12

const text = value => (typeof value === "object" && value !== null ? JSON.stringify(value) : String(value))

/** The width of a column: that of its longest value, within bounds. The rows are apart, so that no row can decide it. */
function widthOf(label, values) {
	const longest = Math.max(label.length, ...values.map(value => String(value).length))
	return `${Math.min(260, Math.max(72, Math.round(longest * 7.6 + 10)))}px`
}

export function entities(context, account, name) {
	let filter = ""
	let known = ""

	const cell = property => row => {
		const found = row.properties.find(one => one.name === property)
		return found === undefined ? "" : found.type === "DateTime" || property === "Timestamp" ? time(found.value) : text(found.value)
	}

	async function load({ marker }) {
		const page = await table.queryEntities(account.name, name, { filter, marker })
		// Entities of a table can have different properties: the columns are those of the first ones.
		const names = [
			...new Set([...(marker ? list.rows : []), ...page.rows].slice(0, 500).flatMap(row => row.properties.map(one => one.name)))
		]
			.filter(one => !KEYS.includes(one))
			.slice(0, COLUMNS)
		if (names.join("\n") !== known || !marker) {
			known = names.join("\n")
			const column = (label, read, kind) => ({
				label,
				width: widthOf(label, page.rows.slice(0, 50).map(read)),
				class: `ellipsis ${kind}`,
				cell: read
			})
			list.setColumns([
				column("PartitionKey", row => row.partition, "key"),
				column("RowKey", row => row.row, "key"),
				...names.map(property => column(property, cell(property), "")),
				column("Timestamp", cell("Timestamp"), "dim")
			])
		}
		return page
	}

	/** The form of an entity: a name, a type and a value for each property. */
	function form(entity) {
		const body = h("div.entity")
		const row = ({ name: property = "", type = "String", value = "" }, fixed) => {
			const key = h("input", {
				value: property,
				"aria-label": "Property",
				placeholder: "Property",
				readOnly: fixed,
				autocomplete: "off",
				spellcheck: false
			})
			const kind = h(
				"select",
				{ "aria-label": `Type of ${property || "the property"}`, disabled: fixed },
				table.TYPES.map(one => h("option", { selected: one === type }, one))
			)
			const field = h("input", {
				value: text(value),
				"aria-label": `Value of ${property || "the property"}`,
				placeholder: "Value",
				readOnly: fixed && Boolean(entity),
				autocomplete: "off",
				spellcheck: false
			})
			const remove = fixed
				? h("span")
				: button(`Remove ${property || "property"}`, () => line.remove(), { icon: "close", iconOnly: true, kind: "quiet" })
			const line = h("div.entity-row", key, kind, field, remove)
			line.read = () => ({ name: key.value, type: kind.value, value: field.value })
			body.append(line)
			return key
		}
		const given = entity?.properties ?? []
		for (const key of ["PartitionKey", "RowKey"]) row(given.find(one => one.name === key) ?? { name: key }, true)
		given.filter(one => !KEYS.includes(one.name)).forEach(one => row(one, false))
		const more = button("Add a property", () => row({}, false).focus(), { icon: "plus", kind: "quiet" })
		return { element: h("div", body, more), read: () => [...body.children].map(line => line.read()).filter(one => one.name !== "") }
	}

	const same = (one, other) => one.partition === other.partition && one.row === other.row
	const insert = () => {
		const { element, read } = form()
		return ask({
			title: "New entity",
			wide: true,
			fields: [element],
			submit: "Insert",
			action: () => table.insertEntity(account.name, name, read())
		}).then(done => done && (notify("Entity inserted"), list.reload()))
	}
	const edit = (row = list.selected) => {
		if (!row) return undefined
		const { element, read } = form(row)
		return ask({
			title: `${row.partition} / ${row.row}`,
			wide: true,
			fields: [element],
			action: () => table.updateEntity(account.name, name, row, read())
		}).then(async done => {
			if (!done) return
			notify("Entity replaced")
			await list.reload(same)
			if (list.selected) select(list.selected)
		})
	}
	const remove = async () => {
		const rows = list.chosen
		if (rows.length === 0) return
		const what = rows.length === 1 ? `entity ${rows[0].partition} / ${rows[0].row}` : plural(rows.length, "entity")
		if (await confirmDelete(what, () => Promise.all(rows.map(row => table.deleteEntity(account.name, name, row))))) {
			notify(`${what} deleted`)
			hidePane()
			list.reload()
		}
	}

	const select = row =>
		showPane(
			{
				icon: "table",
				title: `${row.partition} / ${row.row}`,
				subtitle: plural(row.properties.length, "property"),
				actions: [
					button("Edit", () => edit(row), { icon: "edit", kind: "primary", title: "Edit (e)" }),
					button("Delete", remove, { icon: "trash", kind: "danger-quiet" })
				]
			},
			add => {
				const label = ({ name: property, type }) => h("span", property, h("span.type", ` ${type}`))
				add(
					section("Properties", properties(row.properties.map(one => [label(one), text(one.value)]))),
					section("ETag", properties([["ETag", row.etag]]), { open: false })
				)
			}
		)

	const empty = () =>
		filter
			? blank("No entity matches the filter")
			: blank(
					"This table is empty",
					"Entities are rows of typed properties. Each has its own.",
					button("New entity", insert, { icon: "plus", kind: "primary" })
				)
	const list = new VirtualList({
		label: `Entities of ${name}`,
		noun: "entity",
		columns: [],
		load,
		onselect: select,
		onopen: edit,
		empty,
		marks: true
	})
	list.element.classList.add("sideways")
	const refresh = () => list.reload(same)
	const { element } = frame({
		crumbs: resourceCrumbs(context, account, "table", "Tables", name),
		actions: [...common(remove, refresh), action("New entity", "plus", insert, "n", "primary")],
		filter: {
			placeholder: "OData filter: PartitionKey eq 'a' and Price gt 10",
			enter: true,
			wide: true,
			onfilter: next => ((filter = next.trim()), hidePane(), list.reload())
		},
		content: list.element
	})
	list.reload()
	return { title: name, element, list, keys: { n: insert, e: () => edit(), d: remove, Delete: remove, r: refresh } }
}
