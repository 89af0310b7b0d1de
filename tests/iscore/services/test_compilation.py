"""What scoring needs is compiled before it is called, once per version."""

from __future__ import annotations

import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from iscore.services import compilation
from storage.records.users import Kind
from tests.iscore.conftest import START, Archive, Piece

SIGNATURES = """
import sys
{work}
from extractors import numba_kernel
for kernel in numba_kernel._stamps:
    for signature in getattr(kernel, "signatures", ()):
        print("compiled", kernel.py_func.__module__, kernel.py_func.__name__, signature)
"""
COMPILE = "from iscore.services.compile_kernels import compile_kernels; compile_kernels(lambda done, total: None)"
FIRST_STAGES = """
from iscore.services.compilation import TO_INGEST
from iscore.services.compile_kernels import compile_kernels
def progress(done, total):
    if done == TO_INGEST:
        raise InterruptedError
try:
    compile_kernels(progress)
except InterruptedError:
    pass
"""
EVERYTHING = """
from pathlib import Path
from iscore.services.news_filter import NewsFilter
with NewsFilter.open(Path(sys.argv[1])) as news:
    news.polling.decide()
    items = news.inbox(everything=True).items
    news.digest()
    news.status()
    news.why(items[0].id)
"""


def compiled_by(work: str, *arguments: str) -> set[str]:
    """The kernels that a process has called, with the types of their arguments."""
    program = SIGNATURES.format(work=work)
    done = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True)
    return {line for line in done.stdout.splitlines() if line.startswith("compiled ")}


@pytest.mark.long
def test_a_user_calls_nothing_that_was_not_compiled(
    archive: Archive, pieces: list[Piece], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ISCORE_NOW", (START + timedelta(days=1)).isoformat())
    compiled = compiled_by(COMPILE)
    if not compiled:
        pytest.skip("kernels run as Python here")
    names = [tuple(line.split()[1:3]) for line in compiled]
    assert len(names) == len(set(names)), "a kernel is compiled twice"
    for stored, judged in ((40, 0), (0, 1), (20, 14)):
        known = len(archive.leaders())
        archive.store(pieces[known : known + stored])
        for number, leader in enumerate(archive.leaders()[:judged]):
            archive.say(Kind.DISLIKE if number % 2 else Kind.LIKE, leader.seq)
        assert compiled_by(EVERYTHING, str(archive.home.path)) - compiled == set()


@pytest.mark.long
def test_the_first_stages_are_all_that_is_needed_before_the_first_verdict(
    archive: Archive, pieces: list[Piece], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ISCORE_NOW", (START + timedelta(days=1)).isoformat())
    compiled = compiled_by(FIRST_STAGES)
    if not compiled:
        pytest.skip("kernels run as Python here")
    for stored in (40, 20):
        known = len(archive.leaders())
        archive.store(pieces[known : known + stored])
        assert compiled_by(EVERYTHING, str(archive.home.path)) - compiled == set()


def test_each_version_compiles_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("NUMBA_DISABLE_JIT", raising=False)
    assert compilation.pending()
    compilation.save(2, 5)
    assert (compilation.state(), compilation.pending()) == ((2, 5), True)
    compilation.save(5, 5)
    assert not compilation.pending()
    (record,) = tmp_path.iterdir()
    record.write_text("another-version 5 5\n")
    assert compilation.pending()
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    assert not compilation.pending()


def test_a_child_that_has_nothing_to_do_loads_next_to_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each command starts one while another compiles."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    compilation.save(5, 5)
    program = "import sys; from iscore.services.compilation import main; main(); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) & {"numba", "numpy", "sqlalchemy"} == set()


def test_waiting_reads_the_sources_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    compilation.save(1, 5)
    assert compilation.state() == (1, 5)
    monkeypatch.setattr(Path, "rglob", None)
    assert compilation.state() == (1, 5)


def test_the_bar_says_what_it_waits_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    compilation.save(1, 5)
    shown: list[tuple[int, int, str]] = []
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:

        def progress(done: int, total: int, what: str) -> None:
            shown.append((done, total, what))
            if child.stdin is not None and not child.stdin.closed:
                child.stdin.close()

        compilation.wait(child, progress)
    assert shown[0] == (1, 5, compilation.WHAT)


def test_nobody_waits_for_more_stages_than_are_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    compilation.save(1, 5)
    shown: list[tuple[int, int, str]] = []

    def progress(done: int, total: int, what: str) -> None:
        shown.append((done, total, what))
        compilation.save(2, 5)

    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        compilation.wait(child, progress, 2)
        assert child.poll() is None
        assert child.stdin is not None
        child.stdin.close()
    assert shown == [(1, 2, compilation.WHAT)]
