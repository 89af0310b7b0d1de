"""Real streams as documents with labels, in order of arrival. The data lies where ``ISCORE_DATA`` says."""

from __future__ import annotations

import json
import lzma
import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class StreamDocument:
    """One article of a labelled stream. It satisfies ``extractors.document.Document``."""

    id: str
    url: str
    source: str
    site: str
    author: str
    categories: tuple[str, ...]
    language: str
    published: datetime | None
    arrived: datetime
    title: str
    text: str
    links: int
    pictures: int
    labels: dict[str, bool]
    """Proxy user → verdict; a proxy that is missing gave none."""
    tags: tuple[str, ...] = ()


def data_folder() -> Path:
    """Return the folder of real data. Raises ``SystemExit`` with what to do when it is not set."""
    folder = os.environ.get("ISCORE_DATA")
    if not folder or not Path(folder).is_dir():
        raise SystemExit("set ISCORE_DATA to the folder of real data")
    return Path(folder)


def rows(name: str) -> Iterator[dict[str, object]]:
    """Yield the objects of an xz-compressed JSON Lines file."""
    with lzma.open(data_folder() / name, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


TOPICS = (
    *("earn", "acq", "money-fx", "crude", "grain", "trade", "interest"),
    *("ship", "dlr", "money-supply", "sugar", "gnp", "coffee", "gold"),
)
TOPICS_AND_PLACES = (("crude", "usa"), ("trade", "japan"), ("acq", "uk"), ("earn", "canada"))


def reuters() -> list[StreamDocument]:
    """Reuters-21578 in time order; a reader is interested in one topic, or in one topic at one place."""
    documents = []
    for row in rows("reuters21578/reuters21578.jsonl.xz"):
        topics, places = set(row["topics"]), set(row["places"])  # type: ignore[call-overload]
        labels = {topic: topic in topics for topic in TOPICS}
        labels |= {f"{t}∧{p}": t in topics and p in places for t, p in TOPICS_AND_PLACES}
        published = datetime.fromisoformat(str(row["date"])).replace(tzinfo=UTC)
        documents.append(
            StreamDocument(
                id=str(row["id"]),
                url="",
                source="Reuters",
                site="",
                author=str(row["author"] or ""),
                categories=(),
                language="en",
                published=published,
                arrived=published,
                title=str(row["title"] or ""),
                text=str(row["body"] or "").removesuffix(" Reuter"),
                links=0,
                pictures=0,
                labels=labels,
            )
        )
    return documents


def italian_reader() -> list[StreamDocument]:
    """One real person's feeds, in the order in which the articles arrived; those they neither liked nor disliked have
    no label.

    Times of arrival are not known; the order is. The latest publication so far stands for it.
    """
    documents = []
    now = EPOCH
    for row in sorted(rows("feedback/home-rss-likes-it.jsonl.xz"), key=lambda row: int(str(row["seq"]))):
        published = datetime.fromisoformat(str(row["date"])) if row["date"] else None
        now = max(now, published) if published else now
        url = str(row["url"] or "")
        documents.append(
            StreamDocument(
                id=str(row["id"]),
                url=url,
                source=str(row["source"] or ""),
                site=(urlsplit(url).hostname or "").removeprefix("www."),
                author=str(row["author"] or ""),
                categories=(str(row["category"]),) if row["category"] else (),
                language="it",
                published=published,
                arrived=now,
                title=str(row["title"] or ""),
                text=str(row["description"] or ""),
                links=0,
                pictures=int(bool(row["image"])),
                labels={"reader": bool(row["like"])} if row["like"] or row["dislike"] else {},
            )
        )
    return documents


POPULAR = 100
"""Points from which a Hacker News story counts as popular."""


def hacker_news() -> list[StreamDocument]:
    """Hacker News in time order; its one reader likes what became popular, which no feed tells. There are only titles,
    addresses and authors."""
    documents = []
    for row in sorted(rows("streams/hacker-news-20100.jsonl.xz"), key=lambda row: str(row["date"])):
        published = datetime.fromisoformat(str(row["date"]))
        published = published if published.tzinfo else published.replace(tzinfo=UTC)
        url = str(row["url"] or "")
        documents.append(
            StreamDocument(
                id=str(row["id"]),
                url=url,
                source="Hacker News",
                site=(urlsplit(url).hostname or "").removeprefix("www."),
                author=str(row["author"] or ""),
                categories=(),
                language="en",
                published=published,
                arrived=published,
                title=str(row["title"] or ""),
                text="",
                links=0,
                pictures=0,
                labels={"popular": int(str(row["points"])) >= POPULAR},
            )
        )
    return documents
