"""Two people over one database: nothing that one does is in an answer to the other, or changes a row of theirs.

Every function of ``storage`` that takes a person takes part, by itself: one that is new has to be of ``WRITES``, or is
asked as all the others.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import ColumnElement, Select, select

import storage
from storage import (
    app_passwords,
    changes,
    connections,
    decision_rounds,
    decisions,
    deliveries,
    documents,
    feedback,
    feeds,
    folders,
    headlines,
    identities,
    imports,
    invitations,
    mail_log,
    marks,
    personal_feeds,
    reading_events,
    remote_items,
    removals,
    rule_outcomes,
    saved_items,
    sessions,
    snapshots,
    users,
    work,
)
from storage.article_filter import ArticleFilter
from storage.articles import get as get_articles
from storage.client_items import ItemFilter, Order, Page, Unread
from storage.database import Database
from storage.errors import UnknownName
from storage.export import ArticleKey
from storage.imports import NewImportedItem
from storage.inbox import Section
from storage.records import (
    LOCAL_USER,
    Act,
    Action,
    AppOption,
    AppPassword,
    BrowserSession,
    Connection,
    CurrentScore,
    Decision,
    DecisionRound,
    Delivery,
    DueWork,
    Features,
    Identity,
    Invitation,
    Kind,
    Mailing,
    MailState,
    Mark,
    Priority,
    Queue,
    ReaderKind,
    ReadingEvent,
    RecommendationChange,
    RemoteFeed,
    RemoteItem,
    RemoteTag,
    Removal,
    RemovalKind,
    Role,
    RuleOutcome,
    Snapshot,
    Subscription,
    Task,
    Verdict,
)
from storage.saved_items import SavedItem
from storage.schema import articles, metadata
from storage.search import parse
from storage.transaction import Transaction
from tests.storage.conftest import FEED, NOON, Newsroom

SEQS = tuple(range(1, 13))
LATER, BEFORE = NOON + timedelta(days=2), NOON - timedelta(days=30)
PERSONAL = [table for table in metadata.sorted_tables if "user_id" in table.columns]
ARGUMENTS: dict[str, Any] = {
    **dict.fromkeys(("since", "start", "after"), BEFORE),
    **dict.fromkeys(("end", "moment"), LATER),
    **dict.fromkeys(("date", "edition"), "2026-03-01"),
    **dict.fromkeys(("seqs", "stories"), SEQS),
    **dict.fromkeys(("seq", "story"), 2),
    **dict.fromkeys(("row", "import_id"), 1),
    "before": "2026-03-02",
    "limit": 100,
    "number": 1,
    "interest": "harbour",
    "issuer": "https://id.example",
    **dict.fromkeys(("after_seq", "after_row"), 0),
    "up_to_seq": 99,
    "default": 0.5,
    "fingerprint": "same",
    "verdict_id": "verdict-2",
    "with_text": True,
    "feed_ids": (1,),
    "words": parse("one"),
    "only": ArticleFilter(source="h"),
    "kind": Kind.LIKE,
    "name": "rules.yaml",
    "section": Section.ALL,
    "label": "harbour",
    "act": Act.OPENED,
    "keys": ("harbour", "orchard"),
    "key": "key",
    "named": (ArticleKey(FEED, "gone"),),
    "at": NOON,
    "unread": Unread(BEFORE),
    "wanted": ItemFilter(),
    "items": (1, 2),
    "now": LATER,
    "part": Page(Order.NUMBER, descending=True, offset=0, limit=100),
}
"""What a function is asked with, by the names of what it needs."""
WRITES = {
    *(
        "deliveries.store_content",
        "decisions.rescore",
        "decisions.save_change",
        "feeds.subscribe",
        "app_passwords.revoke",
        "app_passwords.set_options",
        "app_passwords.touch",
        "identities.remove",
        "removals.remove",
        "saved_items.add",
        "sessions.end_all",
        "rule_outcomes.put",
        "rule_outcomes.save_application",
        "users.get",
        "users.password_hash",
        "documents.put",
        "user_removal.remove_user",
        "users.rename",
        "users.require_another_admin",
        "users.set_password",
        "users.set_role",
        "users.set_time_zone",
        "personal_feeds.set_key",
        "connections.remove",
        "folders.add",
        "folders.rename",
        "folders.remove",
        "feeds.bring_forward",
    ),
    *(
        "changes.count",
        "imports.add_import",
        "imports.create",
        "imports.enter",
        "interests.change",
        "headlines.save_shown",
        "imports.undo_import",
        "imports.mark_arrived",
        "imports.record_marks",
        "snapshots.discard",
        "snapshots.thin",
        "export.add_verdicts",
    ),
    *(f"marks.{name}" for name in ("read", "keep_unread", "read_all", "undo_read_all", "save", "unsave")),
    *("marks.add", "marks.add_label", "marks.remove_label", "marks.rename_label", "marks.delete_label"),
    *(f"remote_items.{name}" for name in ("add", "change", "want", "want_none", "sent", "refuse", "remove_all")),
    *("reading_events.switch", "reading_events.sum_before", "reading_export.add_marks", "reading_export.add_events"),
}
"""Functions that take a person and change something; and the one that says who they are."""


def functions() -> dict[str, Callable[..., Any]]:
    """Every public function of ``storage`` that takes a person."""
    found = {}
    for module in pkgutil.iter_modules(storage.__path__):
        room = importlib.import_module(f"storage.{module.name}")
        for name, each in vars(room).items():
            ours = inspect.isfunction(each) and each.__module__ == room.__name__ and not name.startswith("_")
            if ours and "user_id" in inspect.signature(each).parameters:
                found[f"{module.name}.{name}"] = each
    return found


READS = {name: each for name, each in functions().items() if name not in WRITES and not name.startswith("visibility.")}
"""``tests/storage/test_visibility.py`` asks what is missing here."""
ALIKE = {
    *("articles.find", "articles.seqs", "articles.count", "history.arrival_counts", "feed_statistics.arrivals"),
    *("feedback.story", "inbox.joined", "marks.stories", "marks.first_since", "marks.unread_counts"),
    *("reading_export.unplaced", "documents.are_stored", "feeds.count_followed", "articles.has_any"),
}
"""What has the same answer for all who follow the same feed."""


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
            round=1 if seq > 1 else None,
            tags=(rules,),
        )
        for seq in SEQS[:10]
        for score in (1.0 if seq % 3 == liked else -1.0 - liked,)
    ]
    decisions.add(tx, rows)
    decisions.add_late(tx, late(user_id))
    decision_rounds.add(tx, DecisionRound(user_id, 1, NOON, 0, 0, 0, 0, rules, rules))
    decisions.rescore(tx, user_id, [CurrentScore(row.seq, row.score + 0.125, 0.0, row.interesting) for row in rows])
    rule_outcomes.put(
        tx, user_id, SEQS, [RuleOutcome(seq, Action.NEVER, 0.0, (rules,)) for seq in (5, 6) if seq % 2 == liked % 2]
    )
    decisions.save_change(tx, user_id, RecommendationChange(NOON, liked, 9))
    rule_outcomes.save_application(tx, user_id, rules)
    for seq in SEQS[:6]:
        kind = Kind.LIKE if seq % 3 == liked else (Kind.DISLIKE, Kind.SKIP)[seq % 2]
        feedback.append(tx, [Verdict(f"verdict-{seq}", user_id, seq, kind, NOON + timedelta(hours=seq))])
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
    mail_log.put(tx, None, mail)
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
    identities.put(tx, Identity(user_id, "https://id.example", f"subject of {rules}", NOON))
    app_passwords.put(tx, AppPassword(user_id, rules, f"password of {rules}", NOON, None))
    documents.put(tx, user_id, "rules.yaml", rules, NOON)
    removals.add(tx, Removal(user_id, "key", NOON, RemovalKind.RULE, rules), BEFORE)
    personal_feeds.set_key(tx, user_id, rules)
    live_elsewhere(tx, user_id, liked=liked, rules=rules)
    folders.add(tx, user_id, rules, made=True)
    work.put(tx, [DueWork(Task.JUDGE, str(user_id), Queue.JUDGE, NOON, user_id)], NOON)
    for row in (2, 4):
        snapshots.save(tx, Snapshot(user_id, row, "same", f"{rules} {row}".encode()))


def live_elsewhere(tx: Transaction, user_id: int, *, liked: int, rules: str) -> None:
    """Have an account on another server, with an item that is set differently."""
    account = Connection(user_id, ReaderKind.FRESHRSS, f"https://{rules}.example", rules, (), NOON, next_due=NOON)
    connections.put(tx, account)
    connections.follow(tx, account, [RemoteFeed("feed/7", f"{rules} from elsewhere", "", (rules,))])
    remote_items.add(tx, user_id, [RemoteItem(1, 10 * liked % 13, starred=True), RemoteItem(2, 12, read=liked == 1)])
    remote_items.want(tx, user_id, [RemoteTag(1, rules, wanted=True), RemoteTag(2, rules, wanted=True)])
    remote_items.sent(tx, user_id, [RemoteTag(1, rules, wanted=True)])


@pytest.fixture
def shared(newsroom: Newsroom) -> Database:
    """Twelve articles, and three people; nobody has done anything."""
    newsroom.articles(12)
    with newsroom.database.write() as tx:
        for name in ("second", "third"):
            person = users.add(tx, name, 5)
            feeds.subscribe(tx, person.id, [Subscription(FEED)])
        ids = [each.id for each in get_articles(tx, SEQS)]
    ARGUMENTS.update(ids=ids, id_or_prefix=ids[0])
    return newsroom.database


SECOND, THIRD = LOCAL_USER + 1, LOCAL_USER + 2


def answers(tx: Transaction, user_id: int) -> dict[str, str]:
    """What every function that reads says to a person."""
    found = {}
    for name, each in READS.items():
        parameters = inspect.signature(each).parameters.values()
        needed = [one.name for one in parameters if one.default is one.empty and one.name not in ("tx", "user_id")]
        try:
            said = each(
                *((tx,) if "tx" in inspect.signature(each).parameters else ()),
                user_id=user_id,
                **{parameter: ARGUMENTS[parameter] for parameter in needed},
            )
        except UnknownName as error:  # the filter asks for a name that people give a feed themselves
            said = str(error)
        else:
            conditions = said if name == "article_filter.conditions" else [said]
            if all(isinstance(each, ColumnElement) for each in conditions):
                said = tx.connection.execute(select(articles.c.seq).where(*conditions)).all()
        if isinstance(said, Select):
            said = tx.connection.execute(said.where(articles.c.seq.in_(SEQS))).all()  # a part of other queries
        found[name] = repr(list(said) if isinstance(said, Iterator) else said)
    return found


def rows_of(tx: Transaction, user_id: int) -> dict[str, list[Any]]:
    """Everything that is a person's."""
    return {
        table.name: list(map(tuple, tx.connection.execute(table.select().where(table.c.user_id == user_id))))
        for table in PERSONAL
    }


