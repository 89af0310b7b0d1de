"""What happens in the sample world: running stories that develop over days, before anybody writes about them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from benchmarks.sample_news.draws import Draws
from benchmarks.sample_news.grammar import write
from benchmarks.sample_news.topic import Development, Topic
from benchmarks.sample_news.topics import TOPICS


@dataclass(frozen=True)
class Event:
    """One development of a running story."""

    at: datetime
    topic: Topic
    news: Development
    """Headline and lead, every slot filled."""
    bound: dict[str, str]
    """Who, where and what the story is about."""
    story: str
    stage: int


def bind(topic: Topic, draws: Draws) -> dict[str, str]:
    """Return the protagonists of a story or of a single article."""
    org, rival = draws.sample(topic.org, 2)
    free = {"org": org, "rival": rival, "thing": draws.pick(topic.thing)}
    for slot in ("place", "person"):
        free[slot] = write("{first} {last}" if slot == "person" else "{place}", topic.lexicon, {}, draws)
    return free


def settle(news: Development, topic: Topic, bound: dict[str, str], draws: Draws) -> Development:
    """Fill every slot of a headline and its lead, the same numbers and parts in both."""
    free = ("part", "n", "nn", "nnn", "money", "pct", "month", "weekday", "adj", "when")
    fixed = bound | {slot: write(f"{{{slot}}}", topic.lexicon, bound, draws) for slot in free}
    headline, lead = (write(text, topic.lexicon, fixed, draws, language=topic.language) for text in news)
    return headline, lead


def events(seed: int, start: datetime, days: int) -> Iterator[Event]:
    """Yield what happens within ``days`` days, topic by topic, each story in order."""
    end = start + timedelta(days=days)
    for topic in TOPICS.values():
        draws = Draws(seed, "events", topic.key, topic.language)
        pause = (3.0, 5.5) if topic.language == "en" else (5.0, 9.0)
        begins = start + timedelta(days=1.5 * draws.fraction())
        number = 0
        while begins < end:
            number += 1
            yield from _story(f"{topic.key}-{topic.language}-{number}", topic, begins, end, draws)
            begins += timedelta(days=pause[0] + (pause[1] - pause[0]) * draws.fraction())


def _story(name: str, topic: Topic, begins: datetime, end: datetime, draws: Draws) -> Iterator[Event]:
    bound = bind(topic, draws)
    at = begins
    for stage, news in enumerate(draws.pick(topic.arcs)):
        if at >= end:
            return
        yield Event(at, topic, settle(news, topic, bound, draws), bound, name, stage)
        at += timedelta(days=0.5 + 2.0 * draws.fraction())
