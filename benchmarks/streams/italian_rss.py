"""What one real person liked and disliked in their RSS reader, in Italian."""

from __future__ import annotations

from benchmarks.streams.data import EPOCH, moment, rows, site_of
from iscore.evaluation.replay.stream_format import LabelledArticle


def italian_reader() -> list[LabelledArticle]:
    """One person's feeds, in the order in which the articles arrived.

    Articles that they neither liked nor disliked have no label.

    Times of arrival are not known; the order is. The latest publication so far stands for it.
    """
    articles = []
    now = EPOCH
    for row in sorted(rows("feedback/home-rss-likes-it.jsonl.xz"), key=lambda row: int(row["seq"])):
        published = moment(row["date"]) if row["date"] else None
        now = max(now, published) if published else now
        url = row["url"] or ""
        articles.append(
            LabelledArticle(
                id=row["id"],
                url=url,
                source=row["source"] or "",
                site=site_of(url),
                author=row["author"] or "",
                categories=(row["category"],) if row["category"] else (),
                language="it",
                published=published,
                arrived=now,
                title=row["title"] or "",
                text=row["description"] or "",
                pictures=int(bool(row["image"])),
                labels={"reader": bool(row["like"])} if row["like"] or row["dislike"] else {},
            )
        )
    return articles
