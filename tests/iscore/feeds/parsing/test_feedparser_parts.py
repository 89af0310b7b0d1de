"""The private parts of feedparser that feeds use. A new version needs a look at each."""

from __future__ import annotations

import tomllib
from operator import attrgetter
from pathlib import Path

import feedparser
import feedparser.api
import feedparser.mixin
import feedparser.urls
import pytest
from packaging.requirements import Requirement

from iscore.feeds.parsing import feedparser_reader
from iscore.feeds.parsing.strict_parser import StrictParser

ROOT = Path(__file__).parents[4]
MODULE_PARTS = (
    "api.LooseFeedParser.feed",
    "api.StrictFeedParser",
    *(f"mixin._FeedParserMixin.{name}" for name in vars(feedparser_reader._Fields) if "__" not in name),
    *(
        f"mixin._FeedParserMixin.{name}"
        for name in ("_get_context", "looks_like_html", "resolve_uri", "track_namespace")
    ),
    *(f"mixin._FeedParserMixin.{name}" for name in ("_add_tag", "_start_item", "pop", "push", "push_content")),
    "urls._urljoin",
    "urls.make_safe_absolute_uri",
)
PARSER_PARTS = (
    *("_matchnamespaces", "basestack", "baseuri", "contentparams", "depth", "elementstack", "entries", "feeddata"),
    *("inauthor", "incontent", "inentry", "inimage", "insource", "intextinput", "lang", "langstack", "namespacemap"),
    *("property_depth_map", "title_depth", "version"),
)


def test_the_version_of_feedparser_is_bounded() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    (bounds,) = (Requirement(each).specifier for each in project["dependencies"] if each.startswith("feedparser"))
    assert feedparser.__version__ in bounds
    assert "6.1" not in bounds


@pytest.mark.parametrize("part", MODULE_PARTS)
def test_a_part_of_feedparser_is_there(part: str) -> None:
    assert attrgetter(part)(feedparser) is not None


def test_the_parts_of_a_parser_are_there() -> None:
    parser = StrictParser()
    parser.read(b"<rss version='2.0'><channel><title>T</title></channel></rss>")
    assert parser.feeddata["title"] == "T"
    for part in PARSER_PARTS:
        assert hasattr(parser, part)
