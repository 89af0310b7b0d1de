"""First decisions are stored for good, current scores follow the model, and hidden articles get another look."""

from __future__ import annotations

from datetime import timedelta

import pytest

from iscore.filtering.delivery.decide import rescored
from iscore.filtering.delivery.limits import most
from iscore.filtering.delivery.tuning import A_DAY, FIRST_DAY
from iscore.filtering.ranking.evidence import SAMPLE
from iscore.filtering.ranking.ranking import fitted
from iscore.services.learning import current_scores, stored_log
from iscore.services.news_filter import NewsFilter
from storage.log import evidence
from storage.records.rules import Action, RuleOutcome
from storage.records.users import LOCAL_USER, Kind
from tests.iscore.services.scored_archive import (
    DAY,
    NOW,
    WINDOW,
    arrive,
    assert_scores_are_those_of_the_model,
    first_decisions,
    give_verdicts,
    is_liked,
    late_decisions,
    scored,
    scored_again,
)


def test_leading_articles_are_scored_once(filled) -> None:
    done = scored(filled)
    assert done.scored == len(filled.leaders()) == len(first_decisions(filled))
    before = first_decisions(filled)
    assert scored(filled, now=NOW + DAY).scored == 0
    assert first_decisions(filled) == before


def test_a_new_filter_shows_a_diverse_selection(filled) -> None:
    done = scored(filled)
    assert (done.recommended, done.explored) == (0, FIRST_DAY)
    rows = first_decisions(filled).values()
    assert sum(row.explore for row in rows) == FIRST_DAY < len(rows)
    assert {row.probability for row in rows} == {0.0, 1.0}


def test_the_diverse_selection_is_limited_per_day(filled, pieces) -> None:
    scored(filled)
    arrive(filled, pieces[60:160])
    assert scored(filled, now=NOW + timedelta(hours=1)).explored == 0
    arrive(filled, pieces[160:200])
    assert scored(filled, now=NOW + DAY).explored == FIRST_DAY  # there is no verdict yet
    shown = next(seq for seq, row in first_decisions(filled).items() if row.explore)
    filled.say(Kind.DISLIKE, shown)
    arrive(filled, pieces[200:240])
    assert scored(filled, now=NOW + 2 * DAY).explored == A_DAY


def test_what_was_delivered_counts_for_a_whole_day_if_rounds_are_frequent(filled, pieces) -> None:
    explored = []
    for number, minutes in enumerate((0, 1350, 1400, 1450)):
        arrive(filled, pieces[60 + 40 * number :][:40])
        explored.append(scored(filled, now=NOW + timedelta(minutes=minutes)).explored)
    assert explored == [FIRST_DAY, 0, 0, FIRST_DAY]


@pytest.mark.parametrize("enough", [10, SAMPLE])
@pytest.mark.parametrize("arrives", [True, False])
@pytest.mark.parametrize("learns", [True, False])
def test_the_inbox_is_scored_once_for_verdicts_and_news(
    opinionated, pieces, monkeypatch: pytest.MonkeyPatch, *, enough: int, arrives: bool, learns: bool
) -> None:
    monkeypatch.setattr(stored_log, "SAMPLE", enough)
    news = NewsFilter(opinionated.home, opinionated.database, lambda: NOW + DAY)
    news.polling.decide()
    if arrives:
        arrive(opinionated, pieces[160:200], at=NOW + DAY)
    if learns:
        opinionated.say(Kind.LIKE, opinionated.leaders()[60].seq)
    calls = []

    def counted(*given, **named):
        calls.append(given)
        return rescored(*given, **named)

    monkeypatch.setattr(current_scores, "rescored", counted)
    assert (news.polling.decide().scored > 0) == arrives
    assert len(calls) == (arrives or learns)
    assert news.models.unlearned() == 0
    assert_scores_are_those_of_the_model(opinionated, since=NOW + DAY - WINDOW)


