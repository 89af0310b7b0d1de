"""``report.json`` against its schema and the metrics; the CSV files against it, and safe for spreadsheets."""

from __future__ import annotations

import csv
import json
import math
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from iscore.evaluation.replay.metrics import METRICS, Summary, mean, summary
from iscore.evaluation.replay.outcome import Outcome
from iscore.evaluation.replay.report.files import cell, write
from tests.iscore.evaluation.replay.outcomes import of_vectors, outcome, simulated

_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "null": (type(None),),
}
_SAID = {"$schema", "$defs", "title", "description"}


def problems(value: Any, schema: dict[str, Any], root: dict[str, Any], at: str = "$") -> list[str]:
    """Return what is wrong with ``value``, each with its place."""
    if "$ref" in schema:
        return problems(value, root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root, at)
    found = []
    for word, wanted in schema.items():
        if word == "type":
            names = [wanted] if isinstance(wanted, str) else wanted
            if isinstance(value, bool) or not any(isinstance(value, _TYPES[name]) for name in names):
                return [f"{at}: {value!r} is no {wanted}"]
        elif word == "const":
            found += [f"{at}: {value!r} is not {wanted!r}"] if value != wanted else []
        elif word in ("minimum", "maximum"):
            if isinstance(value, int | float) and (value < wanted if word == "minimum" else value > wanted):
                found.append(f"{at}: {value} is too {'small' if word == 'minimum' else 'large'}")
        elif word == "required":
            found += [f"{at}: no {name}" for name in wanted if isinstance(value, dict) and name not in value]
        elif word == "items":
            for number, item in enumerate(value if isinstance(value, list) else ()):
                found += problems(item, wanted, root, f"{at}[{number}]")
        elif word not in _SAID | {"properties", "additionalProperties"}:
            raise NotImplementedError(word)
    for name, inner in value.items() if isinstance(value, dict) else ():
        known = schema.get("properties", {}).get(name, schema.get("additionalProperties", {}))
        found += [f"{at}: {name} is unknown"] if known is False else problems(inner, known, root, f"{at}.{name}")
    return found


SCHEMA = json.loads((Path(__file__).parents[4] / "docs" / "replay-report.schema.json").read_text(encoding="utf-8"))


def runs() -> list[Outcome]:
    return [
        simulated(900 - 100 * seed, seed=seed, skill=skill, stream=stream, reader=f"r{seed}", classifier=name)
        for name, skill in (("plain", 0.8), ("new", 2.0))
        for stream, seed in (("wire", 1), ("wire", 2), ("harbour", 3))
    ]


def document(folder: Path, outcomes: list[Outcome], **others: Any) -> dict[str, Any]:
    write(folder, outcomes, title="Test", **others)
    read: dict[str, Any] = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    return read


