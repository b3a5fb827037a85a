// The tree of accounts, services and resources, with the keys of a tree.

import { h, icon } from "./ui/dom.js"
import { describe } from "./ui/notify.js"
import { KINDS } from "./views/kinds.js"

// A node with more resources than this links to their list.
const SHOWN = 100

export class Tree {
	constructor(element, context) {
		this.context = context
		this.open = new Set(context.server.accounts.length === 1 ? [`#/${context.server.accounts[0].name}`] : [])
		this.root = h("ul", { role: "tree", "aria-label": "Accounts and resources", class: "tree" })
		element.replaceChildren(this.root)
		this.root.append(...context.server.accounts.map(account => this.account(account)))
		this.root.addEventListener("keydown", event => this.key(event))
		this.root.querySelector("a").tabIndex = 0
	}

	node({ label, href, name, note, level, children }) {
		const twisty = children && h("span.twisty", icon("right", 12))
		const link = h(
			"a",
			{ href, tabIndex: -1 },
			twisty ?? h("span.twisty"),
			icon(name),
			h("span.label", { title: label }, label),
			note && h("span.tag", note)
		)
		const item = h(
			"li",
			{ role: "treeitem", "aria-level": level, "aria-expanded": children ? "false" : undefined, "aria-selected": "false" },
			link
		)
		item.dataset.level = level
		if (!children) return item
		const group = h("ul", { role: "group" })
		item.append(group)
		item.unfold = async () => {
			if (item.getAttribute("aria-expanded") === "true") return
			this.open.add(href)
			item.setAttribute("aria-expanded", "true")
			await this.fill(group, children)
		}
		item.fold = () => {
			this.open.delete(href)
			item.setAttribute("aria-expanded", "false")
		}
		item.fill = () => this.fill(group, children)
		twisty.addEventListener("click", event => {
			event.preventDefault()
			event.stopPropagation()
			if (item.getAttribute("aria-expanded") === "true") item.fold()
			else item.unfold()
		})
		if (this.open.has(href)) item.unfold()
		return item
	}

	async fill(group, children) {
		try {
			group.replaceChildren(...(await children()))
		} catch (error) {
			group.replaceChildren(h("li.problem", { role: "none" }, describe(error)))
		}
		this.markSelected()
	}

	account(account) {
		const note = account.options.includes("hns") ? "Data Lake" : undefined
		const href = this.context.href(account.name)
		const services = Object.keys(KINDS).filter(service => account.endpoints[service])
		return this.node({
			label: account.name,
			href,
			name: "account",
			note,
			level: 1,
			children: () => services.map(service => this.service(account, service))
		})
	}

	service(account, service) {
		const kind = KINDS[service]
		const href = this.context.href(account.name, service)
		const children = async () => {
			const { rows, next } = await kind.list(account.name, { size: SHOWN })
			const items = rows.map(({ name }) =>
				this.node({ label: name, href: this.context.href(account.name, service, name), name: kind.itemIcon, level: 3 })
			)
			if (next) items.push(this.node({ label: "All of them", href, name: "right", level: 3 }))
			return items.length > 0 ? items : [h("li", { role: "none", class: "none" }, `no ${kind.noun}s`)]
		}
		return this.node({ label: kind.title, href, name: kind.icon, level: 2, children })
	}

	refresh() {
		for (const item of this.root.querySelectorAll('[data-level="2"][aria-expanded="true"]')) item.fill()
	}

	/** Unfolds the tree down to a route, and selects it. */
	async mark([account, service, resource]) {
		this.route = this.context.href(...[account, service, resource].filter(Boolean))
		const find = href => [...this.root.querySelectorAll("a")].find(link => link.hash === href)?.parentElement
		const first = account && find(this.context.href(account))
		if (first && account !== "server") await first.unfold()
		if (resource) await find(this.context.href(account, service))?.unfold?.()
		this.markSelected()
	}

	markSelected() {
		for (const item of this.root.querySelectorAll("[role=treeitem]")) {
			const selected = item.firstElementChild.hash === this.route
			item.setAttribute("aria-selected", String(selected))
			if (selected) this.focusable(item.firstElementChild)
		}
	}

	focusable(link) {
		for (const other of this.root.querySelectorAll('a[tabindex="0"]')) other.tabIndex = -1
		link.tabIndex = 0
	}

	key(event) {
		const links = [...this.root.querySelectorAll("a")].filter(link => link.offsetParent !== null)
		const at = links.indexOf(document.activeElement)
		if (at < 0 || event.ctrlKey || event.metaKey || event.altKey) return
		const item = links[at].parentElement
		const expanded = item.getAttribute("aria-expanded")
		let to
		if (event.key === "ArrowDown" || event.key === "j") to = links[at + 1]
		else if (event.key === "ArrowUp" || event.key === "k") to = links[at - 1]
		else if (event.key === "Home") to = links[0]
		else if (event.key === "End") to = links.at(-1)
		else if (event.key === "ArrowRight" && expanded === "false") item.unfold()
		else if (event.key === "ArrowRight") to = expanded && item.querySelector("ul a")
		else if (event.key === "ArrowLeft" && expanded === "true") item.fold()
		else if (event.key === "ArrowLeft") to = item.parentElement.closest("[role=treeitem]")?.firstElementChild
		else return
		event.preventDefault()
		if (to) {
			this.focusable(to)
			to.focus()
		}
	}
}