@pytest.mark.parametrize("enough", [10, SAMPLE])
@pytest.mark.parametrize("learns", [True, False])
def test_scores_that_another_process_stored_meanwhile_are_not_overwritten_by_older_ones(
    opinionated, pieces, monkeypatch: pytest.MonkeyPatch, *, enough: int, learns: bool
) -> None:
    monkeypatch.setattr(stored_log, "SAMPLE", enough)
    worker, other = (NewsFilter(opinionated.home, opinionated.database, lambda: NOW) for _ in range(2))
    worker.polling.decide()
    seqs = [article.seq for article in opinionated.leaders()][60:68]
    opinionated.say(Kind.LIKE, seqs[0], at=NOW)
    scorings = []

    def progress(done: int, total: int, what: str) -> None:
        if what != "scoring articles again":
            return
        scorings.append(what)
        if len(scorings) > 1:
            return
        if learns:
            opinionated.say(Kind.LIKE, *seqs[1:5], at=NOW)
            opinionated.say(Kind.DISLIKE, *seqs[5:], at=NOW)
            other.models.current()
        else:
            arrive(opinionated, pieces[160:200])
            assert other.polling.decide().scored > 0

    worker.polling.decide(progress)
    assert len(scorings) == 2
    assert worker.models.unlearned() == 0
    assert_scores_are_those_of_the_model(opinionated)


def test_a_round_stores_no_scores_if_another_process_has_learned_more(
    opinionated, pieces, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_log, "SAMPLE", 10)
    worker, other = (NewsFilter(opinionated.home, opinionated.database, lambda: NOW) for _ in range(2))
    worker.polling.decide()
    seqs = [article.seq for article in opinionated.leaders()][60:68]
    arrive(opinionated, pieces[160:200])

    def progress(done: int, total: int, what: str) -> None:
        if what == "scoring new articles":
            opinionated.say(Kind.LIKE, *seqs, at=NOW)
            other.models.current()

    assert worker.polling.decide(progress).scored > 0
    assert worker.models.unlearned() == 0
    assert_scores_are_those_of_the_model(opinionated)


def test_a_round_fits_once_if_there_are_enough_other_stories(
    opinionated, pieces, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_log, "SAMPLE", 10)
    news = NewsFilter(opinionated.home, opinionated.database, lambda: NOW + DAY)
    calls = []

    def counted(*given):
        calls.append(given)
        return fitted(*given)

    monkeypatch.setattr(current_scores, "fitted", counted)
    news.polling.decide()
    assert len(calls) == 2  # nothing was there before the first round
    opinionated.say(Kind.LIKE, *(article.seq for article in opinionated.leaders()[60:] if is_liked(article)))
    last = opinionated.leaders()[-1].seq
    arrive(opinionated, pieces[160:200], at=NOW + DAY)
    with opinionated.database.write() as tx:
        tx.connection.exec_driver_sql(f"UPDATE articles SET archive = true WHERE seq > {last} AND seq % 2 = 0")
    assert news.polling.decide().recommended > 0
    assert len(calls) == 3
    assert late_decisions(opinionated)
    assert_scores_are_those_of_the_model(opinionated, since=NOW + DAY - WINDOW)
    pools = [facts.pool.terms.numbers.tolist() for _, facts in calls[2:]]  # of the round, and after it
    assert pools[0] == pools[1]
    arrive(opinionated, pieces[200:240], at=NOW + DAY)
    rule = RuleOutcome(opinionated.leaders()[-1].seq, Action.NEVER, 0.0, ("never",))
    calls.clear()
    scored(opinionated, now=NOW + DAY, apply_rules=lambda seqs: [rule] if rule.seq in seqs else [])
    assert len(calls) == 1
    assert_scores_are_those_of_the_model(opinionated, since=NOW + DAY - WINDOW)


