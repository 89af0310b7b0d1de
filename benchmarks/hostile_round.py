"""What hostile feeds cost the others: rounds of `iscore poll` with and without them.

    python -m benchmarks.hostile_round [--feeds 1000] [--hostile 100] [--repeats 3]

The good feeds (30 entries each, on as many loopback addresses) are served by one process, the hostile ones by as many
``tests.hostile.server`` as are needed. Two homes take turns: one follows the good feeds alone, the other all. Each has
a first round, in which everything is new, and one in which each good feed has one new entry. Seconds are those that the
command itself reports: from claiming the feeds to the last of them stored. The target: with the hostile ones at most
1.5 times the time of the good ones, plus one deadline.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import urllib.request
from contextlib import ExitStack
from pathlib import Path

from benchmarks import results
from benchmarks.poll_speed import feed_server
from tests.hostile.hostile_subscriptions import row_of
from tests.hostile.polled_folder import CommandResult, PolledFolder, ServerLog, hostile_server
from tests.servers.static_feeds import ENTRIES, host_of

DEADLINE = 10.0
"""Seconds for one fetch in total; the default is 30."""
PARSING = 5.0
"""Seconds of processor time for one document; the default is 20."""
FIRST_NETWORK = 200
"""Of loopback addresses for hostile servers."""
ROUNDS = ("everything new", "one new entry each")


def hostile_addresses(stack: ExitStack, count: int) -> tuple[dict[str, str], list[str]]:
    """Start servers until there are enough addresses; return both."""
    addresses: dict[str, str] = {}
    servers: list[str] = []
    while len(addresses) < count:
        network = f"{FIRST_NETWORK + len(servers)}"  # else the same hosts are asked one after the other
        servers.append(stack.enter_context(hostile_server("--network", network)))
        found = {path: url for path, url in ServerLog(servers[-1]).addresses.items() if row_of(path)}
        addresses |= {f"{path}#{len(servers)}": url for path, url in found.items()}
    return dict(list(addresses.items())[:count]), servers


def polled(folder: Path, good: dict[str, str], hostile: dict[str, str], advance: str) -> list[CommandResult]:
    """Two rounds of a new home."""
    settings = {"fetch_timeout": DEADLINE, "parse_timeout": PARSING}
    home = PolledFolder(folder / "home", good | hostile, fresh=True).create(**settings)
    first = home.poll(watched="")
    with urllib.request.urlopen(advance):
        pass
    second = home.poll(watched="")
    for ran, new in ((first, ENTRIES), (second, 1)):
        assert ran.view["new_articles"] >= new * len(good), ran.view
    return [first, second]


def main() -> None:
    """Measure and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--feeds", type=int, default=1000)
    parser.add_argument("--hostile", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    count = options.feeds - options.hostile
    seconds: dict[tuple[str, int], list[float]] = {}
    memory: dict[tuple[str, int], list[int]] = {}
    with ExitStack() as stack:
        port = stack.enter_context(feed_server(count, "summary"))
        hostile, servers = hostile_addresses(stack, options.hostile)
        for repeat in range(options.repeats):
            for name, more in (("good", {}), ("all", hostile)):
                run = f"{name}-{repeat}"
                good = {f"/good-{n}": f"http://{host_of(n)}:{port}/{run}/feed.xml" for n in range(count)}
                advance = f"http://{host_of(0)}:{port}/{run}/advance"
                with tempfile.TemporaryDirectory() as folder:
                    for number, ran in enumerate(polled(Path(folder), good, more, advance)):
                        seconds.setdefault((name, number), []).append(ran.view["seconds"])
                        memory.setdefault((name, number), []).append(ran.peak >> 20)
        called = sum(ServerLog(server).canary for server in servers)
    rows = []
    for number, round_ in enumerate(ROUNDS):
        alone, together = (statistics.median(seconds[name, number]) for name in ("good", "all"))
        above = statistics.median(memory["all", number]) - statistics.median(memory["good", number])
        rows.append(
            (round_, f"{alone:.1f}", f"{together:.1f}", f"{1.5 * alone + DEADLINE:.1f}", f"{above:.0f}", called)
        )
    results.write(
        "hostile_round",
        f"{count} good feeds, alone and with {options.hostile} hostile ones",
        ("round", "good alone, s", "with hostile, s", "allowed, s", "memory above, MB", "calls at the canary"),
        rows,
        notes=(
            f"Medians of {options.repeats} runs each, taking turns. Allowed: 1.5 times the good feeds' time and one "
            f"deadline of {DEADLINE:g} s; a document may take {PARSING:g} s of processor time. Memory: the peak of the "
            f"command and its children together, above that without hostile feeds."
        ),
    )


if __name__ == "__main__":
    main()
