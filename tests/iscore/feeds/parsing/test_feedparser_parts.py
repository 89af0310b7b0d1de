"""The private parts of feedparser and of the standard library that feeds use. A new version needs a look at each."""

from __future__ import annotations

import tomllib
from operator import attrgetter
from pathlib import Path
from xml.sax import expatreader

import feedparser
import feedparser.api
import feedparser.mixin
import feedparser.parsers.strict
import feedparser.util
import pytest
from packaging.requirements import Requirement

from iscore.feeds.parsing import feedparser_reader

ROOT = Path(__file__).parents[4]
MODULE_PARTS = (
    "api.LooseFeedParser.feed",
    "api.StrictFeedParser",
    *(f"mixin._FeedParserMixin.{name}" for name in vars(feedparser_reader._Fields) if "__" not in name),
    "parsers.strict._StrictFeedParser.characters",
    "parsers.strict._StrictFeedParser.startElementNS",
    "parsers.strict._StrictFeedParser.endElementNS",
)
HANDLER_PARTS = (
    "basestack",
    "baseuri",
    "decls",
    "depth",
    "elementstack",
    "feeddata",
    "entries",
    "inauthor",
    "incontent",
)
HANDLER_PARTS += ("_matchnamespaces", "namespaces_in_use", "version")
DRIVER_PARTS = ("reset", "start_namespace_decl", "start_element_ns", "end_element_ns")


def test_the_version_of_feedparser_is_bounded() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    (bounds,) = (Requirement(each).specifier for each in project["dependencies"] if each.startswith("feedparser"))
    assert feedparser.__version__ in bounds
    assert "6.1" not in bounds


@pytest.mark.parametrize("part", MODULE_PARTS)
def test_a_part_of_feedparser_is_there(part: str) -> None:
    assert attrgetter(part)(feedparser) is not None


def test_the_parts_of_a_handler_are_there_when_the_driver_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    handlers = []
    start = feedparser_reader.Driver.start_element_ns

    def started(driver: feedparser_reader.Driver, name: str, attributes: dict[str, str]) -> None:
        handlers.append(driver._cont_handler)
        start(driver, name, attributes)

    monkeypatch.setattr(feedparser_reader.Driver, "start_element_ns", started)
    found = feedparser_reader.read(b"<rss version='2.0'><channel><title>T</title></channel></rss>")
    assert found.feed["title"] == "T"
    assert len(handlers) == 3
    for part in HANDLER_PARTS:
        assert hasattr(handlers[0], part)


@pytest.mark.parametrize("part", DRIVER_PARTS)
def test_a_part_of_the_standard_driver_is_there(part: str) -> None:
    assert callable(getattr(expatreader.ExpatParser, part))
