"""Short ways to say what somebody said, for the tests of the past."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from storage.records.decisions import DecisionBatch, PastVerdict
from storage.records.users import Kind

START = datetime(2026, 3, 2, tzinfo=UTC)
"""A Monday."""

_KINDS = {"+": Kind.LIKE, "-": Kind.DISLIKE, "0": Kind.SKIP}


def verdict(
    number: int,
    kind: str,
    decided: str = "r",
    *,
    score: float = 0.0,
    hours: float | None = None,
    delay: float = 2.0,
    probability: float = 0.25,
    overruled: bool = False,
) -> PastVerdict:
    """Make the verdict ``number``: + - or 0 on what was (r)ecommended, (e)xplored, (h)eld back or (n)ever decided.

    Decided ``hours`` after the start (an hour after one another by default), and said ``delay`` hours later.
    """
    at = START + timedelta(hours=number if hours is None else hours)
    known = decided != "n"
    return PastVerdict(
        row=number + 1,
        story=number + 1,
        kind=_KINDS[kind],
        at=at + timedelta(hours=delay),
        arrived=at,
        decided=at if known else None,
        score=score if known else None,
        interesting=decided == "r" if known else None,
        explore=decided == "e" if known else None,
        probability=(1.0 if decided == "r" else probability) if known else None,
        overruled=overruled,
    )


def verdicts(kinds: str, decided: str, **others: float) -> list[PastVerdict]:
    """Make a verdict for each pair of letters, in order."""
    return [verdict(n, kind, how, **others) for n, (kind, how) in enumerate(zip(kinds, decided, strict=True))]  # type: ignore[arg-type]


def one_round(hours: float, recommended: int, explored: int, hidden: int, threshold: float = 0.5) -> DecisionBatch:
    """Make the round at ``hours`` after the start."""
    judged = recommended + explored + hidden
    return DecisionBatch(START + timedelta(hours=hours), judged, recommended, explored, hidden, threshold)
