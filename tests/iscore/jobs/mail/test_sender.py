"""Each digest once: what is written down before, between and after, with a real database and a real server."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from email import message_from_bytes
from pathlib import Path

import pytest
from aiosmtpd.smtp import SMTP

from iscore.core.data_folder import DataFolder
from iscore.core.errors import DigestError
from iscore.core.file_access import LockedError, exclusive_lock
from iscore.jobs.mail.account import (
    MailDelayedError,
    MailError,
    MailNotSetUpError,
    MailRefusedError,
    MailSentError,
    MailUncertainError,
)
from iscore.jobs.mail.sender import LONGEST_SENDING, MailSender
from iscore.services.session.user_session import UserSession
from iscore.services.views.digests import DigestView, MailingView
from storage.opening.database import Database, open_database
from storage.people import deliveries
from storage.records.deliveries import MailState
from storage.records.users import LOCAL_USER
from tests.iscore.jobs.mail.conftest import NOON
from tests.servers.mail_server import Breaking, MailServer, after, hang_up


class Sender:
    """A data folder with mail settings, and a digest for each day; the days asked for are counted."""

    def __init__(self, folder: Path, fresh: Path, server: MailServer, view: DigestView) -> None:
        self.home = DataFolder(folder)
        shutil.copyfile(fresh, self.home.database)
        self.now = NOON
        self.view = view
        self.asked: list[date] = []
        self.server = server
        self.database: Database = open_database(self.home.database)
        self.set()

    def set(self, **settings: object) -> None:
        values = {"mail_to": "reader@example.org", "mail_host": "127.0.0.1", "mail_port": self.server.port}
        values |= {"mail_security": "none", "mail_timeout": 3.0, "time_zone": "Europe/Rome", **settings}
        lines = [
            f"{name} = {str(value).lower() if isinstance(value, bool) else repr(value)}"
            for name, value in values.items()
        ]
        self.home.config.write_text("\n".join(lines))

    @property
    def posting(self) -> MailSender:
        return MailSender(UserSession.of(self.home, self.database, lambda: self.now, LOCAL_USER), self._digest)

    def _digest(self, day: date) -> DigestView:
        self.asked.append(day)
        return replace(self.view, date=day)

    def send(self, **how: object) -> MailingView:
        return self.posting.send(**how)  # type: ignore[arg-type]

    @property
    def newest(self) -> MailingView:
        return self.posting.mailings(1)[0]

    def on_disk(self) -> tuple[str, int]:
        """State and attempts as another process would find them."""
        with sqlite3.connect(self.home.database) as raw:
            found = raw.execute("SELECT state, attempts FROM mailings ORDER BY digest DESC LIMIT 1").fetchone()
            return found[0], found[1]


TODAY = date(2025, 10, 6)


@pytest.fixture
def server() -> Iterator[MailServer]:
    with MailServer() as listening:
        yield listening


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new database, to be copied."""
    path = tmp_path_factory.mktemp("fresh") / "iscore.db"
    open_database(path, create=True).close()
    return path


@pytest.fixture
def sender(tmp_path: Path, fresh: Path, server: MailServer, view: DigestView) -> Iterator[Sender]:
    made = Sender(tmp_path, fresh, server, view)
    yield made
    made.database.close()


def test_a_digest_is_sent_once(sender: Sender) -> None:
    sent = sender.send(by_hand=False)
    assert (sent.state, sent.digest, sent.attempts, sent.error) == (MailState.SENT, "2025-10-06", 1, "")
    with pytest.raises(MailSentError, match=r"--date 2025-10-06 --again` sends it again"):
        sender.send()
    with pytest.raises(MailSentError):
        sender.send(by_hand=False)
    assert len(sender.server.received) == 1
    assert sender.newest == sent
    message = message_from_bytes(sender.server.received[0].content)
    assert message["Message-ID"] == sent.message_id
    assert message["Date"] == "Mon, 06 Oct 2025 14:00:00 +0200"


