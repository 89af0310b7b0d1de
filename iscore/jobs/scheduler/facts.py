"""Gathers what ``plan.due`` decides by."""

from __future__ import annotations

from datetime import datetime, timedelta

from iscore.jobs.mail.sender import MailSender
from iscore.jobs.scheduler.plan import Known
from iscore.services.news_filter import NewsFilter

REMEMBERED = 31
"""Digests whose mail is looked at."""


def known_of(news: NewsFilter, now: datetime, since_poll: timedelta | None = None) -> Known:
    """Return the facts about one user. Raises ``ConfigError``, ``StorageError``."""
    sender, connections = MailSender.of(news), news.connections
    return Known(
        now=now,
        feeds_due=news.subscriptions.is_due(),
        since_poll=since_poll,
        wants_mail=sender.is_wanted(),
        digest_at=sender.digest_at,
        zone=sender.zone,
        # A later date means that the clock was ahead.
        mailings=sender.mailings(REMEMBERED, sender.today() + timedelta(days=1)),
        sync_due=connections.is_due(),
        next_sync=connections.next_due(),
    )
