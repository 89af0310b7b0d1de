"""First decisions are stored for good, current scores follow the model, and some hidden articles are explored."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from iscore.filtering.decision.cold_start import BEST, FIRST_DAY, PER_LIKE_TRAINED
from iscore.services.scoring import rescore, score_new
from storage import articles, decisions
from storage.records import LOCAL_USER, Kind

NOW = datetime(2026, 3, 2, 6, tzinfo=UTC)
WINDOW = timedelta(days=7)


def scored(archive, *, now: datetime = NOW, share: float = 0.1):
    news = archive.news
    model = news.models.load().model
    return score_new(
        archive.database,
        news.context.user,
        model,
        news.extractors.article_feature_names,
        explore_share=share,
        window=WINDOW,
        now=now,
    )


def first_decisions(archive):
    with archive.database.read() as tx:
        return decisions.get(tx, LOCAL_USER, range(1, articles.last_seq(tx) + 1))


@pytest.fixture
def opinionated(filled):
    """An archive whose user likes two sources and nothing else; later articles have no decision yet."""
    for article in filled.leaders():
        filled.say(Kind.LIKE if "orrery" in article.url or "longview" in article.url else Kind.DISLIKE, article.seq)
    assert filled.news.models.load().model.trained
    return filled


def test_leading_articles_are_scored_once(filled) -> None:
    done = scored(filled)
    assert done.scored == len(filled.leaders()) == len(first_decisions(filled))
    before = first_decisions(filled)
    assert scored(filled, now=NOW + timedelta(days=1)).scored == 0
    assert first_decisions(filled) == before


def test_a_new_filter_shows_a_diverse_selection(filled) -> None:
    done = scored(filled)
    assert (done.recommended, done.explored) == (0, FIRST_DAY)
    rows = first_decisions(filled).values()
    assert sum(row.explore for row in rows) == FIRST_DAY < len(rows)
    assert {row.probability for row in rows} == {0.0, 1.0}


def test_the_diverse_selection_is_limited_per_day(filled, pieces) -> None:
    scored(filled)
    filled.store(pieces[60:160], at=NOW)
    filled.measure()
    assert scored(filled, now=NOW + timedelta(hours=1)).explored == 0
    filled.store(pieces[160:200], at=NOW)
    filled.measure()
    assert scored(filled, now=NOW + timedelta(days=1)).explored == FIRST_DAY  # there is no verdict yet


def test_decisions_are_those_of_the_model(opinionated, pieces) -> None:
    known = len(opinionated.leaders())
    opinionated.store(pieces[60:160], at=NOW)
    opinionated.measure()
    done = scored(opinionated)
    assert 0 < done.recommended < done.scored == len(opinionated.leaders())
    rows = first_decisions(opinionated)
    assert len(rows) == done.scored > known
    assert len({row.threshold for row in rows.values()}) == 1
    assert all(row.interesting == (row.score >= row.threshold) for row in rows.values())
    assert {row.at for row in rows.values()} == {NOW}


def test_a_classifier_with_few_likes_recommends_few_articles_a_day(filled, pieces) -> None:
    liked = [each for each in filled.leaders() if "orrery" in each.url or "longview" in each.url][:5]
    disliked = [each for each in filled.leaders() if each not in liked][-5:]
    for kind, chosen in ((Kind.LIKE, liked), (Kind.DISLIKE, disliked)):
        for article in chosen:
            filled.say(kind, article.seq)
    model = filled.news.models.load().model
    assert (model.trained, model.likes) == (True, 5)
    filled.store(pieces[60:400], at=NOW)
    filled.measure()
    a_day = BEST + 5 * PER_LIKE_TRAINED
    done = scored(filled)
    assert 0 < done.recommended <= a_day
    rows = first_decisions(filled).values()
    assert sum(row.score >= model.threshold for row in rows) > 2 * a_day  # the threshold alone would let them pass
    # What stands in the window a day later is of one day still.
    standings = rescore(
        filled.database,
        filled.news.context.user,
        model,
        filled.news.extractors.article_feature_names,
        since=NOW - timedelta(days=6),
    )
    assert 0 < sum(each.interesting for each in standings) <= a_day


def test_some_articles_below_the_threshold_are_explored_with_their_probability(opinionated, pieces) -> None:
    opinionated.store(pieces[60:160], at=NOW)
    opinionated.measure()
    done = scored(opinionated)
    rows = first_decisions(opinionated).values()
    explored = [row for row in rows if row.explore]
    assert 1 <= len(explored) == done.explored <= max(1, 0.1 * (done.recommended + done.explored))
    assert not any(row.interesting for row in explored)
    assert all(0 < row.probability < 1 for row in explored)
    assert all(row.probability == 1.0 for row in rows if row.interesting)


def test_exploration_can_be_switched_off(opinionated, pieces) -> None:
    opinionated.store(pieces[60:160], at=NOW)
    opinionated.measure()
    assert scored(opinionated, share=0.0).explored == 0


def test_the_same_past_gives_the_same_decisions(opinionated, pieces, tmp_path) -> None:
    opinionated.store(pieces[60:160], at=NOW)
    opinionated.measure()
    opinionated.database.backup(tmp_path / "backup.db")
    scored(opinionated)
    first = first_decisions(opinionated)
    with opinionated.database.write() as tx:
        for table in ("standings", "decisions"):
            tx.connection.exec_driver_sql(f"DELETE FROM {table}")
        tx.connection.exec_driver_sql("UPDATE users SET judged_to = 0")
    scored(opinionated)
    assert first_decisions(opinionated) == first


def test_rescoring_changes_scores_and_not_decisions(filled) -> None:
    scored(filled)
    before = first_decisions(filled)
    leaders = filled.leaders()
    for number, article in enumerate(leaders[:20]):
        filled.say(Kind.LIKE if number % 2 else Kind.DISLIKE, article.seq)
    news = filled.news
    model = news.models.load().model
    again = rescore(
        filled.database, news.context.user, model, news.extractors.article_feature_names, since=NOW - WINDOW
    )
    # Those that have been seen as well: an undo brings them back.
    assert {standing.seq for standing in again} == {article.seq for article in leaders}
    assert any(standing.score != before[standing.seq].score for standing in again)
    assert all(standing.interesting == (standing.score >= standing.threshold) for standing in again)
    assert first_decisions(filled) == before
    with filled.database.read() as tx:  # it wrote nothing
        assert decisions.current_score(tx, LOCAL_USER, leaders[30].seq).score == before[leaders[30].seq].score


def test_articles_before_the_window_are_not_rescored(filled) -> None:
    scored(filled)
    news = filled.news
    model = news.models.load().model
    assert rescore(filled.database, news.context.user, model, news.extractors.article_feature_names, since=NOW) == []
