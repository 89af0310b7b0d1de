"""Two people over one database: nothing that one does is in an answer to the other, or changes a row of theirs.

Every function of ``storage`` that takes a person takes part, by itself: one that is new has to be of ``WRITES``, or is
asked as all the others.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sqlalchemy import ColumnElement, ScalarSelect, Select, select

import storage
from storage.engine.base_database import Transaction
from storage.engine.errors import UnknownName
from storage.exchange import connections, remote_items
from storage.exchange.export import ArticleKey
from storage.log import decisions, feedback, history, imports, marks, rule_outcomes, snapshots
from storage.opening.database import Database
from storage.people import app_passwords, deliveries, folders, users
from storage.records.connections import RemoteItem, RemoteTag
from storage.records.decisions import CurrentScore
from storage.records.deliveries import Mailing, MailState
from storage.records.feeds import Subscription
from storage.records.reading_events import Act
from storage.records.stories import Mark
from storage.records.users import LOCAL_USER, AppOption, Kind, Verdict
from storage.schema import articles
from storage.stories.article_filter import ArticleFilter
from storage.stories.client_items import ItemFilter, Order, Page, Unread
from storage.stories.search import parse
from storage.stories.story_query import StoryQuery
from storage.stream import feeds
from storage.stream.articles import get as get_articles
from tests.storage.conftest import FEED, NOON, Newsroom
from tests.storage.two_people import BEFORE, LATER, PERSONAL, SECOND, SEQS, THIRD, late, live, rows_of, shared

__all__ = ["shared"]

ARGUMENTS: dict[str, Any] = {
    **dict.fromkeys(("since", "start", "after"), BEFORE),
    **dict.fromkeys(("end", "moment"), LATER),
    **dict.fromkeys(("date", "digest"), "2026-03-01"),
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
    "text": "",
    "label": "harbour",
    "act": Act.OPENED,
    "wishes": (Subscription(FEED),),
    "keys": ("harbour", "orchard"),
    "key": "key",
    "named": (ArticleKey(FEED, "gone"),),
    "at": NOON,
    "unread": Unread(BEFORE),
    "wanted": ItemFilter(),
    "items": (1, 2),
    "now": LATER,
    "address": "reader@a",
    "n": 1,
    "most": 5,
    "until": LATER,
    "part": Page(Order.NUMBER, descending=True, offset=0, limit=100),
}
"""What a function is asked with, by the names of what it needs."""
WRITES = {
    *(
        "deliveries.store_content",
        "mail_confirmations.add",
        "decisions.rescore",
        "history.save_change",
        "feeds.subscribe",
        "app_passwords.revoke",
        "app_passwords.set_options",
        "app_passwords.touch",
        "users.remove_identity",
        "documents.undo_removal",
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
        "users.set_feeds_key",
        "users.set_list_views",
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
        "snapshots.discard_others",
        "snapshots.thin",
        "export.add_verdicts",
    ),
    *(f"marks.{name}" for name in ("read", "unread", "keep_unread", "read_all", "undo_read_all", "save", "unsave")),
    *("marks.add", "marks.add_label", "marks.remove_label", "marks.rename_label", "marks.delete_label"),
    *(f"remote_items.{name}" for name in ("add", "change", "want", "want_none", "sent")),
    *(f"remote_items.{name}" for name in ("refuse", "try_again", "remove_all")),
    *("reading_events.switch", "reading_events.sum_before", "export.add_marks", "export.add_events"),
}
"""Functions that take a person and change something; and the one that says who they are."""


def is_about_a_person(function: Callable[..., Any]) -> bool:
    parameters = inspect.signature(function).parameters
    return "user_id" in parameters or ("query" in parameters and parameters["query"].annotation == "StoryQuery")


def functions() -> dict[str, Callable[..., Any]]:
    """Every public function of ``storage`` that takes a person."""
    found = {}
    for module in pkgutil.walk_packages(storage.__path__, "storage."):
        if module.name.startswith("storage.migrations"):
            continue
        room = importlib.import_module(module.name)
        for name, each in vars(room).items():
            ours = inspect.isfunction(each) and each.__module__ == room.__name__ and not name.startswith("_")
            if ours and is_about_a_person(each):
                found[f"{module.name.rpartition('.')[2]}.{name}"] = each
    return found


READS = {name: each for name, each in functions().items() if name not in WRITES and not name.startswith("visibility.")}
"""``tests/storage/stream/test_visibility.py`` asks what is missing here."""
ALIKE = {
    *("articles.find", "articles.seqs", "articles.count", "history.arrival_counts", "feed_statistics.arrivals"),
    *("feedback.story", "inbox.joined", "marks.stories", "marks.first_since", "marks.first_story"),
    *(
        "marks.unread_counts",
        "export.unplaced",
        "documents.are_stored",
        "feeds.count_followed",
        "feeds.fetched",
        "feeds.are_known",
        "icons.keys",
        "icons.pictures",
        "articles.has_any",
    ),
}
"""What has the same answer for all who follow the same feed."""


def answers(tx: Transaction, user_id: int) -> dict[str, str]:
    """What every function that reads says to a person."""
    ids = [each.id for each in get_articles(tx, SEQS)]
    arguments = ARGUMENTS | {"ids": ids, "id_or_prefix": ids[0], "query": StoryQuery(user_id, BEFORE)}
    found = {}
    for name, each in READS.items():
        parameters = inspect.signature(each).parameters.values()
        needed = [one.name for one in parameters if one.default is one.empty and one.name not in ("tx", "user_id")]
        try:
            said = each(
                *((tx,) if "tx" in inspect.signature(each).parameters else ()),
                **({} if "query" in needed else {"user_id": user_id}),
                **{parameter: arguments[parameter] for parameter in needed},
            )
        except UnknownName as error:  # the filter asks for a name that people give a feed themselves
            said = str(error)
        else:
            if isinstance(said, ScalarSelect):
                said = tx.connection.execute(select(said)).scalar_one()
            conditions = said if name == "article_filter.conditions" else [said]
            if all(isinstance(each, ColumnElement) for each in conditions):
                said = tx.connection.execute(select(articles.c.seq).where(*conditions)).all()
        if isinstance(said, Select):
            said = tx.connection.execute(said.where(articles.c.seq.in_(SEQS))).all()  # a part of other queries
        found[name] = repr(list(said) if isinstance(said, Iterator) else said)
    return found


def test_every_function_is_known() -> None:
    assert functions().keys() >= WRITES
    assert len(READS) > 50
    assert {table.name for table in PERSONAL} >= {"feedback", "decisions", "subscriptions", "digests", "imported_items"}


@pytest.mark.parametrize("first", [LOCAL_USER, pytest.param(SECOND, marks=pytest.mark.long)])
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
        history.save_change(tx, SECOND, None)
        rule_outcomes.put(tx, SECOND, SEQS, [])
        rule_outcomes.save_application(tx, SECOND, "")
        deliveries.store_content(tx, SECOND, "2026-03-02", "another", LATER)
        mark(tx, SECOND)
        users.set_feeds_key(tx, SECOND, "")
        folders.rename(tx, SECOND, 2, "quay")
        folders.remove(tx, SECOND, [2])
        feeds.bring_forward(tx, SECOND, [1], LATER)
        marks.rename_label(tx, SECOND, "harbour", "quay")
        marks.delete_label(tx, SECOND, "quay")
        app_passwords.touch(tx, SECOND, "harbour", LATER)
        users.remove_identity(tx, SECOND, "https://id.example")
        app_passwords.set_options(tx, SECOND, "harbour", (AppOption.HIDDEN_UNREAD,))
        snapshots.thin(tx, SECOND, "same", [])
        snapshots.discard_others(tx, SECOND, "same")
        snapshots.discard(tx, SECOND)
        feeds.subscribe(tx, SECOND, [])
        remote_items.want(tx, SECOND, [RemoteTag(1, "harbour", wanted=False), RemoteTag(2, "quay", wanted=True)])
        remote_items.change(tx, SECOND, RemoteItem(1, 1, read=True))
        remote_items.refuse(tx, SECOND, [RemoteTag(2, "harbour", wanted=True)])
        remote_items.try_again(tx, SECOND)
        remote_items.want_none(tx, SECOND, ["harbour", "orchard"])
        remote_items.sent(tx, SECOND, remote_items.waiting(tx, SECOND))
        remote_items.remove_all(tx, SECOND)
        connections.remove(tx, SECOND)
        (second,) = (each.id for each in imports.list_imports(tx, SECOND))
        imports.undo_import(tx, SECOND, second, LATER)
        deliveries.put_mailing(
            tx, deliveries.mailing(tx, SECOND, "2026-03-01"), sent(deliveries.mailing(tx, SECOND, "2026-03-01"))
        )

        assert rows_of(tx, LOCAL_USER) == before
        assert answers(tx, LOCAL_USER) == told
        assert snapshots.newest(tx, SECOND, fingerprint="same") is None


def mark(tx: Transaction, user: int) -> None:
    """Change marks in all ways."""
    marks.undo_read_all(tx, user, NOON)
    marks.read(tx, user, SEQS, LATER)
    marks.unread(tx, user, SEQS)
    marks.keep_unread(tx, user, SEQS)
    marks.read_all(tx, user, SEQS, LATER)
    marks.unsave(tx, user, SEQS)
    marks.add(tx, user, [(seq, Mark(saved_at=LATER, labels=("harbour",))) for seq in SEQS])
    marks.remove_label(tx, user, "harbour", SEQS)


def sent(mailing: Mailing | None) -> Mailing:
    assert mailing is not None
    values = {name: getattr(mailing, name) for name in mailing.__slots__}
    return Mailing(**values | {"state": MailState.SENT})
