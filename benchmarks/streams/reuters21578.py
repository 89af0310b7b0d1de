"""Reuters-21578 in time order; a reader is interested in one topic, or in one topic at one place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache

from benchmarks.streams.data import moment, rows
from iscore.evaluation.replay.stream_format import LabelledArticle

FILE = "reuters21578/reuters21578.jsonl.xz"

TOPICS = (
    *("earn", "acq", "money-fx", "crude", "grain", "trade", "interest"),
    *("ship", "dlr", "money-supply", "sugar", "gnp", "coffee", "gold"),
)
TOPICS_AND_PLACES = (("crude", "usa"), ("trade", "japan"), ("acq", "uk"), ("earn", "canada"))
DEVELOPMENT = (*TOPICS, *(f"{topic}∧{place}" for topic, place in TOPICS_AND_PLACES))
"""The readers on whom iScore may be tuned. The others judge."""

FEWEST_OF_TOPIC = 50
FEWEST_AT_PLACE = 100
"""Articles that make a topic, or a topic at a place, somebody's interest: these give 38 and 18 readers."""


@cache
def every_reader() -> tuple[str, ...]:
    """Return all readers: those for development, then the others by the number of articles that they like."""
    topics: Counter[str] = Counter()
    at_places: Counter[str] = Counter()
    for row in rows(FILE):
        topics.update(set(row["topics"]))
        at_places.update(f"{topic}∧{place}" for topic in set(row["topics"]) for place in set(row["places"]))
    found = [name for name, number in topics.items() if number >= FEWEST_OF_TOPIC]
    found += [name for name, number in at_places.items() if number >= FEWEST_AT_PLACE]
    others = sorted(set(found) - set(DEVELOPMENT), key=lambda name: (-(topics[name] or at_places[name]), name))
    return (*DEVELOPMENT, *others)


def reuters(readers: Sequence[str] = DEVELOPMENT) -> list[LabelledArticle]:
    """Reuters-21578 in time order, with the readers that iScore may be tuned on.

    ``readers`` are names of topics, or ``topic∧place``.
    """
    articles = []
    for row in rows(FILE):
        likes = {*row["topics"], *(f"{topic}∧{place}" for topic in row["topics"] for place in row["places"])}
        published = moment(row["date"])
        articles.append(
            LabelledArticle(
                id=str(row["id"]),
                source="Reuters",
                author=row["author"] or "",
                language="en",
                published=published,
                arrived=published,
                title=row["title"] or "",
                text=(row["body"] or "").removesuffix(" Reuter"),
                labels={reader: reader in likes for reader in readers},
            )
        )
    return articles


def every_reuters() -> list[LabelledArticle]:
    """Reuters-21578 with all readers: topics, and topics at a place; those for development first."""
    return reuters(every_reader())


def other_reuters() -> list[LabelledArticle]:
    """Reuters-21578 with the readers that judge: those on whom nothing was tuned."""
    return reuters(every_reader()[len(DEVELOPMENT) :])
