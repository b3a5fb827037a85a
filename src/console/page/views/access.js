// Owner, group and access control list of a path in a hierarchical namespace.

import { button, h, hint } from "../ui/dom.js"
import { field, values } from "../ui/dialog.js"
import { attempt } from "../ui/notify.js"
import { foot, section } from "../ui/pane.js"

/** The entries of an access control list: `default:user:ID:rwx` has scope, type, id and permissions. */
function parse(acl) {
	return acl
		.split(",")
		.filter(Boolean)
		.map(text => {
			const parts = text.split(":")
			const isDefault = parts[0] === "default"
			const [type, id, permissions] = isDefault ? parts.slice(1) : parts
			return { isDefault, type, id, permissions }
		})
}

const format = ({ isDefault, type, id, permissions }) => `${isDefault ? "default:" : ""}${type}:${id}:${permissions}`

const NAMES = { user: "User", group: "Group", mask: "Mask", other: "Other" }
const OWNERS = { user: "Owner", group: "Owning group" }
const described = ({ type, id, isDefault }) =>
	`${id ? `${NAMES[type]} ${id}` : (OWNERS[type] ?? NAMES[type])}${isDefault ? ", default" : ""}`

/** The part of the pane about access. `lake` is the Data Lake API of a file system. */
export function accessSection(lake, path, isFolder) {
	return section("Access control", undefined, {
		open: true,
		fill: async body => {
			const show = async () => body.replaceChildren(editor(await lake.access(path), show))
			await show()
		}
	})

	function editor({ owner, group, permissions, acl }, reload) {
		const entries = parse(acl)
		const rows = h("div.acl", { role: "group", "aria-label": "Access control list" })
		const row = entry => {
			const bits = [..."rwx"].map((letter, at) => {
				const input = h("input", {
					type: "checkbox",
					checked: entry.permissions[at] === letter,
					"aria-label": `${described(entry)}: ${letter}`
				})
				input.addEventListener(
					"change",
					() =>
						(entry.permissions = [..."rwx"]
							.map((one, index) => (index === at ? (input.checked ? one : "-") : entry.permissions[index]))
							.join(""))
				)
				return h("label.bit", input, h("code", letter))
			})
			const remove = () => (entries.splice(entries.indexOf(entry), 1), line.remove())
			const line = h(
				"div.acl-row",
				h("span.ellipsis", { title: described(entry) }, described(entry)),
				bits,
				entry.id || entry.isDefault
					? button(`Remove ${described(entry)}`, remove, { icon: "close", iconOnly: true, kind: "quiet" })
					: h("span")
			)
			rows.append(line)
		}
		entries.forEach(row)

		const more = h(
			"form.acl-add",
			h(
				"select",
				{ name: "type", "aria-label": "Type" },
				Object.entries(NAMES).map(([value, label]) => h("option", { value }, label))
			),
			h("input", { name: "id", "aria-label": "Object id", placeholder: "Object id", autocomplete: "off" }),
			isFolder &&
				h("label.bit", { title: "For what is created in this directory" }, h("input", { type: "checkbox", name: "inherited" }), "default"),
			h("button.button.small", { type: "submit" }, "Add")
		)
		more.addEventListener("submit", event => {
			event.preventDefault()
			const { type, id, inherited } = values(more)
			const entry = { isDefault: Boolean(inherited), type, id: ["user", "group"].includes(type) ? id.trim() : "", permissions: "r-x" }
			entries.push(entry)
			row(entry)
			more.reset()
		})

		const owners = h(
			"form.owners",
			field({ name: "owner", label: "Owner", value: owner }),
			field({ name: "group", label: "Owning group", value: group })
		)
		const save = () =>
			attempt(
				async () => (await lake.setAccess(path, { ...values(owners), acl: entries.map(format).join(",") }), await reload()),
				"Access control set"
			)
		const propagate = () =>
			attempt(() => lake.propagateAccess(path, entries.map(format).join(",")), "Propagated to all that the directory contains")
		return h(
			"div",
			hint("Permissions ", h("code", permissions)),
			owners,
			rows,
			more,
			foot(
				isFolder && button("Propagate", propagate, { kind: "small", title: "Adds these entries to all that the directory contains" }),
				button("Save", save, { kind: "small" })
			)
		)
	}
}
