"""Draws the results of `run` as an SVG, once for light and once for dark pages."""
import pathlib

WIDTH = 800
LEFT = 128  # the names of the loads
PANEL = 318  # the width of a panel, with its gap
BAR, PITCH = 11, 34
THEMES = {
    "light": {"text": "#1f2328", "quiet": "#59636e", "line": "#d1d9e0", "lazuli": "#1d4fb8", "azurite": "#a0a9b4"},
    "dark": {"text": "#f0f6fc", "quiet": "#9198a1", "line": "#3d444d", "lazuli": "#6ea1ff", "azurite": "#69727d"},
}
GROUPS = [
    ("requests per second of one core", ["Put Blob, 4 KiB", "Get Blob, 4 KiB", "Put Message", "Get Messages", "Insert Entity", "Get Entity"]),
    ("MiB per second of one core", ["Put Blob, 64 MiB", "Get Blob, 64 MiB"]),
]
MODES = [("memory", "in memory"), ("disk", "on disk")]
NAMES = {"lazuli": "Lazuli", "azurite": "Azurite"}


def per_second(measured):
    """How many fit into a second of the server's processor time: two significant digits, as more are noise."""
    number = 1e6 / measured["microseconds"]
    digits = len(str(round(number))) - 2
    return round(number, -digits)


def draw(results, theme):
    color, speed = THEMES[theme], results["speed"]
    out = []

    def text(x, y, words, fill="text", anchor="start", weight="400", size=12):
        out.append(f'<text x="{x:g}" y="{y:g}" fill="{color[fill]}" text-anchor="{anchor}" font-weight="{weight}" font-size="{size}">{words}</text>')

    for index, name in enumerate(NAMES):
        x = LEFT + index * 90
        out.append(f'<rect x="{x}" y="12" width="12" height="12" rx="2" fill="{color[name]}"/>')
        text(x + 18, 22.5, NAMES[name])
    y = 52
    for unit, loads in GROUPS:
        top = max(per_second(speed[mode][name][load]) for mode, _ in MODES for name in NAMES for load in loads)
        for index, (_, title) in enumerate(MODES):
            text(LEFT + index * PANEL, y, f"{title}, {unit}", weight="600")
        y += 12
        for load in loads:
            text(LEFT - 12, y + BAR + 5, load, anchor="end")
            for index, (mode, _) in enumerate(MODES):
                x = LEFT + index * PANEL
                for row, name in enumerate(NAMES):
                    rate = per_second(speed[mode][name][load])
                    width = max(rate / top * (PANEL - 66), 1)
                    at = y + row * (BAR + 2)
                    out.append(f'<rect x="{x}" y="{at}" width="{width:.1f}" height="{BAR}" rx="2" fill="{color[name]}"/>')
                    text(round(x + width + 6, 1), at + 9.5, f"{rate:,.0f}", fill="text" if name == "lazuli" else "quiet", size=11)
            y += PITCH
        out.append("")
        y += 26
    y -= 8
    machine = results["machine"]
    text(LEFT, y, f"Longer is better. Requests divided by the processor time of the server, best of {speed['rounds']} rounds, with "
         f"{speed['connections']} keep-alive connections.", fill="quiet", size=11)
    text(LEFT, y + 15, f"Azurite {results['azurite']['version']} on Node.js {machine['node'].lstrip('v')}, both on {machine['processor']}, "
         f"{results['date']}.", fill="quiet", size=11)
    height = y + 28
    lines = "; ".join(
        f"{load} {title}: Lazuli {per_second(speed[mode]['lazuli'][load]):,.0f}, Azurite {per_second(speed[mode]['azurite'][load]):,.0f} {unit}"
        for unit, loads in GROUPS for load in loads for mode, title in MODES
    )
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height:g}" viewBox="0 0 {WIDTH} {height:g}" role="img" '
        f'aria-labelledby="title description" font-family="-apple-system, \'Segoe UI\', \'Noto Sans\', Helvetica, Arial, sans-serif">'
    )
    title = "Requests and MiB that Lazuli and Azurite serve in a second of one core, in memory and on disk"
    body = "\n".join(line for line in out if line)
    return f'{head}\n<title id="title">{title}</title>\n<desc id="description">{lines}</desc>\n{body}\n</svg>\n'


def write(results, folder):
    """Writes speed-light.svg and speed-dark.svg into a folder."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for theme in THEMES:
        (folder / f"speed-{theme}.svg").write_text(draw(results, theme), encoding="utf-8")


def table(results):
    """The results as tables in Markdown."""
    speed, lines = results["speed"], []
    for mode, title in MODES:
        lines += [f"| {title} | Lazuli µs | Azurite µs | Lazuli /s | Azurite /s |", "|---|---|---|---|---|"]
        for _, loads in GROUPS:
            for load in loads:
                lazuli, azurite = (speed[mode][name][load] for name in NAMES)
                lines.append(f"| {load} | {lazuli['microseconds']:,.0f} | {azurite['microseconds']:,.0f} | {lazuli['rate']:,.0f} | {azurite['rate']:,.0f} |")
        lines.append("")
    start, memory, kill = results["start"], results["memory"], results["kill"]
    blobs = memory["lazuli"]["blobs"]
    lines += ["| | Lazuli | Azurite |", "|---|---|---|"]
    rows = [
        ("Start, to the first answer", lambda name: f"{start[name]['milliseconds']:,.0f} ms"),
        ("Memory after the start", lambda name: f"{start[name]['resident_mib']:,.0f} MiB"),
        (f"Memory with {blobs:,} blobs of 1 KiB", lambda name: f"{memory[name]['resident_mib']:,.0f} MiB"),
        ("Blobs after `kill -9`, of those acknowledged",
         lambda name: f"{kill[name]['present']:,} of {kill[name]['acknowledged']:,}"),
        ("Size of the binary, of the npm packages", lambda name: f"{results[name]['megabytes']} MB"),
    ]
    lines += [f"| {title} | {cell('lazuli')} | {cell('azurite')} |" for title, cell in rows]
    machine = results["machine"]
    lines += ["", f"{results['date']}, Azurite {results['azurite']['version']} on Node.js {machine['node'].lstrip('v')}, {machine['processor']} "
              f"with {machine['cores']} cores and {machine['memory_gib']} GiB, {machine['system']}; {speed['rounds']} rounds.", ""]
    return "\n".join(lines)


def write_table(results, page):
    """Writes the tables between the two markers of a page."""
    text = page.read_text(encoding="utf-8")
    begin, end = (text.index(marker) for marker in ("<!-- results:", "<!-- end of results"))
    begin = text.index("\n", begin) + 1
    page.write_text(text[:begin] + "\n" + table(results) + "\n" + text[end:], encoding="utf-8")
