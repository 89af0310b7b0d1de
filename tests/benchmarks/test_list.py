"""The list of benchmarks names each of them, as the page about them does; results can be read again."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks import __main__ as runner
from benchmarks import results

FOLDER = Path(runner.__file__).parent
ROW = re.compile(r"^\| `python -m benchmarks\.(\w+)`( \*)?", re.MULTILINE)


def test_the_page_and_the_program_list_the_same() -> None:
    rows = dict[str, bool]()
    for name, star in ROW.findall((FOLDER / "README.md").read_text(encoding="utf-8")):
        rows[name] = rows.get(name, False) or bool(star)
    assert set(rows) == set(runner.BENCHMARKS)
    # Of a replay's cost only a part needs data.
    assert {name for name, star in rows.items() if star} - {"replay_cost"} == runner.NEED_DATA


def test_each_is_a_program() -> None:
    for name in {*runner.BENCHMARKS, *runner.QUICK, *runner.NEED_DATA, *runner.NEED_FRESHRSS}:
        assert name in runner.BENCHMARKS
        assert '__name__ == "__main__"' in (FOLDER / f"{name}.py").read_text(encoding="utf-8"), name


def test_a_result_is_read_as_it_was_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "FOLDER", tmp_path)
    rows: list[list[results.Cell]] = [["a | b", 1234, 0.12345], ["", 0, 2.0]]
    results.write("made_up", "Made up", ["name", "n", "F0.5"], rows, notes="| no | table |\n| --- | --- |\n\nWords.")
    assert results.read("made_up") == [
        {"name": "a | b", "n": "1,234", "F0.5": "0.1235"},
        {"name": "", "n": "0", "F0.5": "2"},
    ]
    results.write("nothing", "Nothing", ["name"], [])
    assert results.read("nothing") == []
