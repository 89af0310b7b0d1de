"""Small streams, from nothing: verdicts a round late, and only on what was delivered.

The delivered protocol of ``iscore replay``, on

- every sixteenth article of Reuters, 24 a day, in two samples by hash; the development readers who like 25 or more;
- the people of the YOW study, who rated what they read, a round a day;
- an Italian reader's feeds. Nothing was tuned on them. They have no times of arrival, so a round is 40 articles.

Everything that was delivered counts, explored articles included.

    python -m benchmarks.small_streams [FOLDER]

Feature caches stay in the folder for the next run.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from pathlib import Path
from zlib import crc32

import numpy as np

from benchmarks import results
from benchmarks.adaptive_filtering import hits, lived
from benchmarks.streams import LabelledArticle, every_reuters, italian_reader, yow
from benchmarks.streams.reuters21578 import DEVELOPMENT
from iscore.evaluation.replay.feature_cache_build import cached_features
from iscore.evaluation.replay.metrics import summary
from iscore.evaluation.replay.protocol import DAY, Protocol
from iscore.evaluation.replay.stream import write_stream

PARTS = 16
FEWEST_LIKED = 25
FEWEST_VERDICTS = 50
COLUMNS = ["stream", "reader", "articles", "liked", "deliveries", "likes found", "F0.5", "F0.5 recommended"]


def sample(part: int) -> list[LabelledArticle]:
    """Return the articles of one of ``PARTS`` samples of Reuters."""
    return [each for number, each in enumerate(every_reuters()) if crc32(f"{number}".encode()) % PARTS == part]


STREAMS: dict[str, tuple[Callable[[], list[LabelledArticle]], timedelta | int]] = {
    "reuters-sample-0": (partial(sample, 0), DAY),
    "reuters-sample-1": (partial(sample, 1), DAY),
    "yow": (yow, DAY),
    "italian-reader": (italian_reader, 40),
}
"""What reads each stream, and how long a round is."""


def main() -> None:
    """Live through the streams and write ``benchmarks/results/small_streams``."""
    means: list[list[results.Cell]] = []
    table: list[list[results.Cell]] = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(sys.argv[1] if len(sys.argv) > 1 else temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for name, (read, every) in STREAMS.items():
            path = folder / f"{name}.jsonl"
            if not path.exists():
                write_stream(path, read())
            stream = cached_features(path, folder)
            rows: list[list[results.Cell]] = []
            for reader, counts in stream.readers.items():
                if name.startswith("reuters"):
                    takes_part = reader in DEVELOPMENT and counts.liked >= FEWEST_LIKED
                else:
                    takes_part = reader != "everybody" and counts.liked + counts.disliked >= FEWEST_VERDICTS
                if not takes_part:
                    continue
                (outcome,) = lived(stream, [reader], Protocol("delivered", every=every), processes=1).values()
                found = summary(outcome)
                figures = [round(figure or 0.0, 3) for figure in (found.f05, found.f05_recommended)]
                rows.append([name, reader, found.n, found.positives, found.delivered, hits([outcome]), *figures])
                print(*rows[-1], sep="\t", file=sys.stderr, flush=True)
            columns = range(2, len(COLUMNS))
            figures = [round(float(np.mean([float(row[column]) for row in rows])), 3) for column in columns]
            means.append([name, f"mean of {len(rows)}", *figures])
            table += rows
            print(*means[-1], sep="\t", file=sys.stderr, flush=True)
    results.write("small_streams", "Small streams as people live", COLUMNS, [*means, *table], __doc__ or "")


if __name__ == "__main__":
    main()
