"""From a feed's bytes to stored decisions: processor time, against ``feedparser.parse`` over the same bytes.

    python -m benchmarks.bytes_to_decisions [--feeds 300] [--repeats 3] [--histories 0 10000 50000 100000]

Counted are processor seconds of all processes, parser children included. Ours is the whole way: parse, clean, store,
measure, judge with a model that has learned 300 verdicts, decide, save. feedparser, with its defaults, only parses.
Both take turns in fresh processes; figures are medians. Texts are made up, or those of real feeds if ``ISCORE_DATA``
names a folder that has them. Three views:

- the stages inside one process that is warm, so that start-up does not count;
- the same with more and more articles in the database before;
- ``iscore poll`` as people run it, feeds fetched from the loopback; its start-up is what a round costs that brings one
  article.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import json
import os
import shutil
import statistics
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from benchmarks import cpu, homes, made_up_news
from benchmarks.made_up_news import ENTRIES, LENGTHS, Length
from benchmarks.made_up_server import address, served

VERDICTS = 300
STAGES = ("parse", "store", "measure", "judge")
TARGETS = {"full": 0.9, "summary": 1.3}
DAYS = 30.0
REAL = "real feeds"


def feedparser_alone(documents: Sequence[bytes]) -> dict[str, float]:
    """``feedparser.parse`` as it comes."""
    import feedparser

    feedparser.parse(io.BytesIO(documents[0]))
    began = cpu.spent()
    for document in documents:
        feedparser.parse(io.BytesIO(document))
    return {"feedparser": cpu.spent() - began}


def our_stages(documents: Sequence[bytes], home: Path, warm_home: Path) -> dict[str, float]:
    """Measure our stages one by one, after a first run with enough feeds to start all processes."""
    from iscore.core import garbage_collection
    from iscore.feeds.parsing.parser_pool import WAITING, ParserPool

    garbage_collection.set_thresholds(garbage_collection.COMMAND)  # as the command does

    async def both_times() -> dict[str, float]:
        async with ParserPool(2) as pool:
            await _stages(documents[-WAITING - 2 :], warm_home, pool)
            return await _stages(documents, home, pool)

    return asyncio.run(both_times())


async def _stages(documents: Sequence[bytes], home: Path, pool: Any) -> dict[str, float]:
    from iscore.feeds.parsing.jobs import FeedJob
    from iscore.feeds.recorder import GROUP
    from storage.records.feeds import FetchRecord, Subscription
    from storage.records.users import LOCAL_USER
    from storage.stream import feeds

    urls = [f"https://feed{number}.example/feed.xml" for number in range(len(documents))]
    with homes.opened(home) as (database, news):
        with database.write() as tx:
            feeds.subscribe(tx, LOCAL_USER, [Subscription(url) for url in urls])
            claimed = feeds.claim_due(tx, homes.NOW, homes.NOW + timedelta(hours=1))
        moments = [cpu.spent()]
        jobs = [FeedJob(body, url, "application/xml", homes.NOW) for body, url in zip(documents, urls, strict=True)]
        parsed = await asyncio.gather(*map(pool.parse, jobs))
        moments.append(cpu.spent())
        records = [
            FetchRecord(
                replace(feed, title=found.title, items_seen=found.items_seen, next_due=homes.NOW + timedelta(hours=1)),
                found.entries,
                homes.NOW,
            )
            for feed, found in zip(claimed, parsed, strict=True)
        ]
        for start in range(0, len(records), GROUP):
            with database.write() as tx:
                feeds.record(tx, records[start : start + GROUP])
        moments.append(cpu.spent())
        measured = homes.measure(news)
        moments.append(cpu.spent())
        judged = homes.judge(database, news)
        moments.append(cpu.spent())
    assert measured == sum(len(found.entries) for found in parsed)
    assert 0.7 * measured <= judged <= measured, f"{judged} of {measured} articles led a story"
    return {"articles": measured} | {
        stage: end - start for stage, start, end in zip(STAGES, moments, moments[1:], strict=False)
    }


def command(home: Path, port: int, feeds: int) -> dict[str, float]:
    """``iscore poll`` for one new article, then for all feeds."""
    settings = {"ISCORE_ALLOW_PRIVATE_NETWORKS": "1", "ISCORE_NOW": homes.NOW.isoformat()}
    seconds = []
    for numbers in ([feeds], range(feeds)):
        (home / "feeds.yaml").write_text("feeds:\n" + "".join(f"- url: {address(n, port)}\n" for n in numbers))
        used, printed = cpu.of_command([cpu.program(), "--home", str(home), "poll", "--json"], settings)
        report = json.loads(printed)
        assert report["failed"] == 0, report["problems"]
        seconds.append(used)
    assert report["new_articles"] == feeds * ENTRIES, report
    return {"start-up": seconds[0], "iscore poll": seconds[1]}


def measure(
    length: Length, feeds: int, history: int, repeats: int, names: Sequence[str], folder: Path
) -> dict[str, float]:
    """Return the median seconds of each contender's parts, over repeats that take turns."""
    documents = folder / f"documents-{length}"
    if not documents.exists() and length == REAL:
        documents.mkdir()
        for number, body in enumerate(real_feeds()):
            (documents / f"{number}.xml").write_bytes(body)
    elif not documents.exists():
        documents.mkdir()
        for number in range(feeds):
            (documents / f"{number}.xml").write_bytes(made_up_news.feed(number, length, number * ENTRIES))
        (documents / f"{feeds}.xml").write_bytes(made_up_news.feed(feeds, length, feeds * ENTRIES, entries=1))
    past = folder / f"past-{length}-{history}"
    homes.make(past, "full" if length == REAL else length, history, days=DAYS, verdicts=VERDICTS)
    warm = folder / "warm"
    if not warm.exists():
        homes.make(warm, "summary", 300, days=DAYS, verdicts=100)
    runs: dict[str, list[float]] = {}
    with served(documents) as port:
        for repeat in range(repeats):
            for name in names:
                home = shutil.copytree(past, folder / "home")
                warm_copy = shutil.copytree(warm, folder / "warm-copy")
                arguments = [name, str(documents), str(feeds), str(home), str(warm_copy), str(port)]
                found = cpu.of_module("benchmarks.bytes_to_decisions", "--contender", *arguments)
                for part, seconds in found.items():
                    runs.setdefault(part, []).append(seconds)
                shutil.rmtree(home)
                shutil.rmtree(warm_copy)
                shown = {part: round(seconds, 3) for part, seconds in found.items()}
                print(length, history, repeat, name, shown, file=sys.stderr, flush=True)
    shutil.rmtree(past)
    return {part: statistics.median(seconds) for part, seconds in runs.items()}


