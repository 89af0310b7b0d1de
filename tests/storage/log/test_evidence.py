"""What a ranking is fitted to, as the database finds it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from math import nan

import pytest
from sqlalchemy import update

from storage.log import decisions, evidence, feedback, imports, interests, rule_outcomes
from storage.log.imports import StoredImportedItem
from storage.log.interests import Example
from storage.opening.database import Database
from storage.people import users
from storage.records.decisions import Decision, DecisionRound
from storage.records.rules import Action, RuleOutcome
from storage.records.users import LOCAL_USER, Kind, Verdict
from storage.schema import features as rows_of_features
from storage.stream import meanings
from tests.storage.conftest import NOON, Newsroom, decision
from tests.storage.log.test_imports import new

HOUR = timedelta(hours=1)


def say(database: Database, kind: Kind, *seqs: int, user_id: int = LOCAL_USER) -> None:
    with database.write() as tx:
        number = feedback.last_row(tx, user_id)
        feedback.append(tx, [Verdict(f"{user_id}-{number}-{seq}", user_id, seq, kind, NOON) for seq in seqs])


def rule(database: Database, *outcomes: tuple[int, Action, float]) -> None:
    with database.write() as tx:
        found = [RuleOutcome(seq, action, boost, ("a rule",)) for seq, action, boost in outcomes]
        rule_outcomes.put(tx, LOCAL_USER, [seq for seq, _, _ in outcomes], found)


def made(seq: int, score: float, margin: float | None, *, explore: bool = False, vote: float | None = None) -> Decision:
    return replace(decision(seq, score, explore), margin=margin, vote=vote)


def decide(database: Database, *rows: Decision) -> None:
    with database.write() as tx:
        decisions.add(tx, rows)


def hidden(database: Database, limit: int = 99, user_id: int = LOCAL_USER) -> list[int]:
    with database.read() as tx:
        return evidence.hidden(tx, user_id, limit)


def test_undelivered_is_what_was_neither_shown_nor_judged(newsroom: Newsroom, database: Database) -> None:
    newsroom.articles(8)
    newsroom.judge((1, 1.0, False), (2, -1.0, True), *((seq, -1.0, False) for seq in range(3, 8)))
    assert hidden(database) == [3, 4, 5, 6, 7]
    say(database, Kind.LIKE, 3)
    say(database, Kind.SKIP, 4)
    assert hidden(database) == [5, 6, 7]
    assert hidden(database, limit=2) == [6, 7]
    say(database, Kind.UNDO, 3)
    assert hidden(database) == [3, 5, 6, 7]


def test_archive_was_never_delivered(newsroom: Newsroom, database: Database) -> None:
    newsroom.articles(3)
    with database.write() as tx:
        decisions.add(tx, [decision(1, 1.0)], [(LOCAL_USER, 2, 5.0)])
    assert hidden(database) == [2]


def test_rules_change_how_many_were_delivered_and_nothing_that_is_learned(
    newsroom: Newsroom, database: Database
) -> None:
    newsroom.articles(10)
    newsroom.judge(*((seq, 1.0, False) for seq in range(1, 5)), *((seq, -1.0, False) for seq in range(5, 8)))
    newsroom.judge((8, -1.0, True), (9, -1.0, False), (10, -1.0, False))
    with database.write() as tx:
        decisions.add_late(tx, [made(9, 0.5, 1.5), made(10, 0.5, 1.5)])
        before = evidence.deliveries_since(tx, LOCAL_USER, NOON)
    assert before == (10, 6, 1)
    rule(
        database,
        (1, Action.NEVER, 0.0),
        (2, Action.BOOST, -2.0),
        (3, Action.BOOST, -0.5),
        (5, Action.ALWAYS, 0.0),
        (8, Action.NEVER, 0.0),
        (9, Action.NEVER, 0.0),
    )
    assert hidden(database) == [5, 6, 7]
    with database.read() as tx:
        # Neither 1, 2 nor 9. What was explored was delivered.
        assert evidence.deliveries_since(tx, LOCAL_USER, NOON) == (10, 3, 1)


def test_a_late_delivery_is_one(newsroom: Newsroom, database: Database) -> None:
    newsroom.articles(3)
    newsroom.judge((1, -1.0, False), (2, -1.0, False), (3, -1.0, False))
    late = replace(made(2, 0.5, 1.5), at=NOON + 2 * HOUR)
    with database.write() as tx:
        decisions.add_late(tx, [late])
        assert decisions.get(tx, LOCAL_USER, [2])[2].interesting is False
    assert hidden(database) == [1, 3]
    with database.read() as tx:
        assert evidence.deliveries_since(tx, LOCAL_USER, NOON + HOUR) == (0, 1, 0)
        assert evidence.candidates(tx, LOCAL_USER, NOON) == [1, 3]


def test_candidates_are_undelivered_stories_of_the_window(newsroom: Newsroom, database: Database) -> None:
    newsroom.articles(1, at=NOON - HOUR)
    newsroom.articles(5)
    with database.write() as tx:
        tx.connection.exec_driver_sql("UPDATE articles SET archive = true WHERE seq = 6")
        rows = [decision(seq, -1.0) for seq in (1, 2, 3, 4)]
        decisions.add(tx, [*rows, decision(5, 1.0)], [(LOCAL_USER, 6, 5.0)])
    say(database, Kind.DISLIKE, 3)
    with database.read() as tx:
        assert evidence.candidates(tx, LOCAL_USER, NOON) == [2, 4]
        assert evidence.candidates(tx, LOCAL_USER, NOON - HOUR) == [1, 2, 4]


def test_the_newest_verdicts_are_in_order_of_the_log(newsroom: Newsroom, database: Database) -> None:
    newsroom.articles(6)
    say(database, Kind.LIKE, 4, 1, 3)
    say(database, Kind.DISLIKE, 2)
    say(database, Kind.LIKE, 5)
    say(database, Kind.UNDO, 1)
    say(database, Kind.SKIP, 6)
    with database.read() as tx:
        assert evidence.newest_verdicts(tx, LOCAL_USER, Kind.LIKE, 9, 0) == [(1, 4), (3, 3), (5, 5)]
        assert evidence.newest_verdicts(tx, LOCAL_USER, Kind.LIKE, 2, 0) == [(3, 3), (5, 5)]
        assert evidence.newest_verdicts(tx, LOCAL_USER, Kind.DISLIKE, 9, 0) == [(4, 2)]
        assert evidence.count_verdicts(tx, LOCAL_USER, 0) == {Kind.LIKE: 3, Kind.DISLIKE: 1}
        # Only what comes after a row of the log.
        assert evidence.newest_verdicts(tx, LOCAL_USER, Kind.LIKE, 9, 1) == [(3, 3), (5, 5)]
        assert evidence.count_verdicts(tx, LOCAL_USER, 4) == {Kind.LIKE: 1}


def test_a_verdict_that_was_changed_counts_once(newsroom: Newsroom, database: Database) -> None:
    newsroom.articles(2)
    say(database, Kind.LIKE, 1, 2)
    say(database, Kind.DISLIKE, 1)
    with database.read() as tx:
        assert evidence.newest_verdicts(tx, LOCAL_USER, Kind.LIKE, 9, 0) == [(2, 2)]
        assert evidence.newest_verdicts(tx, LOCAL_USER, Kind.DISLIKE, 9, 0) == [(3, 1)]
        assert evidence.stated(tx, LOCAL_USER) == [2]


def test_the_newest_scored_stories_come_with_their_verdicts(newsroom: Newsroom, database: Database) -> None:
    newsroom.articles(5)
    newsroom.judge((1, 1.0, False), (2, 1.0, False), (3, -1.0, False), (4, -1.0, False))
    say(database, Kind.LIKE, 2)
    say(database, Kind.DISLIKE, 3)
    say(database, Kind.SKIP, 4)
    with database.read() as tx:
        everything = [1, 2, 3, 4], {2: Kind.LIKE, 3: Kind.DISLIKE}, [1, 2]
        assert evidence.newest_scored(tx, LOCAL_USER, 9) == everything
        assert evidence.newest_scored(tx, LOCAL_USER, 3) == ([2, 3, 4], everything[1], [2])
        assert evidence.newest_scored(tx, LOCAL_USER, 1) == ([4], {}, [])


def test_verdicts_on_deliveries_have_score_and_margin(newsroom: Newsroom, database: Database) -> None:
    newsroom.articles(6)
    decide(
        database,
        made(1, 1.0, 2.5),
        made(2, -1.0, -0.5, explore=True),
        made(3, -1.0, -0.5),
        made(4, 1.0, 3.5),
        made(5, 1.0, None),
        made(6, -2.0, -1.5),
    )
    with database.write() as tx:
        decisions.add_late(tx, [made(6, 0.5, 1.25)])
    say(database, Kind.LIKE, 2)
    say(database, Kind.DISLIKE, 1)
    say(database, Kind.LIKE, 3, 5, 6)  # 3 was not delivered, 5 has no margin
    say(database, Kind.SKIP, 4)
    with database.read() as tx:
        history = evidence.delivery_verdicts(tx, LOCAL_USER)
        assert [each.row for each in history] == sorted(each.row for each in history)
        assert [tuple(each[1:]) for each in history] == [
            (True, -1.0, False, -0.5),
            (False, 1.0, True, 2.5),
            (True, 1.0, True, None),
            (True, 0.5, True, 1.25),
        ]


def test_stories_of_the_newest_round(newsroom: Newsroom, database: Database) -> None:
    newsroom.articles(6)
    decide(database, made(5, 1.0, 1.5))  # without a round
    with database.write() as tx:
        assert evidence.of_newest_round(tx, LOCAL_USER) == ([], [])
        for number, seqs in ((1, (1, 2)), (2, (3, 4))):  # two rounds at one time
            decisions.add_round(tx, DecisionRound(LOCAL_USER, number, NOON, 0))
            decisions.add(tx, [replace(made(seq, -1.0, 1.5), round=number) for seq in seqs])
        decisions.add_late(tx, [replace(made(2, 0.5, 1.5), round=2)])
        assert evidence.of_newest_round(tx, LOCAL_USER) == ([3, 4], [2])
        assert evidence.of_newest_round(tx, users.add(tx, "other", 0).id) == ([], [])


def test_a_verdict_that_was_given_before_the_delivery_is_none_on_it(newsroom: Newsroom, database: Database) -> None:
    newsroom.articles(2)
    say(database, Kind.LIKE, 1)
    with database.write() as tx:
        row = feedback.last_row(tx, LOCAL_USER)
        decisions.add_round(tx, DecisionRound(LOCAL_USER, 1, NOON, row))
        decisions.add(tx, [replace(made(seq, 1.0, 1.5), round=1) for seq in (1, 2)])
        assert evidence.delivery_verdicts(tx, LOCAL_USER) == []
    say(database, Kind.DISLIKE, 1, 2)
    with database.read() as tx:
        assert [each.row for each in evidence.delivery_verdicts(tx, LOCAL_USER)] == [row + 1, row + 2]


def test_examples_are_imported_items_that_are_still_learned(newsroom: Newsroom, database: Database) -> None:
    newsroom.articles(1)
    with database.write() as tx:
        imports.add_import(tx, LOCAL_USER, "first", new(newsroom, "a", "b", form="title"), [], NOON)
        undone = imports.add_import(tx, LOCAL_USER, "second", new(newsroom, "c"), [], NOON)[0]
        imports.add_import(tx, LOCAL_USER, "third", new(newsroom, "d", form="text"), [], NOON)
        imports.undo_import(tx, LOCAL_USER, undone, NOON)
        found = evidence.examples(tx, LOCAL_USER, 0)
        assert [(each.seq, each.form) for each in found] == [(2, "title"), (3, "title"), (5, "text")]
        assert {each.weight for each in found} == {new(newsroom, "a")[0].weight}
        assert [each.seq for each in evidence.examples(tx, LOCAL_USER, 2)] == [5]
        assert evidence.stated(tx, LOCAL_USER) == [1, 2, 4]
        assert evidence.count_verdicts(tx, LOCAL_USER, 0) == {}
        assert evidence.newest_scored(tx, LOCAL_USER, 9) == ([], {}, [])
    assert hidden(database) == []


def test_an_example_is_as_recent_as_the_import_that_it_comes_from(newsroom: Newsroom, database: Database) -> None:
    def change(what: str, weight: float | None) -> None:
        """Give the example this weight, or with None remove it, as weakening, removing and undoing them do."""
        item = None if weight is None else Example(StoredImportedItem(1, "title", weight), "tides", number)
        assert interests.change(tx, LOCAL_USER, [(1, item)], what, NOON) == 1

    def recent() -> list[float]:
        return [each.weight for each in evidence.examples(tx, LOCAL_USER, changed)]

    with database.write() as tx:
        number = imports.add_import(tx, LOCAL_USER, "tides", new(newsroom, "a"), [], NOON, "tides")[0] or 0
        changed = feedback.last_row(tx, LOCAL_USER)
        steps = [("weaken", 0.25), ("undo", 0.5), ("remove", None), ("undo", 0.5), ("weaken", 0.25)]
        for what, weight in steps:
            change(what, weight)
            assert recent() == []
        assert [each.weight for each in evidence.examples(tx, LOCAL_USER, 0)] == [0.25]
        # A user who says it again means it now, also after a removal.
        imports.add_import(tx, LOCAL_USER, "tides", new(newsroom, "a"), [], NOON, "tides")
        assert recent() == [0.5]
        change("remove", None)
        number = imports.add_import(tx, LOCAL_USER, "tides", new(newsroom, "a"), [], NOON, "tides")[0] or 0
        assert recent() == [0.5]
        change("weaken", 0.25)
        assert recent() == [0.25]


def test_votes_are_those_of_the_first_decision(newsroom: Newsroom, database: Database) -> None:
    newsroom.articles(3)
    decide(database, made(1, 1.0, 0.0, vote=0.75), made(2, 1.0, 0.0))
    with database.write() as tx:
        decisions.rescore(tx, LOCAL_USER, [])
        assert evidence.votes(tx, LOCAL_USER, [3, 1, 2]) == pytest.approx({1: 0.75, 2: nan}, nan_ok=True)
        assert evidence.votes(tx, LOCAL_USER, [40_000, 1]) == {1: 0.75}


def test_deliveries_are_counted_from_a_moment_on(newsroom: Newsroom, database: Database) -> None:
    newsroom.articles(7)
    with database.read() as tx:
        assert evidence.deliveries_since(tx, LOCAL_USER, NOON - HOUR) == (0, 0, 0)
    newsroom.judge((1, 1.0, False), (2, -1.0, True), (3, -1.0, False))
    newsroom.judge((4, 1.0, False), (5, 2.0, False), (6, -1.0, True), (7, -1.0, False), at=NOON + HOUR)
    with database.read() as tx:
        assert evidence.deliveries_since(tx, LOCAL_USER, NOON - HOUR) == (7, 3, 2)
        assert evidence.deliveries_since(tx, LOCAL_USER, NOON) == (7, 3, 2)
        assert evidence.deliveries_since(tx, LOCAL_USER, NOON + HOUR) == (4, 2, 1)


def test_term_vectors_are_found_with_their_sources(newsroom: Newsroom, database: Database) -> None:
    newsroom.articles(3)
    with database.write() as tx:
        for seq in (1, 2, 3):
            changed = update(rows_of_features).where(rows_of_features.c.seq == seq).values(terms=b"terms %d" % seq)
            tx.connection.execute(changed)
        found = {seq: (b"terms %d" % seq, "Example", None) for seq in (1, 2, 3)}
        assert evidence.words(tx, [3, 1, 2], "") == found
        assert evidence.words(tx, [40_000, 3], "") == {3: found[3]}
        assert evidence.words(tx, [], "") == {}
        meanings.add(tx, [(1, "encoder 1", b"old"), (2, "encoder 2", b"two"), (3, "encoder 2", b"three")])
        meanings.add(tx, [(3, "encoder 2", b"new")])
        known = [evidence.words(tx, [1, 2, 3], encoder) for encoder in ("encoder 1", "encoder 2", "")]
    assert [[each[seq].meaning for seq in (1, 2, 3)] for each in known] == [
        [b"old", None, None],
        [None, b"two", b"new"],
        [None, None, None],
    ]


def test_the_newest_articles_and_those_with_a_verdict_wait_for_meanings(newsroom: Newsroom, database: Database) -> None:
    newsroom.articles(9)
    say(database, Kind.LIKE, 2)
    with database.write() as tx:
        assert meanings.waiting(tx, "encoder 2", newest=3, limit=10) == [9, 8, 7, 2]
        assert meanings.waiting(tx, "encoder 2", newest=3, limit=2) == [9, 8]
        meanings.add(tx, [(8, "encoder 2", b"m"), (9, "encoder 1", b"m")])
        assert meanings.waiting(tx, "encoder 2", newest=3, limit=10) == [9, 7, 2]
        assert [meanings.count(tx, encoder) for encoder in ("encoder 1", "encoder 2", "encoder 3")] == [1, 1, 0]


@pytest.mark.parametrize("seen_by", ["nobody", "stranger"])
def test_people_have_their_own_evidence(newsroom: Newsroom, database: Database, seen_by: str) -> None:
    newsroom.articles(3)
    newsroom.judge((1, 1.0, False), (2, -1.0, False))
    say(database, Kind.LIKE, 1)
    with database.write() as tx:
        other = users.add(tx, "other", 0).id
    if seen_by == "stranger":
        newsroom.judge((2, 1.0, False), (3, -1.0, False), user_id=other)
    with database.read() as tx:
        expected = ([], {}, []) if seen_by == "nobody" else ([2, 3], {}, [2])
        assert evidence.newest_scored(tx, other, 9) == expected
        assert evidence.count_verdicts(tx, other, 0) == {}
        assert evidence.stated(tx, other) == []
        assert evidence.newest_verdicts(tx, other, Kind.LIKE, 9, 0) == []
    assert hidden(database) == [2]
    assert hidden(database, user_id=other) == ([] if seen_by == "nobody" else [3])
