"""A simulated month of polling at speed, with failures of every kind, in one process: what grows, what drifts.

    python -m benchmarks.soak [--feeds 1000] [--days 30] [--every 6]

The world is ``tests.hostile.soak_server``: real sockets, a loopback address a feed, a month that passes in minutes. The
process is ``tests.hostile.soak_run``: the loop of ``iscore run`` on a real home, with a round every few hours,
verdicts after each and a digest a day. In the end the program's own commands are asked whether all is well: ``iscore
model rebuild --check`` holds what was learned against a replay of the log, ``iscore doctor`` looks at all else.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

from benchmarks import results
from tests.hostile.soak_run import Life, Sample, live, settle, world
from tests.hostile.soak_server import START, Trouble, trouble_of

FLAT = 0.05
"""By how much the most of memory may be more in the last third than in the second."""
KINDS = {
    "articles": "what was published, as metadata",
    "texts": "the articles' texts, until they are pruned",
    "features": "what was measured of each article, and its frozen metadata",
    "decisions": "what was decided of each article when it came",
    "current_scores": "what the newest model thinks of each article that waits",
    "feedback": "the log of verdicts",
    "seen": "which articles a verdict or a digest has shown",
    "snapshots": "what was learned and the state of the stream, thinned out with age",
    "digests": "the digests as they were made",
    "deliveries": "which articles were in a digest",
    "feeds": "the feeds, with the hashes of their last items",
    "subscriptions": "who follows which feed",
    "feature_sets": "the names of the features",
    "rule_outcomes": "what the person's own rules say of what waits",
    "imported_items": "what was liked elsewhere",
    "imports": "exports of other homes that were merged",
    "mailings": "which digest was mailed when",
    "robots": "what sites allow, for a day",
    "users": "the person",
    "schema": "the tables themselves",
    "alembic_version": "the version of the tables",
    "sqlite_sequence": "the last numbers that were given",
}


def main() -> int:
    """Live through it and write the tables; return 1 when anything has leaked or drifted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--feeds", type=int, default=1000)
    parser.add_argument("--days", type=int, default=30)
    parser.add_argument("--every", type=float, default=6.0)
    options = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, world(options.feeds) as port:
        home = Path(folder) / "home"
        settle(home, options.feeds, port)
        life = live(home, port, options.days, every=options.every, tell=True)
        checks = _commands(home, options.days)
    minutes = (time.monotonic() - began) / 60
    wrong = [*life.trouble, *checks, *_leaks(life.samples)]
    _write_course(life, options, minutes, wrong)
    _write_growth(life, options)
    print(*wrong, sep="\n", file=sys.stderr)
    return 1 if wrong else 0


def _commands(home: Path, days: int) -> list[str]:
    """Ask the program's own commands; return what they find fault with."""
    now = START + timedelta(days=days, minutes=1)
    environment = os.environ | {"ISCORE_NOW": now.isoformat()}
    wrong = []
    for words in (("model", "rebuild", "--check"), ("doctor", "--json")):
        command = [sys.executable, "-m", "iscore", "--home", str(home), *words]
        ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if words[0] == "doctor" and ended.stdout:
            found = json.loads(ended.stdout)["checks"]
            wrong += [f"doctor: {each['name']}: {each['found']}" for each in found if each["state"] == "broken"]
        elif ended.returncode:
            wrong.append(f"{' '.join(words)}: {ended.stdout} {ended.stderr}")
    return wrong


def _leaks(samples: Sequence[Sample]) -> list[str]:
    third = len(samples) // 3
    second, last = samples[third : 2 * third], samples[2 * third :]
    wrong = []
    before, after = (max(each.resident_memory for each in part) for part in (second, last))
    if after > (1 + FLAT) * before:
        wrong.append(f"memory grows: {before >> 20} MB in the second third, {after >> 20} MB in the last")
    for name in ("handles", "threads", "children"):
        before, after = (max(getattr(each, name) for each in part) for part in (second, last))
        if after > before:
            wrong.append(f"{name} grow: {before} in the second third, {after} in the last")
    return wrong


def _write_course(life: Life, options: argparse.Namespace, minutes: float, wrong: Sequence[str]) -> None:
    a_day = max(round(24 / options.every), 1)
    rows = []
    for start in range(0, len(life.samples), a_day):
        day = life.samples[start : start + a_day]
        last = day[-1]
        rows.append(
            (
                int(last.hours // 24),
                last.articles,
                last.verdicts,
                max(each.resident_memory for each in day) >> 20,
                max(each.handles for each in day),
                max(each.threads for each in day),
                max(each.children for each in day),
                round(last.database / 1e6, 1),
                round(statistics.median(each.seconds for each in day), 1),
            )
        )
    spells = [
        trouble_of(feed, sample.hours) is not Trouble.NONE for feed in range(options.feeds) for sample in life.samples
    ]
    results.write(
        "soak",
        f"{options.feeds:,} feeds for {options.days} days, in one process",
        ("day", "articles", "verdicts", "memory, MB", "handles", "threads", "children", "database, MB", "a round, s"),
        rows,
        notes=(
            f"{len(life.samples)} rounds, {options.every:g} hours apart: {life.polled:,} times a feed was asked, "
            f"{life.failed:,} times it failed; at {sum(spells) / len(spells):.0%} of all moments a feed was in some "
            "trouble (500, 429 and 503 with Retry-After, silence, hanging up, bodies that break off, malformed "
            "documents, validators that change or are missing, moved, gone). Memory, handles (open files, sockets, "
            "pipes), threads and children are the most of the day, after each round. Until all code has been compiled "
            "and used once, memory grows; what is asked is that the most of the last third is no more than "
            f"{FLAT:.0%} above the most of the second. "
            f"{'Wrong: ' + '; '.join(wrong) if wrong else 'What was learned equals a replay of the log, bit for bit.'}"
            f" It took {minutes:.0f} minutes."
        ),
    )


def _write_growth(life: Life, options: argparse.Namespace) -> None:
    hours = sorted(life.growth)
    middle, end = hours[len(hours) // 2], hours[-1]
    days = max((end - middle) / 24, 1e-9)
    rows: list[tuple[str | int | float, ...]] = []
    for name, (count, size) in sorted(life.growth[end].items(), key=lambda each: -each[1][1]):
        before = life.growth[middle].get(name, (0, 0))
        new, grown = count - before[0], size - before[1]
        each = str(round(grown / new)) if new > 0 else ""
        rows.append((name, KINDS.get(name, ""), count, size // 1000, round(grown / 1000 / days, 1), each))
    total = sum(size for _, size in life.growth[end].values())
    grown = total - sum(size for _, size in life.growth[middle].values())
    articles = life.growth[end]["articles"][0] - life.growth[middle]["articles"][0]
    results.write(
        "soak_growth",
        f"What the database grows by, with {options.feeds:,} feeds",
        ("table", "what is in it", "rows", "kB", "kB a day", "bytes a new row"),
        rows,
        notes=(
            f"At the end, and between day {middle / 24:.0f} and day {end / 24:.0f}; bytes with those of the table's "
            f"indexes. Altogether {total / 1e6:.1f} MB, growing by {grown / 1e6 / days:.2f} MB and "
            f"{articles / days:.0f} articles a day: {grown / max(articles, 1) / 1000:.1f} kB for an article with all "
            "that is known of it. Snapshots and feeds do not grow with time but with what they hold."
        ),
    )


if __name__ == "__main__":
    sys.exit(main())