def table(folder: Path, name: str) -> list[dict[str, str]]:
    with (folder / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


CASES = {
    "several streams": runs(),
    "nothing": [],
    "an empty stream": [outcome("")],
    "nothing liked": [outcome("....", "x...")],
    "nothing delivered": [outcome("xx..")],
    "never trained": [outcome("x.x.", "xx..", trained=np.zeros(4, dtype=bool))],
    "scores without end": [outcome("x.x.", "xx..", [math.inf, -math.inf, 0.0, math.inf])],
    "scores that are none": [outcome("x.x.", "xx..", [math.nan, 1.0, 2.0, 3.0])],
}


@pytest.mark.parametrize("case", CASES)
def test_report_json_follows_its_schema(tmp_path: Path, case: str) -> None:
    assert problems(document(tmp_path, CASES[case]), SCHEMA, SCHEMA) == []


def test_the_schema_describes_every_metric() -> None:
    names = {field.name for field in fields(Summary)} - {"reader", "protocol"} | {"proxy"}
    result, means = SCHEMA["$defs"]["result"]["properties"], SCHEMA["$defs"]["mean"]["properties"]
    assert set(result) == names | {"windows"}
    assert set(means) == set(METRICS) | {"proxies"}
    assert all(len(each["description"]) > 10 for each in result.values())


def test_the_schema_refuses_wrong_documents(tmp_path: Path) -> None:
    good = document(tmp_path, runs())
    for spoil, message in (
        (lambda d: d["results"][0].update(f05=1.5), "$.results[0].f05: 1.5 is too large"),
        (lambda d: d["results"][1].pop("auc"), "$.results[1]: no auc"),
        (lambda d: d["mean"]["new"].update(speed=1), "$.mean.new: speed is unknown"),
        (lambda d: d.update(format="1"), "$.format: '1' is not 1"),
        (
            lambda d: d["results"][0]["windows"][0].update(first=None),
            "$.results[0].windows[0].first: None is no integer",
        ),
    ):
        spoilt = json.loads(json.dumps(good))
        spoil(spoilt)
        assert problems(spoilt, SCHEMA, SCHEMA) == [message]


def test_report_json_has_all_metrics(tmp_path: Path) -> None:
    outcomes = runs()
    found = document(tmp_path, outcomes, baseline="plain", about={"machine": "2 cores"})
    for result, run in zip(found["results"], outcomes, strict=True):
        assert (result["proxy"], result["stream"], result["classifier"]) == (run.reader, run.stream, run.classifier)
        for name in METRICS:
            value = getattr(summary(run), name)
            assert result[name] == (None if value is None else pytest.approx(value, abs=1e-6)), name
        assert [window["last"] for window in result["windows"]] == [len(run.liked)]
        assert result["windows"][0]["f05"] == result["f05"]
    of_new = [summary(run) for run in outcomes if run.classifier == "new"]
    assert found["mean"]["new"]["f05"] == pytest.approx(mean(of_new)["f05"], abs=1e-6)
    assert found["mean"]["new"]["proxies"] == 3
    assert found["streams"]["wire"]["new"]["proxies"] == 2
    assert list(found["mean"]) == ["new", "plain"], "the best first"
    gain = found["against_baseline"]["new"]
    assert set(found["against_baseline"]) == {"new"}
    assert gain["mean"] == pytest.approx(found["mean"]["new"]["f05"] - found["mean"]["plain"]["f05"], abs=2e-6)
    assert (gain["readers"], gain["better"], gain["worse"], gain["low"]) == (3, 3, 0, None)
    assert found["about"] == {"machine": "2 cores"}


def test_the_tables_agree_with_report_json(tmp_path: Path) -> None:
    found = document(tmp_path, runs())
    readers = table(tmp_path, "readers.csv")
    for row, result in zip(readers, found["results"], strict=True):
        assert row["proxy"] == result["proxy"]
        assert float(row["f05"]) == pytest.approx(result["f05"], abs=1e-6)
        assert row["warm_from"] == str(result["warm_from"])
    together = [row for row in table(tmp_path, "classifiers.csv") if row["stream"] == ""]
    assert {row["classifier"]: float(row["recall"]) for row in together} == pytest.approx(
        {name: means["recall"] for name, means in found["mean"].items()}, abs=1e-6
    )
    assert len(table(tmp_path, "windows.csv")) == 6
    assert len(table(tmp_path, "precision_recall.csv")) == 2 * 2 * 100
    bins = table(tmp_path, "calibration.csv")
    assert len(bins) == 2 * 10
    assert sum(int(row["articles"]) for row in bins) == sum(len(run.liked) - 20 for run in runs())
    course = [row for row in table(tmp_path, "over_time.csv") if row["stream"] == "wire" and row["classifier"] == "new"]
    assert [int(row["articles"]) for row in course] == list(range(50, 801, 50))
    assert {row["window"] for row in course} == {"500"}
    each = [row for row in table(tmp_path, "courses.csv") if row["stream"] == "wire" and row["classifier"] == "new"]
    at_the_end = [float(row["f05"]) for row in each if row["articles"] == "700"]
    assert len(at_the_end) == 2
    (mean_then,) = [float(row["f05"]) for row in course if row["articles"] == "700"]
    assert mean_then == pytest.approx(np.mean(at_the_end), abs=1e-6)


def test_undefined_values_are_empty_cells(tmp_path: Path) -> None:
    document(tmp_path, [outcome("....")])
    (row,) = table(tmp_path, "readers.csv")
    assert (row["f05"], row["precision"], row["auc"], row["n"]) == ("", "", "", "4")


def test_a_later_report_replaces_an_earlier_one(tmp_path: Path) -> None:
    vectors, liked = np.random.default_rng(0).normal(size=(50, 2)), np.arange(50) % 2 == 0
    first = write(tmp_path, runs(), title="With", correlations=[of_vectors("wire", "r1", ["a", "b"], vectors, liked)])
    assert (tmp_path / "correlations.csv") in first
    many = [simulated(60, seed=seed, reader=str(seed)) for seed in range(25)]
    second = write(tmp_path, many, title="Without")
    assert {path.name for path in first} - {path.name for path in second} == {"correlations.csv", "courses.csv"}
    assert sorted(second) == sorted(tmp_path.iterdir())
    assert len(json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["results"]) == 25


def test_correlations_are_those_of_numpy_where_there_is_enough(tmp_path: Path) -> None:
    chance = np.random.default_rng(2)
    vectors, liked = chance.normal(size=(80, 3)), chance.random(80) < 0.5
    vectors[:, 1] += 2 * liked
    vectors[10:, 2] = np.nan
    found = of_vectors("wire", "r1", ["none", "much", "seldom"], vectors, liked)
    assert found.r[1] == pytest.approx(np.corrcoef(vectors[:, 1], liked)[0, 1])
    assert np.isnan(found.r[2])
    write(tmp_path, runs(), title="Features", correlations=[found])
    rows = {row["feature"]: row["correlation"] for row in table(tmp_path, "correlations.csv")}
    assert float(rows["much"]) == pytest.approx(found.r[1], abs=1e-6)
    assert rows["seldom"] == ""


@pytest.mark.parametrize("text", ["=1+1", "+SUM(A1)", "-2", "@x", "\t=1", " =1", "＝1", "\n=1", "'=1"])
def test_no_spreadsheet_takes_a_name_for_a_formula(tmp_path: Path, text: str) -> None:
    write(tmp_path, [simulated(60, seed=1, reader=text, stream=text, classifier=text)], title="Names")
    for path in tmp_path.glob("*.csv"):
        for row in table(tmp_path, path.name):
            for name, value in row.items():
                if name in ("proxy", "stream", "classifier"):
                    assert value == f"'{text}"
                assert re.match(r"\s*[=+@＝＋－＠]", value) is None
    (result,) = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["results"]
    assert result["proxy"] == text, "for programs it stays as it is"


def test_numbers_below_zero_stay_numbers() -> None:
    assert cell(-0.25) == "-0.25"
    assert cell(-3) == "-3"
    assert cell(1e-9) == "0"
    assert cell(math.inf) == cell(math.nan) == cell(None) == ""


def test_names_with_commas_quotes_lines_and_broken_letters_come_through(tmp_path: Path) -> None:
    name = 'a,"b"\nc'
    write(tmp_path, [simulated(60, seed=1, reader=name, classifier="\ud800\r\0")], title="\ud800")
    (row,) = table(tmp_path, "readers.csv")
    assert row["proxy"] == name
    assert row["classifier"] == "?\ufffd\ufffd"
    assert json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["title"] == "?"
