// A list of any length: only the rows in sight are elements, and pages are loaded as the end comes into sight.

import { h, icon } from "./dom.js"
import { number, plural } from "./format.js"
import { notifyError } from "./notify.js"

const ROW = 36
// Browsers limit the height of an element. A longer list is scrolled in proportion.
const MAX_HEIGHT = 8_000_000

const cellClass = ({ end, wide }) => `cell ${end ? "end" : ""} ${wide ? "wide" : ""}`

let nextId = 0

/** The cell with the name of a row. `tags` are what distinguishes it. */
export const named = (kind, label, title, tags) => h("span.named", icon(kind), h("span.ellipsis", { title }, label), tags)

export class VirtualList {
	/**
	 * `columns`: `{label, width, cell(row), end, wide}`; `wide` columns disappear on narrow screens, `end` ones are aligned right.
	 * `load({marker})` returns a page: `{rows, next}`. `onselect(row)` shows a row, `onopen(row)` opens it. `noun` is what a row is,
	 * `empty()` returns what to show in place of no rows.
	 */
	constructor({ label, noun, columns, load, onselect, onopen, empty, marks = false, klass = () => "" }) {
		Object.assign(this, { noun, load, onselect, onopen, empty, marks, klass })
		this.id = `list-${nextId++}`
		this.rows = []
		this.marked = new Set()
		this.cursor = -1
		this.generation = 0
		this.head = h("div.row.head", { role: "row" })
		this.window = h("div.window", { role: "presentation" })
		this.body = h("div.body", { role: "rowgroup" }, this.window)
		this.blank = h("div.blank")
		this.status = h("div.status", { "aria-live": "polite" })
		this.grid = h(
			"div.grid",
			{ role: "grid", tabIndex: 0, "aria-label": label },
			h("div", { role: "rowgroup", class: "head-group" }, this.head),
			this.body,
			this.blank
		)
		this.element = h("div.list", this.grid, this.status)
		this.setColumns(columns)
		this.grid.addEventListener("scroll", () => this.render(), { passive: true })
		this.grid.addEventListener("keydown", event => this.key(event))
		this.window.addEventListener("click", event => this.click(event))
		this.observer = new ResizeObserver(() => this.render())
		this.observer.observe(this.grid)
	}

	setColumns(columns) {
		this.columns = columns
		const widths = shown => `${this.marks ? "30px " : ""}${shown.map(column => column.width ?? "minmax(0, 1fr)").join(" ")}`
		this.element.style.setProperty("--columns", widths(columns))
		this.element.style.setProperty("--columns-narrow", widths(columns.filter(column => !column.wide)))
		const cells = columns.map(column => h("div", { role: "columnheader", class: cellClass(column) }, column.label))
		this.head.replaceChildren(
			...(this.marks ? [h("div", { role: "columnheader", class: "cell mark-cell", "aria-label": "Marked" })] : []),
			...cells
		)
		this.drawn = undefined
	}

	/** Loads the list from its beginning. The cursor stays at the row that is the `same(row, before)` as the one at the cursor before. */
	async reload(same) {
		const generation = ++this.generation
		const before = this.selected
		this.loading = true
		this.showStatus()
		try {
			const page = await this.load({})
			if (generation !== this.generation) return
			this.rows = page.rows
			this.next = page.next || undefined
			this.marked.clear()
			this.cursor = same && before ? this.rows.findIndex(row => same(row, before)) : -1
			this.failed = false
			this.grid.scrollTop = same ? this.grid.scrollTop : 0
		} catch (error) {
			if (generation !== this.generation) return
			;[this.rows, this.next, this.failed] = [[], undefined, true]
			notifyError(error)
		} finally {
			if (generation === this.generation) this.loading = false
		}
		this.redraw()
		this.onmark?.()
	}

	async loadMore() {
		if (this.loading || !this.next) return
		const generation = this.generation
		this.loading = true
		this.showStatus()
		try {
			const page = await this.load({ marker: this.next })
			if (generation !== this.generation) return
			// Not `push(...rows)`: a page can have more rows than a call has room for.
			for (const row of page.rows) this.rows.push(row)
			this.next = page.next || undefined
		} catch (error) {
			this.next = undefined
			notifyError(error)
		} finally {
			if (generation === this.generation) this.loading = false
		}
		this.redraw()
	}

	/** Replaces the rows: for lists that grow by themselves. */
	setRows(rows) {
		this.rows = rows
		this.redraw()
	}

	get selected() {
		return this.rows[this.cursor]
	}

	/** The rows to act on: the marked ones, or the one at the cursor. */
	get chosen() {
		return this.marked.size > 0 ? [...this.marked] : this.selected ? [this.selected] : []
	}

	/** The first row in sight, and how many fit. */
	get view() {
		const height = this.grid.clientHeight - this.head.offsetHeight
		const fit = Math.max(1, Math.ceil(height / ROW) + 1)
		const full = this.rows.length * ROW
		const shown = Math.min(full, MAX_HEIGHT)
		const scale = full > MAX_HEIGHT ? (full - height) / (shown - height) : 1
		const first = Math.min(Math.max(0, Math.floor((this.grid.scrollTop * scale) / ROW)), Math.max(0, this.rows.length - 1))
		return { fit, first, shown, scale }
	}

	/** Draws the rows in sight again, because what they show has changed. */
	redraw() {
		this.drawn = undefined
		this.render()
	}

