"""A report as a whole: its files, and outcomes that it refuses."""

from __future__ import annotations

import gc
import json
import weakref
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from iscore.evaluation.replay.outcome import Outcome
from iscore.evaluation.replay.report.files import write
from tests.iscore.evaluation.replay.outcomes import simulated


def test_a_report_has_a_page_a_document_and_tables(tmp_path: Path) -> None:
    runs = (simulated(600, seed=s, reader=f"r{s}", classifier=c) for s in range(3) for c in ("plain", "new"))
    paths = write(tmp_path / "new" / "report", runs, title="Two filters")
    assert [path.name for path in paths] == [
        *("report.html", "report.json", "readers.csv", "classifiers.csv", "windows.csv", "over_time.csv"),
        *("precision_recall.csv", "calibration.csv", "courses.csv"),
    ]
    assert sorted(path.name for path in (tmp_path / "new" / "report").iterdir()) == sorted(path.name for path in paths)
    document = json.loads(paths[1].read_text(encoding="utf-8"))
    assert len(document["results"]) == 6
    assert set(document["mean"]) == {"plain", "new"}
    assert document["baseline"] == "plain"


def test_outcomes_must_belong_together(tmp_path: Path) -> None:
    run = simulated(100, seed=1)
    with pytest.raises(ValueError, match="comes twice"):
        write(tmp_path, [run, run], title="Twice")
    with pytest.raises(ValueError, match="one protocol"):
        write(tmp_path, [run, simulated(100, seed=1, reader="b", protocol="delivered")], title="Mixed")
    with pytest.raises(ValueError, match="no outcome is of svm"):
        write(tmp_path, [run], title="Without", baseline="svm")
    assert list(tmp_path.iterdir()) == []


def test_an_outcome_is_released_after_its_finding(tmp_path: Path) -> None:
    alive: list[weakref.ref[np.ndarray]] = []

    def runs() -> Iterator[Outcome]:
        for seed in range(5):
            run = simulated(200, seed=seed, reader=str(seed))
            alive.append(weakref.ref(run.scores))
            yield run
            del run
            gc.collect()
            assert sum(each() is not None for each in alive) <= 1

    write(tmp_path, runs(), title="One by one")
    assert len(alive) == 5
