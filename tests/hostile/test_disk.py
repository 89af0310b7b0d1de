"""Disks that are full or protected, files that are none of ours: a named error, nothing touched, and it goes on."""

from __future__ import annotations

import errno
import os
import pickle
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from io import FileIO
from pathlib import Path

import pytest

from tests.hostile.crash_checks import Memory, examine
from tests.hostile.crash_victim import Victim, victim


@contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[Path]:
    """Mount one; skip the test where that is not allowed."""
    mount, unmount = shutil.which("mount"), shutil.which("umount")
    if mount is None or unmount is None or not hasattr(os, "geteuid") or os.geteuid() != 0:
        pytest.skip("only root may mount a small disk")
    folder.mkdir()
    options = ["-t", "tmpfs", "-o", f"size={megabytes}m,mode=0700", "iscore-test", str(folder)]
    done = subprocess.run([mount, *options], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no small disk can be mounted here: {done.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run([unmount, "--lazy", str(folder)], check=True)


def protect(disk: Path) -> None:
    """Let nobody write on it any more, not even root."""
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)


def fill(disk: Path) -> Path:
    """Leave no byte on it; return the file that takes the room."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file:
        for block in (1 << 16, 1):
            while written(file, b"\0" * block):
                pass
    return ballast


def written(file: FileIO, block: bytes) -> bool:
    """Write a block; tell whether there was room."""
    try:
        file.write(block)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        return False
    return True


pytestmark = pytest.mark.long

PAGE = 4096


@contextmanager
def followed(folder: Path) -> Iterator[Victim]:
    """A data folder with a day of news."""
    with victim(folder, days=3) as made:
        made.work(made.home, [["poll", "--force"], ["inbox"]], inside=True)
        yield made


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Victim]:
    """One for all tests that leave it usable."""
    with followed(tmp_path_factory.mktemp("damage")) as made:
        yield made


@pytest.fixture
def on_small_disk(tmp_path: Path) -> Iterator[Victim]:
    """One on a disk of its own, with 12 MB."""
    with small_disk(tmp_path / "small", 12) as disk, followed(disk) as made:
        yield made


def test_on_a_full_disk_it_says_so_reading_goes_on_and_nothing_is_lost(on_small_disk: Victim, tmp_path: Path) -> None:
    one = on_small_disk
    memory = Memory()
    names = [str(name) for (name,) in one.rows("SELECT id FROM articles ORDER BY seq LIMIT 2")]
    assert list(examine(one, memory, one.work(one.home, [["like", names[0]]]))) == []
    one.work(one.home, [["inbox"]])
    held = one.rows("SELECT count(*) FROM articles")
    ballast = fill(one.folder)
    one.later(hours=12)
    try:
        backup = ["backup", str(one.backups / "full.zip")]
        full = str(one.folder / "full")
        (tmp_path / "feeds.opml").write_text('<opml><body><outline xmlUrl="http://a.example/"/></body></opml>')
        (tmp_path / "liked.html").write_text('<a href="http://a.example/">Chess</a>')
        (tmp_path / "given.jsonl").write_text('{"kind": "iscore", "format": 1}\n')
        for words in (
            ["like", names[1]],
            ["poll", "--force"],
            ["prune", "--keep-days", "2"],
            backup,
            ["rules", "add", "never", "source", "Gazette"],
            ["feeds", "add", "--no-discovery", "http://a.example/"],
            ["feeds", "import", str(tmp_path / "feeds.opml")],
            ["interests", "learn-from", str(tmp_path / "liked.html")],
            ["digest", "--output", f"{full}.html"],
            ["export", f"{full}.jsonl"],
            ["model", "rebuild"],
            ["--home", f"{full}-1", "init"],
            ["--home", f"{full}-2", "import", str(tmp_path / "given.jsonl")],
        ):
            work = one.work(one.home, [words])
            assert work.refused == [(words, 1)], work
            assert "full; make room and try again" in work.complaints, work
            assert str(one.folder) in work.complaints, work
            assert "unexpected" not in work.complaints, work
        assert list(one.backups.iterdir()) == []
        reading = one.work(one.home, [["inbox"], ["show", names[0]], ["status"], ["digest"], ["export", "/dev/null"]])
        assert ["inbox"] in reading.acknowledged, reading
        assert ["show", names[0]] in reading.acknowledged, reading
        assert ["status"] in reading.acknowledged, reading
        assert one.work(one.home, [["doctor", "--quick"]]).refused
    finally:
        ballast.unlink()
    assert one.rows("SELECT count(*) FROM articles") == held
    again = one.work(one.home, [["like", names[1]], ["poll", "--force"], ["inbox"], backup])
    assert again.refused == []
    assert list(examine(one, memory, again)) == []
    with one.opened() as news:
        assert news.models.rebuild(check=True).equal is True


def corrupt(file: Path) -> None:
    with file.open("r+b") as opened:
        opened.seek(2 * PAGE)
        opened.write(b"\xff" * 6 * PAGE)


def foreign(file: Path) -> None:
    file.unlink()
    with closing(sqlite3.connect(file)) as other:
        other.execute("CREATE TABLE recipes (name TEXT)")
        other.commit()


def newer(file: Path) -> None:
    with closing(sqlite3.connect(file)) as raw:
        raw.execute("UPDATE alembic_version SET version_num = '9999'")
        raw.commit()
        raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@pytest.mark.parametrize(
    ("damage", "message", "advice"),
    [
        (corrupt, "is damaged", "iscore restore FILE"),
        (lambda file: file.write_bytes(b"Dear diary"), "another kind of file", "iscore restore FILE"),
        (lambda file: file.write_bytes(b""), "an empty file", "iscore restore FILE"),
        (foreign, "another program's database", "iscore restore FILE"),
        (newer, "update iScore", "update iScore"),
        (lambda file: file.unlink(), "", ""),
    ],
    ids=["corrupt", "no database", "empty", "foreign", "newer", "missing"],
)
def test_what_cannot_be_used_is_named_and_left_alone(
    one: Victim, damage: Callable[[Path], object], message: str, advice: str
) -> None:
    file = one.home / "iscore.db"
    whole = file.read_bytes()
    try:
        damage(file)
        before = file.read_bytes() if file.exists() else b""
        for words in (["inbox"], ["poll"], ["like", "abc"], ["backup", str(one.backups / "other.zip")]):
            work = one.work(one.home, [words])
            if damage is corrupt and words[0] == "like":
                continue  # it need not come upon the page
            assert [code for _, code in work.refused] == [1], words
            assert str(one.home) in work.complaints or "iscore init" in work.complaints
            assert message in work.complaints
            assert "Traceback" not in work.complaints
        assert (file.read_bytes() if file.exists() else b"") == before
        looked = one.work(one.home, [["doctor", "--quick"]])
        assert looked.refused
        assert advice in looked.complaints
    finally:
        for name in ("iscore.db-wal", "iscore.db-shm"):
            with suppress(FileNotFoundError):
                (one.home / name).unlink()
        file.write_bytes(whole)
    assert one.work(one.home, [["inbox"]]).refused == []


BOMB = "cos\nsystem\n(S'touch {}'\ntR."
"""A pickle that runs a command."""


def test_a_saved_state_that_is_a_pickle_is_not_executed_and_made_anew(one: Victim, tmp_path: Path) -> None:
    touched = tmp_path / "touched"
    bomb = BOMB.format(touched).encode()
    name = one.rows("SELECT id FROM articles ORDER BY seq DESC LIMIT 1")[0][0]
    one.work(one.home, [["like", str(name)], ["inbox"]])
    with closing(sqlite3.connect(one.home / "iscore.db")) as raw:
        assert raw.execute("UPDATE snapshots SET state = ?", [bomb]).rowcount
        raw.commit()
    assert one.work(one.home, [["poll", "--force"], ["inbox"], ["status"], ["digest"]]).refused == []
    assert not touched.exists()
    with one.opened() as news:
        assert news.models.rebuild(check=True).equal is True
    assert not touched.exists()
    pickle.loads(bomb)  # that it works
    assert touched.exists()


def test_on_a_protected_disk_reading_goes_on_and_writing_is_refused(on_small_disk: Victim, tmp_path: Path) -> None:
    one = on_small_disk
    ((name,),) = one.rows("SELECT id FROM articles ORDER BY seq LIMIT 1")
    article = str(name)
    assert one.work(one.home, [["like", article]]).refused == []  # nothing has learned it yet
    before = (one.home / "iscore.db").read_bytes()
    protect(one.folder)
    copy = tmp_path / "copy.zip"
    for words in (
        *(["inbox"], ["inbox", "--all"], ["show", article], ["why", article], ["status"], ["stats"], ["feeds", "list"]),
        *(["users", "list"], ["search", "the"], ["rules", "list"], ["mail", "list"]),
        *(["export", str(tmp_path / "all.jsonl")], ["backup", str(copy)]),
    ):
        work = one.work(one.home, [words])
        assert work.refused == [], work
    for words in (
        *(["poll"], ["like", article], ["dislike", article], ["undo", article], ["rules", "add", "never", "word", "x"]),
        *(
            ["run", "--once"],
            ["serve", "--port", "0"],
            ["users", "add", "Eve"],
            ["users", "import", "Eve", str(tmp_path / "all.jsonl")],
        ),
        *(["migrate-database", "--to", "postgresql://nobody@127.0.0.1:1/none"], ["settings", "set", "beta", "2"]),
        ["feeds", "add", "--no-discovery", "http://a.example/"],
    ):
        work = one.work(one.home, [words])
        assert work.refused == [(words, 1)], work
        assert "cannot be written; give yourself write permission" in work.complaints or "Read-only" in work.complaints
        assert "unexpected" not in work.complaints
    assert (one.home / "iscore.db").read_bytes() == before
    assert one.work(tmp_path / "elsewhere", [["restore", str(copy)], ["inbox"]]).refused == []
