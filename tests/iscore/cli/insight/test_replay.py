"""``iscore replay`` at the command line."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
import typer

from benchmarks.sample_news import News, Reader
from iscore.cli import main
from iscore.cli.insight import replay as replay_command
from iscore.cli.insight.replay import ThresholdName
from iscore.cli.options import duration, interval
from iscore.cli.terminal import output
from iscore.evaluation.replay.metrics import mean, summary
from iscore.evaluation.replay.outcome import Outcome
from iscore.evaluation.replay.run import ReplayResult
from iscore.evaluation.replay.stream import write_stream
from iscore.evaluation.replay.stream_format import LabelledArticle
from iscore.filtering.paper import THRESHOLDERS
from iscore.learners import LEARNERS
from storage.records.users import Kind

Capture = pytest.CaptureFixture[str]
START = datetime(2026, 3, 2, tzinfo=UTC)


@pytest.fixture(scope="module")
def stream(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three days of sample news with two readers."""
    articles = [
        LabelledArticle(
            id=article.id,
            arrived=article.published,
            title=article.title,
            text=article.text,
            labels={"ann": Reader().verdict(article), "bo": article.style == "wire"},
            published=article.published,
            source=article.source,
        )
        for article in News(seed=3, start=START, days=3).articles
    ]
    path = tmp_path_factory.mktemp("streams") / "news.jsonl"
    write_stream(path, articles)
    return path


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("1d", timedelta(days=1)),
        ("6h", timedelta(hours=6)),
        ("30m", timedelta(minutes=30)),
        ("45 S", timedelta(seconds=45)),
        ("2w", timedelta(weeks=2)),
        ("0", timedelta(0)),
    ],
)
def test_lengths_of_time(text: str, length: timedelta) -> None:
    assert duration(text) == length


def test_an_interval_is_a_time_or_a_number_of_articles() -> None:
    assert interval("12h") == timedelta(hours=12)
    assert interval("100") == 100
    for text in ("0", "0d", "soon", "-1", "1.5d", ""):
        with pytest.raises(typer.BadParameter):
            interval(text)
    with pytest.raises(typer.BadParameter, match="write it like 30m, 6h, 30d or 4w"):
        duration("a while")


def test_a_replay_from_the_file_to_the_report(stream: Path, tmp_path: Path, capsys: Capture) -> None:
    command = ["replay", str(stream), "--proxy", "bo", "--report", str(tmp_path / "report"), "--json"]
    assert main(command) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    document = json.loads(printed.out)
    assert document["protocol"] == "full"
    (result,) = document["results"]
    assert (result["stream"], result["proxy"], result["classifier"]) == ("news", "bo", "stacking")
    assert document["mean"]["stacking"]["f05"] == result["f05"] > 0.5
    assert document["report"] == str(tmp_path / "report")
    (reported,) = json.loads((tmp_path / "report" / "report.json").read_text())["results"]
    assert set(result) == set(reported) - {"windows"}
    assert {name: result[name] for name in ("n", "f05", "seconds")} == pytest.approx(
        {name: reported[name] for name in ("n", "f05", "seconds")}, abs=1e-6
    )
    assert (tmp_path / "report" / "report.html").is_file()


def test_the_threshold_of_every_classifier_can_be_chosen(stream: Path, capsys: Capture) -> None:
    delivered = []
    for chosen in ([], ["--threshold", "expected"], ["--threshold", "past"]):
        assert main(["replay", str(stream), "--classifier", "stacking", "--json", *chosen]) == 0
        delivered.append([each["delivered"] for each in json.loads(capsys.readouterr().out)["results"]])
    assert delivered[0] == delivered[1] != delivered[2]


def test_the_thresholds_that_can_be_chosen_are_those_that_there_are() -> None:
    assert [each.value for each in ThresholdName] == list(THRESHOLDERS)


