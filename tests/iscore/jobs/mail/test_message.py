"""A digest as a message: read back by the strict parser, whatever titles hold."""

from __future__ import annotations

import base64
import email
import re
from datetime import timedelta, timezone
from email.message import EmailMessage
from email.policy import SMTP

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from iscore.core.sanitizing import paragraphs
from iscore.jobs.mail.message import digest_message, message_id, subject_of, trial_message
from iscore.presentation.digest.layout import Digest
from iscore.presentation.digest.render import render_mail, render_text
from iscore.services.views.digests import DigestView
from tests.hostile.active_content import terminal_controls
from tests.iscore.jobs.mail.conftest import NOON, MakeAccount, with_title

HEADERS = [
    *("Subject", "From", "To", "Date", "Message-ID", "Auto-Submitted", "List-Id", "MIME-Version", "Content-Type"),
]
ROME = timezone(timedelta(hours=2))


@pytest.fixture
def account(account_at: MakeAccount):
    return account_at(2525)


def parsed(message: bytes) -> EmailMessage:
    """Read a message as strictly as the standard library can."""
    assert re.sub(rb"\r\n", b"", message).isascii()
    assert b"\r" not in message.replace(b"\r\n", b"")
    assert b"\n" not in message.replace(b"\r\n", b"")
    assert message.endswith(b"\r\n")
    assert max(map(len, message.split(b"\r\n"))) <= 998
    found = email.message_from_bytes(message, policy=SMTP.clone(raise_on_defect=True))
    assert isinstance(found, EmailMessage)
    for part in found.walk():
        assert part.defects == []
        for value in part.values():
            assert value.defects == ()
    return found


def sent(made_digest: Digest, account, html: str | None = None) -> bytes:
    identity = message_id(account, "home", "2025-10-06")
    html = render_mail(made_digest) if html is None else html
    return digest_message(
        made_digest, render_text(made_digest), html, account, message_id=identity, at=NOON.astimezone(ROME)
    )


def test_a_digest_is_text_and_html_with_the_headers_of_a_well_behaved_list(made_digest: Digest, account) -> None:
    message = parsed(sent(made_digest, account))
    assert list(message.keys()) == HEADERS
    assert message["From"] == "iScore <you@example.org>"
    assert message["To"] == "reader@example.org"
    assert message["Subject"] == "Mon 6 Oct: Grid operators warn of a winter shortfall + 1 more"
    assert message["Date"] == "Mon, 06 Oct 2025 14:00:00 +0200"
    assert re.fullmatch(r"<iscore\.2025-10-06\.[0-9a-f]{32}@example\.org>", message["Message-ID"])
    assert message["Auto-Submitted"] == "auto-generated"
    assert message["List-Id"] == "iScore digest <digest.iscore.localhost>"
    assert message.get_content_type() == "multipart/alternative"
    text, html = message.iter_parts()
    assert (text.get_content_type(), html.get_content_type()) == ("text/plain", "text/html")
    assert text.get_content().replace("\r\n", "\n") == render_text(made_digest)
    assert html.get_content().replace("\r\n", "\n") == render_mail(made_digest)
    assert max(map(len, sent(made_digest, account).split(b"\r\n"))) <= 78


def test_the_same_digest_is_the_same_bytes_and_identity_depends_on_home_day_and_recipient(
    made_digest: Digest, account, account_at: MakeAccount
) -> None:
    assert sent(made_digest, account) == sent(made_digest, account)
    others = {
        message_id(account, "home", "2025-10-06"),
        message_id(account, "other home", "2025-10-06"),
        message_id(account, "home", "2025-10-07"),
        message_id(account_at(2525, mail_to="other@example.org"), "home", "2025-10-06"),
    }
    assert len(others) == 4


HOSTILE = [
    "Buy now\r\nBcc: everybody@example.org\r\n\r\n<b>hello",
    "one\nline\x85two\u2028three\u2029four\x0bfive",
    "x" * 10_000,
    "電" * 3_000,
    "\u202egnp.exe \u2066hidden\u2069 \x1b]52;c;ZWNobw==\x07",
    "=?utf-8?q?forged?= =?utf-8?b?Zm9yZ2Vk?=",
    '"quoted" <other@example.org>, (comment) [x]; a:b;',
    "lone \ud800 surrogate \udfff",
    "\n.\n..\n.\r\n",
    "-" * 70 + "\n--=_boundary",
    "émoji 👩\u200d👩\u200d👧 שלום عالم",
    " ",
    "a" * 74 + " é " + "b" * 80,
]


@pytest.mark.parametrize("title", HOSTILE)
def test_no_title_writes_a_header_or_breaks_a_message(view: DigestView, account, title: str) -> None:
    digest = with_title(view, title)
    message = parsed(sent(digest, account))
    assert list(message.keys()) == HEADERS
    subject = str(message["Subject"])
    assert subject == subject_of(digest)
    assert terminal_controls(subject) == []
    assert "\n" not in subject
    assert len(subject) < 130
    assert [part.get_content_type() for part in message.iter_parts()] == ["text/plain", "text/html"]


texts = st.text(st.characters(codec=None), max_size=200) | st.text("\r\n\t =?.:<>@\x00é電\u2028a", max_size=200)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts)
@example("\r\n.\r\n")
@example("=?utf-8?q?=0D=0ABcc:_x=40example.org?=")
def test_any_title_makes_one_message(view: DigestView, account, title: str) -> None:
    digest = with_title(view, title)
    message = parsed(sent(digest, account, "<p>.</p>"))
    assert list(message.keys()) == HEADERS
    assert str(message["Subject"]) == subject_of(digest)
    text, _ = message.iter_parts()
    assert text.get_content().replace("\r\n", "\n") == paragraphs(render_text(digest))


def test_what_is_long_in_quoted_printable_goes_as_base64(view: DigestView, account) -> None:
    message = parsed(sent(with_title(view, "電力" * 400), account, "<p>" + "電力" * 400 + "</p>"))
    _, html = message.iter_parts()
    assert html["Content-Transfer-Encoding"] == "base64"
    assert base64.b64decode(html.get_payload()).decode() == "<p>" + "電力" * 400 + "</p>\r\n"


def test_an_empty_digest_says_so_in_its_subject(view: DigestView) -> None:
    digest = with_title(view, "x")
    empty = type(digest)(**{**{name: getattr(digest, name) for name in digest.__slots__}, "sections": ()})
    assert subject_of(empty) == "Mon 6 Oct: no recommendations today"


def test_a_test_message_is_plain(account) -> None:
    message = parsed(trial_message("It works.\n", account, message_id="<x@example.org>", at=NOON))
    assert message.get_content_type() == "text/plain"
    assert message.get_content() == "It works.\r\n"
