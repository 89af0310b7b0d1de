"""What looking back costs: processor time of ``iscore stats``, on the screen and as a page, after a long life.

    python -m benchmarks.looking_back [--articles 100000] [--verdicts 10000] [--repeats 5]

The home is lived in: articles come in a hundred rounds over two hundred days, and the reader judges some of each round
before the next. Commands are real processes; figures are medians. ``iscore status`` and ``iscore inbox`` stand beside
them for comparison.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from pathlib import Path

from benchmarks import cpu, homes
from benchmarks.results import write

ROUNDS = 100
DAYS = 200.0
SETTINGS = {"ISCORE_NOW": homes.NOW.isoformat(), "TZ": "UTC"}
TARGETS = {"iscore stats": "1.5", "iscore stats --html": "5"}


def measured(home: Path, arguments: list[str], repeats: int) -> float:
    """Median processor seconds of a command, after one run that does not count."""
    command = [cpu.program(), "--home", str(home), *arguments]
    return statistics.median([cpu.of_command(command, SETTINGS)[0] for _ in range(repeats + 1)][1:])


def checked(home: Path, articles: int, verdicts: int) -> None:
    """Raise ``AssertionError`` when the past is not the one that was lived."""
    view = json.loads(cpu.of_command([cpu.program(), "--home", str(home), "stats", "--learned", "--json"], SETTINGS)[1])
    assert (view["articles"], view["likes"] + view["dislikes"]) == (articles, verdicts), view["articles"]
    assert view["features"]["before"] is not None
    assert len(view["periods"]) in {29, 30}, "weeks"
    assert view["words_liked"]


def main() -> None:
    """Measure and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--articles", type=int, default=100_000)
    parser.add_argument("--verdicts", type=int, default=10_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="a tenth of everything, each command once")
    parser.add_argument("--home", type=Path, help="a home that was made before; else one is made, and removed")
    options = parser.parse_args()
    articles, verdicts, repeats = options.articles, options.verdicts, options.repeats
    if options.quick:
        articles, verdicts, repeats = articles // 10, verdicts // 10, 1
    with tempfile.TemporaryDirectory() as folder:
        home = options.home or Path(folder) / "home"
        if not home.exists():
            homes.live(home, "summary", articles, rounds=ROUNDS, days=DAYS, verdicts=verdicts)
        checked(home, articles, verdicts)
        page = Path(folder) / "report.html"
        works = {
            "iscore stats": ["stats"],
            "iscore stats --learned": ["stats", "--learned"],
            "iscore stats --html": ["stats", "--html", str(page)],
            "iscore status": ["status"],
            "iscore inbox": ["inbox"],
        }
        rows = []
        for work, arguments in works.items():
            seconds = measured(home, arguments, repeats)
            print(work, round(seconds, 3), file=sys.stderr, flush=True)
            rows.append((work, round(seconds, 3), TARGETS.get(work, "")))
        kilobytes = page.stat().st_size / 1000
    write(
        "looking_back",
        "Looking back over a long life: processor time",
        ("command", "CPU seconds", "target"),
        rows,
        notes=(
            f"{articles:,} articles that came in {ROUNDS} rounds over {DAYS:.0f} days, {verdicts:,} verdicts, learned "
            f"as they came. Whole processes; medians of {repeats} runs. The page has {kilobytes:.0f} kB."
        ),
    )


if __name__ == "__main__":
    main()
