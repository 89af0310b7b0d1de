"""Current scores follow the model, and one threshold recommends as much of a day however often there are rounds."""

from __future__ import annotations

from pathlib import Path

from iscore.filtering.delivery.limits import most
from iscore.services.learning.current_scores import recommendations_a_day, rescore
from storage.log import decisions
from storage.records.decisions import Decision
from storage.records.users import LOCAL_USER
from tests.iscore.conftest import Archive
from tests.iscore.services.scored_archive import (
    DAY,
    NOW,
    WINDOW,
    arrive,
    first_decisions,
    give_verdicts,
    scored,
    scored_again,
)


def test_rescoring_changes_scores_and_not_decisions(filled) -> None:
    scored(filled)
    before = first_decisions(filled)
    leaders = filled.leaders()
    give_verdicts(filled, 20)
    again = scored_again(filled)
    # Those that have been seen as well: an undo brings them back.
    assert {each.seq for each in again} == {article.seq for article in leaders}
    assert any(each.score != before[each.seq].score for each in again)
    assert all(each.interesting == (each.score >= each.threshold) for each in again)
    assert len({each.threshold for each in again}) == 1
    assert first_decisions(filled) == before
    with filled.database.read() as tx:  # it wrote nothing
        assert decisions.current_score(tx, LOCAL_USER, leaders[30].seq).score == before[leaders[30].seq].score


def test_articles_before_the_window_are_not_rescored(filled) -> None:
    scored(filled)
    assert scored_again(filled, since=NOW) == []


def test_as_much_of_a_day_is_recommended_after_one_round_as_after_many(filled, pieces, tmp_path: Path) -> None:
    arrive(filled, pieces[60:200])
    give_verdicts(filled, 12)
    filled.database.close()
    recommended = []
    for rounds in (1, 24):
        archive = Archive.copied(filled.home.path, tmp_path / f"{rounds} rounds")
        hidden = [
            Decision(LOCAL_USER, each.seq, 0.0, 1.0, False, False, 1.0, NOW - DAY * (each.seq % rounds) / rounds)
            for each in archive.leaders()
        ]
        with archive.database.write() as tx:
            decisions.add(tx, hidden)
        recommended.append([row.seq for row in scored_again(archive) if row.interesting])
        archive.database.close()
    assert len(recommended[0]) > 3
    assert recommended[0] == recommended[1]


def test_two_rounds_a_week_apart_are_a_week(filled, tmp_path: Path) -> None:
    give_verdicts(filled, 12)
    filled.database.close()
    found = []
    for rounds in (1, 7):
        archive = Archive.copied(filled.home.path, tmp_path / f"{rounds} rounds a week")
        times = [NOW - WINDOW * (number / rounds) for number in range(rounds + 1)]
        hidden = [
            Decision(LOCAL_USER, each.seq, 0.0, 1.0, False, False, 1.0, times[each.seq % len(times)])
            for each in archive.leaders()
        ]
        with archive.database.write() as tx:
            decisions.add(tx, hidden)
        news = archive.news
        loaded = news.models.load().model
        found.append(recommendations_a_day(archive.database, news.context.user, loaded, (0.5,), since=NOW - WINDOW))
        archive.database.close()
    assert found[0] == found[1]
    assert found[0][0] > 0


def test_a_user_who_wants_more_gets_no_less_and_is_told_how_many(opinionated) -> None:
    scored(opinionated)
    news = opinionated.news
    betas, model, since = (0.25, 0.5, 2.0), news.models.load().model, NOW - WINDOW
    counts = [
        sum(
            each.interesting for each in rescore(opinionated.database, news.context.user, model, since=since, beta=beta)
        )
        for beta in betas
    ]
    assert counts == sorted(counts)
    assert counts[0] < counts[-1]
    expected = recommendations_a_day(opinionated.database, news.context.user, model, betas, since=since)
    # All were decided about at one time, which is a day. What was explored takes no place in the inbox.
    assert expected == [min(count, most(model.likes)) for count in counts]
