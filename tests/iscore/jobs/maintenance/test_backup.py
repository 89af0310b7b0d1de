"""Backups: of a home in use, checked, private, and never over something else."""

import io
import json
import sqlite3
import stat
import subprocess
import sys
import zipfile
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from iscore.core.data_folder import DataFolder
from iscore.core.errors import DataFolderError
from iscore.jobs.maintenance.archive import Archive, BackupError
from iscore.jobs.maintenance.backup import back_up
from iscore.jobs.maintenance.restore import restore
from iscore.services.people.accounts import Accounts
from storage.engine.errors import DatabaseBusy, NotADatabase
from storage.opening.database import open_database
from storage.records.users import LOCAL_USER, Kind
from storage.schema import REVISIONS
from tests.iscore.conftest import Archive as Filled
from tests.iscore.conftest import Piece
from tests.storage.next_program import NEXT, next_program

AT = datetime(2026, 3, 9, 7, 30, tzinfo=UTC)

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
def home(archive: Filled, pieces: list[Piece]) -> DataFolder:
    """Ten articles, three verdicts, settings and a feed."""
    archive.store(pieces[:10])
    archive.say(Kind.LIKE, 1, 2, 3)
    archive.home.config.write_text("inbox_days = 9\n")
    archive.database.close()
    return archive.home


def _rows(database: Path, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(database)) as connection:
        return connection.execute(query).fetchall()


def _dump(database: Path) -> list[str]:
    with closing(sqlite3.connect(database)) as connection:
        return list(connection.iterdump())


def test_what_was_backed_up_comes_back_byte_for_byte(home: DataFolder, tmp_path: Path) -> None:
    before = _dump(home.database)
    view = back_up(home, tmp_path / "copy.zip", at=AT)
    assert (view.articles, view.verdicts, view.feeds) == (10, 3, 1)
    other = DataFolder(tmp_path / "new" / "home")
    restored = restore(other, tmp_path / "copy.zip", at=AT)
    assert (restored.articles, restored.verdicts, restored.feeds, restored.made, restored.kept) == (10, 3, 1, AT, ())
    assert _dump(other.database) == before
    assert other.config.read_text() == "inbox_days = 9\n"
    assert other.feeds.read_bytes() == home.feeds.read_bytes()
    assert sorted(path.name for path in other.path.iterdir()) == ["config.toml", "feeds.yaml", "iscore.db"]
    assert _rows(other.database, "PRAGMA journal_mode") == [("wal",)]


def test_a_restore_signs_everybody_out(home: DataFolder, tmp_path: Path) -> None:
    """A session or an invitation of the backup may have been ended since."""
    with open_database(home.database) as database:
        accounts = Accounts(database, lambda: AT)
        accounts.start_session(LOCAL_USER, "secret", "Firefox")
        invitation = accounts.invite(LOCAL_USER, "Anna")
    back_up(home, tmp_path / "copy.zip", at=AT)
    restore(home, tmp_path / "copy.zip", at=AT)
    with open_database(home.database) as database:
        accounts = Accounts(database, lambda: AT)
        assert accounts.present("secret").signed_in is None
        assert accounts.invitation(invitation) is None


def test_only_the_owner_may_read_it(home: DataFolder, tmp_path: Path) -> None:
    back_up(home, tmp_path / "copy.zip", at=AT)
    assert stat.S_IMODE((tmp_path / "copy.zip").stat().st_mode) == 0o600
    restore(DataFolder(tmp_path / "other"), tmp_path / "copy.zip", at=AT)
    for path in (tmp_path / "other").iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "other").stat().st_mode) == 0o700


def test_nothing_is_overwritten_unless_it_is_said(home: DataFolder, tmp_path: Path) -> None:
    file = tmp_path / "precious.txt"
    file.write_text("mine")
    with pytest.raises(BackupError, match="exists already"):
        back_up(home, file, at=AT)
    assert file.read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home", "precious.txt"]
    back_up(home, file, at=AT, replace=True)
    assert zipfile.is_zipfile(file)


def test_in_a_folder_it_gets_a_name_with_the_time(home: DataFolder, tmp_path: Path) -> None:
    assert back_up(home, tmp_path, at=AT).file == tmp_path / "iscore-2026-03-09-073000.zip"
    with pytest.raises(BackupError, match="no such folder"):
        back_up(home, tmp_path / "nowhere" / "copy.zip", at=AT)
    with pytest.raises(DataFolderError):
        back_up(DataFolder(tmp_path / "no-home"), tmp_path / "copy.zip", at=AT)


def test_a_damaged_database_is_no_backup(home: DataFolder, tmp_path: Path) -> None:
    with home.database.open("r+b") as file:
        file.seek(4096 * 2)
        file.write(b"\xff" * 4096 * 6)
    with pytest.raises(Exception, match="damaged"):
        back_up(home, tmp_path / "copy.zip", at=AT)
    assert [path.name for path in tmp_path.iterdir()] == ["home"]


