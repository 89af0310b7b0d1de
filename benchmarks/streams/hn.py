"""Hacker News: its one reader likes what became popular, which no feed tells."""

from __future__ import annotations

from benchmarks.streams.data import moment, rows, site_of
from iscore.evaluation.replay.stream_format import LabelledArticle

POPULAR = 100
"""Points from which a Hacker News story counts as popular."""


def hacker_news() -> list[LabelledArticle]:
    """Hacker News in time order; its reader likes what became popular.

    There are only titles, addresses and authors; points and comments came later.
    """
    articles = []
    for row in sorted(rows("streams/hacker-news-20100.jsonl.xz"), key=lambda row: str(row["date"])):
        published = moment(row["date"])
        url = row["url"] or ""
        articles.append(
            LabelledArticle(
                id=str(row["id"]),
                url=url,
                source="Hacker News",
                site=site_of(url),
                author=row["author"] or "",
                language="en",
                published=published,
                arrived=published,
                title=row["title"] or "",
                text="",
                labels={"popular": int(row["points"]) >= POPULAR},
            )
        )
    return articles
