"""The fenced blocks of a page, with the markers before them."""

import dataclasses
import pathlib
import re

from markdown_it import MarkdownIt

_MARKER = re.compile(r"<!--\s*([a-z]+):\s*(.*?)\s*-->")

MARKERS = {"run", "skip", "file", "before", "exit"}

# What a block of a language is for, unless a marker says otherwise.
DEFAULTS = {
    "sh": "sh",
    "bash": "sh",
    "python": "python",
    "js": "js",
    "go": "go",
    "java": "java",
    "rust": "rust",
    "csharp": "csharp",
    "json": "json",
    "yaml": "yaml",
    "text": "output",
}


class PageError(Exception):
    """The page cannot be run as it is."""


@dataclasses.dataclass
class Block:
    """One fenced block: `action` says what the runner does with it."""

    line: int
    language: str
    action: str
    text: str
    markers: dict[str, str]


def blocks(page: pathlib.Path) -> tuple[dict[str, str], list[Block]]:
    """The markers of the whole page and its blocks. Raises PageError for a block that nothing says how to run."""
    tokens = MarkdownIt().parse(page.read_text(encoding="utf-8"))
    found, whole, pending = [], {}, {}
    for token in tokens:
        if token.type == "html_block":
            for name, value in _MARKER.findall(token.content):
                if name == "page":
                    whole[value.partition(" ")[0]] = value.partition(" ")[2]
                else:
                    pending[name] = value
            continue
        if token.type == "code_block":
            raise PageError(f"{page.name}:{token.map[0] + 1}: an indented block: write a fenced one")
        if token.type == "fence":
            line = token.map[0] + 1
            if unknown := set(pending) - MARKERS:
                raise PageError(f"{page.name}:{line}: there is no marker '{unknown.pop()}'")
            language = token.info.split(",")[0].strip()
            action = "skip" if "skip" in pending else pending.get("run") or DEFAULTS.get(language)
            if action is None:
                raise PageError(f"{page.name}:{line}: nothing says how to run this block of '{language}'")
            if action == "skip" and not pending["skip"]:
                raise PageError(f"{page.name}:{line}: a skipped block needs a reason")
            found.append(Block(line, language, action, token.content, pending))
            pending = {}
        elif pending and token.nesting != -1 and token.type != "list_item_open":
            # Other comments belong to other programs.
            if not MARKERS & set(pending):
                pending = {}
                continue
            raise PageError(f"{page.name}:{token.map[0] + 1}: the marker before this line has no block")
    return whole, found
