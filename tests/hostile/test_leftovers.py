"""What a killed backup leaves behind is removed by the next one, and what a living one works in is not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from iscore.jobs.maintenance.archive import ABANDONED, ARCHIVE, remove_abandoned
from iscore.services.news_filter import NewsFilter
from tests.servers.fork_server import PROGRAM, Process, run, start

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs signals and locks of files")

STOPPING = f"""
import os, signal, sys

stops = [signal.SIGSTOP]

def stop(event, given):
    if stops and event == "open" and str(given[0]).endswith("/{ARCHIVE}"):
        os.kill(os.getpid(), stops.pop())

sys.addaudithook(stop)
{PROGRAM}
"""
"""Stops when it has copied the database and is about to pack it."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("leftovers") / "home"
    NewsFilter.create(home).close()
    return home


def command(home: Path, file: Path) -> tuple[str, ...]:
    return ("--home", str(home), "backup", str(file))


def hidden(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.name.startswith(".")]


def is_stopped(process: Process) -> bool:
    return Path(f"/proc/{process.pid}/stat").read_text("ascii").rpartition(")")[2].split()[0] == "T"


@pytest.fixture
def stopped(home: Path, tmp_path: Path) -> Iterator[tuple[Process, Path]]:
    """A backup that is stopped in the midst of its work, and where it works."""
    process = start(*command(home, tmp_path / "home.zip"), program=STOPPING, env=os.environ, stdout=subprocess.DEVNULL)
    try:
        ends = time.monotonic() + 600
        while not is_stopped(process):
            assert process.poll() is None, process.stderr and process.stderr.read()
            assert time.monotonic() < ends
            time.sleep(0.01)
        assert not (tmp_path / "home.zip").exists()
        yield process, hidden(tmp_path)[0]
    finally:
        process.kill()
        process.communicate(timeout=600)


def test_what_a_killed_backup_left_is_removed_by_the_next(
    home: Path, tmp_path: Path, stopped: tuple[Process, Path]
) -> None:
    process, left = stopped
    process.kill()
    assert process.wait(600) == -signal.SIGKILL
    assert left.is_dir()
    assert list(left.glob("iscore.db*"))
    mine = tmp_path / ".home.zip.abcdefgh"
    mine.mkdir(0o700)
    (mine / "diary.txt").write_text("not a backup's")
    assert run(*command(home, tmp_path / "other.zip"), env=os.environ).returncode == 0
    assert hidden(tmp_path) == [mine]
    assert (tmp_path / "other.zip").exists()


def test_a_backup_that_lives_keeps_its_place_though_another_is_made_beside_it(
    home: Path, tmp_path: Path, stopped: tuple[Process, Path]
) -> None:
    process, place = stopped
    long_ago = time.time() - 10 * ABANDONED
    os.utime(place, (long_ago, long_ago))  # it has been stopped for hours
    assert run(*command(home, tmp_path / "other.zip"), env=os.environ).returncode == 0
    assert place.is_dir()
    process.send_signal(signal.SIGCONT)
    assert process.wait(600) == 0
    assert hidden(tmp_path) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home.zip", "other.zip"]


def test_what_an_older_version_left_goes_when_it_is_old(tmp_path: Path) -> None:
    long_ago = time.time() - 2 * ABANDONED
    for name, content in ((".a.zip.x7_k2abc", "iscore.db"), (".b.zip.x7_k2abc", "archive"), (".c.zip.x7_k2abc", "")):
        (tmp_path / name).mkdir(0o700)
        if content:
            (tmp_path / name / content).touch()
    (tmp_path / ".d.zip.x7_k2abc").symlink_to(tmp_path / ".a.zip.x7_k2abc")
    assert remove_abandoned(tmp_path) == []  # they may just be being made
    for path in hidden(tmp_path):
        os.utime(path, (long_ago, long_ago), follow_symlinks=False)
    assert {path.name for path in remove_abandoned(tmp_path)} == {".a.zip.x7_k2abc", ".b.zip.x7_k2abc"}
    assert {path.name for path in hidden(tmp_path)} == {".c.zip.x7_k2abc", ".d.zip.x7_k2abc"}
    assert remove_abandoned(tmp_path / "missing") == []
