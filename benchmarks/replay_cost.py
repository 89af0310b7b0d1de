"""What a replay costs: in classifier and thresholder alone, against Weka, after a long history; and as a whole.

Made-up vectors, scored and learned one after the other, each cut by the adaptive threshold, in chunks as a replay goes
through its stream. Of the default two features are the margin. Weka's row needs Java and
its jar, which PyPI's `python-weka-wrapper3` carries: the environment variable WEKA_JAR says where it lies. Without them
the row says what is missing.

The whole is `iscore replay` of Reuters with its 18 readers for development, from the file to the report, features
included; it needs `ISCORE_DATA`.

    WEKA_JAR=…/weka.jar python -m benchmarks.replay_cost [--quick] [vectors] [whole]
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks import cpu
from benchmarks.naive_bayes_speed import N_FEATURES, stream
from benchmarks.results import Cell, write
from iscore.evaluation.replay.feature_cache import CHUNK
from iscore.filtering.model_factory import MARGINS, make_classifier
from iscore.filtering.paper import AdaptiveThreshold
from iscore.filtering.serialization import pack
from iscore.learners import Learner

READERS = 43
ARTICLES = 35_256
"""As in the experiment of Pon, Cardenas and Buttler 2008."""
CLASSIFIERS = ("stacking", "weighted-naive-bayes", "uncalibrated-subset-naive-bayes")
"""The default, one that weights features instead of selecting them, and the paper's."""
_WORDS = sum(MARGINS, ())
NAMES = (*_WORDS, *(f"feature {number}" for number in range(len(_WORDS), N_FEATURES)))
WEKA = "Weka NaiveBayesUpdateable -K"
SHORT, LONG = 10_000, 1_000_000
BLOCK = 500
ROUNDS = 21
PROCESSES = 2
Step = tuple[Learner, AdaptiveThreshold]


def live(filter_: Step, X: npt.NDArray[np.float64], y: npt.NDArray[np.bool_]) -> int:
    """Judge and learn the rows of ``X`` one after the other; return how many were decided interesting."""
    classifier, thresholder = filter_
    delivered = 0
    for start in range(0, len(X), CHUNK):
        liked = y[start : start + CHUNK]
        scores = classifier.learn_many(X[start : start + CHUNK], liked, np.ones(len(liked)))
        for score, interesting in zip(scores.tolist(), liked.tolist(), strict=True):
            delivered += score >= thresholder.threshold
            thresholder.learn(score, interesting)
    return delivered


def reader(task: tuple[str, int, int]) -> float:
    """Return the processor seconds that one reader's whole stream takes under a classifier."""
    name, seed, articles = task
    X, y = stream(articles, seed)
    filter_ = make_classifier(name, NAMES), AdaptiveThreshold()
    began = time.process_time()
    live(filter_, X, y)
    return time.process_time() - began


def panel(name: str, articles: int, readers: int) -> tuple[float, float]:
    """Return the seconds on the clock of all readers on two processes, and their processor seconds together.

    The clock includes making the vectors; the processes have compiled or loaded everything before it starts.
    """
    with ProcessPoolExecutor(PROCESSES) as pool:
        list(pool.map(reader, [(name, 0, 200)] * (2 * PROCESSES)))
        began = time.perf_counter()
        spent = list(pool.map(reader, [(name, seed, articles) for seed in range(readers)]))
        return time.perf_counter() - began, sum(spent)


def trained(name: str, history: int) -> Step:
    """Return a filter that has processed this number of articles."""
    filter_ = make_classifier(name, NAMES), AdaptiveThreshold()
    for start in range(0, history, 50_000):
        live(filter_, *stream(min(50_000, history - start), seed=start))
    return filter_


def side_by_side(filters: list[Step]) -> list[float]:
    """Return the median µs per article of filters that take turns."""
    X, y = stream(BLOCK * ROUNDS, seed=7)
    times: list[list[float]] = [[] for _ in filters]
    for part in range(0, len(X), BLOCK):
        for filter_, found in zip(filters, times, strict=True):
            began = time.process_time()
            live(filter_, X[part : part + BLOCK], y[part : part + BLOCK])
            found.append((time.process_time() - began) / BLOCK * 1e6)
    return [statistics.median(found) for found in times]


