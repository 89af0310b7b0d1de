"""A person's past, counted by hand."""

from __future__ import annotations

from datetime import timedelta

from storage.log import feedback, history
from storage.log import rule_outcomes as own_rules
from storage.opening.database import Database
from storage.records.decisions import ArrivalCount, DecisionBatch
from storage.records.rules import Action, RuleOutcome
from storage.records.users import LOCAL_USER, Kind, Verdict
from tests.storage.conftest import FEED, NOON, Newsroom


def say(database: Database, kind: Kind, *seqs: int, hours: float = 0.0, name: str = "") -> None:
    with database.write() as tx:
        last = feedback.last_row(tx, LOCAL_USER)
        at = NOON + timedelta(hours=hours)
        feedback.append(tx, [Verdict(name or f"{last} {seq}", LOCAL_USER, seq, kind, at) for seq in seqs])


def test_verdicts_have_the_first_decision(database: Database, newsroom: Newsroom) -> None:
    newsroom.follow(FEED)
    newsroom.poll(*(newsroom.entry(f"a{n}") for n in range(5)))
    newsroom.assess({2: 1})
    newsroom.judge((1, 1.5, False), (3, -1.0, True), (4, -2.0, False))
    say(database, Kind.LIKE, 2, hours=1)  # of the same story as 1
    say(database, Kind.LIKE, 3, 4, hours=2)
    say(database, Kind.SKIP, 5, hours=3)
    say(database, Kind.DISLIKE, 4, hours=4)
    say(database, Kind.UNDO, 3, hours=5)
    with database.read() as tx:
        found = history.verdicts(tx, LOCAL_USER)
        assert [(each.row, each.story, each.kind, each.interesting, each.explore, each.score) for each in found] == [
            (1, 1, Kind.LIKE, True, False, 1.5),
            (4, 5, Kind.SKIP, None, None, None),
            (5, 4, Kind.DISLIKE, False, False, -2.0),
        ]
        assert {each.arrived for each in found} == {NOON}
        assert [each.at - NOON for each in found] == [timedelta(hours=n) for n in (1, 3, 4)]
        assert history.verdicts(tx, LOCAL_USER + 1) == []


def test_rounds_count_what_the_filter_decided(database: Database, newsroom: Newsroom) -> None:
    newsroom.follow(FEED)
    newsroom.poll(*(newsroom.entry(f"a{n}") for n in range(6)))
    newsroom.assess()
    newsroom.judge(*((n, 2.0, False) for n in (1, 4, 5)), (2, -1.0, True), (3, -1.0, False), (6, -3.0, False))
    rule_outcomes = [RuleOutcome(5, Action.NEVER, 0.0, ("never x",)), RuleOutcome(6, Action.NEVER, 0.0, ("never x",))]
    with database.write() as tx:
        own_rules.put(tx, LOCAL_USER, [5, 6], rule_outcomes)
    with database.read() as tx:
        (found,) = history.decision_batches(tx, LOCAL_USER)
        assert found == DecisionBatch(found.at, 6, 2, 1, 1, found.threshold)
        assert history.decision_batches(tx, LOCAL_USER + 1) == []
    say(database, Kind.LIKE, 5, 1)
    with database.read() as tx:
        assert {each.story: each.overruled for each in history.verdicts(tx, LOCAL_USER)} == {5: True, 1: False}
        assert sorted(history.scores_without_verdict(tx, LOCAL_USER, found.at - timedelta(seconds=1))) == [
            -3.0,
            -1.0,
            -1.0,
            2.0,
        ]
        assert history.scores_without_verdict(tx, LOCAL_USER, found.at) == []


def test_arrivals_are_counted_by_quarters_of_an_hour(database: Database, newsroom: Newsroom) -> None:
    newsroom.follow(FEED)
    newsroom.poll(newsroom.entry("a"), newsroom.entry("b"), at=NOON)  # some microseconds past
    newsroom.poll(newsroom.entry("c"), at=NOON + timedelta(minutes=14, seconds=59))
    newsroom.poll(newsroom.entry("d"), at=NOON + timedelta(minutes=15))
    noon = NOON.replace(microsecond=0)
    with database.read() as tx:
        later = ArrivalCount(noon + timedelta(minutes=15), 1)
        assert history.arrival_counts(tx, LOCAL_USER) == [ArrivalCount(noon, 3), later]


def test_the_log_until_a_moment_ends_before_what_is_younger(database: Database, newsroom: Newsroom) -> None:
    newsroom.follow(FEED)
    newsroom.poll(*(newsroom.entry(f"a{n}") for n in range(4)))
    with database.read() as tx:
        assert history.last_row_before(tx, LOCAL_USER, NOON) == 0
        assert history.time_of_row(tx, LOCAL_USER, 5) is None
    say(database, Kind.LIKE, 1, hours=1)
    say(database, Kind.LIKE, 2, hours=2)
    say(database, Kind.LIKE, 3, hours=9)
    say(database, Kind.LIKE, 4, hours=0.5)  # brought from another home, after the third
    with database.read() as tx:
        at = [history.last_row_before(tx, LOCAL_USER, NOON + timedelta(hours=hours)) for hours in (0, 1, 2.5, 9)]
        assert at == [0, 1, 2, 4]
        assert history.time_of_row(tx, LOCAL_USER, 3) == NOON + timedelta(hours=9)


def test_the_log_as_it_was_knows_nothing_of_corrections(database: Database, newsroom: Newsroom) -> None:
    newsroom.follow(FEED)
    newsroom.poll(*(newsroom.entry(f"a{n}") for n in range(4)))
    newsroom.assess()
    for kind, seq in ((Kind.LIKE, 1), (Kind.LIKE, 2), (Kind.UNDO, 1), (Kind.DISLIKE, 2), (Kind.LIKE, 1)):
        say(database, kind, seq)
        with database.read() as tx:
            last = feedback.last_row(tx, LOCAL_USER)
            assert feedback.effective_at(tx, LOCAL_USER, last) == feedback.effective(tx, LOCAL_USER)
    with database.read() as tx:
        logs = [[(e.row, e.kind) for e in feedback.effective_at(tx, LOCAL_USER, row)] for row in range(6)]
        assert logs == [
            [],
            [(1, Kind.LIKE)],
            [(1, Kind.LIKE), (2, Kind.LIKE)],
            [(2, Kind.LIKE)],
            [(4, Kind.DISLIKE)],
            [(4, Kind.DISLIKE), (5, Kind.LIKE)],
        ]
        assert [e.row for e in feedback.effective_at(tx, LOCAL_USER, 5, after_row=4)] == [5]
        assert feedback.superseded_after(tx, LOCAL_USER, 2) == 1
        assert feedback.superseded_after(tx, LOCAL_USER, 2, 2) is None
        assert feedback.superseded_after(tx, LOCAL_USER, 2, 3) == 1


def test_term_vectors_are_those_of_the_leading_articles(database: Database, newsroom: Newsroom) -> None:
    newsroom.follow(FEED)
    newsroom.poll(newsroom.entry("a"), newsroom.entry("b"))
    newsroom.assess()
    with database.read() as tx:
        assert set(history.terms(tx, [2, 3])) == {2}
        assert isinstance(history.terms(tx, [1])[1], bytes)
