"""The YOW user study (Carnegie Mellon, 2004): two dozen people's ratings of news that they read. There are no texts."""

from __future__ import annotations

from datetime import datetime

from benchmarks.streams.data import moment, records
from iscore.evaluation.replay.stream_format import LabelledArticle

LIKED = 4
"""Answers to "how much did you like it", from 1 to 5, that count as interest."""

RATINGS = ("novelty", "readability", "authority")
"""What else was asked of every article. ``relevant`` is left out: it is nearly the same question."""

EVERYBODY = "everybody"
"""The reader whose verdicts are those of all."""


def yow() -> list[LabelledArticle]:
    """Ratings of news by two dozen people, without texts.

    In the order in which the server took them; each has one person's verdict, and everybody's.

    A person's later ratings of the same article are left out. The feed is the source. The features:

    - ``novelty`` (1 to 5), ``readability``, ``authority`` (0 or 1): asked together with the verdict, so they stand for
      what a filter's extractors would have to measure beforehand;
    - ``hour`` (0 to 24) and ``weekday`` (0 to 6) of the visit: known when the article is chosen.

    What was seen of the person while they read, as time on the page, scrolling and clicks, is known too late to filter
    by. So are the classes that they put the article into.
    """
    articles = []
    rated = set()
    for row in records("feedback/yow_userstudy_raw.csv.xz"):
        liking, about = int(row["user_like"]), (row["user_id"], row["DOC_ID"])
        if liking < 0 or about in rated:
            continue
        rated.add(about)
        visited = moment(row["serverTimeVisit"])
        articles.append(
            LabelledArticle(
                id=row["log_id"],
                source=f"feed {row['RSS_ID']}",
                arrived=visited,
                title="",
                text="",
                labels={f"user {row['user_id']}": liking >= LIKED, EVERYBODY: liking >= LIKED},
                features=_ratings(row) | _time(visited),
            )
        )
    return articles


def _ratings(row: dict[str, str]) -> dict[str, float]:
    """Return the answers that were given; -1 and nothing are none."""
    return {name: float(row[name]) for name in RATINGS if row[name] and float(row[name]) >= 0.0}


def _time(visited: datetime) -> dict[str, float]:
    return {"hour": visited.hour + visited.minute / 60.0, "weekday": float(visited.weekday())}
