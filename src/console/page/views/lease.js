// Leases of blobs and containers.

import { copy } from "../ui/clipboard.js"
import { button } from "../ui/dom.js"
import { ask } from "../ui/dialog.js"
import { attempt } from "../ui/notify.js"

const FIELD = {
	name: "seconds",
	label: "Duration in seconds",
	type: "number",
	value: "60",
	min: -1,
	hint: "15 to 60, or -1 for a lease that does not expire"
}

/** The button that acquires a lease, or breaks the one that is held. `send(action, seconds)` returns the id of the lease. */
export function leaseButton(state, send, done) {
	const acquire = async ({ seconds }) => copy(await send("acquire", seconds), "Lease acquired, and its id copied")
	const isHeld = ["leased", "breaking"].includes(state)
	const run = async () => {
		const changed = isHeld
			? attempt(() => send("break", 0), "Lease broken")
			: ask({ title: "Acquire lease", fields: [FIELD], submit: "Acquire", action: acquire })
		if (await changed) done()
	}
	return button(isHeld ? "Break lease" : "Acquire lease", run, { kind: "small" })
}
