"""Commands and JSON keys of the version before still work, or say in one line what to use instead."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from iscore.evaluation.demo import DemoResult
from tests.real_world.day import Answer, a_day

HERE = Path(__file__).parents[1]
LINES = [
    line for line in (HERE / "former_commands.txt").read_text(encoding="utf-8").splitlines() if line[:1] not in "#"
]
KEYS: dict[str, list[str]] = json.loads((HERE / "former_json_keys.json").read_text(encoding="utf-8"))


def keys(document: Any, path: str = "") -> set[str]:
    """Return the paths of all keys in a JSON document; elements of lists share a path."""
    if isinstance(document, dict):
        return {
            found for name, value in document.items() for found in {f"{path}.{name}", *keys(value, f"{path}.{name}")}
        }
    if isinstance(document, list):
        return {found for value in document for found in keys(value, f"{path}[]")}
    return set()


@pytest.mark.long
def test_every_former_command_line_is_accepted_and_prints_its_former_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = []
    with a_day(tmp_path, monkeypatch, capsys) as (day, _):
        for entry in LINES:
            expected, _, line = entry.partition(" ")
            answer = day.type(line.partition(" => ")[0])
            problem = _removed(answer, line) if expected == "removed" else _accepted(answer, line, int(expected))
            if problem:
                wrong.append(f"{line}: {problem}\n{answer.out[-500:]}{answer.err[-500:]}")
    assert wrong == [], "\n".join(wrong)


def _accepted(answer: Answer, line: str, code: int) -> str:
    if answer.code != code:
        return f"exit code {answer.code} instead of {code}"
    if "Traceback" in answer.err:
        return "a traceback"
    if line in KEYS:
        missing = {*KEYS[line]} - keys([json.loads(document) for document in _documents(answer.out)])
        return f"without the keys {sorted(missing)}" if missing else ""
    return ""


def _documents(printed: str) -> list[str]:
    """Return the JSON documents that a command printed: one, or one a line."""
    try:
        json.loads(printed)
    except ValueError:
        return printed.splitlines()
    return [printed]


def _removed(answer: Answer, line: str) -> str:
    instead = line.partition(" => ")[2]
    printed = answer.err.strip()
    if answer.code == 0 or len(printed.splitlines()) != 1 or instead not in printed:
        return f"does not say {instead!r} on one line"
    return ""


def test_the_demo_has_its_former_keys() -> None:
    assert {*KEYS["iscore demo --json"]} <= {f"[].{field.name}" for field in dataclasses.fields(DemoResult)}
