"""Labelled streams as files: JSON Lines, one article a line, in order of arrival."""

from __future__ import annotations

import json
import lzma
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from iscore.replay.article import LabelledArticle


def write(articles: Iterable[LabelledArticle], path: Path) -> None:
    """Write a stream, compressed. Raises ``OSError`` when the file cannot be written."""
    with lzma.open(path, "wt", encoding="utf-8", preset=1) as lines:
        for article in articles:
            lines.write(json.dumps(_row(article), ensure_ascii=False) + "\n")


def summary(articles: Sequence[LabelledArticle]) -> str:
    """Say how many articles there are and how many of them each reader likes."""
    liked = Counter(reader for article in articles for reader, verdict in article.labels.items() if verdict)
    readers = ", ".join(f"{reader} {number:,}" for reader, number in liked.most_common())
    return f"{len(articles):,} articles; liked by {readers}"


def _row(article: LabelledArticle) -> dict[str, Any]:
    """Return what the file says of an article; what is empty is left out."""
    row = {
        "id": article.id,
        "published": article.published.isoformat() if article.published else None,
        "arrived": article.arrived.isoformat(),
        "title": article.title,
        "text": article.text,
    }
    optional = {
        "source": article.source,
        "author": article.author,
        "url": article.url,
        "language": article.language,
        "categories": list(article.categories),
        "features": dict(article.features),
    }
    return row | {name: value for name, value in optional.items() if value} | {"labels": dict(article.labels)}
