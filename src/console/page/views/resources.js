// The list of an account's containers, queues, tables or shares.

import { button, h } from "../ui/dom.js"
import { bytes, number, plural } from "../ui/format.js"
import { ask, confirmDelete } from "../ui/dialog.js"
import { action, blank, byPrefix, common, frame, toggle } from "../ui/frame.js"
import { named, VirtualList } from "../ui/list.js"
import { attempt, notify } from "../ui/notify.js"
import { hidePane, showPane } from "../ui/pane.js"
import { sizeBar } from "../ui/plot.js"
import { KINDS } from "./kinds.js"

const AT_A_TIME = 3

export async function createResource(context, account, service) {
	const kind = KINDS[service]
	let name
	const done = await ask({
		title: `New ${kind.noun}`,
		fields: kind.create.fields,
		submit: "Create",
		action: values => ((name = values.name), kind.create.run(account.name, values))
	})
	if (!done) return
	notify(`${name} created`)
	context.changed()
	context.go(account.name, service, name)
}

export function resources(context, account, service) {
	const kind = KINDS[service]
	let prefix = ""
	let deleted = false
	let largest = 0

	// How much a resource holds is read for rows in sight, a few at a time.
	const waiting = []
	let running = 0
	const measure = row => {
		if (row.measured || row.deleted) return
		row.measured = {}
		waiting.push(row)
		work()
	}
	const work = async () => {
		if (running >= AT_A_TIME || waiting.length === 0) return
		running++
		const row = waiting.shift()
		try {
			row.measured = await kind.measure(account.name, row)
			largest = Math.max(largest, row.measured.size ?? 0)
		} catch {
			// Deleted meanwhile: the cell stays empty.
		}
		running--
		list.redraw()
		work()
	}
	const measuredCell = {
		count: row => (row.measured?.count === undefined ? "" : `${number(row.measured.count)}${row.measured.more ? "+" : ""}`),
		size: row =>
			row.measured?.size === undefined ? "" : row.measured.more ? `${bytes(row.measured.size)}+` : sizeBar(row.measured.size, largest)
	}

	const open = row => (row.deleted ? select(row) : context.go(account.name, service, row.name))
	const nameCell = row => {
		measure(row)
		const link = row.deleted ? row.name : h("a", { href: context.href(account.name, service, row.name), tabIndex: -1 }, row.name)
		return named(kind.itemIcon, link, row.name, row.deleted && h("span.tag.warn", "deleted"))
	}
	const columns = [
		{ label: "Name", width: "minmax(120px, 1fr)", cell: nameCell },
		...kind.columns,
		...kind.measured.map(label => ({
			label,
			width: label === "Size" ? "92px" : "76px",
			end: true,
			cell: measuredCell[label === "Size" ? "size" : "count"]
		}))
	]

	const create = () => createResource(context, account, service)
	const remove = async () => {
		const rows = list.chosen.filter(row => !row.deleted)
		if (rows.length === 0) return
		const what = rows.length === 1 ? `${kind.noun} ${rows[0].name}` : plural(rows.length, kind.noun)
		const done = await confirmDelete(what, () => Promise.all(rows.map(row => kind.remove(account.name, row))), "With all that it holds.")
		if (done) changed(`${what} deleted`)
	}
	const restore = async row => {
		if (await attempt(() => kind.restore(account.name, row))) changed(`${row.name} restored`)
	}
	const changed = message => {
		notify(message)
		hidePane()
		list.reload()
		context.changed()
	}

	const refresh = async () => {
		await list.reload((row, before) => row.name === before.name)
		if (list.selected) select(list.selected)
	}
	const select = row => {
		const actions = row.deleted
			? [button("Restore", () => restore(row), { icon: "restore", kind: "primary" })]
			: [
					button("Open", () => open(row), { icon: kind.itemIcon, kind: "primary" }),
					button("Delete", remove, { icon: "trash", kind: "danger-quiet" })
				]
		showPane({ icon: kind.itemIcon, title: row.name, subtitle: `${kind.noun} of ${account.name}`, actions }, add =>
			kind.describe({ account, reload: refresh }, row, add)
		)
	}

	const empty = () =>
		prefix || deleted
			? blank(`No ${kind.noun} begins with “${prefix}”`)
			: blank(`No ${kind.noun}s yet`, kind.blank, button(`New ${kind.noun}`, create, { icon: "plus", kind: "primary" }))
	const list = new VirtualList({
		label: kind.title,
		noun: kind.noun,
		columns,
		load: ({ marker }) => kind.list(account.name, { prefix, marker, deleted }),
		onselect: select,
		onopen: open,
		empty,
		marks: true,
		klass: row => (row.deleted ? "is-deleted" : "")
	})

	const toggles = kind.canHaveDeleted
		? [toggle("Deleted", deleted, on => ((deleted = on), list.reload()), `Also show deleted ${kind.noun}s that can be restored`)]
		: []
	const { element } = frame({
		crumbs: [[account.name, context.href(account.name)], [kind.title]],
		actions: [...common(remove, refresh), action(`New ${kind.noun}`, "plus", create, "n", "primary")],
		filter: byPrefix(text => ((prefix = text.trim()), list.reload())),
		toggles,
		content: list.element
	})
	list.reload()
	return { title: kind.title, element, list, keys: { n: create, d: remove, Delete: remove, r: refresh } }
}
