"""The page: its sentences, that it loads and runs nothing, is accessible, and escapes names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from iscore.evaluation.replay.outcome import FeatureCorrelations, Outcome
from iscore.evaluation.replay.report.content import Content, gather
from iscore.evaluation.replay.report.page import page
from tests.iscore.evaluation.replay.outcomes import outcome, simulated
from tests.iscore.presentation.html_page import Page

HOSTILE = [
    "<script>alert(1)</script>",
    "</title></style></svg><img src=x onerror=alert(1)>",
    '"><a onload=\'alert(1)\' href="javascript:alert(1)">x</a>',
    "{{ 7 * 7 }}{% raw %}&amp;",
]
PLAIN = {
    *(
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "header",
        "main",
        "footer",
        "section",
        "div",
        "span",
        "p",
        "h1",
    ),
    *("h2", "strong", "code", "ul", "li", "dl", "dt", "dd", "figure", "figcaption", "details", "summary"),
    *("table", "caption", "thead", "tbody", "tr", "th", "td"),
    *("svg", "path", "circle", "rect", "polygon", "text"),
}


def content(outcomes: Sequence[Outcome], title: str = "Test", **others: object) -> Content:
    given = {"about": {}, "baseline": None, "correlations": ()} | others
    return gather(outcomes, title=title, **given)  # type: ignore[arg-type]


def runs(readers: int = 3, classifiers: Sequence[str] = ("plain", "new"), n: int = 300) -> list[Outcome]:
    return [
        simulated(n, seed=seed, skill=1.0 + place, reader=f"r{seed}", classifier=name)
        for place, name in enumerate(classifiers)
        for seed in range(readers)
    ]


def features(reader: str = "r0", stream: str = "wire", names: Sequence[str] = ("length", "age")) -> FeatureCorrelations:
    return FeatureCorrelations(stream, reader, tuple(names), np.linspace(-0.4, 0.6, len(names)))


def read(given: Content) -> Page:
    found = Page(page(given))
    assert found.open == []
    return found


def test_the_page_names_the_best_classifier_and_its_gain() -> None:
    given = content(runs(), title="Two filters", about={"Machine": "2 cores"}, correlations=[features()])
    words = " ".join(read(given).text.split())
    best = np.mean([f.summary.f05 for f in given.by_classifier["new"]])
    gain = best - np.mean([f.summary.f05 for f in given.by_classifier["plain"]])
    for text in (
        "Two filters",
        "2 classifiers, 3 readers of 1 stream, 900 articles each; full protocol",
        f"new has a mean F0.5 of {best:.3f} over 3 readers",
        f"This is {gain:.3f} more than plain",
        "better for 3 of 3 readers, worse for 0",
        "Figure 2 of the paper",
        "Figure 3 of the paper",
        "Figure 4 of the paper",
        "Figure 5 of the paper",
        "Machine2 cores",
    ):
        assert text in words


def test_a_difference_that_may_be_chance_is_marked() -> None:
    alike = [simulated(300, seed=s, skill=1.5, reader=str(s % 8), classifier="ab"[s // 8]) for s in range(16)]
    assert "so it may be due to chance" in read(content(alike, baseline=list(content(alike).by_classifier)[1])).text
    apart = [simulated(300, seed=s, skill=0.5 + s // 8, reader=str(s % 8), classifier="ab"[s // 8]) for s in range(16)]
    assert "chance" not in read(content(apart)).text
    same = [replace(run, classifier=name) for run in runs(5, ["a"]) for name in "ab"]
    text = read(content(same, baseline="b")).text
    assert "On average this is as good as b; better for 0 of 5 readers, worse for 0." in text


def test_nothing_is_loaded_and_nothing_runs() -> None:
    html = page(content(runs(), correlations=[features()]))
    found = Page(html)
    assert {tag for tag, _ in found.tags} <= PLAIN
    assert not any({"src", "style", "href"} & set(attributes) for _, attributes in found.tags)
    assert "url(" not in html
    assert "@import" not in html
    assert "default-src 'none'" in html


def test_the_page_is_accessible() -> None:
    found = read(content(runs(), correlations=[features()]))
    assert found.named("html") == [{"lang": "en"}]
    assert len(found.named("h1")) == len(found.named("main")) == 1
    identities = [attributes["id"] for _, attributes in found.tags if "id" in attributes]
    assert len(identities) == len(set(identities))
    assert {a["aria-labelledby"] for _, a in found.tags if "aria-labelledby" in a} <= set(identities)
    drawings = found.named("svg")
    assert all(d.get("aria-hidden") or (d["role"] == "img" and len(d["aria-label"] or "") > 20) for d in drawings)
    assert len(found.named("table")) == len(found.named("caption")) >= 4
    assert {cell.get("scope") for cell in found.named("th")} == {"row", "col"}
    assert len(found.named("figure")) == len(found.named("figcaption")) == 8


@pytest.mark.parametrize("text", HOSTILE)
def test_names_from_outside_are_escaped(text: str) -> None:
    outcomes = [
        simulated(300, seed=seed, stream=f"{text}{seed % 2}", reader=f"{text}{seed}", classifier=f"{text}{name}")
        for name in "ab"
        for seed in range(4)
    ]
    correlations = [features(f"{text}1", f"{text}0", [text, "age"])]
    found = read(content(outcomes, title=text, about={text: text}, correlations=correlations))
    # Within a drawing only a name that was cut has a title, which is text as well.
    assert {tag for tag, _ in found.tags} <= PLAIN
    assert not any(name.startswith("on") for _, attributes in found.tags for name in attributes)
    assert found.text.count(text) > 20


@pytest.mark.parametrize(
    "outcomes",
    [
        [],
        [outcome("")],
        [outcome("....", "x...")],
        [outcome("xx..")],
        [outcome("x.x.", "xx..", trained=np.zeros(4, dtype=bool))],
        [outcome("x.x.", "xx..", [float("nan")] * 4)],
        [outcome("x" * 60, reader="a"), outcome("", reader="b"), outcome("..", reader="c", classifier="other")],
        [outcome("x.x.", "xe..", protocol="delivered")],
    ],
)
def test_undefined_values_do_not_prevent_the_page(outcomes: list[Outcome]) -> None:
    found = read(content(outcomes))
    assert "nan" not in found.text.replace("explanation", "")
    assert "None" not in found.text


def test_many_readers_share_a_line_and_very_many_stay_in_the_file() -> None:
    few, many, masses = (content(runs(readers, ["new"], n=30)) for readers in (4, 41, 201))
    assert "r3" in read(few).text
    assert "sorted by new" in read(few).text
    assert "sorted from the lowest F0.5 to the highest" in read(many).text
    assert "r40" in read(many).text
    assert "There are too many for this page" in read(masses).text
    assert "r200" not in read(masses).text


def test_with_many_classifiers_the_best_and_the_baseline_stand_out() -> None:
    names = [f"c{number}" for number in range(8)]
    given = content(runs(3, names), baseline="c0")
    order = list(given.by_classifier)
    assert {name for name, style in given.styles.items() if style} == {*order[:4], "c0"}
    assert sorted(given.styles.values()) == [0, 0, 0, 1, 2, 3, 4, 5]
    text = read(given).text
    assert "3 others" in text
    assert all(name in text for name in names), "the table has them all"


def test_readers_of_the_same_name_are_distinguished_by_stream() -> None:
    both = [simulated(100, seed=1, stream=stream, reader="me") for stream in ("wire", "harbour")]
    assert set(content(both).reader_names.values()) == {"me (wire)", "me (harbour)"}
    assert "(no name)" in read(content([simulated(100, seed=1, reader="")])).text


def test_invalid_characters_are_replaced() -> None:
    html = page(content([simulated(100, seed=1, reader="a\0b\x1b\ud800c\x85")]))
    assert "a\ufffdb\ufffd\ufffdc\ufffd" in html
    html.encode("utf-8")
