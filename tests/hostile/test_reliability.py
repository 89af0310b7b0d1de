"""docs/reliability.md tells the truth: every row is there once, and every test that it names exists."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
    for line in TEXT.splitlines()
    if re.match(r"\| \d+ \|", line)
]
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


def test_every_row_is_there_once() -> None:
    numbers = [int(row[0]) for row in ROWS]
    assert numbers[:59] == list(range(1, 60))
    assert numbers == sorted(set(numbers))
    assert all(len(row) == 5 for row in ROWS)


def test_every_test_that_is_named_exists() -> None:
    named = NAMED.findall(TEXT)
    assert len(named) > 100
    for file in {file for file, _ in named}:
        tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        there = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
        assert {name for its_file, name in named if its_file == file} <= there, file
    assert TEXT.count("::") == len(named)


def test_a_result_is_what_the_tests_allow_it_to_be() -> None:
    for row, _, tests, result, _ in ROWS:
        kind = result.partition(":")[0]
        assert kind in {"holds", "partly", "not yet"}, row
        assert bool(NAMED.search(tests)) is (kind != "not yet"), row
        # What is missing is named.
        assert (kind == "partly") <= (":" in result), row


def test_every_test_of_a_row_is_in_its_row() -> None:
    for file in sorted(Path(__file__).parent.glob("test_*.py")):
        for name, number in re.findall(r"^def (test_row_(\d+)_\w+)", file.read_text(encoding="utf-8"), re.MULTILINE):
            reference = f"`tests/hostile/{file.name}::{name}`"
            assert reference in next(row for row in ROWS if row[0] == number)[2], reference


def test_developers_find_it() -> None:
    assert "(reliability.md)" in (ROOT / "docs" / "developing.md").read_text(encoding="utf-8")