def test_it_is_one_moment_of_a_database_that_a_poll_is_writing_to(archive: Filled, tmp_path: Path) -> None:
    poll = subprocess.Popen([sys.executable, "-c", POLLS, archive.home.database], stdout=subprocess.PIPE, text=True)
    assert poll.stdout is not None
    try:
        counts = []
        for number in range(3):
            after = int(poll.stdout.readline())
            view = back_up(archive.home, tmp_path / f"{number}.zip", at=AT)
            assert view.articles % 20 == 0
            assert view.articles >= 20 * (after + 1)
            counts.append(view.articles)
        assert counts == sorted(counts)
        assert counts[-1] > counts[0]
        # While the poll has the database open, nothing may be put in its place.
        with pytest.raises(DatabaseBusy):
            restore(archive.home, tmp_path / "0.zip", at=AT)
        assert poll.poll() is None
    finally:
        poll.kill()
        poll.wait()
        poll.stdout.close()
    archive.database.close()
    restored = restore(archive.home, tmp_path / "0.zip", at=AT)
    assert restored.articles == counts[0]
    query = "SELECT count(*), count(text) FROM articles LEFT JOIN texts USING (seq)"
    assert _rows(archive.home.database, query) == [(counts[0], counts[0])]
    (kept,) = restored.kept
    assert _rows(kept, "SELECT count(*) FROM articles")[0][0] >= counts[-1]  # type: ignore[operator]
    assert _rows(kept, "PRAGMA integrity_check") == [("ok",)]


def test_what_a_restore_replaces_stays(home: DataFolder, tmp_path: Path) -> None:
    back_up(home, tmp_path / "copy.zip", at=AT)
    with closing(sqlite3.connect(home.database)) as connection, connection:
        connection.execute(
            "INSERT INTO feedback (user_id, id, seq, story, kind, at) VALUES (1, 'late', 4, 4, 'like', 1)"
        )
    home.config.write_text("inbox_days = 30\n")
    for number in (1, 2):  # within one second
        view = restore(home, tmp_path / "copy.zip", at=AT)
        assert view.verdicts == 3
        assert len(view.kept) == (2 if number == 1 else 1)  # feeds.yaml was the same all the time
        if number == 1:
            first = view.kept
    assert first[0].name == "iscore.db.before-restore-20260309-073000"
    assert _rows(first[0], "SELECT count(*) FROM feedback") == [(4,)]
    assert first[1].read_text() == "inbox_days = 30\n"
    assert home.config.read_text() == "inbox_days = 9\n"
    assert (home.path / "iscore.db.before-restore-20260309-073000-2").exists()


def test_a_restore_helps_where_the_database_is_beyond_reading(home: DataFolder, tmp_path: Path) -> None:
    back_up(home, tmp_path / "copy.zip", at=AT)
    home.database.write_bytes(b"not a database any more" * 1000)
    home.database.with_name("iscore.db-wal").write_bytes(b"a log of something")
    view = restore(home, tmp_path / "copy.zip", at=AT)
    assert view.verdicts == 3
    assert view.kept[0].read_bytes().startswith(b"not a database")
    assert view.kept[0].with_name(view.kept[0].name + "-wal").read_bytes() == b"a log of something"
    assert not home.database.with_name("iscore.db-wal").exists()


def _altered(copy: Path, target: Path, **changes: bytes | None) -> Path:
    """Write a copy of a backup in which members are other ones; None leaves one out."""
    with zipfile.ZipFile(copy) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        members = {name: old.read(name) for name in old.namelist()}
        for name, content in {**members, **changes}.items():
            if content is not None:
                new.writestr(name, content)
    return target


def _with_database(copy: Path, target: Path, database: bytes) -> Path:
    """Write a copy of a backup with another database, and a list that agrees with it."""
    import hashlib

    with zipfile.ZipFile(copy) as old:
        about = json.loads(old.read("backup.json"))
    about["files"]["iscore.db"] = {"bytes": len(database), "sha256": hashlib.sha256(database).hexdigest()}
    return _altered(copy, target, **{"iscore.db": database, "backup.json": json.dumps(about).encode()})


def _database(home: DataFolder, *statements: str) -> bytes:
    copy = home.path / "other.db"
    with closing(sqlite3.connect(home.database)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)
        for statement in statements:
            target.execute(statement)
        target.commit()
        target.execute("PRAGMA journal_mode = DELETE")
    content = copy.read_bytes()
    copy.unlink()
    return content


