"""One poll for several people: feeds once, decisions for each, and nobody's mistake stops the others."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.sample_news import News, NewsServer
from iscore.core.errors import ConfigError
from iscore.services.news_filter import NewsFilter
from iscore.services.shared_polling import poll_for_all
from storage.log import decisions
from storage.stories import story_query
from storage.stories.story_query import StoryQuery
from tests.iscore.services.news_life import SOURCES, START, Life


@pytest.fixture(scope="module")
def server() -> Iterator[NewsServer]:
    with NewsServer(News(seed=9, start=START, days=3), at=START) as opened:
        yield opened


@pytest.fixture
def life(server: NewsServer, tmp_path: Path) -> Iterator[Life]:
    """The third morning of the first person, who follows all; Anna follows the first feed, Bert the second."""
    made = Life(tmp_path, server)
    made.news.people.add("Anna")
    made.news.people.add("Bert")
    for person, name in zip((2, 3), SOURCES, strict=False):
        made.news.for_user(person).subscriptions.add([server.urls[name]], discover=False)
    yield made
    made.news.close()


def known(news: NewsFilter, user_id: int) -> int:
    """Count the stories that have a score for a user."""
    with news.database.read() as tx:
        return len(story_query.seqs(tx, StoryQuery(user_id, START)))


def test_feeds_are_fetched_once_and_everybody_gets_their_own(life: Life) -> None:
    view = poll_for_all(life.news)
    assert (view.feeds, view.failed, view.warnings) == (len(SOURCES), 0, ())
    every, anna, bert = (known(life.news, user) for user in (1, 2, 3))
    assert every > anna + bert > anna > 0
    assert view.decided == every + anna + bert


def test_a_mistake_of_one_is_a_warning_and_the_others_go_on(life: Life) -> None:
    anna, bert = life.news.for_user(2).context, life.news.for_user(3).context
    anna.rules.replace("rules: 7", before="")
    bert.personal_settings.replace("inbox_days = 0", before="")
    view = poll_for_all(life.news)
    assert [warning.partition(":")[0] for warning in view.warnings] == ["Anna", "Bert"]
    assert "rules.yaml of Anna, line 1" in view.warnings[0]
    assert "config.toml of Bert: setting 'inbox_days'" in view.warnings[1]
    assert (known(life.news, 1) > 0, known(life.news, 2), known(life.news, 3)) == (True, 0, 0)
    bert.personal_settings.replace("", before="inbox_days = 0")
    assert life.news.for_user(3).poll().feeds == 0  # fetched already, and decided about now
    assert known(life.news, 3) > 0


def test_what_goes_wrong_for_everybody_is_raised(life: Life) -> None:
    config = life.news.context.folder.config
    config.write_text(config.read_text() + "fetch_timeout = 0\n")
    with pytest.raises(ConfigError, match="fetch_timeout"):
        poll_for_all(NewsFilter(life.news.context.folder, life.news.database, life.news.context.clock))


def test_problems_of_feeds_are_shown_to_those_who_follow_them(life: Life) -> None:
    news = life.news.for_user(2)
    life.news.for_user(3).subscriptions.add(["http://127.0.0.1:9/feed"], discover=False)
    assert news.poll().problems == ()
    with life.news.database.read() as tx:
        assert decisions.recent_counts(tx, 1, None).decided == 0
    assert [each.url for each in poll_for_all(life.news, force=True).problems] == ["http://127.0.0.1:9/feed"]
