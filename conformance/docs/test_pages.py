"""Each page of README.md and docs/ is a test: its blocks run from the first to the last, exactly as they are on the page."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

from blocks import blocks

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def isolation():
    """The command that gives a page a network of its own, or nothing where the system has no such command."""
    loopback = ["sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
    for command in (["unshare", "--net"], ["unshare", "--map-root-user", "--net"]):
        try:
            if subprocess.run([*command, *loopback, "true"], capture_output=True).returncode == 0:
                return [*command, *loopback]
        except OSError:
            pass
    return []


ISOLATION = isolation()


@pytest.mark.parametrize("page", [page for page in PAGES if "```" in page.read_text(encoding="utf-8")], ids=lambda page: str(page.relative_to(ROOT)))
def test_page(page, tmp_path):
    suite = re.search("<!-- page: packages (.*) -->", page.read_text(encoding="utf-8"))
    if suite and not (ROOT / "conformance/.work" / suite[1]).exists():
        pytest.skip(f"its packages are those of conformance/run {suite[1]}")
    run = subprocess.run(
        [*ISOLATION, sys.executable, str(pathlib.Path(__file__).with_name("page.py")), str(page), str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=900,
    )
    print(run.stdout)
    assert run.returncode == 0, run.stdout


def test_a_block_that_nothing_runs_is_refused(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```\nlazuli\n```\n")
    with pytest.raises(Exception, match="nothing says how to run"):
        blocks(page)


def test_a_marker_without_a_block_is_refused(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("<!-- skip: needs a window -->\n\nText.\n\n```sh\ntrue\n```\n")
    with pytest.raises(Exception, match="has no block"):
        blocks(page)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("```sh\nexit 3\n```\n", "exit code 3"),
        ("```sh\necho one\n```\n\n```text\ntwo\n```\n", "the page shows another output"),
        ("```python\nraise SystemExit(1)\n```\n", "exit code 1"),
        ("```json\n{\n```\n", "JSONDecodeError"),
        ("<!-- run: installed -->\n```sh\npip install no-such-package\n```\n", "no-such-package is not installed"),
    ],
)
def test_a_page_that_does_not_hold_fails(tmp_path, text, reason):
    page = tmp_path / "page.md"
    page.write_text("<!-- page: server none -->\n\n" + text)
    environment = {**os.environ, "LAZULI_BIN": os.environ.get("LAZULI_BIN", "true")}
    run = subprocess.run(
        [sys.executable, str(pathlib.Path(__file__).with_name("page.py")), str(page), str(tmp_path / "work")],
        capture_output=True,
        text=True,
        env=environment,
    )
    assert run.returncode == 1
    assert re.search(re.escape(reason), run.stdout + run.stderr), run.stdout + run.stderr
