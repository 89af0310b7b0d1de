"""The figures of the guide to the learners are those of the benchmarks that it links to."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks.results import read

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "learners.md").read_text(encoding="utf-8")

IN_THE_TABLES = {
    "voted MBW": "v-MBW",
    "Balanced Winnow": "BW",
    "Passive-Aggressive": "PA",
    "voted perceptron": "v-Perceptron",
    "linear SVM, batch": "SVM",
    "multinomial naive Bayes, batch": "NB",
}
"""Name in the guide → name in the tables of Carvalho and Cohen, where it is another."""


def results(name):
    return read(name, ROOT / "benchmarks" / "results")


def page(name):
    return (ROOT / "benchmarks" / "results" / f"{name}.md").read_text(encoding="utf-8")


def table(first_column, *columns):
    """Return the rows of the guide's table with that head."""
    head = "| " + " | ".join((first_column, *columns)) + " |"
    lines = GUIDE.partition(head)[2].splitlines()[2:]
    rows = []
    for line in lines:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    assert rows, head
    return rows


def paragraph(begin):
    """Return the paragraph that begins so, on one line."""
    found = [part for part in GUIDE.split("\n\n") if part.startswith(begin)]
    assert len(found) == 1, begin
    return found[0].replace("\n", " ")


def test_text_for_two_classes():
    sets = ("Reuters", "20newsgroup", "MovieReviews")
    ours = {(row["data"], row["learner"]): row["ours"] for row in results("carvalho_cohen_tables")}
    for name, *figures in table("learner", *sets):
        assert figures == [ours[data, IN_THE_TABLES.get(name, name)] for data in sets], name


def test_how_near_the_papers_it_comes():
    near, total = re.search(r"(\d+) of (\d+) figures are within 3 points", page("carvalho_cohen_tables")).groups()
    text = f"{near} of {total} of Carvalho and Cohen's are within 3 points"
    assert text in " ".join(GUIDE.split())


def test_what_the_program_explains():
    rows = results("carvalho_cohen_variants")
    row = next(row for row in rows if (row["data"], row["learner"]) == ("MovieReviews", "v-ROMMA"))
    text = paragraph("- Not all of the papers'")
    assert re.findall(r"\d\d\.\d", text.partition("voted ROMMA")[2].partition(". ")[0] + ".") == [
        row[of] for of in ("paper", "program", "algorithm")
    ]
    numbers = {1: "One figure stays", 2: "Two figures stay", 3: "Three figures stay", 4: "Four figures stay"}
    assert f"{numbers[sum(row['reason'] == 'open' for row in rows)]} open." in text


def test_many_classes():
    once = {(row["rows"], row["learner"]): row["1 pass"].split(" ")[0] for row in results("thesis_comparison")}
    line = next(line for line in GUIDE.splitlines() if line.startswith("| words, many classes"))
    text = re.findall(r"\d+\.\d", line)
    assert text == [once["counts", name] for name in ("confidence-weighted", "MIRA", "perceptron")]


def test_classifiers_of_the_pipeline():
    column = "F0.5 all, adaptive"
    mean = {(row["stream"], row["classifier"]): row for row in results("real_streams") if row["reader"] == "mean"}
    streams = ("Reuters", "Italian reader")
    for name, *figures in table("classifier", *streams):
        assert figures == [f"{float(mean[stream, name.strip('`')][column]):.3f}" for stream in streams], name
    early = [
        f"{float(mean['Reuters', name]['F0.5 first 1,000, adaptive']):.3f}"
        for name in ("subset-naive-bayes", "weighted-naive-bayes")
    ]
    assert re.findall(r"0\.\d+", paragraph("In the first 1,000")) == early


def test_all_learners_by_name():
    by_name = {row["classifier"]: row for row in results("classifiers")}
    text = re.findall(r"0\.\d+", paragraph("[All learners by name]"))
    columns = ("Reuters, whole", "Italian reader, whole")
    assert text == [f"{float(by_name[name][of]):.3f}" for name in ("logistic-regression", "v-pa") for of in columns]


def ratios(documents, names):
    """Return how many times scikit-learn's time these learners take, the least and the most."""
    of = {row["learner"]: float(row["times SGD"]) for row in results("learner_speed") if row["documents"] == documents}
    return min(of[name] for name in names), max(of[name] for name in names)


@pytest.mark.parametrize(
    ("learners", "message"),
    [
        (
            (*("Perceptron", "PassiveAggressive", "Romma", "Mira", "ConfidenceWeighted"), "OnlineLogisticRegression"),
            r"logistic learners (\d\.\d) to (\d\.\d) times",
        ),
        (("PositiveWinnow", "BalancedWinnow", "ModifiedBalancedWinnow"), r"and Winnow (\d\.\d) to (\d\.\d)"),
        (
            ("Vowpal Wabbit, from parsed examples", "Vowpal Wabbit, from lines of text"),
            r"Vowpal Wabbit takes (\d+\.\d) times .* (\d+\.\d) times from lines of text",
        ),
        (("river Perceptron", "river LogisticRegression"), r"river's fastest ((\d+\.\d)) times"),
    ],
)
def test_speed(learners, message):
    """Timings differ from run to run: by a third they may."""
    least, most = re.search(message, paragraph("**Speed**")).groups()
    measured = ratios("made up", learners)
    assert float(least) == pytest.approx(measured[0], rel=1 / 3)
    assert float(most) == pytest.approx(measured[1], rel=1 / 3)
