"""The steps of one user's work: give up missed digests, confirm an address, synchronise a connection, mail a digest.

Each is logged.

``iscore run`` and ``iscore worker`` call the same ones. ``known_of`` gathers the facts by which ``plan.due`` decides.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import date, datetime, timedelta
from typing import Protocol

from iscore.core.errors import IscoreError
from iscore.core.timings import Progress
from iscore.jobs.mail.sender import MailSender
from iscore.jobs.scheduler.log_format import Value
from iscore.jobs.scheduler.plan import Known
from iscore.services.news_filter import NewsFilter
from storage.engine.errors import LeaseLost, StorageError, UnknownSchema
from storage.records.deliveries import MailState

Bar = Callable[[], AbstractContextManager[Progress | None]]
"""Opens a progress bar, which disappears at the end."""
REMEMBERED = 31
"""Digests whose mail is looked at."""


class Event(Protocol):
    """Where the events of one user's work go."""

    def __call__(self, name: str, *, trouble: bool = False, **values: Value) -> None:
        """Log an event; ``trouble`` marks one that may need the user's attention."""


def miss(news: NewsFilter, digests: Sequence[str], event: Event) -> None:
    """Give up digests that were never made. Raises ``LockedError``, ``StorageError``."""
    for digest in digests:
        MailSender.of(news).miss(digest)
        event("mail", trouble=True, digest=digest, state="missed")


def confirm(news: NewsFilter, event: Event) -> bool:
    """Mail a code that confirms the user's address, if one is due; return whether that went well."""
    try:
        if MailSender.of(news).confirm():
            event("mail", state="code")
    except (LeaseLost, UnknownSchema):
        raise
    except (IscoreError, StorageError) as error:
        event("trouble", trouble=True, during="confirm", what=str(error))
        return False
    return True


def synchronise(news: NewsFilter, event: Event, bar: Bar = nullcontext) -> bool:
    """Synchronise the user's account on another server; return whether that went well."""
    try:
        with bar() as progress:
            synced = news.connections.sync(progress, insist=True)
    except (LeaseLost, UnknownSchema):
        raise
    except (IscoreError, StorageError) as error:
        event("trouble", trouble=True, during="connect", what=str(error))
        return False
    event(
        "connect",
        new=synced.new,
        recommended=synced.recommended,
        learned=synced.imported + synced.verdicts,
        sent=synced.sent,
        seconds=round(synced.seconds, 1),
    )
    return True


def find_icons(news: NewsFilter, event: Event, may_ask: Callable[[], bool] = lambda: True) -> bool:
    """Ask sites for the icons of feeds; return whether that went well."""
    started = time.perf_counter()
    try:
        found = news.icons.find(may_ask)
    except (LeaseLost, UnknownSchema):
        raise
    except (IscoreError, StorageError) as error:
        event("trouble", trouble=True, during="icons", what=str(error))
        return False
    event("icons", feeds=found.feeds, found=found.found, seconds=round(time.perf_counter() - started, 1))
    return True


def mail(news: NewsFilter, digest: str, event: Event, bar: Bar = nullcontext) -> bool:
    """Mail a digest; return whether that went well. What became of it is recorded."""
    try:
        with bar() as news.context.progress:
            view = MailSender.of(news).send(date.fromisoformat(digest), by_hand=False)
    except (LeaseLost, UnknownSchema):
        raise
    except (IscoreError, StorageError) as error:
        event("trouble", trouble=True, during="mail", digest=digest, what=str(error))
        return False
    sent = None if view.state is MailState.EMPTY else view.message_id
    event("mail", digest=view.digest, state=view.state, message_id=sent)
    return True


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
        code_due=sender.code_due(now),
    )