def test_decisions_are_those_of_the_model(opinionated) -> None:
    known = len([article for article in opinionated.leaders() if article.seq <= 60])
    done = scored(opinionated)
    assert 0 < done.recommended < done.scored == len(opinionated.leaders())
    rows = first_decisions(opinionated)
    assert len(rows) == done.scored > known
    assert len({row.threshold for row in rows.values()}) == 1
    assert all(row.interesting == (row.score >= row.threshold) for row in rows.values())
    assert not any(row.interesting and row.explore for row in rows.values())
    assert {row.at for row in rows.values()} == {NOW}
    assert all(row.margin is not None and row.vote is not None for row in rows.values())
    by_margin, by_score = (sorted(rows, key=key) for key in (lambda s: rows[s].margin, lambda s: rows[s].score))
    assert by_margin == by_score


def test_what_is_recommended_is_mostly_what_is_liked(opinionated) -> None:
    known = range(1, 61)
    scored(opinionated)
    liked = {article.seq for article in opinionated.leaders() if is_liked(article)}
    new = {seq: row for seq, row in first_decisions(opinionated).items() if seq not in known}
    shown = [seq in liked for seq, row in new.items() if row.interesting]
    hidden = [seq in liked for seq, row in new.items() if not row.interesting]
    assert sum(shown) / len(shown) > 2 * sum(hidden) / len(hidden)


def test_a_filter_with_few_likes_delivers_few_articles_a_day(filled, pieces) -> None:
    leaders = filled.leaders()
    liked = [article for article in leaders if is_liked(article)][:5]
    disliked = [article for article in leaders if not is_liked(article)][-5:]
    for kind, chosen in ((Kind.LIKE, liked), (Kind.DISLIKE, disliked)):
        for article in chosen:
            filled.say(kind, article.seq)
    arrive(filled, pieces[60:200])
    a_day = most(5)
    done = scored(filled)
    assert 0 < done.recommended + done.explored <= a_day
    arrive(filled, pieces[200:240], at=NOW + timedelta(hours=1))
    more = scored(filled, now=NOW + timedelta(hours=1))
    assert done.recommended + done.explored + more.recommended + more.explored <= a_day
    assert 0 < sum(each.interesting for each in scored_again(filled, since=NOW - DAY)) <= a_day


def test_hidden_articles_get_another_look_and_first_decisions_stay(filled, pieces) -> None:
    scored(filled)
    before = first_decisions(filled)
    give_verdicts(filled, 30)
    assert scored(filled, now=NOW + DAY).recommended == 0  # nothing arrived
    arrive(filled, pieces[60:70], at=NOW + DAY)
    done = scored(filled, now=NOW + DAY)
    late = late_decisions(filled)
    assert late
    assert not any(before[seq].explore for seq in late)
    assert all(row.interesting or row.explore for row in late.values())
    after = first_decisions(filled)
    assert {seq: after[seq] for seq in before} == before
    new = [row for seq, row in after.items() if seq not in before]
    assert done.recommended == sum(row.interesting for row in (*late.values(), *new))
    # What was delivered is not delivered again.
    arrive(filled, pieces[70:80], at=NOW + 2 * DAY)
    scored(filled, now=NOW + 2 * DAY)
    assert {seq: row for seq, row in late_decisions(filled).items() if seq in late} == late


def test_what_a_rule_hides_is_neither_explored_nor_counted(opinionated) -> None:
    done = scored(
        opinionated,
        apply_rules=lambda seqs: [RuleOutcome(seq, Action.NEVER, 0.0, ("never",)) for seq in seqs],
    )
    assert (done.recommended, done.explored) == (0, 0)
    rows = first_decisions(opinionated).values()
    assert any(row.interesting for row in rows)  # by the filter's own decision
    assert not any(row.explore for row in rows)
    with opinionated.database.read() as tx:
        assert evidence.deliveries_since(tx, LOCAL_USER, NOW - DAY) == (len(rows), 0, 0)
