"""Commands that score articles load no library that takes long to import and that they do not use, and end quickly."""

from __future__ import annotations

import subprocess
import sys
from datetime import timedelta

import pytest

from storage.records import Kind
from tests.iscore.conftest import START, Archive

FORBIDDEN = {"sklearn", "matplotlib", "alembic", "scipy.special", "scipy.sparse"}
PROGRAM = """
import sys
from iscore.cli import main
home, article = sys.argv[1:]
codes = [main(["--home", home, *command]) for command in (["inbox"], ["digest"], ["why", article])]
names = {".".join(name.split(".")[:parts]) for name in sys.modules for parts in (1, 2)}
print("loaded", *sorted(names), file=sys.stderr)
sys.exit(max(codes))
"""


def test_scoring_loads_no_heavy_library_that_it_does_not_use(filled: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
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

    loaded = set(done.stderr.rpartition("loaded ")[2].split())
    assert {"iscore", "numba"} <= loaded, "the verdicts were not learned"
    assert loaded & FORBIDDEN == set()


def test_status_without_details_learns_nothing(filled: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    filled.say(Kind.LIKE, filled.leaders()[0].seq)
    monkeypatch.setenv("ISCORE_NOW", (START + timedelta(days=1)).isoformat())
    program = "import sys; from iscore.cli import main; main(sys.argv[1:]); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program, "--home", str(filled.home.path), "status"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "1 of them will be learned" in done.stdout
    assert set(done.stdout.split()) & {"numba", "numpy"} == set()


def test_a_verdict_loads_no_service_that_it_does_not_use(filled: Archive) -> None:
    program = "import sys; from iscore.cli import main; main(sys.argv[1:]); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program, "--home", str(filled.home.path), "like", filled.leaders()[0].id],
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = {name.removeprefix("iscore.services.") for name in done.stdout.split()}
    assert "verdicts" in loaded
    assert loaded & {"inbox", "ingestion", "model_store", "polling", "rules", "status", "subscriptions"} == set()


def test_asking_whether_kernels_are_compiled_loads_no_compiler() -> None:
    program = "import sys; from iscore.services import compilation; compilation.pending(); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) & {"numba", "numpy", "sqlalchemy"} == set()


def test_a_command_does_not_look_for_garbage_at_its_end() -> None:
    program = """
import atexit, gc, sys
atexit.register(lambda: print("left out:", gc.get_freeze_count() > 0))  # the first that is registered runs last
from iscore.cli import main
sys.argv = ["iscore", "--version"]
main()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "left out: True" in done.stdout


@pytest.mark.long
def test_a_command_that_learns_does_not_look_for_garbage_while_it_loads_what_it_needs(
    filled: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled.say(Kind.LIKE, filled.leaders()[0].seq)
    monkeypatch.setenv("ISCORE_NOW", (START + timedelta(days=1)).isoformat())
    program = """
import gc, sys
from iscore.cli import main
before = [each["collections"] for each in gc.get_stats()]
main()
print("new:", "numba" in sys.modules, [each["collections"] for each in gc.get_stats()] == before)
"""
    command = [sys.executable, "-c", program, "--home", str(filled.home.path), "inbox"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "new: True True" in done.stdout
