// The journal as it grows: the last requests, for the journal's view and the small plots.

import { pageKey } from "./storage/key.js"
import { CONSOLE } from "./storage/rest.js"
import { requests } from "./storage/server.js"

const KEPT = 5000
/** The seconds that the plots show. */
export const SPAN = 60

export class Feed {
	constructor(context) {
		this.context = context
		this.entries = []
		this.listeners = new Set()
		this.live = false
		if (!context.server.control) return
		// A browser opens six connections to a server: pages out of sight must not hold one.
		document.addEventListener("visibilitychange", () => (document.hidden ? this.close() : this.open()))
		if (!document.hidden) this.open()
	}

	/** Reads what the journal has, then follows it. */
	async open() {
		if (this.source) return
		const source = (this.source = new EventSource(`/_lazuli/requests?page_key=${pageKey}`))
		source.onopen = async () => {
			this.live = true
			try {
				this.replace(await requests(1000))
			} catch {
				// The stream still brings the requests from now on.
				this.emit([])
			}
		}
		source.onmessage = event => this.add(JSON.parse(event.data))
		source.onerror = () => {
			this.live = false
			this.emit([])
		}
	}

	close() {
		this.source?.close()
		this.source = undefined
		this.live = false
	}

	replace(entries) {
		this.entries = entries
		this.emit(entries)
	}

	add(entry) {
		if (this.entries.length > 0 && entry.id <= this.entries.at(-1).id) return
		this.entries.push(entry)
		if (this.entries.length > KEPT * 1.2) this.entries.splice(0, this.entries.length - KEPT)
		this.emit([entry])
	}

	clear() {
		this.entries = []
		this.emit([])
	}

	/** Calls a function with new entries. Returns a function that ends it. */
	listen(listener) {
		this.listeners.add(listener)
		return () => this.listeners.delete(listener)
	}

	emit(entries) {
		for (const listener of this.listeners) listener(entries)
	}

	/** For each of the last seconds: requests that succeeded, that were refused, and the bytes that went in and out. */
	rates({ console: own = true } = {}) {
		const now = Math.floor(this.context.now().getTime() / 1000)
		const zero = () => new Array(SPAN).fill(0)
		const result = { good: zero(), bad: zero(), bytesIn: zero(), bytesOut: zero() }
		for (let at = this.entries.length - 1; at >= 0; at--) {
			const entry = this.entries[at]
			const age = now - Math.floor(new Date(entry.time).getTime() / 1000)
			if (age >= SPAN) break
			if (age < 0 || (!own && isConsole(entry))) continue
			const slot = SPAN - 1 - age
			result[entry.status >= 400 ? "bad" : "good"][slot]++
			result.bytesIn[slot] += entry.bytes_in ?? 0
			result.bytesOut[slot] += entry.bytes_out ?? 0
		}
		return result
	}
}

/** Whether the console itself sent a request. */
export const isConsole = entry => (entry.client_request_id ?? "").startsWith(CONSOLE)
