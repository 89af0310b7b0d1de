"""The list of benchmarks names each of them, as the page about them does."""

from __future__ import annotations

import re
from pathlib import Path

from benchmarks import __main__ as runner

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
