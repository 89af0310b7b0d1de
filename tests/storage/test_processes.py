"""Several processes at once, and processes that are killed."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from storage.opening.database import open_database
from storage.opening.sqlite_database import SqliteDatabase
from storage.people import users
from storage.records.users import LOCAL_USER
from storage.stream import articles
from tests.servers import fork_server
from tests.servers.fork_server import Process
from tests.storage.conftest import Newsroom, log

VERDICTS = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from storage.log import feedback
from storage.opening.database import open_database
from storage.records.users import Kind, Verdict

path, name, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
database = open_database(path)
for number in range(count):
    with database.write(durable=True) as tx:
        before = feedback.last_row(tx, 1)  # read, then write: what fails when the lock comes late
        said = Verdict(f"{name}-{number}", 1, before % 3 + 1, Kind.LIKE, datetime.now(UTC))
        assert feedback.append(tx, [said])[0][0]
    print(said.id, flush=True)
"""

POLLS = """
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from storage.stream import feeds
from storage.opening.database import open_database
from storage.records.feeds import FetchRecord
from storage.records.articles import NewArticle

database = open_database(Path(sys.argv[1]))
for number in range(100_000):
    with database.write() as tx:
        feed = feeds.overview(tx, 1)[0].feed
        entries = tuple(
            NewArticle(f"{number}-{i}", "", "t", "", (), "text " * 500, "", None, 0, 0, b"h" * 16) for i in range(20)
        )
        feeds.record(tx, [FetchRecord(replace(feed, etag=str(number)), entries, datetime.now(UTC))])
    print(number, flush=True)
"""


@pytest.fixture
def database(sqlite_database: SqliteDatabase) -> SqliteDatabase:
    """A file: this is about what only files have."""
    return sqlite_database


def start(code: str, *arguments: object) -> Process:
    return fork_server.start(*map(str, arguments), program=code, env=os.environ)


def kill_after(process: Process, seconds: float) -> list[str]:
    """Wait for the first line, then a moment, then kill; give all complete lines."""
    assert process.stdout is not None
    first = process.stdout.readline()
    time.sleep(seconds)
    process.send_signal(signal.SIGKILL)
    rest, _ = process.communicate()
    return [line for line in (first + rest).split("\n")[:-1] if line]


def test_four_writers_at_once_lose_nothing_and_never_fail(newsroom: Newsroom, database: SqliteDatabase) -> None:
    newsroom.articles(3)
    writers = [start(VERDICTS, database.path, f"writer{number}", 40) for number in range(4)]
    for writer in writers:
        _, complaints = writer.communicate(timeout=600)
        assert (writer.returncode, complaints) == (0, "")
    with database.read() as tx:
        acknowledged = log(tx)
    assert [row[0] for row in acknowledged] == list(range(1, 161))
    assert [row[2] for row in acknowledged] == [before % 3 + 1 for before in range(160)]


def test_a_killed_reader_keeps_every_acknowledged_verdict(newsroom: Newsroom, database: SqliteDatabase) -> None:
    newsroom.articles(3)
    acknowledged: list[str] = []
    for attempt in range(4):
        acknowledged += kill_after(start(VERDICTS, database.path, f"run{attempt}", 100_000), 0.02 * attempt)
    with database.read() as tx:
        kept = [row[1] for row in log(tx)]
    assert len(acknowledged) >= 4
    assert set(acknowledged) <= set(kept)
    assert len(kept) <= len(acknowledged) + 4
    assert database.integrity() == []


def test_a_killed_poll_leaves_whole_rounds(newsroom: Newsroom, database: SqliteDatabase) -> None:
    for attempt in range(3):
        lines = kill_after(start(POLLS, database.path), 0.03 * attempt)
        with database.read() as tx:
            count = articles.count(tx, LOCAL_USER)
            etag = tx.connection.exec_driver_sql("SELECT etag FROM feeds").scalar_one()
            texts = tx.connection.exec_driver_sql("SELECT count(*) FROM texts").scalar_one()
        assert count == texts
        assert count % 20 == 0
        assert int(etag) >= int(lines[-1])
        assert database.integrity() == []


def test_a_process_killed_while_creating_leaves_no_database(tmp_path: Path) -> None:
    code = (
        "import os, signal, sys; from pathlib import Path; from storage.opening import database\n"
        "from storage.people import users\n"
        "users.add = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)\n"
        "database.open_database(Path(sys.argv[1]), create=True)"
    )
    process = start(code, tmp_path / "iscore.db")
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert not (tmp_path / "iscore.db").exists()


def test_who_opens_it_twice_in_a_process_keeps_the_log(tmp_path: Path) -> None:
    """Else the second one takes the first one's locks, and the next process that closes it deletes the log in use."""
    path = tmp_path / "iscore.db"
    looked = (
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); "
        "print(*c.execute('SELECT count(*) FROM users')); c.close()"
    )
    with open_database(path, create=True) as database:
        with database.read() as tx:
            users.get(tx, LOCAL_USER)
        open_database(path).close()
        for number in (1, 2):
            done = subprocess.run([sys.executable, "-c", looked, str(path)], capture_output=True, text=True, check=True)
            assert done.stdout == f"({number},)\n"
            with database.write() as tx:
                users.add(tx, f"reader {number}", seed=0)
