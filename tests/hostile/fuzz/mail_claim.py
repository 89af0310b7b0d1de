"""What must hold of a digest's mail, whatever stands in every foreign text of the digest."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from iscore.core.settings import Settings
from iscore.jobs.mail.account import Account, account_of
from iscore.jobs.mail.message import digest_message, message_id, subject_of
from iscore.presentation.digest.layout import build_digest
from iscore.presentation.digest.render import render_mail, render_text
from iscore.services.views.digests import DigestView
from iscore.services.views.feeds import FeedProblem
from iscore.services.views.stories import StoryView
from storage.records.articles import StorySource
from tests.hostile import active_content
from tests.iscore.presentation.made_views import STATUS

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
HEADERS = (
    *("Subject", "From", "To", "Date", "Message-ID", "Auto-Submitted", "List-Id", "MIME-Version", "Content-Type"),
)
_FIELDS = 10


def mail_has_no_active_content(texts: Sequence[str]) -> bool:
    """Raise ``AssertionError`` if the mail of a digest that holds these texts is not one sound message of harmless
    parts; return whether there were any. Nothing may be raised.
    """
    digest = build_digest(_view(texts), zone=UTC)
    account = _account()
    text, html = render_text(digest), render_mail(digest)
    identity = message_id(account, "home", "2026-11-21")
    raw = digest_message(digest, text, html, account, message_id=identity, at=NOON)
    message = active_content.parse_mail(raw)
    assert tuple(message.keys()) == HEADERS
    assert str(message["Subject"]) == subject_of(digest)
    assert message["To"] == "reader@example.org"
    assert message["Message-ID"] == identity
    plain, page = message.iter_parts()
    assert (plain.get_content_type(), page.get_content_type()) == ("text/plain", "text/html")
    assert active_content.terminal_controls(str(plain.get_content()).replace("\r\n", "\n")) == []
    assert active_content.active_html(str(page.get_content()).replace("\r\n", "\n")) == []
    assert digest_message(digest, text, html, account, message_id=identity, at=NOON) == raw
    return bool(texts)


def texts_of(data: bytes) -> list[str]:
    """Take bytes for texts: 0xFF, which no UTF-8 has, stands between them; others such are halves of characters."""
    return [each.decode("utf-8", "surrogateescape") for each in data.split(b"\xff")]


def _account() -> Account:
    settings = {"mail_to": "reader@example.org", "mail_from": "me@example.org", "mail_host": "localhost"}
    return account_of(Settings.model_validate(settings | {"mail_security": "none"}), Path("/nonexistent"))


def _view(texts: Sequence[str]) -> DigestView:
    fields = [texts[place % len(texts)] if texts else "" for place in range(_FIELDS)]
    title, source, author, summary, url, language, reason, other, rule_outcome, problem = fields
    item = StoryView(
        id="k3f9a2x1",
        title=title,
        url=url,
        source=source,
        sources=(StorySource(source, title, url), StorySource(other, title, f"https://{other}")),
        author=author,
        published=NOON,
        arrived=NOON,
        text=summary,
        score=4.2,
        threshold=0.4,
        interesting=True,
        explore=False,
        language=language,
        rule_outcome=rule_outcome,
    )
    status = replace(STATUS, best_features=((reason, 0.4),), problems=(FeedProblem(url, source, problem),))
    plain = replace(item, title=other, url=f"https://a.example/{url}", published=None)
    stories = (replace(item, number=1, reasons=(reason, other)), replace(plain, number=2, reasons=(problem,)))
    return DigestView(dt.date(2026, 11, 21), stories, (replace(item, number=3),), 312, status, below=(plain,))
