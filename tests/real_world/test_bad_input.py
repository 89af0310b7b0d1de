"""Bad input through the real command: one clear line, the right exit code, and nothing changed.

Wrong usage, a missing home and a foreign database are met in ``tests/iscore/cli``; here are files and feeds
that are broken in themselves.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from benchmarks.sample_news import News, NewsServer
from iscore.services.news_filter import NewsFilter
from tests.servers import fork_server

START = datetime(2026, 3, 2, tzinfo=UTC)
NOON = START + timedelta(days=1, hours=12)


@pytest.fixture(scope="module")
def polled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home with one feed, polled."""
    home = tmp_path_factory.mktemp("polled") / "home"
    home.mkdir()
    with NewsServer(News(seed=2, start=START, days=2), at=NOON) as server:
        (home / "config.toml").write_text("allow_private_networks = true\nhost_spacing = 0\n")
        (home / "feeds.yaml").write_text(f"# mine\nfeeds:\n  - url: {server.urls['orrery']}\n")
        with NewsFilter.create(home, clock=lambda: NOON) as news:
            assert news.poll().new_articles > 5
        yield home


@pytest.fixture
def home(polled: Path, tmp_path: Path) -> Path:
    """A copy to break."""
    return Path(shutil.copytree(polled, tmp_path / "home"))


def run(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ISCORE_", "COV_"))}
    settings = {**kept, "ISCORE_NOW": NOON.isoformat(), "PYTHONWARNINGS": "error", "COLUMNS": "200"}
    return fork_server.run("--home", str(home), *arguments, env=settings, timeout=600)


def content(home: Path) -> dict[str, bytes]:
    """All files but SQLite's own log, which comes and goes."""
    return {path.name: path.read_bytes() for path in home.iterdir() if not path.name.endswith(("-wal", "-shm"))}


def refused(home: Path, *arguments: str) -> str:
    """Run a command that must fail with one line and change nothing; return the line."""
    before = content(home)
    done = run(home, *arguments)
    assert (done.returncode, done.stdout) == (1, ""), done
    assert content(home) == before
    (line,) = done.stderr.splitlines()
    assert line.startswith("iscore: ")
    assert "unexpected" not in line
    assert "Traceback" not in line
    return line


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"feeds: [", "feeds.yaml"),
        (b"just words", "feeds.yaml"),
        (b"feeds:\n  - url: ftp://example.org/feed\n", "ftp"),
        (b"feeds:\n  - address: https://example.org/feed\n", "feeds.yaml"),
        (b"\xff\xfe\x00\x01", "feeds.yaml"),
        (b"a: &a [x,x]\nb: &b [*a,*a]\nfeeds: *b\n", "feeds.yaml"),
    ],
    ids=["unfinished", "words", "ftp", "no url", "bytes", "no list of feeds"],
)
def test_a_wrong_list_of_feeds_stops_a_poll(home: Path, text: bytes, message: str) -> None:
    (home / "feeds.yaml").write_bytes(text)
    assert message in refused(home, "poll", "--force")


def test_a_missing_or_unreadable_list_of_feeds(home: Path) -> None:
    (home / "feeds.yaml").unlink()
    assert "feeds.yaml" in refused(home, "feeds", "list")
    (home / "feeds.yaml").mkdir()
    done = run(home, "poll")
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1)
    assert "unexpected" not in done.stderr


def test_a_wrong_list_is_no_beginning(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text("feeds: 7\n")
    new = tmp_path / "new"
    for given in (wrong, tmp_path / "none.yaml"):
        done = run(new, "init", "--feeds", str(given))
        assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (1, "", 1)
        assert given.name in done.stderr
        assert not new.exists()


def test_an_address_that_is_none_is_not_followed(home: Path) -> None:
    refused(home, "feeds", "add", "https://example.org/good", "javascript:alert(1)")


def test_a_damaged_database_is_named_and_left_alone(home: Path) -> None:
    database = home / "iscore.db"
    whole = database.read_bytes()
    database.write_bytes(whole[:4096] + b"\x55" * (len(whole) - 4096))
    assert "iscore.db" in refused(home, "inbox")


@pytest.mark.parametrize("bytes_left", [0, 3000])
def test_a_database_that_was_cut_short_is_named_and_left_alone(home: Path, bytes_left: int) -> None:
    database = home / "iscore.db"
    database.write_bytes(database.read_bytes()[:bytes_left])
    assert "iscore.db" in refused(home, "status")


def test_a_database_of_a_later_version_is_refused(home: Path) -> None:
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(home / "iscore.db")) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    assert "has schema 9999" in refused(home, "like", "abcdefgh")


def test_an_unknown_id_is_named(home: Path) -> None:
    assert "'nosuchid'" in refused(home, "why", "nosuchid")


def test_only_feeds_that_are_none_fail_a_poll(home: Path) -> None:
    page = "http://127.0.0.1:9/nobody-listens.xml"
    (home / "feeds.yaml").write_text(f"feeds:\n  - url: {page}\n")
    done = run(home, "poll", "--json")
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert page in line
    assert run(home, "inbox", "--json").stdout.count('"id"') > 5
