"""What a command that scores articles imports, and that it collects no garbage on the way: both cost start-up time."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import timedelta
from typing import Any

import pytest

from storage.records.users import Kind
from tests.iscore.conftest import START, Archive

FORBIDDEN = {"sklearn", "matplotlib", "alembic", "scipy.sparse", "scipy.special", "scipy.stats"}
"""Slow imports that commands which score articles do not need. numba loads ``scipy.linalg``."""
NUMERICAL = {"numba", "scipy", "sklearn"}
"""Libraries that commands which only read or record do not need."""
PROGRAM = """
import atexit, gc, json, sys
atexit.register(lambda: print(gc.get_freeze_count(), file=sys.stderr))  # the first that is registered runs last
stages = []

def stage(code):
    names = {".".join(name.split(".")[:parts]) for name in sys.modules for parts in (1, 2)}
    stages.append([code, sorted(names), sum(each["collections"] for each in gc.get_stats())])

from iscore.services import compilation
compilation.pending()
stage(0)
from iscore.cli import main
home, article = sys.argv[1:]
for command in ["status"], ["inbox"], ["digest"], ["why", article]:
    sys.argv = ["iscore", "--home", home, *command]
    stage(main())
from threadpoolctl import threadpool_info
threads = [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]
print(json.dumps([stages, threads]), file=sys.stderr)
"""
"""One process for all commands, the lightest first: loading takes longer than what they do."""


@pytest.mark.long
def test_commands_load_what_they_need_and_look_for_no_garbage(filled: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    leaders = filled.leaders()
    for number, leader in enumerate(leaders[:14]):
        filled.say(Kind.LIKE if number % 2 else Kind.DISLIKE, leader.seq)
    monkeypatch.setenv("ISCORE_NOW", (START + timedelta(days=1)).isoformat())
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(filled.home.path), leaders[20].id],
        capture_output=True,
        text=True,
        check=True,
    )
    report, objects_left_out = done.stderr.splitlines()[-2:]
    stages: list[list[Any]]
    stages, threads = json.loads(report)
    assert threads
    assert set(threads) == {1}, "threads of BLAS wait for each other"
    assert [code for code, _, _ in stages] == [0] * 5
    asking, status, *scoring = (set(names) for _, names, _ in stages)
    assert asking & {*NUMERICAL, "numpy", "sqlalchemy"} == set(), "to ask whether kernels are compiled"
    assert "14 of them will be learned" in done.stdout
    assert status & {*NUMERICAL, "numpy"} == set(), "`status` without details learns nothing"
    assert {"iscore", "numba"} <= scoring[0], "the verdicts were not learned"
    assert scoring[-1] & FORBIDDEN == set()
    _, before, after, *_ = (collections for _, _, collections in stages)
    assert after == before, "garbage was looked for while the model was loaded"
    assert int(objects_left_out) > 0, "garbage was looked for at the end"
    assert loaded_by(filled, "inbox") & NUMERICAL == set(), "nothing is new"


def loaded_by(archive: Archive, *command: str) -> set[str]:
    """Return the modules that are loaded in a process of its own after a command."""
    program = "import sys; from iscore.cli import main; main(sys.argv[1:]); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program, "--home", str(archive.home.path), *command],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


def test_a_verdict_loads_no_service_that_it_does_not_use(filled: Archive) -> None:
    modules = loaded_by(filled, "like", filled.leaders()[0].id)
    assert modules & {*NUMERICAL, "numpy"} == set()
    services = [name for name in modules if name.startswith("iscore.services.") and ".views" not in name]
    loaded = {name.rpartition(".")[2] for name in services}
    assert "verdicts" in loaded
    assert loaded.isdisjoint({"inbox", "ingestion", "model_store", "polling", "rules", "status", "subscriptions"})
