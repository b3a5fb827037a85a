// Short messages at the bottom of the page. Screen readers announce them.

import { button, h } from "./dom.js"

const SHOWN_FOR = 4000

function show(region, message, kind, milliseconds) {
	const close = button("Dismiss", () => note.remove(), { icon: "close", iconOnly: true, kind: "quiet" })
	const note = h("div", { class: `note ${kind}` }, h("span", message), close)
	// Older messages give way: only the last ones matter.
	while (region.children.length > 2) region.firstChild.remove()
	region.append(note)
	if (milliseconds) setTimeout(() => note.remove(), milliseconds)
}

export const notify = message => show(document.getElementById("notes"), message, "", SHOWN_FOR)

/** Reports an error, which stays longer: it has a reason to read. */
export function notifyError(error) {
	if (error.name === "AbortError") return
	show(document.getElementById("alerts"), describe(error), "error", SHOWN_FOR * 4)
}

/** The text of an error: status and code, message and, where the server gave one, the reason. */
export function describe(error) {
	const code = error.code && h("b", `${error.status} ${error.code}. `)
	const reason = error.reason && h("span.reason", ` ${error.reason}`)
	return h("span", code, error.message, reason)
}

/** Runs an action, and reports its error. Returns true if it succeeded. */
export async function attempt(action, done) {
	try {
		await action()
		if (done) notify(done)
		return true
	} catch (error) {
		notifyError(error)
		return false
	}
}
