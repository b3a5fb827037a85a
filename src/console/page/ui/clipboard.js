import { h } from "./dom.js"
import { notify } from "./notify.js"

/** Copies text to the clipboard, and reports it. */
export async function copy(text, what = "Copied") {
	try {
		await navigator.clipboard.writeText(text)
	} catch {
		// No clipboard outside secure contexts, such as http at an address of the network.
		const area = h("textarea", { value: text, class: "off-screen" })
		;(document.querySelector("dialog[open]") ?? document.body).append(area)
		area.select()
		document.execCommand("copy")
		area.remove()
	}
	notify(what)
}
