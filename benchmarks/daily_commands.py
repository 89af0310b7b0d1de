"""What a day's work costs: processor time of the commands that people run, and of learning and judging again.

    python -m benchmarks.daily_commands [--articles 100000] [--repeats 7]

Commands are real processes on a home whose articles, with summaries, arrived in the last 7 days; figures are medians.
``iscore inbox`` is measured when nothing is left to learn, and after one verdict, when it learns, judges everything
undecided again and saves; so are ``status``, which learns nothing, and ``why``, which learns but saves nothing. On the
data of ``iscore demo`` each command after a verdict begins with the same copy of the folder; ``digest`` makes a new
digest there. Judging again and learning are measured inside one process too. Measure with an installation of
``requirements.lock`` alone: where scipy and coverage are installed, numba imports them.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

from benchmarks import cpu, homes
from benchmarks.results import Cell, write
from iscore.evaluation.demo import SampleNews
from iscore.services.learning.current_scores import rescore
from storage.log import decisions
from storage.records.users import LOCAL_USER, Kind
from storage.stories import story_query
from storage.stories.story_query import StoryQuery
from storage.stream import articles

DAYS = 6.9
VERDICTS = 300
UNDECIDED = 10_000
LEARNED = 10_000
AFTER_THE_DEMO = timedelta(days=1)
"""From the start of the demo's last day: the next day, of which there is no digest yet."""
Row = tuple[Cell, ...]


def iscore(home: Path, *arguments: str, now: datetime = homes.NOW) -> tuple[float, str]:
    """Run the command; return its processor seconds and what it printed."""
    return cpu.of_command([cpu.program(), "--home", str(home), *arguments], {"ISCORE_NOW": now.isoformat()})


def median(work: Callable[[], float], repeats: int) -> float:
    """Return the median seconds of some runs, after one that does not count."""
    work()
    return statistics.median(work() for _ in range(repeats))


def commands(home: Path, repeats: int) -> dict[str, float]:
    """Seconds of the daily commands."""
    listed = json.loads(iscore(home, "inbox", "--all", "--limit", str(5 * repeats + 5), "--json")[1])
    ids = iter([item["id"] for item in listed])
    found = {
        "iscore --help": median(lambda: iscore(home, "--help")[0], repeats),
        "iscore inbox": median(lambda: iscore(home, "inbox")[0], repeats),
        "iscore inbox --json": median(lambda: iscore(home, "inbox", "--json")[0], repeats),
        "iscore like": median(lambda: iscore(home, "like", next(ids))[0], repeats),
    }

    def after_a_verdict(*command: str) -> float:
        iscore(home, "dislike", next(ids))
        return iscore(home, *command)[0]

    some = next(ids)
    for command in (["inbox"], ["status"], ["why", some]):
        found[f"iscore {command[0]} after a verdict"] = median(partial(after_a_verdict, *command), repeats)
    return found


def on_the_demo(folder: Path, repeats: int) -> dict[str, float]:
    """Seconds of commands after one verdict that nothing has learned yet, on the data of ``iscore demo``."""
    cpu.of_command([cpu.program(), "demo", "--output", str(folder)])
    news = SampleNews.load()
    run = partial(iscore, now=news.start + timedelta(days=news.days) + AFTER_THE_DEMO)
    home, copy = folder / "home", folder / "copy"
    listed = json.loads(run(home, "inbox", "--all", "--limit", "30", "--json")[1])
    disliked, asked = listed[-1]["id"], listed[0]["id"]

    def unchanged(command: str) -> float:
        return run(home, command)[0]

    def after_a_verdict(*command: str) -> float:
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(home, copy)
        return run(copy, *command)[0]

    found = {f"iscore {name}": median(partial(unchanged, name), repeats) for name in ("inbox", "status")}
    run(home, "dislike", disliked)
    for command in (["inbox"], ["digest"], ["status"], ["why", asked]):
        found[f"iscore {command[0]} after a verdict"] = median(partial(after_a_verdict, *command), repeats)
    return found


