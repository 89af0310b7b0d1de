"""The feed for other readers as JSON: what the specification asks, and no markup but ours."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from iscore.presentation.digest.feed_items import feed_of, render_atom, render_json_feed
from iscore.services.views.digests import DigestListView, DigestView
from tests.iscore.presentation.html_page import Page

SCHEMA = json.loads((Path(__file__).parent / "formats" / "json-feed-1.1.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def parsed(document: str) -> dict[str, Any]:
    """Read a document and hold it to the specification."""
    assert document.isascii()
    feed: dict[str, Any] = json.loads(document)
    VALIDATOR.validate(feed)
    ids = [item["id"] for item in feed["items"]]
    assert len(ids) == len(set(ids))
    return feed


def test_an_item_has_what_other_readers_show(digests: DigestListView) -> None:
    feed = parsed(render_json_feed(feed_of(replace(digests, feed_address="https://me.example/feed.json"))))
    assert feed["feed_url"] == "https://me.example/feed.json"
    newer, _, several, seldom = feed["items"]
    assert (newer["title"], "url" in newer) == ("AT&T <wins> in court", False)
    assert several["url"] == "https://wire.example/several"
    assert several["authors"] == [{"name": "Ines Halloran (Energy Wire)"}]
    assert several["date_published"] == "2025-10-06T11:00:00+00:00"
    assert several["tags"] == ["In several feeds"]
    assert (several["language"], "language" in seldom) == ("it", False)
    assert seldom["_iscore"] == {
        "id": "seldom",
        "digest": "2025-10-06",
        "number": 3,
        "strength": 2,
        "strength_words": "maybe",
        "rule_outcome": "boosted by your rule: word “grid” (clearly)",
        "reasons": ["words you like: seldom"],
        "sources": ["Energy Wire"],
    }
    assert several["_iscore"]["sources"] == ["Energy Wire", "Harbour Post", "Il Lago"]


def test_both_feeds_name_the_same_items(digests: DigestListView) -> None:
    feed = feed_of(digests)
    atom = render_atom(feed)
    assert all(item["id"] in atom for item in parsed(render_json_feed(feed))["items"])


def test_a_feed_without_digests_is_valid(digests: DigestListView) -> None:
    assert parsed(render_json_feed(feed_of(replace(digests, digests=()))))["items"] == []


def test_hostile_texts_stay_texts(hostile: DigestView, digests: DigestListView) -> None:
    feed = parsed(render_json_feed(feed_of(replace(digests, digests=(hostile,)))))
    assert len(feed["items"]) == 3
    for item in feed["items"]:
        page = Page(item["content_html"])
        assert page.open == []
        assert {tag for tag, _ in page.tags} <= {"p", "strong", "ul", "li", "a"}
        assert not set("\x00\x07\x1b\x85\x9b\u202e\u2066\ud800") & set(page.text + item["title"])


def test_the_schema_refuses_what_the_specification_does_not_know(digests: DigestListView) -> None:
    feed = json.loads(render_json_feed(feed_of(digests)))
    for spoilt in (
        {key: value for key, value in feed.items() if key != "version"},
        feed | {"colour": "red"},
        feed | {"items": [{"id": "x"}]},
        feed | {"items": [feed["items"][0] | {"date_published": "yesterday"}]},
        feed | {"items": [feed["items"][0] | {"url": "javascript:alert(1)"}]},
    ):
        with pytest.raises(jsonschema.ValidationError):
            VALIDATOR.validate(spoilt)
