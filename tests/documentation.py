"""The pages of the documentation, and their parts, for the tests that compare them with the program."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from iscore.cli.app import app

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "SECURITY.md", *sorted(DOCS.rglob("*.md"))]
GUIDE = {page.stem: page.read_text(encoding="utf-8") for page in sorted((DOCS / "guide").glob("*.md"))}
README = (ROOT / "README.md").read_text(encoding="utf-8")
DEVELOPING = (DOCS / "developing.md").read_text(encoding="utf-8")
DECISIONS = [page for page in sorted((DOCS / "decisions").glob("*.md")) if page.stem != "index"]
MOST_LINES = {"README.md": 150, "developing.md": 250, **{f"{name}.md": 300 for name in GUIDE}}


def page_name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def commands(command: Any, path: str = "iscore") -> Iterator[tuple[str, Any]]:
    """Yield every command by the words a user types; hidden ones, the aliases, are left out."""
    if command.hidden:
        return
    if not hasattr(command, "commands"):
        yield path, command
        return
    for name, inner in command.commands.items():
        yield from commands(inner, f"{path} {name}")


PROGRAM = typer.main.get_command(app)
COMMANDS = dict(commands(PROGRAM))


def options_of(command: Any) -> set[str]:
    visible = [option for option in command.params if not getattr(option, "hidden", False)]
    return {name for option in visible for name in option.opts if name.startswith("-")} - {"--help", "-h"}


def section_of(text: str, heading: str) -> str:
    """Return the text under a heading, up to the next heading of the same or a higher level."""
    level = heading.partition(" ")[0]
    _, found, rest = text.partition(f"\n{heading}\n")
    assert found, f"there is no heading {heading!r}"
    return re.split(rf"\n#{{1,{len(level)}}} ", rest)[0]


def table_rows(section: str) -> list[list[str]]:
    """Return the rows of a section's tables whose first cell begins with a code span."""
    lines = [line for line in section.splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in lines]


def code_spans(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


def command_lines(text: str) -> list[str]:
    """Return the `iscore` command lines in a page's code blocks, indented or fenced."""
    lines = re.findall(r"^(?:\$ | {4}|)(?:\.venv/bin/)?(iscore [a-z-].*)$", text, re.MULTILINE)
    return [line.partition(" | ")[0].partition(" >")[0].partition("  #")[0].partition("   #")[0] for line in lines]
