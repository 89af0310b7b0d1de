"""Addresses of people who share a server: no digest goes to one that is not confirmed, and few mails ask for that."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from email import message_from_bytes, policy
from pathlib import Path

import pytest

from iscore.core.data_folder import DataFolder
from iscore.jobs.mail.account import MailDelayedError, MailNotSetUpError, MailRefusedError
from iscore.jobs.mail.sender import MailSender
from iscore.jobs.maintenance.doctor import mail_check
from iscore.services.news_filter import NewsFilter
from iscore.services.people.mail_address import LIFETIME, MAX_MAILS, MAX_WRONG, MailAddress
from iscore.services.views.people import AddressState
from storage.records.deliveries import MailState
from tests.iscore.jobs.mail.conftest import NOON
from tests.servers.mail_server import MailServer

NAME = "Click www evil example"
STRANGER = "stranger@example.org"


class Shared:
    """A server with two people, its mail server, and a clock."""

    def __init__(self, home: Path, mail: MailServer) -> None:
        self.home, self.mail, self.now = home, mail, NOON
        NewsFilter.create(home, clock=lambda: self.now).close()
        self.config = f'mail_host = "127.0.0.1"\nmail_port = {mail.port}\nmail_security = "none"\nmail_timeout = 3.0\n'
        self.config += 'mail_from = "iscore@news.example"\nserve_address = "https://news.example"\n'
        (home / "config.toml").write_text(f'{self.config}mail_to = "admin@example.org"\n')

    def of(self, person: int) -> NewsFilter:
        return self.news.for_user(person)

    def wants(self, person: int, address: str) -> None:
        self.of(person).settings.change({"mail_to": address})

    def sender(self, person: int) -> MailSender:
        return MailSender.of(self.of(person))

    def address(self, person: int) -> MailAddress:
        return self.of(person).mail_address

    def state(self, person: int) -> AddressState:
        view = self.address(person).state()
        assert view is not None
        return view.state

    def open(self) -> None:
        self.news = NewsFilter.open(self.home, clock=lambda: self.now)

    def share(self) -> None:
        """Let another person in."""
        self.news.people.add(NAME)
        self.news.close()
        self.open()

    def code(self) -> str:
        """Return the code of the last mail."""
        text = message_from_bytes(self.mail.received[-1].content, policy=policy.default).get_content()
        return re.findall(r"^    ([A-Z2-7-]{19})\r?$", text, re.MULTILINE)[0]


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[Shared]:
    with MailServer() as mail:
        made = Shared(tmp_path / "home", mail)
        made.open()
        yield made
        made.news.close()


def test_nothing_but_a_code_goes_to_an_address_that_is_not_confirmed(shared: Shared) -> None:
    shared.share()
    assert not shared.sender(2).is_wanted()
    assert shared.address(2).state() is None
    shared.wants(2, STRANGER)
    sender = shared.sender(2)
    for send in (sender.send, sender.test, sender.require_account, lambda: sender.send(by_hand=False)):
        with pytest.raises(MailNotSetUpError, match=f"{STRANGER} is not confirmed"):
            send()
    assert (sender.is_wanted(), sender.mailings(), shared.mail.received) == (False, [], [])
    assert "is not confirmed" in sender.problem()
    assert "is not confirmed" in mail_check(DataFolder(shared.home), NAME).found
    assert shared.state(2) is AddressState.WAITING
    assert sender.confirm()
    assert not sender.confirm()
    (received,) = shared.mail.received
    assert received.recipients == (STRANGER,)
    assert shared.address(2).enter(f" {shared.code().lower().replace('-', ' ')}\r\n")
    assert (shared.state(2), sender.code_due(shared.now)) == (AddressState.CONFIRMED, None)
    assert sender.send().state is MailState.SENT_BY_HAND
    shared.wants(2, "STRANGER@Example.Org")
    assert sender.is_wanted()


def test_the_mail_says_what_it_is_and_nothing_that_a_user_wrote(shared: Shared) -> None:
    shared.share()
    shared.wants(2, STRANGER)
    shared.sender(2).confirm()
    message = message_from_bytes(shared.mail.received[0].content, policy=policy.default)
    assert (message["To"], message["Subject"]) == (STRANGER, "Confirm this address for iScore")
    text = message.get_content()
    assert "Somebody who uses iScore (news.example)" in text
    assert "If it was not you, ignore this mail." in text
    assert "until 2025-10-07 12:00" in text
    assert "evil" not in str(message)
    with shared.news.database.read() as tx:
        stored = str(tx.connection.exec_driver_sql("SELECT * FROM mail_confirmations").all())
    assert shared.code() not in stored
    assert shared.code().replace("-", "") not in stored


def test_a_code_is_for_one_address_one_day_and_a_few_wrong_ones(shared: Shared) -> None:
    shared.share()
    shared.wants(2, STRANGER)
    shared.sender(2).confirm()
    first = shared.code()
    shared.wants(2, "other@example.org")
    assert not shared.address(2).enter(first)
    assert not shared.address(1).enter(first)
    shared.wants(2, STRANGER)
    shared.now += LIFETIME
    assert not shared.address(2).enter(first)
    assert shared.state(2) is AddressState.LAPSED
    assert shared.sender(2).code_due(shared.now) is None  # nobody gets one every day without asking
    assert shared.address(2).ask()
    shared.sender(2).confirm()
    for wrong in ("", "A" * 16, first, "ü" * 1000, "\0", *(f"{each}" for each in range(MAX_WRONG - 5))):
        assert shared.state(2) is AddressState.SENT
        assert not shared.address(2).enter(wrong)
    assert shared.state(2) is AddressState.LAPSED
    assert not shared.address(2).enter(shared.code())


@pytest.mark.parametrize(
    "bad", ["", "stranger", "a@b, c@d", "a@b\r\nRCPT TO:<c@d>", f"{'x' * 250}@example.org", "a b@example.org", "<a@b>"]
)
def test_what_is_no_address_gets_nothing(shared: Shared, bad: str) -> None:
    shared.share()
    document = shared.of(2).context.personal_settings
    document.replace(f"mail_to = {bad!r}\n", before="")  # past what checks settings
    shared.of(2).context.forget_settings()
    assert not shared.address(2).ask()
    assert not shared.sender(2).confirm()
    assert not shared.sender(2).is_wanted()
    with pytest.raises(MailNotSetUpError):
        shared.sender(2).send()
    assert shared.mail.received == []


def test_a_stranger_gets_few_mails_whatever_is_tried(shared: Shared) -> None:
    shared.share()
    for hour in range(24):  # hour after hour, in every way to write it, and by everybody
        for person in (1, 2):
            for address in (STRANGER, "Stranger@Example.org", "other@example.org", "STRANGER@example.org"):
                shared.wants(person, address)
                shared.address(person).ask()
                shared.sender(person).confirm()
                shared.address(person).enter("wrong")
                shared.sender(person).confirm()
        shared.now = NOON + timedelta(minutes=59 * hour)
    received = [each.recipients[0].lower() for each in shared.mail.received]
    assert received.count(STRANGER) == MAX_MAILS
    assert len(received) <= 2 * MAX_MAILS
    view = shared.address(2).state()
    assert view is not None
    assert view.ask_from == NOON + LIFETIME
    shared.now = view.ask_from
    assert shared.address(2).ask()


def test_an_address_that_was_changed_too_often_gets_its_code_the_next_day(shared: Shared) -> None:
    shared.share()
    for number in range(MAX_MAILS):
        shared.wants(2, f"{number}@example.org")
        assert shared.sender(2).confirm()
    shared.wants(2, STRANGER)
    assert not shared.sender(2).confirm()
    assert (shared.state(2), shared.sender(2).code_due(shared.now)) == (AddressState.LAPSED, NOON + LIFETIME)
    shared.now += LIFETIME
    assert shared.sender(2).confirm()


def test_a_code_that_is_not_accepted_is_sent_again_later_or_given_up(shared: Shared) -> None:
    shared.share()
    shared.wants(2, STRANGER)
    shared.mail.answers["RCPT"] += ["450 greylisted", "450 greylisted", "550 no such user"]
    for pause, error in ((1, MailDelayedError), (1, MailDelayedError), (0, MailRefusedError)):
        with pytest.raises(error):
            shared.sender(2).confirm()
        assert not shared.sender(2).confirm()
        shared.now += timedelta(minutes=pause)
    assert (shared.state(2), shared.sender(2).code_due(shared.now)) == (AddressState.LAPSED, None)
    assert shared.address(2).ask()
    (shared.home / "config.toml").write_text(shared.config.replace(str(shared.mail.port), "1"))
    shared.of(2).context.forget_settings()
    with pytest.raises(MailDelayedError):
        shared.sender(2).confirm()
    shared.now += LIFETIME
    assert not shared.sender(2).confirm()  # too old now
    assert shared.mail.received == []


def test_an_address_to_which_a_digest_was_sent_is_confirmed(shared: Shared) -> None:
    assert shared.sender(1).send().state is MailState.SENT_BY_HAND  # alone there is nothing to confirm
    assert shared.state(1) is AddressState.CONFIRMED
    shared.share()
    assert shared.sender(1).is_wanted()
    shared.now += timedelta(days=1)
    assert shared.sender(1).send().state is MailState.SENT_BY_HAND
    shared.wants(1, "admin@example.com")
    assert not shared.sender(1).is_wanted()
    shared.wants(2, "admin@example.org")
    assert not shared.sender(2).is_wanted()
    assert len(shared.mail.received) == 2


def test_without_a_mail_server_no_code_is_promised(shared: Shared) -> None:
    shared.share()
    shared.wants(2, STRANGER)
    (shared.home / "config.toml").write_text("")
    shared.of(2).context.forget_settings()
    assert (shared.state(2), shared.sender(2).code_due(shared.now)) == (AddressState.NO_SERVER, None)