def weka(history: int) -> float | str:
    """Return Weka's µs per article after a history, or why there is none."""
    jar = os.environ.get("WEKA_JAR")
    if not jar or not Path(jar).exists():
        return "WEKA_JAR names no jar"
    if shutil.which("java") is None:
        return "there is no Java"
    X, y = stream(history + BLOCK * ROUNDS, seed=3)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "examples"
        np.column_stack([X, y]).astype(">f8").tofile(file)
        program = Path(__file__).with_name("WekaPrequential.java")
        printed = subprocess.run(
            [
                *("java", "--add-opens", "java.base/java.lang=ALL-UNNAMED", "-cp", jar, str(program)),
                *(str(file), str(len(X)), str(N_FEATURES), str(history)),
            ],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
    return float(printed.split()[0]) / 1000


def held(filter_: Step) -> tuple[float, float]:
    """Return the MB that a filter holds in arrays, and those of its packed state."""
    classifier, thresholder = filter_
    arrays = {id(a): a.nbytes for owner in (classifier, thresholder) for a in _arrays(vars(owner))}
    return sum(arrays.values()) / 1e6, len(pack({"c": classifier.state(), "t": thresholder.state()})) / 1e6


def _arrays(values: dict[str, object]) -> Iterator[npt.NDArray[np.float64]]:
    for value in values.values():
        if isinstance(value, np.ndarray):
            yield value
        elif hasattr(value, "__dict__"):
            yield from _arrays(vars(value))


def whole(*, quick: bool) -> None:
    """Measure a whole replay by the command line."""
    from benchmarks.streams import reuters
    from iscore.evaluation.replay.stream import write_stream

    articles = reuters()
    chosen = articles[:2_000] if quick else articles
    readers = list(articles[0].labels)[: 2 if quick else None]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "reuters.jsonl.xz"
        write_stream(file, chosen)
        command = [
            cpu.program(),
            "replay",
            str(file),
            "--report",
            f"{folder}/report",
            "--jobs",
            str(PROCESSES),
            "--json",
        ]
        for reader_ in readers:
            command += ["--proxy", reader_]
        began = time.perf_counter()
        spent, _ = cpu.of_command(command, {"ISCORE_HOME": f"{folder}/home"})
        clock = time.perf_counter() - began
    row: list[Cell] = [len(chosen), len(readers), round(clock, 1), round(spent, 1), round(os.getloadavg()[0], 1)]
    if quick:
        print(*row, sep="\t")
        return
    columns = ["articles", "readers", f"s by the clock, {PROCESSES} processes", "s of processor, all processes"]
    columns.append("load of the machine at the end")
    notes = (
        "`iscore replay` of Reuters, full protocol, default classifier, from the file to the report: features of all "
        "scopes, classifier, thresholder, measures, page. Where the load exceeds the cores, other work slows the clock."
    )
    write("replay_whole", "What a whole replay costs", columns, [row], notes)


def main() -> None:
    """Measure and write what is asked for, all by default."""
    quick = "--quick" in sys.argv
    if "whole" in sys.argv or "vectors" not in sys.argv:
        whole(quick=quick)
    if "vectors" in sys.argv or "whole" not in sys.argv:
        vectors(quick=quick)


def vectors(*, quick: bool) -> None:
    """Measure classifier and thresholder on made-up vectors."""
    articles, readers, long = (2_000, 4, 20_000) if quick else (ARTICLES, READERS, LONG)
    rows: list[list[Cell]] = []
    histories = {name: [trained(name, SHORT), trained(name, long)] for name in CLASSIFIERS}
    print("histories learned", file=sys.stderr, flush=True)
    per_article = side_by_side([filter_ for pair in histories.values() for filter_ in pair])
    of_weka = weka(1_000 if quick else SHORT)
    print("Weka:", of_weka, file=sys.stderr, flush=True)
    for place, name in enumerate(CLASSIFIERS):
        short, later = per_article[2 * place : 2 * place + 2]
        clock, spent = panel(name, articles, readers)
        faster: Cell = round(of_weka / short, 1) if isinstance(of_weka, float) else ""
        megabytes, packed = held(histories[name][1])
        rows.append(
            [
                *(name, round(clock, 1), round(spent, 1), round(short, 1), faster, round(later, 1)),
                *(round(later / short, 2), round(megabytes, 2), round(packed, 2)),
            ]
        )
    rows.append(
        [WEKA, "", "", round(of_weka, 1), 1.0, "", "", "", ""]
        if isinstance(of_weka, float)
        else [f"{WEKA}: {of_weka}", *[""] * 8]
    )
    columns = ["classifier", f"s by the clock, {readers} × {articles:,}, {PROCESSES} processes", "s of processor, both"]
    columns += [f"µs per article after {SHORT:,}", "× faster than Weka", f"µs after {long:,}", "× own first"]
    columns += ["MB held", "MB of packed state"]
    notes = (
        f"{(__doc__ or '').strip().partition('The whole is')[0].strip()}\n\n{N_FEATURES} features, 5 % missing. µs per "
        f"article are processor time: medians of {ROUNDS} blocks of {BLOCK}, the filters taking turns; Weka's right "
        "afterwards, on vectors of the same kind, by its own thread, with no Python in between. Where the load of the "
        f"machine exceeds the cores, other work slows the clock; at the end it was {os.getloadavg()[0]:.1f}."
    )
    if quick:
        for row in rows:
            print(*row, sep="\t")
        return
    write("replay_cost", "What a replay costs in classifier and thresholder", columns, rows, notes)


if __name__ == "__main__":
    main()
