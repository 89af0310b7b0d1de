"""What goes through the pipe to a parser process comes out as it was."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from iscore.feeds.parsing import jobs
from iscore.feeds.parsing.jobs import FeedJob, ParsedFeed
from storage.records.articles import Content, Enclosure, NewArticle
from tests.iscore.feeds.parsing.pooled import NOW

TIMES = st.none() | st.integers(0, 4_000_000_000).map(lambda seconds: datetime.fromtimestamp(seconds, UTC))
TEXTS = st.text(st.characters(codec="utf-8"))
ARTICLES = st.builds(
    NewArticle,
    *(TEXTS, TEXTS, TEXTS, TEXTS, st.lists(TEXTS, max_size=2).map(tuple), TEXTS, TEXTS, TIMES),
    *(st.integers(0, 9), st.integers(0, 9), st.binary(min_size=16, max_size=16)),
    content=st.builds(Content, TEXTS, st.just((Enclosure("https://a.example/1", "", 5),)), TEXTS),
)


FEEDS = st.builds(
    ParsedFeed,
    *(TEXTS, TEXTS, TEXTS, st.none() | st.integers(1), st.just((1, 2)), st.just(()), st.binary()),
    *(st.lists(ARTICLES, max_size=2).map(tuple), st.integers(0), st.integers(0)),
)


def unpack(frame: bytes) -> tuple[jobs.Header, bytes]:
    header, rest = jobs.lengths(frame[: jobs.PREFIX.size])
    body = frame[jobs.PREFIX.size :]
    assert len(body) == header + rest
    return jobs.json.loads(body[:header]), body[header:]


@settings(max_examples=60, deadline=None)
@given(FEEDS)
def test_results_survive_the_pipe(feed: ParsedFeed) -> None:
    assert jobs.feed_from_answer(*unpack(jobs.frame(*jobs.feed_to_answer(feed)))) == feed


@settings(max_examples=30, deadline=None)
@given(st.binary(), TEXTS, TEXTS, TIMES, st.binary())
def test_jobs_survive_the_pipe(body: bytes, url: str, content_type: str, now: datetime | None, seen: bytes) -> None:
    sent = FeedJob(body, url, content_type, now or NOW, seen, 5)
    assert jobs.job_from(*unpack(jobs.job_to_frame(sent, 1.5))) == sent
