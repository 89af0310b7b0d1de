"""A restored backup changes no setting that runs, sends or opens something unasked; no digest is mailed twice."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from iscore.core.data_folder import DataFolder
from iscore.core.file_access import LockedError, exclusive_lock
from iscore.core.settings import HARMLESS, Settings, load_settings
from iscore.core.settings_text import MAX_SIZE
from iscore.jobs.mail.account import MailDelayedError, MailSentError, MailUncertainError
from iscore.jobs.mail.outbox import Outbox
from iscore.jobs.mail.sender import MailSender
from iscore.jobs.maintenance.backup import back_up
from iscore.jobs.maintenance.restore import merged, restore
from iscore.services.news_filter import NewsFilter
from storage.opening.sqlite_database import SqliteDatabase
from storage.records.deliveries import Mailing, MailState
from storage.records.users import LOCAL_USER
from tests.iscore.jobs.maintenance.test_backup import AT

EVIL = """\
# A comment.
inbox_days = 9
mail_to = "evil@example.com"
mail_password_command = "touch /tmp/evil"
allow_private_networks = true
digest_at = "06:00"
"""


def never(name: str, value: object) -> bool:
    return False


def test_every_setting_that_is_not_harmless_keeps_its_value() -> None:
    other = {bool: "true", int: "8000", float: "99.5", str: '"http://evil.example"'}
    for name, field in Settings.model_fields.items():
        value = '"tls"' if name == "mail_security" else other.get(field.annotation, '"x"')  # type: ignore[call-overload]
        found = merged(f"{name} = {value}\n", "", never)
        assert tomllib.loads(found.text).keys() == ({name} & HARMLESS), name
        assert found.left_out == (() if name in HARMLESS else (name,)), name
        assert f"{name} = {value}" in found.text
    assert "mail_password_command" not in HARMLESS


def test_what_was_left_out_is_a_comment_and_what_was_here_stays() -> None:
    found = merged(EVIL, 'inbox_days = 3\nmail_to = "me@example.org"\nallow_private_networks = true', never)
    assert tomllib.loads(found.text) == {
        "inbox_days": 9,
        "digest_at": "06:00",
        "mail_to": "me@example.org",
        "allow_private_networks": True,
    }
    assert found.left_out == ("mail_to", "mail_password_command")
    assert '# mail_password_command = "touch /tmp/evil"\n' in found.text
    assert found.text.startswith("# A comment.\ninbox_days = 9\n")


def test_each_is_asked_for_once_and_the_user_decides() -> None:
    asked: list[tuple[str, object]] = []

    def agree(name: str, value: object) -> bool:
        asked.append((name, value))
        return name == "mail_to"

    found = merged(EVIL, "", agree)
    assert asked == [
        ("mail_to", "evil@example.com"),
        ("mail_password_command", "touch /tmp/evil"),
        ("allow_private_networks", True),
    ]
    assert (found.switched_on, found.left_out) == (("mail_to",), ("mail_password_command", "allow_private_networks"))
    assert tomllib.loads(found.text)["mail_to"] == "evil@example.com"


def test_the_same_settings_come_back_as_they_were_written_without_a_question() -> None:
    assert merged(EVIL, EVIL, never).text == EVIL


@pytest.mark.parametrize(
    "text",
    [
        '[a]\nmail_to = "x"\n',
        '"mail\\u005fto" = "x"\n',
        'classifier = """\nmail_to = "x"\n"""\n',
        "classifier = '''\n'''\nmail_to = \"\"\"\nx\n\"\"\"\n",
        '# a\u2028mail_to = "x"\nmail_to = "y"\n',
        'contact = [\n1,\n]\nmail_to="x" # inbox_days = 9',
        'mail_to.x = "y"\n',
        'unknown = 1\n[[mail_to]]\nx = "y"\n',
    ],
)
def test_no_spelling_switches_anything_on(text: str) -> None:
    try:
        found = merged(text, "", never).text
    except ValueError:
        return
    assert tomllib.loads(found).keys() <= HARMLESS


@pytest.mark.parametrize(
    "text", ["a = ", "#" * (MAX_SIZE + 1), "a = " + "[" * 50_000, 'time_zone = """' + "\n" * 50_000 + '"""']
)
def test_what_is_no_list_of_settings_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not valid TOML|is larger|too many lines"):
        merged(text, "", never)


def test_a_given_backup_leaves_the_settings_of_a_fresh_folder_alone(tmp_path: Path) -> None:
    stranger = DataFolder(tmp_path / "stranger")
    stranger.path.mkdir()
    stranger.feeds.write_text("feeds: []\n")
    stranger.config.write_text(EVIL)
    NewsFilter.create(stranger.path).close()
    back_up(stranger, tmp_path / "given.zip", at=AT)
    mine = DataFolder(tmp_path / "mine")
    view = restore(mine, tmp_path / "given.zip", at=AT)
    assert view.left_out == ("mail_to", "mail_password_command", "allow_private_networks")
    settings = load_settings(mine.config)
    assert (settings.inbox_days, settings.mail_to, settings.mail_password_command) == (9, "", "")
    assert not settings.allow_private_networks
    again = restore(mine, tmp_path / "given.zip", at=AT, agree=lambda name, _: name == "mail_to")
    assert again.switched_on == ("mail_to",)
    assert load_settings(mine.config).mail_to == "evil@example.com"
    assert not load_settings(mine.config).allow_private_networks


def test_settings_that_cannot_be_read_are_not_restored_and_the_rest_is(tmp_path: Path) -> None:
    broken = DataFolder(tmp_path / "broken")
    broken.path.mkdir()
    broken.feeds.write_text("feeds: []\n")
    NewsFilter.create(broken.path).close()
    broken.config.write_bytes(b"inbox_days = \xff\n")
    back_up(broken, tmp_path / "given.zip", at=AT)
    view = restore(DataFolder(tmp_path / "mine"), tmp_path / "given.zip", at=AT)
    assert view.settings_problem
    assert not (tmp_path / "mine" / "config.toml").exists()


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
