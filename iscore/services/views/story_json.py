"""Views with stories as JSON documents: the keys that programs rely on (docs/guide/json.md).

Digests are stored in the same form.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from iscore.services.views.digests import SECTIONS, DigestView
from iscore.services.views.rules import RuleTrial
from iscore.services.views.stories import StoryView, WhyView

_LISTED = (
    *("id", "title", "url", "source", "source_names", "author", "published", "arrived", "text", "score", "threshold"),
    *("interesting", "explore", "rule_outcome", "language", "archive", "interest", "boost"),
)
_ARTICLE = (
    *("id", "title", "url", "source", "source_names", "author", "categories", "language", "published", "arrived"),
    *("text", "score", "threshold", "interesting", "explore", "verdict", "rule_outcome", "archive", "interest"),
    "boost",
)
_FOUND = (
    *("id", "title", "url", "source", "author", "published", "arrived", "language", "text", "score", "threshold"),
    *("interesting", "verdict"),
)


def listed(story: StoryView) -> dict[str, Any]:
    """Return a story of a list."""
    return _keys(story, _LISTED, source_names="sources", text="summary")


def article(story: StoryView) -> dict[str, Any]:
    """Return an article with its whole text."""
    return _keys(story, _ARTICLE, source_names="sources")


def found(story: StoryView) -> dict[str, Any]:
    """Return what a search found."""
    return _keys(story, _FOUND, text="excerpt")


def why(view: WhyView) -> dict[str, Any]:
    """Return an explanation."""
    return _fields(view) | {"article": article(view.article)}


def rule_trial(view: RuleTrial) -> dict[str, Any]:
    """Return what a rule would touch."""
    return _fields(view) | {"items": [listed(each) for each in view.items]}


def digest(view: DigestView) -> dict[str, Any]:
    """Return a digest."""
    sections = {name: [_numbered(each) for each in getattr(view, name)] for name in SECTIONS}
    return _fields(view) | sections | {"below": [listed(each) for each in view.below]}


def _numbered(story: StoryView) -> dict[str, Any]:
    rest = _keys(story, ("number", "reasons", "reading_minutes", "sources", "verdict"))
    return rest | {"item": listed(story)}


def _keys(story: StoryView, names: tuple[str, ...], **keys: str) -> dict[str, Any]:
    return {keys.get(name, name): getattr(story, name) for name in names}


def _fields(view: Any) -> dict[str, Any]:
    return {field.name: getattr(view, field.name) for field in fields(view)}
