// Files that are dropped on a view or chosen in a dialog, and the progress of their upload.

import { button, h } from "./dom.js"
import { bytes } from "./format.js"
import { notify, notifyError } from "./notify.js"

/** Lets files be dropped on an element. `take` gets `[{path, file}]`. */
export function dropArea(element, take) {
	const over = event => [...event.dataTransfer.types].includes("Files")
	let depth = 0
	const mark = () => element.classList.toggle("dropping", depth > 0)
	element.addEventListener("dragenter", event => over(event) && (event.preventDefault(), depth++, mark()))
	element.addEventListener("dragleave", event => over(event) && (depth--, mark()))
	element.addEventListener("dragover", event => over(event) && event.preventDefault())
	element.addEventListener("drop", async event => {
		if (!over(event)) return
		event.preventDefault()
		depth = 0
		mark()
		take(await dropped(event.dataTransfer))
	})
}

async function dropped(transfer) {
	const entries = [...transfer.items].map(item => item.webkitGetAsEntry?.()).filter(Boolean)
	if (entries.length === 0) return [...transfer.files].map(file => ({ path: file.name, file }))
	const found = []
	const visit = async (entry, folder) => {
		if (entry.isFile) {
			const file = await new Promise((resolve, reject) => entry.file(resolve, reject))
			found.push({ path: folder + file.name, file })
			return
		}
		const reader = entry.createReader()
		let batch
		do {
			batch = await new Promise((resolve, reject) => reader.readEntries(resolve, reject))
			for (const one of batch) await visit(one, `${folder}${entry.name}/`)
		} while (batch.length > 0)
	}
	for (const entry of entries) await visit(entry, "")
	return found
}

export function chooseFiles(take) {
	const input = h("input", { type: "file", multiple: true, class: "off-screen", "aria-label": "Files to upload" })
	input.addEventListener("change", () => {
		take([...input.files].map(file => ({ path: file.webkitRelativePath || file.name, file })))
		input.remove()
	})
	document.body.append(input)
	input.click()
}

const AT_A_TIME = 4

/** Uploads files, some at a time, and shows how far they are. `send(path, file, progress, signal)` uploads one. */
export async function uploadAll(files, send) {
	if (files.length === 0) return
	const total = files.reduce((sum, { file }) => sum + file.size, 0)
	const stop = new AbortController()
	const text = h("span")
	const bar = h("progress", { max: Math.max(1, total), value: 0, "aria-label": "Upload" })
	const card = h(
		"div.upload-card",
		{ role: "status" },
		text,
		bar,
		button("Cancel", () => stop.abort(), { kind: "small" })
	)
	document.getElementById("uploads").append(card)
	const sent = new Map()
	let done = 0
	const show = () => {
		bar.value = [...sent.values()].reduce((sum, size) => sum + size, 0)
		text.textContent = `${done} of ${files.length} · ${bytes(bar.value)} of ${bytes(total)}`
	}
	show()
	const queue = [...files]
	const failures = []
	const work = async () => {
		for (let next = queue.shift(); next && !stop.signal.aborted; next = queue.shift()) {
			const { path, file } = next
			try {
				await send(path, file, size => (sent.set(path, size), show()), stop.signal)
				done++
				show()
			} catch (error) {
				failures.push(error)
			}
		}
	}
	await Promise.all(Array.from({ length: AT_A_TIME }, work))
	card.remove()
	if (stop.signal.aborted) notify(`Cancelled after ${done} of ${files.length} files`)
	else if (failures.length > 0) notifyError(failures[0])
	else notify(files.length === 1 ? `${files[0].path} uploaded` : `${files.length} files uploaded`)
}