def test_only_the_persons_own_word_sends_it_again_under_the_same_identity(sender: Sender) -> None:
    first = sender.send(by_hand=False)
    sender.now += timedelta(hours=1)
    again = sender.send(again=True)
    assert (again.state, again.message_id, again.attempts) == (MailState.SENT_BY_HAND, first.message_id, 2)
    identities = {message_from_bytes(each.content)["Message-ID"] for each in sender.server.received}
    assert (len(sender.server.received), identities) == (2, {first.message_id})


def test_the_day_is_that_of_the_persons_zone(sender: Sender) -> None:
    sender.now = datetime(2025, 10, 6, 22, 30, tzinfo=UTC)
    assert sender.send().digest == "2025-10-07"


def test_what_is_refused_for_now_is_tried_again_later_and_later(sender: Sender) -> None:
    for attempt, minutes in enumerate((1, 5, 15, 30, 60, 60), start=1):
        sender.server.answers["RCPT"].append("450 greylisted")
        with pytest.raises(MailDelayedError, match="450"):
            sender.send(by_hand=False)
        waiting = sender.newest
        assert (waiting.state, waiting.attempts) == (MailState.WAITING, attempt)
        assert waiting.next_attempt == sender.now + timedelta(minutes=minutes)
        assert "450 (greylisted)" in waiting.error
    sent = sender.send(by_hand=False)
    assert (sent.state, sent.error, sent.next_attempt) == (MailState.SENT, "", None)
    assert len(sender.server.received) == 1


def test_what_is_refused_after_its_end_is_known_not_to_be_accepted(sender: Sender) -> None:
    sender.server.answers["DATA"] += ["451 later", "554 spam"]
    with pytest.raises(MailDelayedError):
        sender.send()
    assert (sender.newest.state, sender.newest.attempts) == (MailState.WAITING, 1)
    with pytest.raises(MailRefusedError):
        sender.send()
    failed = sender.newest
    assert (failed.state, failed.attempts, failed.next_attempt) == (MailState.FAILED, 2, None)
    assert failed.advice == "when that is fixed, `iscore mail send --date 2025-10-06`"
    assert sender.send().state is MailState.SENT_BY_HAND


def test_it_is_given_up_when_it_is_old(sender: Sender) -> None:
    sender.server.answers["RCPT"] += ["450 later", "450 later"]
    sender.now += timedelta(days=2)
    with pytest.raises(MailDelayedError):
        sender.send(on=TODAY, by_hand=False)
    assert sender.newest.state is MailState.WAITING
    sender.now += timedelta(days=1)
    with pytest.raises(MailDelayedError):
        sender.send(on=TODAY, by_hand=False)
    assert sender.newest.state is MailState.FAILED


def test_without_an_answer_it_is_uncertain_and_stays_so(sender: Sender) -> None:
    sender.server.answers["DATA"].append(hang_up)
    with pytest.raises(
        MailUncertainError, match=r"did not confirm it; check whether it has arrived; if not, `iscore mail send"
    ):
        sender.send(by_hand=False)
    assert sender.newest.state is MailState.UNCERTAIN
    asked = sender.server.conversations
    for by_hand in (True, False):
        with pytest.raises(MailUncertainError, match="may have arrived"):
            sender.send(by_hand=by_hand)
    assert sender.server.conversations == asked
    assert "--again" in sender.newest.advice
    assert sender.send(again=True).state is MailState.SENT_BY_HAND
    assert len(sender.server.received) == 1


@pytest.mark.parametrize("hangs", [False, True], ids=["hangs up", "hangs"])
@pytest.mark.parametrize("step", Breaking.STEPS)
def test_a_server_that_breaks_off_at_any_step_loses_no_mail_and_brings_none_twice(
    sender: Sender, step: str, hangs: bool
) -> None:
    with Breaking(step, hangs=hangs) as breaking:
        sender.set(mail_port=breaking.port, mail_timeout=0.1)
        with suppress(MailError):
            sender.send(by_hand=False)
    state = sender.newest.state
    sender.set()
    with suppress(MailError):  # as the scheduler does until it is done
        sender.send(by_hand=False)
    arrived = breaking.accepted + len(sender.server.received)
    if step in ("text", "end", "acceptance"):
        # The server may have it: it is not sent again by itself, and the user is told, unless it is known not to.
        assert (state, arrived) in [(MailState.UNCERTAIN, breaking.accepted), (MailState.WAITING, 1)]
    else:
        assert (state, arrived) == (MailState.SENT if step == "QUIT" else MailState.WAITING, 1)


