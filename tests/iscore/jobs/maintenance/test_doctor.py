"""The doctor finds what was broken on purpose, says what to do, and finds nothing in a home that is well."""

import json
import os
import re
import subprocess
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from extractors.text import meaning
from iscore.cli.operating.maintenance import checkup_table
from iscore.core.clock import EARLIEST, LATEST
from iscore.core.data_folder import DataFolder
from iscore.core.errors import DataFolderError
from iscore.jobs.maintenance import doctor
from iscore.jobs.maintenance.checks import CheckupView, State
from iscore.jobs.maintenance.doctor import examine
from iscore.services.learning.model_store import ModelStore
from iscore.services.session.extractors import ENCODER_PACKAGE
from storage.log import snapshots
from storage.opening.database import Database
from storage.opening.diagnostics import has_wal_reset_bug
from storage.people import users
from storage.records.users import LOCAL_USER, Kind, Snapshot
from storage.stream import feeds
from tests.iscore.conftest import START, Archive, Piece
from tests.made_up_encoder import installed
from tests.new_database import new_database
from tests.servers import fork_server
from tests.storage.next_program import next_program

NOW = START + timedelta(hours=1)


def _said(view: CheckupView, name: str) -> tuple[State, str, str]:
    (check,) = [check for check in view.checks if check.name == name]
    return check.state, check.found, check.next


def _examined(home: DataFolder, now: datetime = NOW) -> CheckupView:
    return examine(home, now=now, quick=True)


@pytest.fixture
def polled(archive: Archive, pieces: list[Piece]) -> Archive:
    """Ten articles of a feed that was asked an hour ago."""
    archive.store(pieces[:10])
    _state(archive.database, last_attempt=START, last_success=START)
    archive.home.path.chmod(0o700)
    return archive


def _state(database: Database, **changes: object) -> None:
    """Write another state of the one feed, as a poll does."""
    from dataclasses import replace

    from storage.records.feeds import FetchRecord

    with database.write() as tx:
        feed = feeds.overview(tx, LOCAL_USER)[0].feed
        feeds.record(tx, [FetchRecord(replace(feed, **changes), (), START)])  # type: ignore[arg-type]


def test_a_home_that_is_well(filled: Archive) -> None:
    _state(filled.database, last_attempt=START)
    filled.home.path.chmod(0o700)
    leaders = [article.seq for article in filled.leaders()]
    filled.say(Kind.LIKE, *leaders[:3])
    view = examine(filled.home, now=NOW)
    names = [
        "permissions",
        "settings",
        "subscriptions",
        "rules",
        "sqlite",
        "disk",
        "leftovers",
        "database",
        "schema",
        "lock",
    ]
    names += ["clock", "polls", "feeds", "mail", "encoder", "model", "extractors"]
    assert [check.name for check in view.checks] == names
    assert {check.state for check in view.checks} == {State.OK}
    learns = "it learns from 3 likes, dislikes, interests and examples"
    assert _said(view, "model")[1] == f"equals a replay of the log; {learns}"
    assert _said(view, "database")[1] == "intact; 60 articles, 3 log entries"


def test_the_encoder(filled: Archive) -> None:
    assert ENCODER_PACKAGE == meaning.PACKAGE
    assert _said(examine(filled.home, now=NOW), "encoder")[0] is State.OK
    with installed() as name:
        assert _said(examine(filled.home, now=NOW), "encoder")[:2] == (State.OK, f"{name} loads")
    with installed(broken=True) as name:
        view = examine(filled.home, now=NOW)
    state, found, _ = _said(view, "encoder")
    assert (state, found) == (State.ATTENTION, f"{name}: its weights are missing (weights.npz)")
    assert _said(view, "extractors")[0] is State.OK


def test_a_model_that_does_not_follow_from_the_log(filled: Archive) -> None:
    leaders = [article.seq for article in filled.leaders()]
    filled.say(Kind.LIKE, *leaders[:3])
    keeper: ModelStore = filled.news.models
    kept = keeper.load()
    with filled.database.write() as tx:
        keeper.save(tx, kept)
        (row,) = snapshots.sequences(tx, LOCAL_USER)
    filled.say(Kind.DISLIKE, leaders[5])
    other = keeper.load()
    with filled.database.write() as tx:
        keeper.save(tx, other)
        wrong = snapshots.newest(tx, LOCAL_USER, fingerprint=keeper.fingerprint, up_to=row)
        assert wrong is not None
        snapshots.save(tx, Snapshot(LOCAL_USER, other.row, wrong.fingerprint, wrong.state))
    view = examine(filled.home, now=NOW)
    assert _said(view, "model") == (State.BROKEN, "differs from a replay of the verdicts", "iscore model rebuild")
    assert view.state is State.BROKEN
    with filled.database.write() as tx:
        users.add(tx, "Anna", 0)
        users.rename(tx, LOCAL_USER, "Ben Lind")
    _, found, next_ = _said(examine(filled.home, now=NOW), "model")
    assert (found, next_) == (
        "that of Ben Lind differs from a replay of the verdicts",
        "iscore --user 'Ben Lind' model rebuild",
    )


