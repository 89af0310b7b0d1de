"""iScore against its rivals over words, on the same streams, in one run.

Full protocol: each article is scored, then its verdict is learned. Rivals see the words of title and text, and source,
author, site and categories as one word each; as tf-idf with the document frequencies of the articles before, of
Euclidean length 1, and naive Bayes as counts. The support vector machine is learned anew every 500 articles, with the
document frequencies of all that it learns. Each rival's scores are cut in four ways: at 0, by iScore's thresholder, by
the paper's, and by iScore's over calibrated scores. A rival is shown with the cut that, in hindsight, is best for it on
average over the Reuters readers. iScore decides as in the product.

"iScore, all features without the opinion of words" was the default until this benchmark said that words alone decide
better: the first of the two opinions that decide now.

    python -m benchmarks.rivals [--keep FILE]

It takes one processor about a quarter of an hour.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks import results
from benchmarks.rival_learners.contest import AS_IT_IS, ISCORE, PARTS, Kept, Result, run
from benchmarks.streams import hacker_news, italian_reader, reuters

STREAMS = {"Reuters": reuters, "Hacker News": hacker_news, "Italian reader": italian_reader}
JUDGES = ("Rocchio", "SVM")
"""Beginnings of the names of rivals that no reader may be much better off with."""
TOLERANCE = 0.05


def best_cut(found: Sequence[Result], rival: str) -> str:
    """Return the cut with which a rival has the highest mean F0.5 over whole Reuters streams."""
    mine = [result for result in found if result.rival == rival and result.stream == "Reuters"]
    return max(mine[0].f05, key=lambda cut: float(np.mean([result.f05[cut]["whole"] for result in mine])))


def mean(found: Sequence[Result], rival: str, stream: str, cut: str, part: str) -> float:
    """Return the mean F0.5 over the readers of a stream."""
    return float(np.mean([r.f05[cut][part] for r in found if (r.rival, r.stream) == (rival, stream)]))


def by_rival(found: Sequence[Result]) -> None:
    """Write the table of means."""
    names = list(dict.fromkeys(result.rival for result in found))
    rows: list[list[results.Cell]] = []
    for name in names:
        cut = best_cut(found, name)
        cells: list[results.Cell] = [name, cut]
        cells += [round(mean(found, name, "Reuters", cut, part), 3) for part in PARTS]
        cells += [round(mean(found, name, stream, cut, "whole"), 3) for stream in STREAMS if stream != "Reuters"]
        mine = [result for result in found if result.rival == name]
        cells.append(round(float(np.mean([r.auc for r in mine if r.stream == "Reuters"])), 4))
        times = [r.microseconds for r in mine if not math.isnan(r.microseconds)]
        cells.append(round(float(np.median(times)), 1) if times else "")
        rows.append(cells)
    rows.sort(key=lambda row: -float(row[2]))
    columns = ["filter", "cut", *(f"Reuters, {part}" for part in PARTS)]
    columns += [*(stream for stream in STREAMS if stream != "Reuters"), "AUC, Reuters", "µs per article"]
    notes = f"{(__doc__ or '').strip()}\n\n{_comparison(found)}"
    results.write("rivals", "iScore and its rivals", columns, rows, notes)


def _comparison(found: Sequence[Result]) -> str:
    """Say how iScore stands against the judges."""
    ours = mean(found, ISCORE, "Reuters", AS_IT_IS, "whole")
    machine, rocchio = (best_of(found, (kind,)) for kind in ("SVM", "Rocchio"))
    theirs = {cut: mean(found, machine, "Reuters", cut, "whole") for cut in ("at 0", best_cut(found, machine))}
    times = " and ".join(f"{ours / figure:.3f} times that of {machine} cut {cut}" for cut, figure in theirs.items())
    below = [
        f"{reader} ({difference:+.3f})"
        for stream, reader, difference in differences(found)
        if difference < -TOLERANCE and stream == "Reuters"
    ]
    return (
        f"Over the Reuters readers the mean F0.5 of iScore is {times}. Readers more than {TOLERANCE} below the better "
        f"of {machine} and {rocchio}: {', '.join(below) or 'none'}."
    )


def best_of(found: Sequence[Result], kinds: Sequence[str]) -> str:
    """Return the rival with the highest mean over whole Reuters streams among those whose names begin so."""
    names = dict.fromkeys(r.rival for r in found if r.rival.startswith(tuple(kinds)))
    return max(names, key=lambda name: mean(found, name, "Reuters", best_cut(found, name), "whole"))


def differences(found: Sequence[Result]) -> list[tuple[str, str, float]]:
    """Return stream, reader and F0.5 of iScore minus that of the better of the judges, over the whole stream."""
    cuts = {name: best_cut(found, name) for name in (best_of(found, (kind,)) for kind in JUDGES)}
    scored = {(r.stream, r.reader, r.rival): r for r in found}
    return [
        (r.stream, r.reader, r.f05[AS_IT_IS]["whole"] - max(_whole(scored, r, name, cut) for name, cut in cuts.items()))
        for r in found
        if r.rival == ISCORE
    ]


def _whole(scored: dict[tuple[str, str, str], Result], of: Result, rival: str, cut: str) -> float:
    return scored[of.stream, of.reader, rival].f05[cut]["whole"]


def by_reader(found: Sequence[Result]) -> None:
    """Write the table of readers."""
    on_words = [r.rival for r in found if r.rival.endswith("on words")]
    shown = [best_of(found, (kind,)) for kind in (*JUDGES, "multinomial", "river")] + [best_of(found, on_words)]
    scored = {(r.stream, r.reader, r.rival): r for r in found}
    below = {(stream, reader): difference for stream, reader, difference in differences(found)}
    rows: list[list[results.Cell]] = []
    order = list(STREAMS)
    for mine in sorted((r for r in found if r.rival == ISCORE), key=lambda r: order.index(r.stream)):
        cells: list[results.Cell] = [mine.stream, mine.reader]
        for part in PARTS:
            cells.append(round(mine.f05[AS_IT_IS][part], 3))
            for name in shown:
                theirs = scored[mine.stream, mine.reader, name]
                cells.append(round(theirs.f05[best_cut(found, name)][part], 3))
        rows.append([*cells, round(below[mine.stream, mine.reader], 3)])
    columns = ["stream", "reader", *(f"{name}, {part}" for part in PARTS for name in (ISCORE, *shown))]
    last = "whole: iScore minus the better of Rocchio and SVM"
    notes = "The rivals of each kind that are best on average (`rivals.md`), reader by reader: F0.5, full protocol."
    results.write("rivals_by_reader", "iScore and its rivals, reader by reader", [*columns, last], rows, notes)


def main() -> None:
    """Measure, and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--keep", type=Path, metavar="FILE", help="where results are kept, to go on after an end")
    kept = Kept.at(parser.parse_args().keep)
    for stream, read in STREAMS.items():
        run(stream, read(), kept)
    by_rival(kept.results)
    by_reader(kept.results)


if __name__ == "__main__":
    main()
