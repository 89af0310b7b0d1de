"""Two users who follow different feeds: neither finds, counts or is offered an article of the other's."""

from __future__ import annotations

from datetime import timedelta

import pytest

from storage.engine.transaction import Transaction
from storage.log import decisions, feedback, history, imports, rule_inputs
from storage.opening.database import Database
from storage.people import users
from storage.records.articles import Features
from storage.records.decisions import Decision
from storage.records.feeds import FetchRecord, Subscription
from storage.records.users import LOCAL_USER, Kind, Verdict
from storage.stories import headlines, inbox, search, story_query
from storage.stories.article_filter import EVERYTHING
from storage.stories.story_query import Section, StoryQuery
from storage.stream import articles, features, feed_names, feeds
from storage.stream.visibility import leads, only_visible
from tests.storage.conftest import NOON, Newsroom

OTHER = LOCAL_USER + 1
PRIVATE, PUBLIC = "https://private.example/feed", "https://public.example/feed"
LATER = NOON + timedelta(hours=1)


def follow(tx: Transaction, user_id: int, *urls: str) -> None:
    feeds.subscribe(tx, user_id, [Subscription(url) for url in urls])


def arrive(newsroom: Newsroom, tx: Transaction, user_id: int, url: str, *keys: str) -> None:
    """Let articles arrive in a feed that a user follows."""
    (feed,) = (each.feed for each in feeds.overview(tx, user_id) if each.feed.url == url)
    feeds.record(tx, [FetchRecord(feed, tuple(newsroom.entry(f"{key} {url}") for key in keys), NOON)])


def ingest(tx: Transaction, stories: dict[int, int] | None = None) -> None:
    for article in articles.without_features(tx, 100):
        story = (stories or {}).get(article.seq, article.seq)
        features.add(tx, [Features(article.seq, story, 5, ("length",), b"v" * 8, b"terms", b"pair")])


def decide(tx: Transaction, user_id: int) -> list[int]:
    """Recommend everything that a user has no decision about."""
    seqs = [each.seq for each in decisions.unscored(tx, user_id, 100)]
    decisions.add(tx, [Decision(user_id, seq, 1.0, 0.0, True, False, 1.0, LATER, None, None) for seq in seqs])
    return seqs


@pytest.fixture
def two(newsroom: Newsroom) -> Database:
    """1 and 2 are the first user's alone, 3 is the other's, and leads no story: it repeats 1."""
    with newsroom.database.write() as tx:
        users.add(tx, "other", 5)
        follow(tx, LOCAL_USER, PRIVATE)
        arrive(newsroom, tx, LOCAL_USER, PRIVATE, "one", "two")
        follow(tx, OTHER, PUBLIC)
        arrive(newsroom, tx, OTHER, PUBLIC, "three")
        ingest(tx, {3: 1})
    return newsroom.database


def test_each_decides_about_their_own_articles_and_leads_a_shared_story_with_them(two: Database) -> None:
    with two.write() as tx:
        assert decide(tx, LOCAL_USER) == [1, 2]
        assert decide(tx, OTHER) == [3]
        assert decide(tx, LOCAL_USER) == decide(tx, OTHER) == []
        assert leads(tx, LOCAL_USER, [1, 2, 3]) == {1: 1, 2: 2, 3: 1}
        assert leads(tx, OTHER, [1, 3]) == {1: 3, 3: 3}
        feedback.append(tx, [Verdict("v", OTHER, 3, Kind.LIKE, LATER)])
        assert feedback.verdict(tx, OTHER, 3) is Kind.LIKE
        assert feedback.verdict(tx, LOCAL_USER, 1) is None
        assert [entry.story for entry in feedback.effective(tx, OTHER)] == [3]


def test_nothing_finds_the_other_s_articles(two: Database) -> None:
    with two.write() as tx:
        decide(tx, LOCAL_USER)
        decide(tx, OTHER)
        ids = {article.seq: article.id for article in articles.get(tx, [1, 2, 3])}
        assert [articles.find(tx, OTHER, ids[seq]) for seq in (1, 2, 3)] == [[], [], [3]]
        assert [articles.find(tx, LOCAL_USER, ids[seq][:6]) for seq in (1, 2, 3)] == [[1], [2], []]
        assert articles.seqs(tx, OTHER, [*ids.values()]) == {ids[3]: 3}
        assert only_visible(tx, OTHER, [1, 2, 3]) == [3]
        words = search.parse("title")
        assert search.find(tx, OTHER, words, EVERYTHING) == [3]
        assert search.find(tx, LOCAL_USER, words, EVERYTHING) == [2, 1]
        assert search.count(tx, OTHER, search.parse("private"), EVERYTHING) == 0
        assert story_query.seqs(tx, StoryQuery(OTHER, NOON - timedelta(days=1), Section.LISTED)) == [3]
        assert [each.source for each in articles.story_sources(tx, OTHER, [3])[3]] == ["public.example"]
        assert [each.source for each in articles.story_sources(tx, LOCAL_USER, [1])[1]] == ["private.example"]
        assert [each.name for each in feed_names.all_names(tx, OTHER).values()] == [PUBLIC]
        assert len(rule_inputs.stories(tx, OTHER, [3], with_text=False)[0].sources) == 1
        assert [each.seq for each in headlines.candidates(tx, OTHER, 10, with_inbox=True)] == [3]
        assert [each.seq for each in imports.addresses(tx, OTHER)] == [3]
        assert (articles.count(tx, LOCAL_USER), articles.count(tx, OTHER)) == (2, 1)
        assert len(history.arrival_counts(tx, OTHER)) == 1


def test_what_was_scored_stays_visible_when_its_feed_is_no_longer_followed(two: Database) -> None:
    with two.write() as tx:
        decide(tx, LOCAL_USER)
        follow(tx, LOCAL_USER, PUBLIC)
        assert only_visible(tx, LOCAL_USER, [1, 2, 3]) == [1, 2, 3]
        assert decide(tx, LOCAL_USER) == []  # 3 belongs to a story with a decision
        assert inbox.joined(tx, LOCAL_USER, NOON - timedelta(days=1), 2, 3) == [1]


def test_who_follows_a_feed_that_others_follow_gets_its_last_week(newsroom: Newsroom, two: Database) -> None:
    with two.write() as tx:
        decide(tx, OTHER)
        decide(tx, LOCAL_USER)
        follow(tx, OTHER, PUBLIC, PRIVATE)
        assert decide(tx, OTHER) == [2]  # 1 is told by 3, which was delivered
        feed = feeds.overview(tx, LOCAL_USER)[0].feed
        late = newsroom.entry("late")
        feeds.record(tx, [FetchRecord(feed, (late,), NOON + timedelta(days=8))])
        ingest(tx)
        third = users.add(tx, "third", 6)
        follow(tx, third.id, PRIVATE)
        assert decide(tx, third.id) == [4]  # the others are older than a week