def test_settings_and_subscriptions_with_mistakes(polled: Archive) -> None:
    polled.home.config.write_text("inbx_days = 7\n")
    polled.home.feeds.write_text("feeds:\n  - ulr: https://news.example/\n")
    view = _examined(polled.home)
    assert _said(view, "settings")[0] is _said(view, "subscriptions")[0] is State.BROKEN
    assert "inbx_days" in _said(view, "settings")[1]
    polled.home.feeds.write_text("feeds: []\n")
    assert _said(_examined(polled.home), "subscriptions")[0] is State.ATTENTION
    polled.home.feeds.write_text("feeds:\n- https://a.example/\n- feed://A.example\n")
    state, found, _ = _said(_examined(polled.home), "subscriptions")
    assert state is State.ATTENTION
    assert "line 3: duplicate of line 2" in found


PERMISSIONS = """
import os, sys
from pathlib import Path
from iscore.core.data_folder import DataFolder
from iscore.jobs.maintenance.checks import permissions
if os.getuid() == 0:  # who may do everything
    os.setresuid(65534, 65534, 65534)
print(permissions(DataFolder(Path(sys.argv[1]))).next)
"""


@pytest.mark.skipif(os.name != "posix", reason="rights of POSIX")
@pytest.mark.parametrize("owner_is_right", [True, False])
def test_a_file_that_its_owner_cannot_read_needs_no_other_owner(owner_is_right: bool) -> None:
    if not owner_is_right and os.getuid() != 0:
        pytest.skip("only root gives files away")
    with tempfile.TemporaryDirectory() as folder:  # nobody may enter that of pytest
        home = Path(folder)
        (home / "feeds.yaml").write_text("feeds: []\n")
        if os.getuid() == 0:
            os.chown(home, 65534, -1)
            os.chown(home / "feeds.yaml", 65534 if owner_is_right else 65533, -1)
        (home / "feeds.yaml").chmod(0)
        done = subprocess.run(
            [sys.executable, "-c", PERMISSIONS, folder], capture_output=True, text=True, timeout=600, check=True
        )
    remedy = f"chmod u+rwX {home}/feeds.yaml" if owner_is_right else f"chown -R $USER {home}"
    assert done.stdout == f"{remedy}\n"


@pytest.mark.skipif(os.name != "posix", reason="rights of POSIX")
def test_others_may_read(polled: Archive) -> None:
    polled.home.path.chmod(0o755)
    polled.home.feeds.chmod(0o644)
    state, found, next_ = _said(_examined(polled.home), "permissions")
    assert (state, next_) == (State.ATTENTION, f"chmod 700 {polled.home.path}")
    assert "feeds.yaml" in found
    polled.home.path.chmod(0o700)
    assert _said(_examined(polled.home), "permissions")[0] is State.OK


def test_a_damaged_file_ends_the_examination(polled: Archive) -> None:
    polled.database.close()
    with polled.home.database.open("r+b") as file:
        file.seek(4096 * 2)
        file.write(b"\xff" * 4096 * 6)
    view = _examined(polled.home)
    assert (view.state, view.checks[-1].name) == (State.BROKEN, "database")
    assert "iscore restore" in view.checks[-1].next
    polled.home.database.write_bytes(b"something else entirely")
    assert _said(_examined(polled.home), "database")[0] is State.BROKEN


def test_a_reference_to_nothing_is_damage(polled: Archive) -> None:
    with polled.database.write() as tx:
        tx.connection.exec_driver_sql("PRAGMA defer_foreign_keys = ON")
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(polled.home.database)) as connection, connection:
        connection.execute("INSERT INTO texts VALUES (99, 'of no article')")
    state, found, _ = _said(_examined(polled.home), "database")
    assert state is State.BROKEN
    assert "texts refers to something missing in articles" in found


