"""How long people read what they liked and what they did not: the rates in ``implicit_feedback.RATES``.

From the YOW user study: seconds on each page, and how much its reader liked it. Each person counts alike, whatever
their number of ratings, so that nobody's habits stand for all. Persons need 10 liked and 10 other articles.

    python -m benchmarks.reading_rates
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from benchmarks.streams.data import records
from benchmarks.streams.yow import LIKED
from extractors.arrays import Floats
from iscore.filtering.ranking.implicit_feedback import RATES, TIMES, Sign, signs

FEWEST = 10
"""Liked articles, and others, of a person."""
DECIMALS = 2


def seconds() -> dict[str, float]:
    """Return the seconds on the page of each visit, by the id that ``streams.yow`` gives its article."""
    found = records("feedback/yow_userstudy_raw.csv.xz")
    return {row["log_id"]: float(row["TimeOnPage"]) / 1000.0 for row in found if row["TimeOnPage"]}


def ratings() -> dict[str, list[tuple[Sign, bool]]]:
    """Return by person the time sign of each article that they rated, and whether they liked it."""
    found: dict[str, list[tuple[Sign, bool]]] = {}
    for row in records("feedback/yow_userstudy_raw.csv.xz"):
        if int(row["user_like"]) >= 0 and row["TimeOnPage"] and float(row["TimeOnPage"]) > 0.0:
            of = signs(opened=True, seconds=float(row["TimeOnPage"]) / 1000.0)
            time = next(sign for sign in TIMES if sign in of)
            found.setdefault(f"user {row['user_id']}", []).append((time, int(row["user_like"]) >= LIKED))
    return {person: rated for person, rated in found.items() if _enough(rated)}


def rates(
    people: Mapping[str, list[tuple[Sign, bool]]], without: Collection[str] = ()
) -> dict[Sign, tuple[float, float]]:
    """Return all rates, with those of times from these people, but from none of ``without``."""
    shares = [
        [
            [np.mean([time == sign for time, like in rated if like == liked]) for liked in (True, False)]
            for sign in TIMES
        ]
        for person, rated in people.items()
        if person not in without
    ]
    means: Floats = np.array(shares).mean(axis=0).round(DECIMALS)
    return {**RATES, **{sign: (float(row[0]), float(row[1])) for sign, row in zip(TIMES, means, strict=True)}}


def _enough(rated: list[tuple[Sign, bool]]) -> bool:
    likes = sum(like for _, like in rated)
    return min(likes, len(rated) - likes) >= FEWEST


def main() -> None:
    """Print the rates of times as they stand in ``implicit_feedback``."""
    people = ratings()
    print(f"# {len(people)} people, {sum(map(len, people.values())):,} ratings")
    for sign, pair in rates(people).items():
        if sign in TIMES:
            print(f"    Sign.{sign.name}: {pair},")


if __name__ == "__main__":
    main()
