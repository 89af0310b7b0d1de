"""Writes real data as labelled streams; see ``benchmarks/streams/__init__.py``."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from benchmarks.streams import STREAMS
from iscore.evaluation.replay.stream import write_stream
from iscore.evaluation.replay.stream_format import LabelledArticle


def summary(articles: Sequence[LabelledArticle]) -> str:
    """Say how many articles there are and how many of them each reader likes."""
    liked = Counter(reader for article in articles for reader, verdict in article.labels.items() if verdict)
    readers = ", ".join(f"{reader} {number:,}" for reader, number in liked.most_common())
    return f"{len(articles):,} articles; liked by {readers}"


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
        write_stream(path, articles)
        print(f"{path}: {summary(articles)}", file=sys.stderr)


if __name__ == "__main__":
    main()