def test_the_clock(polled: Archive) -> None:
    assert _said(_examined(polled.home, START - timedelta(days=3)), "clock")[0] is State.ATTENTION
    for impossible in (EARLIEST, LATEST):
        assert _said(_examined(polled.home, impossible), "clock")[0] is State.BROKEN
    assert _said(_examined(polled.home, START - timedelta(minutes=1)), "clock")[0] is State.OK


def test_articles_from_a_later_day_are_their_feed_s_mistake(archive: Archive, pieces: list[Piece]) -> None:
    from dataclasses import replace

    archive.store([replace(pieces[0], published=NOW + timedelta(days=400))])
    state, found, _ = _said(_examined(archive.home), "clock")
    assert (state, "1 article" in found) == (State.OK, True)


def test_polls_and_feeds(polled: Archive) -> None:
    view = _examined(polled.home)
    assert (_said(view, "polls")[:2], _said(view, "feeds")[0]) == ((State.OK, "last poll 1 h ago"), State.OK)
    assert _said(_examined(polled.home, START + timedelta(days=3)), "polls")[0] is State.ATTENTION
    _state(polled.database, failures=3, error="the server answered 503")
    assert _said(_examined(polled.home), "feeds")[:2] == (State.ATTENTION, "1 feed, 1 failing")
    _state(polled.database, gone_since=START)
    assert _said(_examined(polled.home), "feeds")[1] == "1 feed, 1 gone for good (410)"


def test_what_interrupted_commands_left(polled: Archive) -> None:
    left = polled.home.path / "iscore.db.unfinished-4711"
    left.write_bytes(b"")
    assert _said(examine(polled.home, now=datetime.now(UTC), quick=True), "leftovers")[0] is State.OK
    os.utime(left, (0, 0))
    state, found, _ = _said(_examined(polled.home), "leftovers")
    assert (state, left.name in found) == (State.ATTENTION, True)


def test_a_process_that_does_not_finish(polled: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "PATIENCE", 0.2)
    hold = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None); c.execute('BEGIN IMMEDIATE')"
    hold += "; print('held', flush=True); sys.stdin.read()"
    command = [sys.executable, "-c", hold, str(polled.home.database)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        assert _said(_examined(polled.home), "lock")[0] is State.ATTENTION
        holder.communicate("")
    assert _said(_examined(polled.home), "lock")[0] is State.OK


def test_an_older_schema_is_left_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = DataFolder(tmp_path / "home")
    home.path.mkdir(0o700)
    new_database(home.database).close()
    home.feeds.write_text("feeds: []\n")
    before = home.database.read_bytes()
    next_program(monkeypatch, tmp_path / "migrations")
    view = _examined(home)
    assert _said(view, "schema")[0] is State.ATTENTION
    assert home.database.read_bytes() == before


@pytest.mark.parametrize(
    ("version", "bug"),
    [
        ((3, 6, 23), False),
        ((3, 7, 0), True),
        ((3, 40, 1), True),
        ((3, 44, 5), True),
        ((3, 44, 6), False),
        ((3, 45, 0), True),
        ((3, 50, 6), True),
        ((3, 50, 7), False),
        ((3, 51, 2), True),
        ((3, 51, 3), False),
        ((3, 53, 0), False),
    ],
)
def test_versions_of_sqlite_with_the_wal_reset_bug(version: tuple[int, int, int], bug: bool) -> None:
    assert has_wal_reset_bug(version) is bug


def test_the_command_fails_only_for_what_is_broken(polled: Archive, tmp_path: Path) -> None:
    polled.database.close()
    environment = {**os.environ, "ISCORE_NOW": NOW.isoformat()}

    def doctor(*options: str) -> subprocess.CompletedProcess[str]:
        return fork_server.run(
            "--home", str(polled.home.path), "doctor", "--quick", *options, env=environment, timeout=600
        )

    done = doctor("--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["checks"][0] == {
        "name": "permissions",
        "state": "ok",
        "found": "private",
        "next": "",
    }
    polled.home.config.write_text("inbx_days = 7\n")
    done = doctor()
    assert done.returncode == 1
    assert re.search(r"^broken +settings", done.stdout, re.MULTILINE)
    with pytest.raises(DataFolderError):
        examine(DataFolder(tmp_path / "nowhere"), now=NOW)


def test_a_line_of_foreign_text_stays_one_line(polled: Archive) -> None:
    polled.home.config.write_text('"a\\nb" = 7\n')
    shown = list(checkup_table(_examined(polled.home)).columns[2].cells)
    assert any("a\\nb" in str(cell) for cell in shown)
    assert not any("\n" in str(cell) for cell in shown)