def test_hostile_and_damaged_archives_are_refused_and_the_home_is_left_alone(home: DataFolder, tmp_path: Path) -> None:
    copy = tmp_path / "copy.zip"
    back_up(home, copy, at=AT)
    bad = tmp_path / "bad.zip"
    about = json.loads(zipfile.ZipFile(copy).read("backup.json"))
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("backup.json", json.dumps(about))
        with archive.open("iscore.db", "w", force_zip64=True) as member:
            for _ in range(80):
                member.write(bytes(1 << 20))
    whole = copy.read_bytes()
    liar = dict(about, files=dict(about["files"], **{"iscore.db": {"bytes": 100, "sha256": "0" * 64}}))
    cases = {
        "traversal": _altered(copy, bad, **{"../../evil": b"x"}).read_bytes(),
        "absolute": _altered(copy, bad, **{"/etc/cron.d/evil": b"x"}).read_bytes(),
        "stranger": _altered(copy, bad, **{"iscore.db-wal": b"x"}).read_bytes(),
        "no list": _altered(copy, bad, **{"backup.json": None}).read_bytes(),
        "no database": _altered(copy, bad, **{"iscore.db": None}).read_bytes(),
        "newer format": _altered(
            copy, bad, **{"backup.json": json.dumps(about | {"version": 2}).encode()}
        ).read_bytes(),
        "other list": _altered(copy, bad, **{"backup.json": b"[]"}).read_bytes(),
        "deep list": _altered(copy, bad, **{"backup.json": b"[" * 100_000}).read_bytes(),
        "liar": _altered(copy, bad, **{"backup.json": json.dumps(liar).encode()}).read_bytes(),
        "other settings": _altered(copy, bad, **{"config.toml": b"contact = 'evil'"}).read_bytes(),
        "huge settings": _altered(copy, bad, **{"config.toml": b"#" * 20_000_000}).read_bytes(),
        "bomb": bomb.getvalue(),
        "truncated": whole[: len(whole) // 2],
        "no archive": b"feeds: []",
        "flipped": whole[:2000] + bytes([whole[2000] ^ 1]) + whole[2001:],
        "foreign database": _with_database(copy, bad, _database(home, "PRAGMA application_id = 7")).read_bytes(),
        "foreign trigger": _with_database(
            copy,
            bad,
            _database(home, "CREATE TRIGGER t AFTER INSERT ON articles BEGIN DELETE FROM texts; END"),
        ).read_bytes(),
        "newer schema": _with_database(
            copy, bad, _database(home, "UPDATE alembic_version SET version_num = '9999'")
        ).read_bytes(),
        "fewer rows": _with_database(copy, bad, _database(home, "DELETE FROM texts")).read_bytes(),
        "dangling": _with_database(
            copy, bad, _database(home, "INSERT INTO texts VALUES (99, 'of no article')")
        ).read_bytes(),
    }
    reasons = {
        "traversal": "it has '../../evil'",
        "no list": "manifest or its database is missing",
        "newer format": "newer iScore",
        "liar": "does not match the manifest",
        "other settings": "does not match the manifest",
        "huge settings": "too",
        "bomb": "to unpack to 83,886,080 bytes",
        "foreign database": "another program",
        "foreign trigger": "another program",
        "newer schema": "newer iScore",
        "fewer rows": "does not match its manifest",
        "dangling": "is incomplete",
    }
    names = {path.name: path.read_bytes() for path in home.path.iterdir()}
    for name, content in cases.items():
        bad.write_bytes(content)
        with pytest.raises(BackupError) as caught:
            restore(home, bad, at=AT)
        assert "\n" not in str(caught.value), name
        assert reasons.get(name, "") in str(caught.value), name
        assert {path.name: path.read_bytes() for path in home.path.iterdir()} == names, name
    with zipfile.ZipFile(bad, "w") as archive:
        archive.writestr("iscore.db", b"x")
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("iscore.db", b"y")
    with pytest.raises(BackupError, match=r"it has 'iscore\.db'"):
        restore(home, bad, at=AT)
    with pytest.raises(BackupError, match="no such file"):
        restore(home, tmp_path / "none.zip", at=AT)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.zip", "copy.zip", "home"]
    restore(home, copy, at=AT)


def test_an_archive_that_was_not_changed_verifies(home: DataFolder, tmp_path: Path) -> None:
    back_up(home, tmp_path / "copy.zip", at=AT)
    with Archive(tmp_path / "copy.zip") as archive:
        archive.verify()
        assert archive.manifest.rows["feedback"] == 3


def test_an_older_schema_is_brought_up_to_date(
    home: DataFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    next_program(monkeypatch, tmp_path / "migrations")
    view = back_up(home, tmp_path / "old.zip", at=AT)
    assert view.schema == REVISIONS[-1]
    restored = restore(DataFolder(tmp_path / "new"), tmp_path / "old.zip", at=AT)
    assert (restored.articles, restored.verdicts) == (view.articles, view.verdicts)
    assert _rows(tmp_path / "new" / "iscore.db", "SELECT version_num FROM alembic_version") == [(NEXT,)]
    assert _rows(tmp_path / "new" / "iscore.db", "SELECT id FROM shelves") == [(1,)]


def test_a_backup_from_before_the_first_schema_says_what_to_do(home: DataFolder, tmp_path: Path) -> None:
    copy, bad = tmp_path / "copy.zip", tmp_path / "bad.zip"
    back_up(home, copy, at=AT)
    _with_database(copy, bad, _database(home, "UPDATE alembic_version SET version_num = '0036'"))
    with pytest.raises(BackupError, match=r"schema 0036; unpack it .* scripts/rename_earlier_database\.py"):
        restore(home, bad, at=AT)


def test_another_programs_database_is_not_backed_up(tmp_path: Path) -> None:
    (tmp_path / "iscore.db").write_bytes(b"something else")
    with pytest.raises(NotADatabase):
        back_up(DataFolder(tmp_path), tmp_path / "copy.zip", at=AT)
