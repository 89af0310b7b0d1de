"""First decisions are stored for good, current scores follow the model, and hidden articles get another look."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from iscore.filtering.decision.decide import A_DAY, FIRST_DAY, rescored
from iscore.filtering.decision.delivery import most
from iscore.filtering.decision.evidence import SAMPLE
from iscore.filtering.decision.ranking import fitted
from iscore.services import current_scores, stored_log
from iscore.services.current_scores import recommendations_a_day, rescore
from iscore.services.news_filter import NewsFilter
from iscore.services.scoring import score_new
from storage import articles, decisions, evidence
from storage.records import LOCAL_USER, Action, Decision, Kind, RuleOutcome
from tests.iscore.conftest import Archive

NOW = datetime(2026, 3, 2, 6, tzinfo=UTC)
DAY = timedelta(days=1)
WINDOW = timedelta(days=7)


def scored(archive, *, now: datetime = NOW, apply_rules=None):
    news = archive.news
    load = news.models.load
    names = news.extractors.article_feature_names
    more = {} if apply_rules is None else {"apply_rules": apply_rules}
    return score_new(archive.database, news.context.user, load(), names, now=now, load=load, **more)


def scored_again(archive, *, since: datetime = NOW - WINDOW):
    news = archive.news
    return rescore(archive.database, news.context.user, news.models.load().model, since=since)


def assert_scores_are_those_of_the_model(archive, *, since: datetime = NOW - WINDOW) -> None:
    expected = {score.seq: score for score in scored_again(archive, since=since)}
    with archive.database.read() as tx:
        assert {score.seq: score for score, _ in decisions.current_scores(tx, LOCAL_USER, list(expected))} == expected


def first_decisions(archive):
    with archive.database.read() as tx:
        return decisions.get(tx, LOCAL_USER, range(1, articles.last_seq(tx) + 1))


def late_decisions(archive):
    with archive.database.read() as tx:
        return decisions.late(tx, LOCAL_USER, range(1, articles.last_seq(tx) + 1))


def arrive(archive, pieces, at: datetime = NOW) -> None:
    archive.store(pieces, at=at)
    archive.measure()


def is_liked(article) -> bool:
    return "orrery" in article.url or "longview" in article.url


def give_verdicts(archive, count: int) -> None:
    """Like two sources and nothing else, among the first articles."""
    archive.tell(
        [(Kind.LIKE if is_liked(article) else Kind.DISLIKE, article.seq) for article in archive.leaders()[:count]]
    )


@pytest.fixture(scope="module")
def opinionated_home(filled_home: Path, pieces, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of somebody with verdicts on sixty articles, and a hundred that came later, closed."""
    archive = Archive.copied(filled_home, tmp_path_factory.mktemp("opinionated") / "home")
    give_verdicts(archive, 60)
    assert archive.news.models.current().trained
    arrive(archive, pieces[60:160])
    archive.database.close()
    return archive.home.path


@pytest.fixture
def opinionated(opinionated_home: Path, tmp_path: Path):
    """An archive with verdicts on sixty articles, and a hundred that came later; none has a decision yet."""
    archive = Archive.copied(opinionated_home, tmp_path / "home")
    yield archive
    archive.database.close()


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
    arrive(opinionated, pieces[160:200], at=NOW + DAY)
    assert news.polling.decide().recommended > 0
    assert len(calls) == 3
    assert late_decisions(opinionated)
    assert_scores_are_those_of_the_model(opinionated, since=NOW + DAY - WINDOW)
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
    assert any(row.interesting for row in rows)  # by the filter's own judgement
    assert not any(row.explore for row in rows)
    with opinionated.database.read() as tx:
        assert evidence.deliveries_since(tx, LOCAL_USER, NOW - DAY) == (len(rows), 0, 0)


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


def test_whoever_wants_more_gets_no_less_and_is_told_how_many(opinionated) -> None:
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
    assert expected == counts  # all were decided about at one time, which is a day
