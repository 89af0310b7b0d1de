"""Names that must not come back: each has a plain replacement (``gone_names.csv``)."""

from __future__ import annotations

import ast
import csv
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("iscore", "extractors", "storage")

with (Path(__file__).with_name("gone_names.csv")).open(encoding="utf-8", newline="") as file:
    GONE = {(row["kind"], row["name"]): row["instead"] for row in csv.DictReader(file)}


@cache
def names() -> dict[tuple[str, str], str]:
    """Every module, class and function of the product, and every option of a command, with a file that has it."""
    found: dict[tuple[str, str], str] = {}
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            if "migrations" not in path.parts:
                place = str(path.relative_to(ROOT))
                found |= {("module", part): place for part in path.relative_to(ROOT).with_suffix("").parts}
                found |= dict.fromkeys(_defined(ast.parse(path.read_text(encoding="utf-8"))), place)
    return found


def _defined(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            yield "class", node.name
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield "function", node.name
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "Option" and not _is_hidden(node):
            for argument in node.args:
                if isinstance(argument, ast.Constant) and str(argument.value).startswith("--"):
                    yield "option", str(argument.value)


def _is_hidden(call: ast.Call) -> bool:
    return any(word.arg == "hidden" and getattr(word.value, "value", False) is True for word in call.keywords)


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
