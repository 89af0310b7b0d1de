"""Names that must not come back: each has a plain replacement (``gone_names.csv``)."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer

from iscore.cli.app import app

ROOT = Path(__file__).parents[1]
PACKAGES = ("iscore", "extractors", "storage")
DEFINED = re.compile(r"^ *(class|def|async def) (\w+)", re.MULTILINE)

with (Path(__file__).with_name("gone_names.csv")).open(encoding="utf-8", newline="") as file:
    GONE = {(row["kind"], row["name"]): row["instead"] for row in csv.DictReader(file)}


@cache
def names() -> dict[tuple[str, str], str]:
    """Every module, class and function of the product, and every option of a command, with a place that has it."""
    found: dict[tuple[str, str], str] = {}
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            if "migrations" not in path.parts:
                place = str(path.relative_to(ROOT))
                found |= {("module", part): place for part in path.relative_to(ROOT).with_suffix("").parts}
                for what, name in DEFINED.findall(path.read_text(encoding="utf-8")):
                    found["class" if what == "class" else "function", name] = place
    return found | dict(_options(typer.main.get_command(app), "iscore"))


def _options(command: Any, path: str) -> Iterator[tuple[tuple[str, str], str]]:
    for option in command.params:
        if not getattr(option, "hidden", False):
            yield from ((("option", name), path) for name in (*option.opts, *option.secondary_opts))
    for name, inner in getattr(command, "commands", {}).items():
        yield from _options(inner, f"{path} {name}")


def test_the_scan_finds_names_of_each_kind() -> None:
    expected = {("module", "news_filter"), ("class", "NewsFilter"), ("function", "poll"), ("option", "--json")}
    assert expected <= names().keys()


@pytest.mark.parametrize("kind", ["module", "class", "function", "option"])
def test_gone_names_do_not_come_back(kind: str) -> None:
    back = {
        f"{name} in {names()[kind, name]}": f"use {instead or 'another name'}"
        for (each, name), instead in GONE.items()
        if each == kind and (kind, name) in names()
    }
    assert back == {}


def test_every_replacement_exists() -> None:
    wanted = {(kind, instead.rpartition(".")[2]) for (kind, _), instead in GONE.items() if instead}
    assert sorted(wanted - names().keys()) == []
