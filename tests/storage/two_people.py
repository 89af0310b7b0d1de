"""Two people over one database who lead a life each, for tests of what is whose."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from storage.engine import changes
from storage.engine.base_database import Transaction
from storage.exchange import connections, remote_items
from storage.log import (
    decisions,
    feedback,
    history,
    imports,
    marks,
    reading_events,
    rule_outcomes,
    saved_items,
    snapshots,
)
from storage.log.imports import NewImportedItem
from storage.log.saved_items import SavedItem
from storage.opening.database import Database
from storage.people import (
    app_passwords,
    deliveries,
    documents,
    folders,
    invitations,
    mail_confirmations,
    sessions,
    users,
)
from storage.records.articles import Features
from storage.records.connections import Connection, ReaderKind, RemoteFeed, RemoteItem, RemoteTag
from storage.records.decisions import CurrentScore, Decision, DecisionRound, RecommendationChange
from storage.records.deliveries import Delivery, Mailing, MailState
from storage.records.feeds import Priority, Subscription
from storage.records.reading_events import Act, ReadingEvent
from storage.records.rules import Action, RuleOutcome
from storage.records.stories import Mark
from storage.records.users import (
    LOCAL_USER,
    AppPassword,
    BrowserSession,
    Identity,
    Invitation,
    Kind,
    Removal,
    RemovalKind,
    Role,
    Snapshot,
    Verdict,
)
from storage.records.work import DueWork, Queue, Task
from storage.schema import metadata
from storage.stories import headlines
from storage.stream import feeds
from storage.work import work
from tests.storage.conftest import FEED, NOON, Newsroom

SEQS = tuple(range(1, 13))
LATER, BEFORE = NOON + timedelta(days=2), NOON - timedelta(days=30)
PERSONAL = [table for table in metadata.sorted_tables if "user_id" in table.columns]
SECOND, THIRD = LOCAL_USER + 1, LOCAL_USER + 2


@pytest.fixture
def shared(newsroom: Newsroom) -> Database:
    """Twelve articles, and three people; nobody has done anything."""
    newsroom.articles(12)
    with newsroom.database.write() as tx:
        for name in ("second", "third"):
            person = users.add(tx, name, 5)
            feeds.subscribe(tx, person.id, [Subscription(FEED)])
    return newsroom.database


def late(user_id: int) -> list[Decision]:
    """Return a decision that delivers the seventh story later than its first decision."""
    return [Decision(user_id, 7, 0.5 * user_id, 0.25, True, True, 1.0, LATER, 0.125 * user_id, None, 1)]


def live(tx: Transaction, newsroom: Newsroom, user_id: int, *, liked: int, rules: str) -> None:
    """Lead a life: follow, be judged for, vote, have rules, digests, mail, seeds. ``liked``: what is left after 3."""
    feeds.subscribe(tx, user_id, [Subscription(FEED, title=rules, tags=(rules,), priority=Priority.BEST)])
    rows = [
        Decision(
            user_id,
            seq,
            score,
            0.25 * liked,
            score > 0,
            seq % 3 == liked,
            0.5,
            NOON + timedelta(minutes=user_id),
            margin=0.5 * user_id,
            vote=0.25,
            round=None if seq == 1 else 1 + seq % 2,
        )
        for seq in SEQS[:10]
        for score in (1.0 if seq % 3 == liked else -1.0 - liked,)
    ]
    decisions.add(tx, rows)
    decisions.add_late(tx, late(user_id))
    for number, minutes in ((1, -user_id), (2, user_id)):
        decisions.add_round(tx, DecisionRound(user_id, number, NOON + timedelta(minutes=minutes), 0))
    decisions.rescore(tx, user_id, [CurrentScore(row.seq, row.score + 0.125, 0.0, row.interesting) for row in rows])
    rule_outcomes.put(
        tx, user_id, SEQS, [RuleOutcome(seq, Action.NEVER, 0.0, (rules,)) for seq in (5, 6) if seq % 2 == liked % 2]
    )
    history.save_change(tx, user_id, RecommendationChange(NOON, liked, 9))
    rule_outcomes.save_application(tx, user_id, rules)
    for seq in SEQS[:6]:
        kind = Kind.LIKE if seq % 3 == liked else (Kind.DISLIKE, Kind.SKIP)[seq % 2]
        feedback.append(tx, [Verdict(f"verdict-{seq}", user_id, seq, kind, NOON + timedelta(hours=seq))])
    feedback.append(tx, [Verdict(f"{feedback.CHECK}{liked}", user_id, liked + 3, Kind.LIKE, NOON)])
    feedback.append(tx, [Verdict("taken-back", user_id, 1, Kind.UNDO, NOON + timedelta(hours=9))])
    frozen = Features(0, 0, 5, ("length", "age"), b"v" * 16, b"terms", b"pair")
    entry = newsroom.entry(rules, url=f"https://liked.example/{rules}")
    item = NewImportedItem(entry, frozen, "title", 0.5)
    number, added = imports.add_import(tx, user_id, rules, [item], [], NOON, interest=rules)
    assert number is not None
    imports.record_marks(tx, user_id, number, {}, {11: Mark(labels=(rules,))})
    imports.mark_arrived(tx, user_id, {9: added[0]})
    saved = SavedItem(f"saved {rules}", newsroom.entry(rules), NOON, frozen, Mark(saved_at=NOON))
    saved_items.add(tx, user_id, [saved], 0.0, 0.5)
    headlines.save_shown(tx, user_id, [rules])
    delivered = [seq for seq in SEQS[:9] if seq % 3 == liked]
    deliveries.add(tx, [Delivery(user_id, seq, "2026-03-01", n, NOON) for n, seq in enumerate(delivered, start=1)])
    deliveries.store_content(tx, user_id, "2026-03-01", f"the digest of {rules}", NOON)
    mail = Mailing(user_id, "2026-03-01", f"<{rules}@a>", f"{rules}@a", MailState.WAITING, liked, NOON, None, rules)
    deliveries.put_mailing(tx, None, mail)
    confirm_address(tx, user_id, rules)
    changes.count(tx, user_id, marks_only=True)
    marks.read(tx, user_id, [8], NOON)
    marks.read_all(tx, user_id, [9, 10], NOON)
    marks.save(tx, user_id, delivered, NOON)
    marks.add_label(tx, user_id, rules, delivered)
    read = [ReadingEvent(f"opened {seq}", user_id, seq, Act.OPENED, at) for seq in delivered for at in (BEFORE, NOON)]
    reading_events.append(tx, [each for each in read if (each.at == BEFORE) == (each.story == delivered[0])])
    reading_events.sum_before(tx, user_id, NOON)
    reading_events.switch(tx, user_id, on=True)
    sessions.add(tx, BrowserSession(user_id, f"session of {rules}", NOON, NOON, rules), BEFORE)
    invitations.add(tx, Invitation(user_id, f"invitation by {rules}", rules, Role.READER, NOON), BEFORE)
    users.put_identity(tx, Identity(user_id, "https://id.example", f"subject of {rules}", NOON))
    app_passwords.put(tx, AppPassword(user_id, rules, f"password of {rules}", NOON, None))
    documents.put(tx, user_id, "rules.yaml", rules, NOON)
    documents.add_removal(tx, Removal(user_id, "key", NOON, RemovalKind.RULE, rules), BEFORE)
    for change in (users.set_feeds_key, users.set_list_views):
        change(tx, user_id, rules)
    live_elsewhere(tx, user_id, liked=liked, rules=rules)
    folders.add(tx, user_id, rules, made=True)
    work.put(tx, [DueWork(Task.DECIDE, str(user_id), Queue.DECIDE, NOON, user_id)], NOON)
    for row in (2, 4):
        snapshots.save(tx, Snapshot(user_id, row, "same", f"{rules} {row}".encode()))


def confirm_address(tx: Transaction, user_id: int, key: str) -> None:
    """Have a code sent to an address that all people use, and enter it."""
    mail_confirmations.add(tx, user_id, "reader@a", NOON, BEFORE)
    (asked,) = mail_confirmations.list_confirmations(tx, user_id, "reader@a")
    mail_confirmations.put(tx, replace(asked, key=key, confirmed=NOON))


def live_elsewhere(tx: Transaction, user_id: int, *, liked: int, rules: str) -> None:
    """Have an account on another server, with an item that is set differently."""
    account = Connection(user_id, ReaderKind.FRESHRSS, f"https://{rules}.example", rules, (), NOON, next_due=NOON)
    connections.put(tx, account)
    connections.follow(tx, account, [RemoteFeed("feed/7", f"{rules} from elsewhere", "", (rules,))])
    remote_items.add(tx, user_id, [RemoteItem(1, 10 * liked % 13, starred=True), RemoteItem(2, 12, read=liked == 1)])
    remote_items.want(tx, user_id, [RemoteTag(1, rules, wanted=True), RemoteTag(2, rules, wanted=True)])
    remote_items.sent(tx, user_id, [RemoteTag(1, rules, wanted=True)])


def rows_of(tx: Transaction, user_id: int) -> dict[str, list[Any]]:
    """Everything that is a person's."""
    return {
        table.name: list(map(tuple, tx.connection.execute(table.select().where(table.c.user_id == user_id))))
        for table in PERSONAL
    }
