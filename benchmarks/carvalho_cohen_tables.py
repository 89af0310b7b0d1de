"""Tables 3 and 4 of Carvalho and Cohen's Single-Pass Online Learning, again, on the eight data sets that can be had.

F1 in %, five-fold cross-validation, one pass in the random order of the folds, the paper's parameters (α = 1.5, β =
0.5, θ = M = 1; Passive-Aggressive with relaxation 0.1; ROMMA not aggressive). `ours` is the mean over several random
foldings, `sd` the deviation of a folding's figure. `rank` is among all learners of that data set. `p` is of the paired
t-test against Modified Balanced Winnow over the folds, corrected for training parts that overlap (Nadeau, Bengio 2003);
`+` and `-` mark where it is below 0.05. The batch learners are scikit-learn's: `SVM` is `LinearSVC`, `NB` multinomial
and `Bernoulli NB` Bernoulli naive Bayes. Of the paper's SVM and NB some figures are read from a damaged table: `?`.

    python -m benchmarks.carvalho_cohen_tables [--foldings 5] [--only NAME …]
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping

from benchmarks import results
from benchmarks.carvalho_cohen_contest import INPUTS, NAMES, SETS, WINNOWS, Figures, measure
from benchmarks.carvalho_cohen_findings import findings
from benchmarks.carvalho_cohen_paper import DOUBTFUL, PAPER, far, means, p_value, ranks
from benchmarks.results import Cell
from benchmarks.text_sets import NEWSGROUPS, TALK, TextSet, newsgroups


def table(data: str, found: Figures) -> list[list[Cell]]:
    """Return the rows of one data set."""
    rows: list[list[Cell]] = []
    ours, places = means(found), ranks(means(found))
    for name, of in found.items():
        paper = PAPER[data].get(name)
        p = p_value(of, found["MBW"])
        sign = "" if name == "MBW" or p >= 0.05 else " +" if ours[name] > ours["MBW"] else " -"
        rows.append(
            [
                data,
                name,
                "–" if paper is None else f"{paper:.1f}{'?' if (data, name) in DOUBTFUL else ''}",
                f"{ours[name]:.1f}",
                f"{of.mean(axis=1).std(ddof=min(1, len(of) - 1)):.1f}",
                "–" if paper is None else f"{ours[name] - paper:+.1f}",
                f"{places[name]:g}",
                "–" if name == "MBW" else ("<0.001" if p < 0.001 else f"{p:.3f}") + sign,
            ]
        )
    return rows


def explain(texts: TextSet, found: Figures, foldings: int) -> dict[str, dict[str, float]]:
    """Return the mean F1 by form of input, of the learners that are far from the paper.

    Which groups the paper took is not known, so that for the newsgroups ten topics are tried beside, one folding each.
    """
    names = far(texts.name, found)
    tried: dict[str, dict[str, float]] = {name: {"as is": means(found)[name]} for name in names}
    for how in INPUTS[1:]:
        able = [name for name in names if how != "sum 1" or name.removeprefix("v-") not in WINNOWS]
        for name, figure in means(measure(texts, foldings, able, how)).items():
            tried[name][how] = figure
    if texts.name == "20newsgroup":
        for groups in (NEWSGROUPS, TALK):
            for group, other in newsgroups(groups).items():
                for name, figure in means(measure(other, 1, names)).items():
                    tried[name][group] = figure
    return tried


def report(
    sizes: Iterable[str], found: Mapping[str, Figures], tried: Mapping[str, Mapping[str, Mapping[str, float]]]
) -> None:
    """Write the table."""
    foldings = len(next(iter(found.values()))["MBW"])
    columns = ["data", "learner", "paper", "ours", "sd", "difference", "rank", "p against MBW"]
    notes = "\n\n".join(
        [
            (__doc__ or "").partition("    python")[0].strip() + f" There were {foldings} foldings.",
            "; ".join(sizes) + ".",
            findings(found, tried),
            "## Tables 3 and 4",
        ]
    )
    rows = [row for data, of in found.items() for row in table(data, of)]
    results.write("carvalho_cohen_tables", "Carvalho and Cohen's tables", columns, rows, notes)


def size(texts: TextSet) -> str:
    """Return the size of a data set in words."""
    m, n = texts.X.shape
    return f"{texts.name} {m:,} rows, {n:,} features, {int(texts.y.sum()):,} of the class"


def main() -> None:
    """Measure, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--foldings", type=int, default=5, help="random foldings")
    parser.add_argument("--only", nargs="+", choices=list(SETS), default=list(SETS), help="data sets")
    options = parser.parse_args()
    sizes, found, tried = [], {}, {}
    for name in options.only:
        texts = SETS[name]()
        sizes.append(size(texts))
        found[name] = measure(texts, options.foldings, NAMES)
        tried[name] = explain(texts, found[name], options.foldings)
    report(sizes, found, tried)


if __name__ == "__main__":
    main()
