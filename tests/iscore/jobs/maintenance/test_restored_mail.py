"""After a restore, no digest is mailed twice."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from iscore.core.data_folder import DataFolder
from iscore.core.file_access import LockedError, exclusive_lock
from iscore.jobs.mail.errors import MailDelayedError, MailSentError, MailUncertainError
from iscore.jobs.mail.outbox import Outbox
from iscore.jobs.mail.sender import MailSender
from iscore.jobs.maintenance.backup import back_up
from iscore.jobs.maintenance.restore import restore
from iscore.services.news_filter import NewsFilter
from storage.opening.sqlite_database import SqliteDatabase
from storage.records.deliveries import Mailing, MailState
from storage.records.users import LOCAL_USER

SIX = datetime(2026, 3, 9, 6, tzinfo=UTC)
EIGHT = SIX + timedelta(hours=2)
TODAY, BEFORE = "2026-03-09", "2026-03-08"
SETTINGS = """
mail_to = "you@example.org"
mail_host = "127.0.0.1"
mail_port = 1
mail_security = "none"
time_zone = "UTC"
"""


@pytest.fixture
def home(tmp_path: Path) -> DataFolder:
    """A data folder that mails its digest at seven, UTC."""
    made = DataFolder(tmp_path / "home")
    feeds = tmp_path / "feeds.yaml"
    feeds.write_text("feeds: []\n")
    NewsFilter.create(made.path, feeds).close()
    made.config.write_text(SETTINGS)
    return made


def mailed(home: DataFolder, digest: str, at: datetime) -> None:
    with SqliteDatabase(home.database) as database:
        outbox = Outbox(database, LOCAL_USER)
        waiting = outbox.open(digest, "you@example.org", f"<{digest}@example.org>", at)
        outbox.sent(outbox.sending(waiting, "you@example.org", at), at, by_hand=False)


def waits(home: DataFolder, digest: str, at: datetime) -> None:
    with SqliteDatabase(home.database) as database:
        outbox = Outbox(database, LOCAL_USER)
        waiting = outbox.open(digest, "you@example.org", f"<{digest}@example.org>", at)
        outbox.not_sent(waiting, at, MailDelayedError("the server is down"), again=True)


def states(home: DataFolder) -> dict[str, MailState]:
    with SqliteDatabase(home.database) as database:
        return {each.digest: each.state for each in Outbox(database, LOCAL_USER).newest(9)}


def test_mail_sent_after_the_backup_is_not_sent_again(home: DataFolder, tmp_path: Path) -> None:
    waits(home, BEFORE, SIX)
    back_up(home, tmp_path / "copy.zip", at=SIX)
    mailed(home, BEFORE, SIX + timedelta(minutes=5))
    mailed(home, TODAY, EIGHT)
    view = restore(home, tmp_path / "copy.zip", at=EIGHT)
    assert view.uncertain == ()
    assert states(home) == {TODAY: MailState.SENT, BEFORE: MailState.SENT}
    with NewsFilter.open(home.path, clock=lambda: EIGHT) as news, pytest.raises(MailSentError):
        MailSender.of(news).send()
    assert sorted(path.name for path in home.path.glob(".*")) == []


@pytest.mark.parametrize("damaged", [True, False], ids=["damaged", "another machine"])
def test_waiting_mail_is_uncertain_without_the_old_database(home: DataFolder, tmp_path: Path, *, damaged: bool) -> None:
    waits(home, BEFORE, SIX)
    back_up(home, tmp_path / "copy.zip", at=SIX)
    target = home if damaged else DataFolder(tmp_path / "other")
    if damaged:
        home.database.write_bytes(b"no database any more" * 1000)
    view = restore(target, tmp_path / "copy.zip", at=EIGHT)
    assert view.uncertain == (BEFORE,)
    assert states(target) == {BEFORE: MailState.UNCERTAIN}
    if not damaged:  # a backup of another folder switches no mail on
        target.config.write_text(home.config.read_text())
    with NewsFilter.open(target.path, clock=lambda: EIGHT) as news:
        assert f"mail send --date {BEFORE} --again" in MailSender.of(news).problem()
        with pytest.raises(MailUncertainError):
            MailSender.of(news).send(date.fromisoformat(BEFORE))


def test_no_restore_while_mail_is_being_sent(home: DataFolder, tmp_path: Path) -> None:
    back_up(home, tmp_path / "copy.zip", at=SIX)
    lock = home.path / "mail.lock"
    lock.touch()
    before = home.database.read_bytes()
    with exclusive_lock(lock, "mail is being sent"), pytest.raises(LockedError):
        restore(home, tmp_path / "copy.zip", at=EIGHT)
    assert home.database.read_bytes() == before


def test_mail_sent_before_the_backup_stays_sent(home: DataFolder, tmp_path: Path) -> None:
    mailed(home, TODAY, EIGHT)
    back_up(home, tmp_path / "copy.zip", at=EIGHT)
    with SqliteDatabase(home.database) as database:
        outbox = Outbox(database, LOCAL_USER)
        known = outbox.get(TODAY)
        assert isinstance(known, Mailing)
        outbox.undo(known, replace(known, state=MailState.UNCERTAIN))
    restore(home, tmp_path / "copy.zip", at=EIGHT)
    assert states(home) == {TODAY: MailState.SENT}
