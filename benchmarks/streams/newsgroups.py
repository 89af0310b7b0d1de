"""Posts of twenty newsgroups; each group is one reader's interest."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

from benchmarks.streams.data import rows
from iscore.evaluation.replay.stream_format import LabelledArticle

START = datetime(1993, 4, 1, tzinfo=UTC)
"""The spring of most posts."""
BETWEEN = timedelta(minutes=5)


def newsgroups() -> list[LabelledArticle]:
    """20 Newsgroups, the older posts, then the newer ones; each group is a reader.

    The posts are undated. Within a group they have the numbers in which they came to the server; the groups are laid
    side by side, each spread over the whole, and one post arrives every five minutes. Group and header are left out:
    they are the label.
    """
    posts = list(rows("20newsgroups/20news-bydate.jsonl.xz"))
    places = _places(posts)
    groups = sorted({post["group"] for post in posts})
    articles = []
    for number, index in enumerate(sorted(range(len(posts)), key=places.__getitem__)):
        post = posts[index]
        articles.append(
            LabelledArticle(
                id=str(number),
                author=post["sender"] or "",
                language="en",
                arrived=START + number * BETWEEN,
                title=post["subject"] or "",
                text=post["body"] or "",
                labels={group: group == post["group"] for group in groups},
            )
        )
    return articles


def _places(posts: list[dict[str, Any]]) -> list[tuple[bool, float, str]]:
    """Return what to sort posts by: split, place within their group from 0 to 1, group."""
    sizes = Counter((post["split"], post["group"]) for post in posts)
    seen: Counter[tuple[str, str]] = Counter()
    places: dict[int, tuple[bool, float, str]] = {}
    for index in sorted(range(len(posts)), key=lambda index: int(posts[index]["number"])):
        split, group = posts[index]["split"], posts[index]["group"]
        places[index] = (split != "train", (seen[split, group] + 0.5) / sizes[split, group], group)
        seen[split, group] += 1
    return [places[index] for index in range(len(posts))]