def judging_again(home: Path, repeats: int) -> dict[str, float]:
    """Seconds to judge everything undecided again and to write it down, in process; and through ``iscore inbox``."""
    with homes.opened(home) as (database, news):
        model = news.models.load().model
        since = homes.NOW - news.context.inbox_period

        def again() -> float:
            began = cpu.spent()
            current_scores = rescore(database, news.context.user, model, since=since)
            with database.write() as tx:
                decisions.rescore(tx, LOCAL_USER, current_scores)
            assert len(current_scores) > 0.95 * (UNDECIDED - VERDICTS), len(current_scores)
            return cpu.spent() - began

        found = {"judge again": median(again, repeats)}
        with database.read() as tx:
            ids = iter(story_query.ids(tx, StoryQuery(LOCAL_USER, since))[: repeats + 1])

    def through_the_command() -> float:
        iscore(home, "dislike", next(ids))
        return iscore(home, "inbox")[0]

    idle = median(lambda: iscore(home, "inbox")[0], repeats)
    found["iscore inbox"] = idle
    found["iscore inbox after a verdict"] = median(through_the_command, repeats)
    return found


def relearning(home: Path, repeats: int) -> dict[str, float]:
    """Seconds to replay the whole log in process; and of ``iscore inbox`` after the oldest verdict was corrected."""
    with homes.opened(home) as (database, news):

        def replay() -> float:
            began = cpu.spent()
            kept = news.models.replay()
            assert kept.learned > 0.95 * LEARNED, kept.learned
            return cpu.spent() - began

        found = {"replay": median(replay, repeats)}
        with database.read() as tx:
            oldest = articles.get(tx, range(1, repeats + 2))

    names = iter([(article.id, article.categories) for article in oldest])

    def corrected() -> float:
        article_id, categories = next(names)
        other = "dislike" if homes.opinion(categories) is Kind.LIKE else "like"
        iscore(home, other, article_id)
        return iscore(home, "inbox")[0]

    found["iscore inbox"] = median(lambda: iscore(home, "inbox")[0], repeats)
    found["iscore inbox after a correction"] = median(corrected, repeats)
    return found


def main() -> None:
    """Measure and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--articles", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--quick", action="store_true", help="fewer articles, each work twice")
    options = parser.parse_args()
    many, repeats = (10_000, 2) if options.quick else (options.articles, options.repeats)
    rows: list[Row] = []

    def tell(situation: str, found: dict[str, float], targets: dict[str, str]) -> None:
        rows.extend((situation, work, round(seconds, 3), targets.get(work, "")) for work, seconds in found.items())
        print(situation, {work: round(seconds, 3) for work, seconds in found.items()}, file=sys.stderr, flush=True)

    after = {f"iscore {name} after a verdict": "1.0" for name in ("inbox", "digest", "status", "why")}
    with tempfile.TemporaryDirectory() as folder:
        tell("data of `iscore demo`", on_the_demo(Path(folder) / "demo", repeats), after)
        home = Path(folder) / "daily"
        homes.make(home, "summary", many, days=DAYS, verdicts=VERDICTS)
        tell(
            f"{many:,} articles in 7 days",
            commands(home, repeats),
            {"iscore --help": "0.25", "iscore inbox": "0.8", "iscore like": "0.6"},
        )
        home = Path(folder) / "undecided"
        homes.make(home, "full", UNDECIDED, days=DAYS, verdicts=VERDICTS)
        tell(
            f"{UNDECIDED:,} articles undecided",
            judging_again(home, repeats),
            {"judge again": "0.5", "iscore inbox after a verdict": "1.0"},
        )
        home = Path(folder) / "learned"
        homes.make(home, "full", LEARNED, days=DAYS, verdicts=LEARNED)
        tell(f"{LEARNED:,} verdicts", relearning(home, min(repeats, 3)), {"replay": "2"})
    write(
        "daily_commands",
        "The day's commands: processor time",
        ("situation", "work", "CPU seconds", "target"),
        rows,
        notes=(
            f"Medians of {repeats} runs (at most 3 for corrections), children included. {VERDICTS} verdicts learned "
            "before, unless said otherwise. `iscore …` are whole processes; the rest runs inside one that is warm."
        ),
    )


if __name__ == "__main__":
    main()