def test_each_step_is_on_disk_before_it_can_have_an_effect(sender: Sender) -> None:
    seen: list[tuple[str, int]] = []

    async def look(_server: SMTP) -> str:
        seen.append(sender.on_disk())
        return ""

    for command in ("MAIL", "RCPT", "DATA"):
        sender.server.answers[command].append(look)
    sender.send()
    assert seen == [("waiting", 0), ("waiting", 0), ("sending", 1)]
    assert sender.on_disk() == ("sent by hand", 1)


def dead_while_sending(sender: Sender) -> None:
    """Leave behind what a process leaves that is killed while the server answers."""
    sender.server.answers["DATA"].append("451 later")
    with pytest.raises(MailDelayedError):
        sender.send()
    with sqlite3.connect(sender.home.database) as raw:
        raw.execute("UPDATE mailings SET state = 'sending', next_attempt = NULL, error = ''")


def test_what_a_dead_process_was_sending_is_uncertain(sender: Sender) -> None:
    dead_while_sending(sender)
    with pytest.raises(MailUncertainError, match="may have arrived"):
        sender.send(by_hand=False)
    assert sender.on_disk() == ("uncertain", 1)
    assert sender.server.received == []


def test_who_only_looks_learns_it_too_but_not_while_somebody_is_sending(sender: Sender) -> None:
    dead_while_sending(sender)
    with exclusive_lock(sender.home.path / "mail.lock", "a test sends"):
        assert sender.newest.state is MailState.SENDING
        with pytest.raises(LockedError, match="mail is being sent already, in process"):
            sender.send()
    assert sender.newest.state is MailState.UNCERTAIN
    assert "stopped before the server answered" in sender.newest.error


def test_what_another_machine_is_sending_is_left_to_it_for_a_while(sender: Sender) -> None:
    dead_while_sending(sender)
    sender.set(database="postgresql://127.0.0.1/shared")  # no lock of this machine keeps the other out
    sender.now += LONGEST_SENDING - timedelta(seconds=1)
    assert sender.newest.state is MailState.SENDING
    for by_hand in (True, False):
        with pytest.raises(MailError, match="is being sent by another machine"):
            sender.send(by_hand=by_hand, again=True)
    assert sender.on_disk() == ("sending", 1)
    sender.now += timedelta(seconds=1)
    assert sender.newest.state is MailState.UNCERTAIN
    assert sender.server.received == []


def test_without_a_server_no_digest_is_used_up(sender: Sender) -> None:
    sender.set(mail_port=1)
    with pytest.raises(MailDelayedError, match="nothing is listening"):
        sender.send(by_hand=False)
    assert sender.asked == []
    waiting = sender.newest
    assert (waiting.state, waiting.made) == (MailState.WAITING, False)
    assert waiting.advice == "`iscore run` tries again automatically; `iscore mail send` tries at once"


def test_a_password_that_cannot_be_had_now_is_asked_for_later(sender: Sender) -> None:
    sender.set(mail_user="x", mail_password_command="false")
    with pytest.raises(MailNotSetUpError):
        sender.send(by_hand=False)
    assert sender.newest.state is MailState.WAITING
    sender.set(mail_to="nobody")
    with pytest.raises(MailNotSetUpError, match="not a mail address"):
        sender.send(by_hand=False)


def test_an_empty_digest_is_sent_if_somebody_wants_it(sender: Sender) -> None:
    sender.view = replace(sender.view, recommended=())
    assert sender.send(by_hand=False).state is MailState.EMPTY
    assert sender.server.received == []
    assert sender.send().state is MailState.SENT_BY_HAND
    sender.now += timedelta(days=1)
    sender.set(mail_empty=True)
    assert sender.send(by_hand=False).state is MailState.SENT
    subject = message_from_bytes(sender.server.received[-1].content)["Subject"]
    assert subject == "Tue 7 Oct: no recommendations today"