def real_feeds() -> list[bytes]:
    """Return the XML feeds of real sites; none if ``ISCORE_DATA`` does not name a folder that has them."""
    archive = Path(os.environ.get("ISCORE_DATA", ""), "feeds", "real.tar.xz")
    if not archive.is_file():
        return []
    with tarfile.open(archive) as packed:
        files = (packed.extractfile(each) for each in packed if each.name.endswith(".xml"))
        return [file.read() for file in files if file]


def one_run(name: str, documents: str, feeds: str, home: str, warm: str, port: str) -> None:
    """Run one contender in this process and print the seconds of its parts."""
    bodies = [(Path(documents) / f"{number}.xml").read_bytes() for number in range(int(feeds))]
    match name:
        case "feedparser":
            found = feedparser_alone(bodies)
        case "stages":
            found = our_stages(bodies, Path(home), Path(warm))
        case _:
            found = command(Path(home), int(port), int(feeds))
    print(json.dumps(found))


def main() -> None:
    """Measure and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--feeds", type=int, default=300)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--histories", type=int, nargs="+", default=[1_000, 10_000, 50_000, 100_000])
    parser.add_argument("--lengths", nargs="+", default=["full", "summary"])
    parser.add_argument("--quick", action="store_true", help="few feeds, once, one history")
    parser.add_argument("--contender", nargs=6, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.contender:
        one_run(*options.contender)
        return
    from benchmarks import results

    feeds, repeats, histories = options.feeds, options.repeats, options.histories
    if options.quick:
        feeds, repeats, histories = 40, 1, [1_000]
    rows: list[tuple[results.Cell, ...]] = []
    with tempfile.TemporaryDirectory() as folder:
        for length in options.lengths:
            for history in histories:
                found = measure(length, feeds, history, repeats, ("feedparser", "stages", "command"), Path(folder))
                rows += list(_rows(length, history, found))
        if real := real_feeds():
            found = measure(REAL, len(real), histories[0], repeats, ("feedparser", "stages"), Path(folder))
            rows += list(_rows(REAL, histories[0], found))
        else:
            print("No row of real feeds: ISCORE_DATA names no folder that has them.", file=sys.stderr)
    results.write(
        "bytes_to_decisions",
        "From feed bytes to stored decisions: processor time against feedparser alone",
        ("texts", "articles before", "work", "CPU seconds", "µs per article", "times feedparser"),
        rows,
        notes=(
            f"{feeds} feeds of {ENTRIES} new articles, RSS and Atom by turns, {LENGTHS['full']} words each (full: "
            f"with a summary beside) or {LENGTHS['summary']} (summary); {VERDICTS} verdicts learned before. Processor "
            f"seconds of all processes, medians of {repeats} runs, contenders taking turns. Targets for `whole way`: "
            f"{TARGETS['full']} (full) and {TARGETS['summary']} (summary). Rows of `iscore poll` add fetching, "
            "scheduling and the feeds' lists; start-up is a round that brings one article. Rows of real feeds: "
            "one document of each site in `ISCORE_DATA`, with as many articles as it has; the target is 1.0."
        ),
    )


def _rows(length: Length, history: int, found: dict[str, float]) -> list[tuple[str | int | float, ...]]:
    work = {
        "feedparser.parse alone": found["feedparser"],
        **{f"ours: {stage}": found[stage] for stage in STAGES},
        "ours: whole way": sum(found[stage] for stage in STAGES),
    }
    if "iscore poll" in found:
        work["`iscore poll` without start-up"] = found["iscore poll"] - found["start-up"]
        work["`iscore poll`"] = found["iscore poll"]
    return [
        (length, history, name, round(seconds, 3), round(seconds / found["articles"] * 1e6, 1),
         round(seconds / found["feedparser"], 3))
        for name, seconds in work.items()
    ]  # fmt: skip


if __name__ == "__main__":
    main()
