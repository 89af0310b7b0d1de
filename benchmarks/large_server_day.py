"""What a day of a server with many readers costs, out of what each piece of work costs."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks import large_database
from benchmarks.results import Cell
from iscore.jobs.workers import due, loop, tasks

SESSIONS = 1.5
"""In which a reader opens pages and gives the verdicts of a day; each begins with a round and ends with learning."""
POLLS = 24
"""Of each feed, in a day."""
UNCHANGED, NEWS, START = 0.0010, 0.0027, 4.0
"""Processor seconds of asking a feed in which nothing is new, and one with a new entry: twice the seconds of
`poll_speed`, where two processors shared the work. Of a worker's start, from `bytes_to_decisions`."""
WORKERS = 4
IDLE_LOOKS = 86_400 / 2
"""Of each worker, if it never had anything to do."""


def rows(seconds: Mapping[str, float], readers: int) -> list[tuple[Cell, ...]]:
    """Return for each kind of work how often it is done in a day, and what that costs.

    ``seconds``: the usual cost of each piece of work, by name.
    """
    articles = large_database.FEEDS * large_database.A_DAY
    pause = max(loop.PLAN_EVERY.total_seconds(), loop.SHARE * seconds["work: planning"])
    judged = 86_400 / due.pause(readers).total_seconds() - 1  # one of a day's rounds is that of the digest
    counts: dict[str, tuple[float, float]] = {
        "start workers": (WORKERS, START),
        "start a parser, each minute": (86_400 / due.POLL_STEP.total_seconds(), seconds["work: start a parser"]),
        "ask feeds without news": (large_database.FEEDS * (POLLS - large_database.A_DAY), UNCHANGED),
        "ask and parse feeds with news": (articles, NEWS),
        "store articles": (articles / 10, seconds["work: store 10 articles"]),
        "measure articles": (articles / 200, seconds["work: measure 200 articles"]),
        "judge, for who does not read": (readers * judged, seconds["work: judge"]),
        "judge, for who reads": (readers * SESSIONS, seconds["work: judge"]),
        "learn verdicts": (readers * SESSIONS, seconds["work: learn three verdicts"]),
        "look after digests": (
            readers + 86_400 / tasks.DIGEST_PAUSE.total_seconds(),
            seconds["work: look after a digest"],
        ),
        "decide and make digests": (readers, seconds["work: decide and make a digest"]),
        "plan": (86_400 / pause, seconds["work: planning"]),
        "look for work": (WORKERS * IDLE_LOOKS, seconds["work: looking for work"]),
    }
    found = [(name, round(count), round(1000 * each, 2), count * each / 3600) for name, (count, each) in counts.items()]
    total = sum(row[3] for row in found)
    shares = [(*row[:3], round(row[3], 3), round(100 * row[3] / total, 1)) for row in found]
    return [*shares, ("all", "", "", round(total, 2), 100.0)]
