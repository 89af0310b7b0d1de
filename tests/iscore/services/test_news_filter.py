"""The whole way through the facade: real feeds from the loopback, a real database, a clock set by hand."""

from __future__ import annotations

import dataclasses
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path

import pytest

from benchmarks.sample_news import News, NewsServer
from iscore.core.errors import (
    AmbiguousIdError,
    ConfigError,
    DigestError,
    UnknownArticleError,
    UnknownUserError,
)
from iscore.filtering.delivery.tuning import FIRST_DAY
from iscore.filtering.serialization import pack
from iscore.services.news_filter import NewsFilter
from storage.log import decisions, feedback, snapshots
from storage.people import users
from storage.records.users import LOCAL_USER, Kind
from storage.stream import articles
from tests.iscore.services.news_life import SOURCES, START, Life


@pytest.fixture(scope="module")
def server() -> Iterator[NewsServer]:
    """Three days of news."""
    with NewsServer(News(seed=9, start=START, days=11), at=START) as opened:
        yield opened


@pytest.fixture
def life(server: NewsServer, tmp_path: Path) -> Iterator[Life]:
    """The third morning, before the first poll."""
    made = Life(tmp_path, server)
    yield made
    made.news.close()


@pytest.fixture(scope="module")
def polled_home(server: NewsServer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home after the first poll, closed."""
    made = Life(tmp_path_factory.mktemp("polled"), server)
    made.news.poll()
    made.news.close()
    return made.home


@pytest.fixture
def polled(polled_home: Path, server: NewsServer, tmp_path: Path) -> Iterator[Life]:
    """The third morning, after the first poll."""
    made = Life.copied(polled_home, tmp_path, server)
    yield made
    made.news.close()


def test_a_folder_opens_for_its_first_user_or_the_one_who_is_named(tmp_path: Path) -> None:
    with NewsFilter.create(tmp_path / "home") as news, news.database.write() as tx:
        anna = users.add(tx, "Anna", 0, time_zone="Asia/Tokyo").id
    with NewsFilter.open(tmp_path / "home") as news:
        assert (news.context.user_id, news.context.zone) == (LOCAL_USER, None)
    with NewsFilter.open(tmp_path / "home", user="anna") as news:
        assert (news.context.user_id, str(news.context.zone)) == (anna, "Asia/Tokyo")
    with pytest.raises(UnknownUserError, match=r"no user is called 'Ann'.*; the users are local, Anna"):
        NewsFilter.open(tmp_path / "home", user="Ann")


def test_a_first_round_stores_judges_and_delivers(life: Life) -> None:
    done = life.news.poll()
    assert (done.feeds, done.changed, done.failed) == (len(SOURCES), len(SOURCES), 0)
    expected = sum(
        len(life.server.news.entries(source, life.now)) for source in life.server.news.sources if source.key in SOURCES
    )
    assert done.new_articles == expected > 20
    inbox = life.news.inbox(limit=None)
    # Nothing is known: representatives are shown, and each story once.
    assert inbox.has_articles
    assert (done.recommended, done.explored) == (0, FIRST_DAY)
    assert inbox.waiting == len(inbox.items) == FIRST_DAY
    assert 0.8 * expected < done.decided <= expected
    assert (inbox.hidden, inbox.feeds) == (done.decided - FIRST_DAY, len(SOURCES))
    assert inbox.learning.trained is False
    assert [item.score for item in inbox.items] == sorted((item.score for item in inbox.items), reverse=True)
    assert done.next_due is not None
    assert done.next_due > life.now


def test_the_same_bytes_change_nothing_but_times(polled: Life) -> None:
    polled.teach(12)
    polled.news.inbox()
    before = polled.everything()
    polled.now += timedelta(hours=2)  # the server's time stands still
    again = polled.news.poll(force=True)
    assert (again.changed, again.unchanged, again.new_articles, again.decided) == (0, len(SOURCES), 0, 0)
    assert polled.everything() == before


def test_asking_writes_nothing_when_there_is_nothing_to_learn(polled: Life) -> None:
    name = next(iter(polled.scores()))
    polled.teach(12)
    polled.news.inbox()
    with closing(sqlite3.connect(polled.home / "iscore.db")) as onlooker:
        (before,) = onlooker.execute("PRAGMA data_version").fetchone()
        polled.news.inbox()
        polled.news.show(name)
        polled.news.why(name)
        polled.news.status()
        polled.news.models.rebuild(check=True)
        assert onlooker.execute("PRAGMA data_version").fetchone() == (before,)
        polled.news.give(Kind.SKIP, [name])
        assert onlooker.execute("PRAGMA data_version").fetchone() != (before,)


def test_what_is_not_due_is_not_asked(polled: Life) -> None:
    assert polled.news.poll().feeds == 0
    polled.later(hours=2)
    assert polled.news.poll().feeds == len(SOURCES)


def test_verdicts_are_learned_by_who_shows_scores_next(polled: Life) -> None:
    before = polled.scores()
    views = polled.teach(20)
    assert polled.news.status().to_learn == 20
    with polled.database.read() as tx:
        assert snapshots.newest_sequence(tx, LOCAL_USER) == 0
    after = polled.scores()
    assert polled.news.status().to_learn == 0
    assert set(after) == set(before) - set(views)
    assert any(after[name] != before[name] for name in after)
    with polled.database.read() as tx:
        assert snapshots.newest_sequence(tx, LOCAL_USER) == 20
    assert polled.news.models.rebuild(check=True).equal is True


def test_current_scores_follow_the_model_and_first_decisions_stay(polled: Life) -> None:
    with polled.database.read() as tx:
        waiting = range(1, articles.last_seq(tx) + 1)
        first = decisions.get(tx, LOCAL_USER, waiting)
    polled.teach(24)
    scores = polled.scores()
    with polled.database.read() as tx:
        assert decisions.get(tx, LOCAL_USER, waiting) == first
    assert polled.news.status().learning.trained
    for name, score in list(scores.items())[:8]:
        why = polled.news.why(name)
        assert why.score == score
        assert why.first_score == first[1].score
    assert len(set(scores.values())) > 1


def test_undo_restores_what_was(polled: Life) -> None:
    polled.teach(14)
    scores = polled.scores()
    state = pack(polled.news.models.load().model.state())
    victim = next(iter(scores))
    polled.news.give(Kind.DISLIKE, [victim])
    assert victim not in polled.scores()
    assert pack(polled.news.models.load().model.state()) != state
    (view,) = polled.news.give(Kind.UNDO, [victim])
    assert (view.accepted, view.previous) == (True, Kind.DISLIKE)
    assert polled.scores() == scores
    assert pack(polled.news.models.load().model.state()) == state
    (again,) = polled.news.give(Kind.UNDO, [victim])
    assert again.accepted is False


def test_skip_is_seen_and_not_learned(polled: Life) -> None:
    polled.teach(14)
    scores = polled.scores()
    name = next(iter(scores))
    polled.news.give(Kind.SKIP, [name])
    del scores[name]
    assert polled.scores() == scores
    assert polled.news.status().to_learn == 0
    assert polled.news.status().skips == 1


def test_verdicts_set_and_never_toggle(polled: Life) -> None:
    name = next(iter(polled.scores()))
    views = [polled.news.give(kind, [name])[0] for kind in (Kind.LIKE, Kind.LIKE, Kind.DISLIKE, Kind.LIKE)]
    assert [view.accepted for view in views] == [True, False, True, True]
    assert [view.previous for view in views] == [None, Kind.LIKE, Kind.LIKE, Kind.DISLIKE]
    status = polled.news.status()
    assert (status.likes, status.dislikes) == (1, 0)
    assert polled.news.show(name).verdict is Kind.LIKE


def test_late_verdict_on_an_article_that_left_the_inbox_is_learned(polled: Life) -> None:
    old = next(iter(polled.scores()))
    polled.later(days=8)
    polled.news.poll()
    assert old not in polled.scores()
    before = pack(polled.news.models.load().model.state())
    (view,) = polled.news.give(Kind.LIKE, [old])
    assert view.accepted
    polled.scores()
    assert pack(polled.news.models.load().model.state()) != before
    assert polled.news.models.rebuild(check=True).equal is True
    assert old not in polled.scores()
    assert polled.news.why(old).learning.likes == 1


def test_a_verdict_on_a_copy_counts_for_its_story_once(polled: Life) -> None:
    with polled.database.read() as tx:
        stored = articles.get(tx, range(1, articles.last_seq(tx) + 1))
    copy = next((article for article in stored if article.story != article.seq), None)
    if copy is None:  # the sources carry the wire, so there is one on most days
        pytest.fail("no near-duplicate among these sources")
    leader = stored[copy.story - 1]
    polled.news.give(Kind.LIKE, [copy.id])
    (second,) = polled.news.give(Kind.LIKE, [leader.id])
    assert (second.accepted, second.previous) == (False, Kind.LIKE)
    assert leader.id not in polled.scores()
    assert polled.news.status().likes == 1
    of_copy, of_leader = (set(polled.news.show(each.id).source_names) for each in (copy, leader))
    assert {copy.source, leader.source} <= of_copy == of_leader


def test_an_unknown_or_ambiguous_id_records_nothing(polled: Life) -> None:
    known = next(iter(polled.scores()))
    with pytest.raises(UnknownArticleError, match="nosuchid"):
        polled.news.give(Kind.LIKE, [known, "nosuchid"])
    for ask in (polled.news.show, polled.news.why):
        with pytest.raises(UnknownArticleError):
            ask("zzzz")
    with polled.database.write() as tx:
        tx.connection.exec_driver_sql("UPDATE articles SET id = 'samestart1' WHERE seq = 1")
        tx.connection.exec_driver_sql("UPDATE articles SET id = 'samestart2' WHERE seq = 2")
    with pytest.raises(AmbiguousIdError, match="matches 2 articles"):
        polled.news.give(Kind.LIKE, ["samestart"])
    with polled.database.read() as tx:
        assert feedback.last_row(tx, LOCAL_USER) == 0
    assert polled.news.show("samestart2").id == "samestart2"
    assert polled.news.show(polled.news.show("samestart2").id.upper()).id == "samestart2"


def test_a_digest_is_made_once_and_the_same_ever_after(polled: Life) -> None:
    first = polled.news.digest()
    ids = [item.id for item in (*first.recommended, *first.explore)]
    assert first.date == polled.now.date()
    assert [item.number for item in (*first.recommended, *first.explore)] == list(range(1, len(ids) + 1))
    assert ids
    polled.later(hours=5)
    polled.news.poll()
    polled.news.give(Kind.LIKE, polled.news.digests.numbered([1, 2]))
    again = polled.news.digest()
    assert again.rated == 2  # these are left out, and the others keep their numbers
    assert {item.id: item.number for item in (*again.recommended, *again.explore)} == {
        name: number for number, name in enumerate(ids, start=1) if number > 2
    }
    # Tomorrow's has other articles, and yesterday's can still be read.
    polled.later(days=1)
    polled.news.poll()
    tomorrow = polled.news.digest()
    assert not {item.id for item in (*tomorrow.recommended, *tomorrow.explore)} & set(ids)
    yesterday = polled.news.digest(first.date)
    assert sorted(item.id for item in (*yesterday.recommended, *yesterday.explore)) == sorted(ids[2:])
    with pytest.raises(DigestError, match="numbers 1 to"):
        polled.news.digests.numbered([9999])
    with pytest.raises(DigestError, match="in the future"):
        polled.news.digest(date(2027, 1, 1))


def test_a_number_without_a_digest_is_an_error(life: Life) -> None:
    with pytest.raises(DigestError, match="no digest yet"):
        life.news.digests.numbered([1])


def test_a_feed_that_is_none_stops_nobody(polled: Life) -> None:
    polled.news.subscriptions.add([f"{polled.server.urls['orrery']}.nothing"], discover=False)
    done = polled.news.poll(force=True)
    assert (done.failed, done.unchanged) == (1, len(SOURCES))
    assert "404" in done.problems[0].error
    assert [problem.url for problem in polled.news.status().problems] == [done.problems[0].url]


def test_another_process_sees_the_same(polled: Life) -> None:
    polled.teach(14)
    scores = polled.scores()
    with NewsFilter.open(polled.home, clock=lambda: polled.now) as other:
        assert {item.id: item.score for item in other.inbox(everything=True, limit=None).items} == scores
        rebuilt = other.models.rebuild()
        assert (rebuilt.verdicts, rebuilt.equal) == (14, None)
        assert {item.id: item.score for item in other.inbox(everything=True, limit=None).items} == scores
        assert dataclasses.replace(other.status(), last_poll=None) == dataclasses.replace(
            polled.news.status(), last_poll=None
        )


def test_what_a_poll_that_was_cut_off_has_stored_is_measured_by_the_next_poll(life: Life) -> None:
    """Even a verdict may come in between."""

    def cut_off(_done: int, _total: int, task: str) -> None:
        if task == "analysing articles":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        life.news.poll(progress=cut_off)
    with life.database.read() as tx:
        waiting = articles.without_features(tx, 1000)
    assert len(waiting) > 20
    liked = waiting[0].id
    life.news.give(Kind.LIKE, [liked])
    assert life.news.status().likes == 1
    assert life.news.why(liked).learning.likes == 1
    life.later(hours=2)
    life.news.poll()
    with life.database.read() as tx:
        assert not articles.without_features(tx, 1)
    assert len(life.scores()) > 20
    assert life.news.models.rebuild(check=True).equal is True


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("poll_interval = 3", "poll_interval"),
        ("classifier = 'oracle'", "no classifier 'oracle'"),
        ("nonsense = 1", "nonsense"),
        ("poll_interval =", "not valid TOML"),
    ],
)
def test_wrong_settings_are_named(life: Life, line: str, message: str) -> None:
    (life.home / "config.toml").write_text(f"{line}\n")
    with (
        NewsFilter.open(life.home, clock=lambda: life.now) as news,
        pytest.raises(ConfigError, match=message) as wrong,
    ):
        news.poll()
    assert str(life.home / "config.toml") in str(wrong.value)
