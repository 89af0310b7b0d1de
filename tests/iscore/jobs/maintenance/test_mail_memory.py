"""A restored home remembers what was mailed since its backup was made: no digest is sent twice."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from iscore.core.data_folder import DataFolder
from iscore.core.file_lock import LockedError, exclusive_lock
from iscore.jobs.mail.errors import MailDelayedError, MailSentError, MailUncertainError
from iscore.jobs.mail.outbox import Outbox
from iscore.jobs.mail.sender import MailSender
from iscore.jobs.maintenance.backup import back_up
from iscore.jobs.maintenance.restore import restore
from iscore.services.news_filter import NewsFilter
from storage.database import Database
from storage.records import LOCAL_USER, Mailing, MailState

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
    """A home that mails its digest at seven, UTC."""
    made = DataFolder(tmp_path / "home")
    feeds = tmp_path / "feeds.yaml"
    feeds.write_text("feeds: []\n")
    NewsFilter.create(made.path, feeds).close()
    made.config.write_text(SETTINGS)
    return made


def mailed(home: DataFolder, edition: str, at: datetime) -> None:
    with Database(home.database) as database:
        outbox = Outbox(database, LOCAL_USER)
        waiting = outbox.open(edition, "you@example.org", f"<{edition}@example.org>", at)
        outbox.sent(outbox.sending(waiting, "you@example.org", at), at, by_hand=False)


def waits(home: DataFolder, edition: str, at: datetime) -> None:
    with Database(home.database) as database:
        outbox = Outbox(database, LOCAL_USER)
        waiting = outbox.open(edition, "you@example.org", f"<{edition}@example.org>", at)
        outbox.not_sent(waiting, at, MailDelayedError("the server is down"), again=True)


def states(home: DataFolder) -> dict[str, MailState]:
    with Database(home.database) as database:
        return {each.edition: each.state for each in Outbox(database, LOCAL_USER).newest(9)}


def test_what_was_mailed_since_the_backup_is_not_mailed_again(home: DataFolder, tmp_path: Path) -> None:
    waits(home, BEFORE, SIX)
    back_up(home, tmp_path / "copy.zip", at=SIX)
    mailed(home, BEFORE, SIX + timedelta(minutes=5))
    mailed(home, TODAY, EIGHT)
    told = restore(home, tmp_path / "copy.zip", at=EIGHT)
    assert told.uncertain == ()
    assert states(home) == {TODAY: MailState.SENT, BEFORE: MailState.SENT}
    with NewsFilter.open(home.path, clock=lambda: EIGHT) as news, pytest.raises(MailSentError):
        MailSender.of(news).send()
    assert sorted(path.name for path in home.path.glob(".*")) == []


@pytest.mark.parametrize("beyond_reading", [True, False], ids=["damaged", "another machine"])
def test_where_nobody_can_tell_it_is_uncertain(home: DataFolder, tmp_path: Path, *, beyond_reading: bool) -> None:
    waits(home, BEFORE, SIX)
    back_up(home, tmp_path / "copy.zip", at=SIX)
    target = home if beyond_reading else DataFolder(tmp_path / "other")
    if beyond_reading:
        home.database.write_bytes(b"no database any more" * 1000)
    told = restore(target, tmp_path / "copy.zip", at=EIGHT)
    assert sorted(told.uncertain) == [BEFORE, TODAY]
    assert states(target) == {TODAY: MailState.UNCERTAIN, BEFORE: MailState.UNCERTAIN}
    with NewsFilter.open(target.path, clock=lambda: EIGHT) as news:
        assert f"mail send --date {TODAY} --again" in MailSender.of(news).problem()
        with pytest.raises(MailUncertainError):
            MailSender.of(news).send()


@pytest.mark.parametrize(
    ("made", "at", "uncertain"),
    [
        (SIX, SIX + timedelta(minutes=30), ()),
        (EIGHT, EIGHT + timedelta(hours=1), ()),
        (SIX - timedelta(days=1), SIX, ()),
        (SIX - timedelta(days=9), EIGHT, (TODAY,)),
    ],
)
def test_only_a_digest_whose_hour_has_come_since_may_have_been_mailed(
    home: DataFolder, tmp_path: Path, made: datetime, at: datetime, uncertain: tuple[str, ...]
) -> None:
    back_up(home, tmp_path / "copy.zip", at=made)
    assert restore(DataFolder(tmp_path / "other"), tmp_path / "copy.zip", at=at).uncertain == uncertain


def test_who_wants_no_mail_is_told_nothing_of_it(home: DataFolder, tmp_path: Path) -> None:
    home.config.write_text("")
    back_up(home, tmp_path / "copy.zip", at=SIX)
    other = DataFolder(tmp_path / "other")
    assert restore(other, tmp_path / "copy.zip", at=EIGHT).uncertain == ()
    assert states(other) == {}


def test_while_mail_is_being_sent_nothing_is_restored(home: DataFolder, tmp_path: Path) -> None:
    back_up(home, tmp_path / "copy.zip", at=SIX)
    lock = home.path / "mail.lock"
    lock.touch()
    before = home.database.read_bytes()
    with exclusive_lock(lock, "mail is being sent"), pytest.raises(LockedError):
        restore(home, tmp_path / "copy.zip", at=EIGHT)
    assert home.database.read_bytes() == before


def test_a_state_that_the_backup_is_sure_of_stays(home: DataFolder, tmp_path: Path) -> None:
    mailed(home, TODAY, EIGHT)
    back_up(home, tmp_path / "copy.zip", at=EIGHT)
    with Database(home.database) as database:
        outbox = Outbox(database, LOCAL_USER)
        known = outbox.get(TODAY)
        assert isinstance(known, Mailing)
        outbox.back(known, replace(known, state=MailState.UNCERTAIN))
    restore(home, tmp_path / "copy.zip", at=EIGHT)
    assert states(home) == {TODAY: MailState.SENT}