def test_a_failed_second_sending_leaves_what_was(sender: Sender) -> None:
    first = sender.send(by_hand=False)
    sender.server.answers["RCPT"].append("550 no")
    sender.server.answers["DATA"].append("451 later")
    for kind in (MailRefusedError, MailDelayedError):
        with pytest.raises(kind):
            sender.send(again=True)
        assert sender.newest == first


@pytest.mark.parametrize("error", [KeyboardInterrupt(), MailError("the disk is full")])
def test_what_stops_it_before_the_end_leaves_it_waiting(
    sender: Sender, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    def digest(_day: date) -> DigestView:
        raise error

    monkeypatch.setattr(sender, "_digest", digest)
    with pytest.raises(type(error)):
        sender.send(by_hand=False)
    assert sender.on_disk() == ("waiting", 0)
    monkeypatch.undo()
    assert sender.send(by_hand=False).state is MailState.SENT


def test_if_it_cannot_be_written_down_the_message_gets_no_end(sender: Sender) -> None:
    async def meddle(_server: SMTP) -> str:
        with sqlite3.connect(sender.home.database) as raw:
            raw.execute("UPDATE mailings SET attempts = 7")
        return ""

    sender.server.answers["RCPT"].append(meddle)
    with pytest.raises(MailError, match="another process changed the mail"):
        sender.send()
    assert sender.server.received == []


def test_a_process_interrupted_at_the_end_writes_down_the_answer_and_stops(
    sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def stop(_server: SMTP) -> str:
        os.kill(os.getpid(), signal.SIGINT)
        return await after(0.2, "250 at last")(_server)

    sender.server.answers["DATA"].append(stop)
    with pytest.raises(KeyboardInterrupt):
        sender.send(by_hand=False)
    assert sender.on_disk() == ("sent", 1)


def test_what_was_never_made_can_be_missed_and_what_was_made_cannot(sender: Sender) -> None:
    sender.set(mail_port=1)
    sender.now += timedelta(days=1)
    for day in (TODAY, TODAY + timedelta(days=1)):
        with pytest.raises(MailDelayedError):
            sender.send(on=day, by_hand=False)
    with pytest.raises(DigestError, match="in the future"):
        sender.send(on=TODAY + timedelta(days=2))
    with sender.database.write() as tx:
        deliveries.store_content(tx, LOCAL_USER, "2025-10-07", "{}", NOON)
    sender.posting.miss("2025-10-06")
    sender.posting.miss("2025-10-07")
    sender.posting.miss("2025-10-08")
    assert [(each.digest, each.state, each.made) for each in sender.posting.mailings()] == [
        ("2025-10-07", MailState.WAITING, True),
        ("2025-10-06", MailState.MISSED, False),
    ]


def test_a_test_message_arrives_and_leaves_no_trace(sender: Sender) -> None:
    done = sender.posting.test()
    assert (done.recipient, done.security, done.answer) == ("reader@example.org", "none", "kept")
    assert b"iScore can send you mail" in sender.server.received[0].content
    assert sender.posting.mailings() == []


def test_what_was_accepted_and_could_not_be_written_down_is_uncertain(sender: Sender) -> None:
    async def meddle(_server: SMTP) -> str:
        with sqlite3.connect(sender.home.database) as raw:
            raw.execute("UPDATE mailings SET attempts = 7")
        return ""

    sender.server.answers["DATA"].append(meddle)
    with pytest.raises(MailError, match="another process changed the mail"):
        sender.send()
    assert sender.on_disk() == ("sending", 7)
    with pytest.raises(MailUncertainError, match="may have arrived"):
        sender.send()
    assert len(sender.server.received) == 1


def test_what_is_stopped_on_the_brink_is_known_not_to_be_accepted(
    sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object) -> None:
        assert sender.on_disk() == ("sending", 1)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("iscore.jobs.mail.smtp.Connection._end", stopped)
        with pytest.raises(KeyboardInterrupt):
            sender.send(by_hand=False)
    assert sender.on_disk() == ("waiting", 0)
    assert sender.send(by_hand=False).state is MailState.SENT