	/** Draws the rows in sight, unless they are drawn already. */
	render() {
		const { fit, first, shown, scale } = this.view
		const from = Math.max(0, first - 4)
		const to = Math.min(this.rows.length, first + fit + 4)
		if (to > this.rows.length - fit && this.next) this.loadMore()
		const drawn = `${from} ${to} ${this.cursor} ${this.marked.size} ${scale === 1 || this.grid.scrollTop}`
		this.showStatus()
		if (this.drawn === drawn) return
		this.drawn = drawn
		this.body.style.height = `${shown}px`
		this.window.style.transform = `translateY(${scale === 1 ? from * ROW : this.grid.scrollTop - (first - from) * ROW}px)`
		this.window.replaceChildren(...this.rows.slice(from, to).map((row, at) => this.rowElement(row, from + at)))
		this.grid.setAttribute("aria-rowcount", this.next ? -1 : this.rows.length + 1)
		if (this.cursor >= from && this.cursor < to) this.grid.setAttribute("aria-activedescendant", `${this.id}-${this.cursor}`)
		else this.grid.removeAttribute("aria-activedescendant")
		const isBlank = this.rows.length === 0 && !this.loading && !this.next
		this.element.classList.toggle("is-blank", isBlank)
		this.blank.replaceChildren(
			...(isBlank ? [this.failed ? "The list could not be loaded." : (this.empty?.() ?? `No ${this.noun}s.`)].flat() : [])
		)
	}

	rowElement(row, index) {
		const isMarked = this.marked.has(row)
		const cells = this.columns.map(column =>
			h("div", { role: "gridcell", class: `${cellClass(column)} ${column.class ?? ""}` }, column.cell(row))
		)
		const box =
			this.marks &&
			h(
				"div",
				{ role: "gridcell", class: "cell mark-cell" },
				h("span", { class: `mark ${isMarked ? "on" : ""}`, "data-mark": true, title: "Mark (x)" })
			)
		return h(
			"div",
			{
				class: `row ${index === this.cursor ? "cursor" : ""} ${this.klass(row)}`,
				role: "row",
				id: `${this.id}-${index}`,
				"aria-rowindex": index + 2,
				"aria-selected": String(index === this.cursor || isMarked),
				"data-index": index
			},
			box,
			cells
		)
	}

	showStatus() {
		const count = this.rows.length
		const more = this.next ? (this.loading ? " so far, loading" : " so far, scroll for more") : ""
		const marks = this.marked.size > 0 ? ` · ${number(this.marked.size)} marked` : ""
		const text = this.loading && count === 0 ? "Loading" : `${plural(count, this.noun)}${more}${marks}`
		if (this.status.textContent !== text) this.status.textContent = text
	}

	/** Moves the cursor, and brings it into sight. */
	moveTo(index, { select = true } = {}) {
		if (this.rows.length === 0) return
		this.cursor = Math.max(0, Math.min(index, this.rows.length - 1))
		const height = this.grid.clientHeight - this.head.offsetHeight
		const { scale, shown } = this.view
		const full = this.rows.length * ROW
		if (scale === 1) {
			const top = this.cursor * ROW
			if (top < this.grid.scrollTop) this.grid.scrollTop = top
			else if (top + ROW > this.grid.scrollTop + height) this.grid.scrollTop = top + ROW - height
		} else {
			this.grid.scrollTop = (Math.max(0, this.cursor * ROW - height / 2) / (full - height)) * (shown - height)
		}
		this.redraw()
		if (select) this.onselect?.(this.selected)
	}

	mark(index) {
		const row = this.rows[index]
		if (!row || !this.marks) return
		if (!this.marked.delete(row)) this.marked.add(row)
		this.redraw()
		this.onmark?.()
	}

	unmark() {
		this.marked.clear()
		this.redraw()
		this.onmark?.()
	}

	open() {
		if (this.selected) (this.onopen ?? this.onselect)?.(this.selected)
	}

	rowAt(event) {
		const element = event.target.closest("[data-index]")
		return element ? Number(element.dataset.index) : undefined
	}

	click(event) {
		const index = this.rowAt(event)
		if (index === undefined || event.target.closest("a, button")) return
		if (event.target.closest(".mark-cell") || event.ctrlKey || event.metaKey) this.mark(index)
		else if (event.shiftKey && this.marks && this.cursor >= 0) {
			const [from, to] = [Math.min(this.cursor, index), Math.max(this.cursor, index)]
			for (const row of this.rows.slice(from, to + 1)) this.marked.add(row)
			this.moveTo(index, { select: false })
			this.onmark?.()
		} else if (event.detail === 2) this.open()
		// Not `dblclick`: the first click has replaced the row.
		else this.moveTo(index)
	}

	/** Handles a key. Returns true if the list used it. */
	key(event) {
		if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return false
		const page = Math.max(1, this.view.fit - 3)
		const moves = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: page, PageUp: -page }
		const move = moves[event.key]
		if (move !== undefined) this.moveTo(this.cursor + move)
		else if (event.key === "Home") this.moveTo(0)
		else if (event.key === "End") this.moveTo(this.rows.length - 1)
		else if (event.key === "Enter" && this.selected) this.open()
		else if ((event.key === "x" || event.key === " ") && this.marks && this.cursor >= 0) this.mark(this.cursor)
		else return false
		event.preventDefault()
		return true
	}

	dispose() {
		this.generation++
		this.observer.disconnect()
	}
}