def test_every_function_is_known() -> None:
    assert functions().keys() >= WRITES
    assert len(READS) > 50
    assert {table.name for table in PERSONAL} >= {"feedback", "decisions", "subscriptions", "editions", "seeds"}


@pytest.mark.parametrize("first", [LOCAL_USER, SECOND])
def test_what_one_does_is_in_no_answer_to_the_other(shared: Database, newsroom: Newsroom, first: int) -> None:
    other = SECOND if first == LOCAL_USER else LOCAL_USER
    with shared.write() as tx:
        nothing = answers(tx, THIRD)
        live(tx, newsroom, first, liked=1, rules="harbour")
        mine, rows = answers(tx, first), rows_of(tx, first)
        assert answers(tx, THIRD) == nothing
        live(tx, newsroom, other, liked=2, rules="orchard")
        assert answers(tx, first) == mine
        assert rows_of(tx, first) == rows
        assert answers(tx, THIRD) == nothing
        theirs = answers(tx, other)
    # It says something of each of them, or this would show nothing.
    silent = {name for name in READS if mine[name] == nothing[name]}
    assert silent <= ALIKE
    assert [name for name, text in mine.items() if "orchard" in text] == []
    assert [name for name, text in theirs.items() if "harbour" in text] == []
    assert all(rows[table.name] for table in PERSONAL)