def test_delivered_protocol_table(stream: Path, capsys: Capture) -> None:
    assert main(["replay", str(stream), "--protocol", "delivered", "--delay", "6h", "--every", "12h"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == ["reader", "articles", "liked", "F0.5", "prec.", "recall", "5,000", "votes", "s"]
    assert [line.split()[0] for line in lines[2:5]] == ["ann", "bo", "mean"]
    assert "delivered protocol" in lines[-1]


def test_readers_with_too_few_examples_are_named(stream: Path, capsys: Capture) -> None:
    command = ["replay", str(stream), "--protocol", "delivered", "--archive", "40", "--start"]
    assert main([*command, "examples:40", "--json"]) == 1
    assert "no reader likes 40 of the first 40 articles" in capsys.readouterr().err
    assert main([*command, "examples:1", "--proxy", "ann", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["left_out"] == []


def test_own_history(filled, capsys: Capture) -> None:
    home = ["--home", str(filled.home.path)]
    assert main([*home, "replay", "--own"]) == 1
    assert capsys.readouterr().err == "iscore: you have given no verdicts yet, so there is nothing to replay\n"
    for number, article in enumerate(filled.leaders()):
        filled.say(Kind.LIKE if number % 3 == 0 else Kind.DISLIKE, article.seq)
    assert main([*home, "replay", "--own", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [(each["proxy"], each["classifier"]) for each in document["results"]] == [("you", name) for name in LEARNERS]
    assert {each["n"] for each in document["results"]} == {len(filled.leaders())}
    assert main([*home, "replay", "--own", "--classifier", "v-pa"]) == 0
    assert "Only what was delivered to you has a verdict." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ([], "name a labelled stream, or use --own"),
        (["x.jsonl", "--own"], "--own replays your own verdicts"),
        (["--own", "--proxy", "you"], "--own replays your own verdicts"),
        (["--own", "--protocol", "delivered"], "--own works with --protocol full only"),
        (
            ["x.jsonl", "--protocol", "delivered", "--start", "examples:0"],
            "write nothing, headlines, interests:FILE",
        ),
        (["x.jsonl", "--protocol", "delivered", "--start", "examples:3"], "--start examples:3 needs --archive"),
        (["x.jsonl", "--archive", "100"], "--start and --archive need --protocol delivered"),
        (["x.jsonl", "--one-verdict-in", "3"], "--one-verdict-in needs --protocol delivered"),
        (["x.jsonl", "--protocol", "delivered", "--draw", "1"], "--draw needs --start examples:N"),
        (["x.jsonl", "--protocol", "delivered", "--threshold", "past"], "--threshold works with --protocol full only"),
        (["x.jsonl", "--delay", "soon"], "'soon' is not a duration"),
        (["x.jsonl", "--every", "0"], "must be more than zero"),
        (["x.jsonl", "--jobs", "-1"], "write 0 or more"),
    ],
)
def test_wrong_usage(arguments: list[str], problem: str, capsys: Capture) -> None:
    assert main(["replay", *arguments]) == 2
    printed = capsys.readouterr()
    assert problem in printed.err
    assert printed.err.count("\n") == 1
    assert printed.out == ""


def test_mistakes_are_one_line(stream: Path, tmp_path: Path, capsys: Capture) -> None:
    for arguments, problem in (
        ([str(stream), "--proxy", "nobody"], "iscore: no proxy 'nobody'; there are ann, bo\n"),
        ([str(stream), "--classifier", "nothing"], "iscore: no classifier 'nothing'; there are stacking, "),
        ([str(tmp_path / "x.jsonl")], f"iscore: {tmp_path / 'x.jsonl'}: no such file or directory\n"),
    ):
        assert main(["replay", *arguments]) == 1
        printed = capsys.readouterr()
        assert printed.err.startswith(problem)
        assert printed.err.count("\n") == 1
        assert printed.out == ""


def test_table_has_columns_for_varying_labels(
    run_of: Outcome, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    both = [summary(run_of), summary(replace(run_of, classifier="v-pa"))]
    result = ReplayResult(
        "full", tuple(both), {each.classifier: mean([each]) for each in both}, Path("report"), {}, 1.0
    )
    output.render(replay_command.results_table(result))
    output.write(replay_command.closing(result, own=True))
    assert capsys.readouterr().out == (
        "                                                              first\n"
        "reader classifier           articles liked  F0.5 prec. recall 5,000 votes       s\n"
        "ann    weighted-naive-bayes        4     2 0.500 0.500  0.500 0.500     4 1,234.6\n"
        "ann    v-pa                        4     2 0.500 0.500  0.500 0.500     4 1,234.6\n"
        "mean   weighted-naive-bayes        4     2 0.500 0.500  0.500 0.500     4 1,234.6\n"
        "mean   v-pa                        4     2 0.500 0.500  0.500 0.500     4 1,234.6\n"
        "news; 2 classifiers, full protocol. F0.5 combines precision and recall, precision counts double. Votes: "
        "verdicts that the filter learned from. s: processor seconds for scoring and learning.\n"
        "Only what was delivered to you has a verdict. A classifier that would have found more gets no credit for it, "
        "and the classifier that you used chose the articles that are compared.\n"
        "The report is report/report.html.\n"
    )


@pytest.fixture
def run_of() -> Outcome:
    """Four articles: two liked, one of them delivered, and one delivered that is not liked."""
    return Outcome(
        stream="news",
        reader="ann",
        classifier="weighted-naive-bayes",
        protocol="full",
        liked=np.array([True, False, True, False]),
        scores=np.array([1.0, 0.5, -1.0, -2.0]),
        thresholds=np.zeros(4),
        recommended=np.array([True, True, False, False]),
        explored=np.zeros(4, dtype=bool),
        trained=np.ones(4, dtype=bool),
        verdicts=4,
        seconds=1234.56,
    )
