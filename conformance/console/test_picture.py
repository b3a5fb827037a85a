"""The pictures of the console on README.md and its page: the page itself, with what a small shop may store.

`UPDATE_DOCS=1 conformance/run console -- -k picture` writes them to docs/images.
"""

import base64
import os
import re
import subprocess
from pathlib import Path

import pytest
from conftest import SCREENS, Console
from playwright.sync_api import expect
from test_console import row

IMAGES = Path(__file__).parents[2] / "docs" / "images"
MOST_BYTES = 150_000
UPDATE = bool(os.environ.get("UPDATE_DOCS"))

# A name, the sky, the sun and the mountains.
LANDSCAPES = [
    ("dawn.jpg", "#f3a683", "#fff3d6", "#574b90"),
    ("harbour.jpg", "#7ed6df", "#ffffff", "#22577a"),
    ("lake.jpg", "#2f5fd0", "#f0c25a", "#0d1f52"),
    ("meadow.jpg", "#b8e0d2", "#fff4b8", "#38761d"),
    ("night.jpg", "#111a3a", "#e8ecf8", "#060a18"),
    ("ridge.jpg", "#c8d6e5", "#ffffff", "#576574"),
    ("sunset.jpg", "#e77f67", "#ffd66b", "#3d1f47"),
]
SHOWN = "lake.jpg"


def landscape(browser, sky, sun, mountains):
    """A JPEG of 1200 by 750 pixels, which the browser draws."""
    page = browser.new_page(viewport={"width": 1200, "height": 750})
    page.set_content(
        f"""<body style="margin: 0"><svg viewBox="0 0 240 150" width="1200" height="750">
            <defs><linearGradient id="sky" x2="0" y2="1"><stop stop-color="{sky}"/><stop offset="1" stop-color="{sun}"/></linearGradient></defs>
            <rect width="240" height="150" fill="url(#sky)"/><circle cx="172" cy="46" r="17" fill="{sun}"/>
            <path d="M0 118l46-50 30 30 34-40 52 52 26-22 52 40v40H0z" fill="{mountains}" opacity=".55"/>
            <path d="M0 150v-16l62-46 44 36 40-26 94 44v8z" fill="{mountains}"/></svg>"""
    )
    content = page.screenshot(type="jpeg", quality=90)
    page.close()
    return content


def shop(browser):
    """A seed."""
    photos = {name: {"base64": base64.b64encode(landscape(browser, *colours)).decode()} for name, *colours in LANDSCAPES}
    photos[SHOWN] |= {"metadata": {"camera": "X100", "place": "Bled"}, "tags": {"album": "summer"}}
    return {
        "containers": {"backups": {}, "invoices": {}, "photos": {"blobs": {"2025/winter.txt": "snow", **photos}}},
        "queues": {"orders": [{"order": 7}], "thumbnails": []},
        "tables": {"customers": [{"PartitionKey": "si", "RowKey": "1", "Name": "Ada"}]},
        "shares": {"documents": {}},
    }


@pytest.fixture
def address():
    """The control requests of a server of its own, at the usual ports if the picture is to be kept."""
    ports = [] if UPDATE else [f"--{service}-port=0" for service in ("blob", "queue", "table", "file")]
    accounts = ["--account=devstoreaccount1", "--account=analytics,hns"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LAZULI_")}
    command = [os.environ["LAZULI_BIN"], "--control", "--silent", "--stop-with-stdin", *accounts, *ports]
    with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        found = next(filter(None, (re.search("BlobEndpoint=(http://[^/]+)", line) for line in process.stdout)))
        yield f"{found[1]}/_lazuli"
        process.stdin.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_picture_of_the_console(browser, address, scheme):
    console = Console(browser, address, color_scheme=scheme, viewport={"width": 1400, "height": 760}, device_scale_factor=1.5)
    console.server.control("seed", "POST", shop(browser))
    page = console.open("devstoreaccount1", "blob", "photos")
    for kind in ["Queues", "Tables", "File shares"]:
        page.locator("#tree-nav a", has_text=kind).first.focus()
        page.keyboard.press("ArrowRight")
    expect(page.locator("#tree-nav")).to_contain_text("documents")
    row(page, SHOWN).click()
    expect(page.locator("#pane img")).to_be_visible()
    expect(page.locator("#pane").get_by_label("Value").first).to_have_value("X100")
    expect(page.locator("#foot .live.on")).to_be_visible()
    console.shot(f"console-{scheme}")
    picture = console.webp()
    (SCREENS / f"console-{scheme}.webp").write_bytes(picture)
    assert len(picture) < MOST_BYTES
    if UPDATE:
        (IMAGES / f"console-{scheme}.webp").write_bytes(picture)
    console.close()
