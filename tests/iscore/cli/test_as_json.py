from __future__ import annotations

import json
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from iscore.cli.as_json import plain, print_json
from iscore.services.views import story_json
from iscore.services.views.stories import StoryView, VerdictView, WhyView
from storage.records.users import Kind


def test_a_view_becomes_an_object_with_its_own_names(item: StoryView) -> None:
    document = plain(story_json.listed(item))
    assert document["published"] == "2025-10-06T11:00:00+00:00"
    assert document["sources"] == ["Energy Wire", "Harbour Post"]
    assert {"id", "title", "url", "source", "score", "threshold", "interesting", "explore"} <= set(document)


def test_views_within_views_are_told_too(why: WhyView) -> None:
    document = plain(story_json.why(why))
    assert document["features"][2] == {
        "name": "novelty",
        "meaning": "how new its words are",
        "family": "uniqueness",
        "value": None,
        "contribution": 0.0,
        "correlation": 0.2,
        "rank": 3,
        "used": True,
        "phrase": "",
    }
    assert document["article"]["verdict"] == "like"
    assert document["subset_size"] == 3


def test_what_json_cannot_hold_is_null() -> None:
    assert plain({"a": float("nan"), "b": (float("inf"), 1.5), "c": None, "d": True}) == {
        "a": None,
        "b": [None, 1.5],
        "c": None,
        "d": True,
    }


def test_days_and_paths_are_strings() -> None:
    assert plain([date(2025, 10, 6), datetime(2025, 10, 6, tzinfo=UTC), Path("a"), Kind.LIKE]) == [
        "2025-10-06",
        "2025-10-06T00:00:00+00:00",
        "a",
        "like",
    ]


def test_an_unknown_kind_of_value_is_refused() -> None:
    with pytest.raises(TypeError, match="complex"):
        plain(1j)


def test_the_document_is_plain_ascii_that_means_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    title = "電\x1b]8;;\u202e\x9b\ud800 é"
    print_json([VerdictView("k3", title, accepted=True, verdict=Kind.LIKE, previous=None)])
    printed = capsys.readouterr().out
    assert printed.isascii()
    assert printed.replace("\n", "").isprintable()
    assert json.loads(printed) == [{"id": "k3", "title": title, "accepted": True, "verdict": "like", "previous": None}]
