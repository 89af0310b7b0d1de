"""Writes real data as labelled streams; see ``benchmarks/streams/__init__.py``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks.streams import STREAMS
from benchmarks.streams.written import summary, write


def main() -> None:
    """Write what was asked for."""
    parser = argparse.ArgumentParser(prog="benchmarks.streams", description="Write real data as labelled streams.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="one of: " + ", ".join(STREAMS))
    parser.add_argument("--to", type=Path, metavar="FOLDER", help="where to: NAME.jsonl.xz each")
    options = parser.parse_args()
    if unknown := set(options.names) - set(STREAMS):
        parser.error(f"no stream {', '.join(sorted(unknown))}")
    if not options.names and not options.to:
        for name, read in STREAMS.items():
            print(f"{name:20} {(read.__doc__ or '').splitlines()[0]}")
        return
    if not options.to:
        parser.error("where to? give --to FOLDER")
    options.to.mkdir(parents=True, exist_ok=True)
    for name in options.names or STREAMS:
        path = options.to / f"{name}.jsonl.xz"
        articles = STREAMS[name]()
        write(articles, path)
        print(f"{path}: {summary(articles)}", file=sys.stderr)


if __name__ == "__main__":
    main()
