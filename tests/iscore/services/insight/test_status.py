"""How the filter is doing: verdicts that stand now against first decisions."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from iscore.services.insight.status import f05
from storage.log import decisions
from storage.records.decisions import Decision, DecisionRound
from storage.records.users import LOCAL_USER, Kind, Tally

AT = datetime(2026, 3, 2, tzinfo=UTC)


def test_f05_is_worked_by_hand() -> None:
    # Precision 3/4, recall 3/5: 1.25 · 0.75 · 0.6 / (0.25 · 0.75 + 0.6).
    assert f05(Tally(3, 1, 2, 9, 5, 10, 0)) == pytest.approx(1.25 * 0.75 * 0.6 / (0.25 * 0.75 + 0.6))
    assert f05(Tally(0, 4, 0, 9, 0, 13, 0)) is None
    assert f05(Tally(0, 4, 1, 9, 1, 13, 0)) == 0.0


def status_of(archive):
    return archive.news.status()


def test_rates_are_undefined_without_verdicts(filled) -> None:
    view = status_of(filled)
    assert (view.articles, view.decided, view.likes, view.dislikes, view.skips) == (60, 0, 0, 0, 0)
    assert (view.f05, view.precision, view.last_poll, view.to_learn) == (None, None, None, 0)
    assert view.learning.trained is False
    assert view.n_features == len(filled.news.models.load().model.names)
    assert replace(view, n_features=0, subset_size=0, best_features=()) == filled.news.status(details=False)


def test_rates_compare_verdicts_with_first_decisions(filled) -> None:
    seqs = [article.seq for article in filled.leaders()]
    with filled.database.write() as tx:
        rows = [Decision(LOCAL_USER, seq, 0.0, 0.0, n < 10, n in (10, 11), 0.5, AT) for n, seq in enumerate(seqs)]
        decisions.add(tx, rows)
    filled.say(Kind.LIKE, *seqs[:6], name="")  # recommended and liked
    filled.say(Kind.DISLIKE, *seqs[6:8])  # recommended and not liked
    filled.say(Kind.LIKE, *seqs[10:12])  # explored and liked: missed
    filled.say(Kind.DISLIKE, *seqs[12:20])  # rightly held back
    filled.say(Kind.SKIP, seqs[20])
    view = status_of(filled)
    assert (view.decided, view.recommended, view.explored) == (len(seqs), 10, 2)
    assert (view.likes, view.dislikes, view.skips) == (8, 10, 1)
    assert view.precision == 0.75
    assert view.f05 == pytest.approx(0.75)
    assert view.learning.trained
    assert 1 <= len(view.best_features) == view.subset_size <= view.n_features
    strengths = [abs(correlation) for _, correlation in view.best_features]
    assert strengths == sorted(strengths, reverse=True)
    filled.say(Kind.LIKE, seqs[6])
    assert status_of(filled).precision == 0.875


def test_what_was_recommended_late_was_recommended(filled) -> None:
    recommended, late, explored, hidden = (article.seq for article in filled.leaders()[:4])
    with filled.database.write() as tx:
        rows = [Decision(LOCAL_USER, seq, 0.0, 0.0, seq == recommended, False, 0.5, AT, 0.0) for seq in
                (recommended, late, explored, hidden)]  # fmt: skip
        decisions.add(tx, rows)
        decisions.add_late(
            tx,
            [
                Decision(LOCAL_USER, late, 1.0, 0.5, True, False, 1.0, AT, 0.0),
                Decision(LOCAL_USER, explored, 0.0, 0.5, False, True, 1.0, AT, 0.0),
            ],
        )
    filled.say(Kind.LIKE, recommended, late, explored, hidden)
    view = status_of(filled)
    assert (view.precision, view.f05) == (1.0, pytest.approx(1.25 * 0.5 / (0.25 + 0.5)))


def test_what_a_poll_recommends_of_older_stories_is_counted_apart(filled) -> None:
    seqs = [article.seq for article in filled.leaders()[:4]]
    with filled.database.write() as tx:
        decisions.add(tx, [Decision(LOCAL_USER, seq, 0.0, 0.5, False, False, 0.5, AT, 0.0) for seq in seqs])
        for number, seq in ((1, seqs[0]), (2, seqs[1]), (3, seqs[2])):
            decisions.add_round(tx, DecisionRound(LOCAL_USER, number, AT, 0))
            decisions.add_late(tx, [Decision(LOCAL_USER, seq, 1.0, 0.5, True, False, 1.0, AT, 0.0, round=number)])
        explored = Decision(LOCAL_USER, seqs[3], 0.0, 0.5, False, True, 1.0, AT, 0.0, round=3)
        decisions.add_late(tx, [explored])
    assert filled.news.polling.recommended_older(1) == 2