def test_nobody_writes_what_is_another_s_even_by_its_ids(shared: Database, newsroom: Newsroom) -> None:
    with shared.write() as tx:
        live(tx, newsroom, LOCAL_USER, liked=1, rules="harbour")
        live(tx, newsroom, SECOND, liked=2, rules="orchard")
        (mine,) = (each.id for each in imports.list_imports(tx, LOCAL_USER))
        before, told = rows_of(tx, LOCAL_USER), answers(tx, LOCAL_USER)

        # By ids of the first, in the name of the second.
        assert imports.list_items(tx, SECOND, mine) is None
        assert imports.undo_import(tx, SECOND, mine, LATER) is None
        spoken = feedback.append(tx, [Verdict("verdict-1", SECOND, 1, Kind.SKIP, LATER)])
        assert spoken == [(False, feedback.verdict(tx, SECOND, 1))]
        imports.mark_arrived(tx, SECOND, {7: 13})
        # And all that writes.
        feedback.append(tx, [Verdict(f"again-{seq}", SECOND, seq, Kind.UNDO, LATER) for seq in SEQS])
        decisions.rescore(tx, SECOND, [CurrentScore(seq, 9.0, 0.0, True) for seq in SEQS[:10]])
        decisions.add_late(tx, late(SECOND))
        decisions.save_change(tx, SECOND, None)
        rule_outcomes.put(tx, SECOND, SEQS, [])
        rule_outcomes.save_application(tx, SECOND, "")
        deliveries.store_content(tx, SECOND, "2026-03-02", "another", LATER)
        marks.undo_read_all(tx, SECOND, NOON)
        marks.read(tx, SECOND, SEQS, LATER)
        marks.keep_unread(tx, SECOND, SEQS)
        marks.read_all(tx, SECOND, SEQS, LATER)
        marks.unsave(tx, SECOND, SEQS)
        marks.add(tx, SECOND, [(seq, Mark(saved_at=LATER, labels=("harbour",))) for seq in SEQS])
        marks.remove_label(tx, SECOND, "harbour", SEQS)
        personal_feeds.set_key(tx, SECOND, "")
        folders.rename(tx, SECOND, 2, "quay")
        folders.remove(tx, SECOND, [2])
        feeds.bring_forward(tx, SECOND, [1], LATER)
        marks.rename_label(tx, SECOND, "harbour", "quay")
        marks.delete_label(tx, SECOND, "quay")
        app_passwords.touch(tx, SECOND, "harbour", LATER)
        identities.remove(tx, SECOND, "https://id.example")
        app_passwords.set_options(tx, SECOND, "harbour", (AppOption.HIDDEN_UNREAD,))
        snapshots.thin(tx, SECOND, [])
        snapshots.discard(tx, SECOND)
        feeds.subscribe(tx, SECOND, [])
        remote_items.want(tx, SECOND, [RemoteTag(1, "harbour", wanted=False), RemoteTag(2, "quay", wanted=True)])
        remote_items.change(tx, SECOND, RemoteItem(1, 1, read=True))
        remote_items.refuse(tx, SECOND, [RemoteTag(2, "harbour", wanted=True)])
        remote_items.want_none(tx, SECOND, ["harbour", "orchard"])
        remote_items.sent(tx, SECOND, remote_items.waiting(tx, SECOND))
        remote_items.remove_all(tx, SECOND)
        connections.remove(tx, SECOND)
        (second,) = (each.id for each in imports.list_imports(tx, SECOND))
        imports.undo_import(tx, SECOND, second, LATER)
        mail_log.put(tx, mail_log.get(tx, SECOND, "2026-03-01"), sent(mail_log.get(tx, SECOND, "2026-03-01")))

        assert rows_of(tx, LOCAL_USER) == before
        assert answers(tx, LOCAL_USER) == told
        assert snapshots.newest(tx, SECOND, fingerprint="same") is None


def sent(mailing: Mailing | None) -> Mailing:
    assert mailing is not None
    values = {name: getattr(mailing, name) for name in mailing.__slots__}
    return Mailing(**values | {"state": MailState.SENT})
