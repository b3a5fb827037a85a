// Numbers and times as text.

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"]

/** `1.5 MiB`. */
export function bytes(count) {
	if (count === undefined || count === null || Number.isNaN(count)) return ""
	let [value, unit] = [Number(count), 0]
	while (value >= 1024 && unit < UNITS.length - 1) [value, unit] = [value / 1024, unit + 1]
	return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`
}

const numbers = new Intl.NumberFormat("en-US")

/** `12,345`. */
export const number = value => numbers.format(value)

/** `1 entity`, `2 entities`. */
export const plural = (count, noun) => `${number(count)} ${count === 1 ? noun : `${noun.replace(/([^aeiou])y$/, "$1ie")}s`}`

const two = value => String(value).padStart(2, "0")

export function time(text) {
	const at = new Date(text ?? "")
	if (Number.isNaN(at.getTime())) return ""
	return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${clock(at)}`
}

export function clock(text) {
	const at = new Date(text)
	return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`
}

/** `1 d 4 h`: the two largest units of a number of seconds. */
export function duration(seconds) {
	const units = [
		["d", 86400],
		["h", 3600],
		["min", 60],
		["s", 1]
	]
	const first = units.findIndex(([, length]) => seconds >= length)
	if (first < 0) return "0 s"
	const parts = []
	for (const [unit, length] of units.slice(first, first + 2)) {
		if (seconds >= length) parts.push(`${Math.floor(seconds / length)} ${unit}`)
		seconds %= length
	}
	return parts.join(" ")
}
