"""What the measures of affect make of texts that are no film reviews.

Needs the folder of real data in the environment variable ISCORE_DATA.

    python -m benchmarks.affect_by_source
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from benchmarks.results import Cell, write
from benchmarks.sentence_accuracy import analysed, measured, reviews
from benchmarks.streams import LabelledArticle, reuters, rows
from extractors.document.sentiment import Sentiment


def titles() -> list[LabelledArticle]:
    """Return the titles of Hacker News as if they were bodies: it has no others."""
    pattern = reuters()[0]
    return [
        replace(pattern, id=str(row["id"]), title="", text=str(row["title"]))
        for row in rows("streams/hacker-news-20100.jsonl.xz")
    ]


def main() -> None:
    """Measure and write."""
    sources = {
        "film reviews": reviews()[0],
        "Reuters": [document for document in reuters() if document.text],
        "titles of Hacker News": titles(),
    }
    values = {name: measured(analysed(documents)) for name, documents in sources.items()}
    table: list[tuple[Cell, ...]] = []
    for number, feature in enumerate(Sentiment.features):
        for name, array in values.items():
            column = array[~np.isnan(array[:, number]), number]
            low, middle, high = (float(quantile) for quantile in np.quantile(column, [0.1, 0.5, 0.9]))
            table.append((feature, name, len(column), float(column.mean()), float(column.std()), low, middle, high))
    write(
        "affect_by_source",
        "Subjectivity, polarity, intensity and speech events, by source",
        ["feature", "source", "articles", "mean", "standard deviation", "10 %", "median", "90 %"],
        table,
        notes=(
            "The classifier was trained on snippets of film reviews and retellings of plots; these reviews are by "
            "other people. Articles of Hacker News have no bodies, so that in the product the features are missing for "
            "them; here their titles were taken for bodies."
        ),
    )


if __name__ == "__main__":
    main()
