"""A digest as it is kept: the JSON of ``iscore digest --json``, so that a later version, or a user, can read it."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from iscore.services.views import story_json
from iscore.services.views.digests import SECTIONS, DigestView

if TYPE_CHECKING:
    from pydantic import TypeAdapter


def pack(view: DigestView) -> str:
    """Return a digest as JSON, without the address of ``iscore serve``, which is a setting."""
    from pydantic_core import to_json  # takes a while to load

    return to_json(story_json.digest(replace(view, serve_address="")), inf_nan_mode="null").decode()


def unpack(content: str) -> DigestView | None:
    """Return the digest that ``pack`` was given; None for what cannot be read.

    What an earlier version did not write has its default; what a later one wrote beside is passed over.
    """
    try:
        document = json.loads(content)
        sections = {name: [_numbered(each) for each in document.get(name, ())] for name in SECTIONS}
        below = [_listed(each) for each in document.get("below", ())]
        return _form().validate_python(document | sections | {"below": below})
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def _numbered(stored: dict[str, Any]) -> dict[str, Any]:
    item = _listed(stored["item"])
    return item | stored | {"sources": stored.get("sources") or item["sources"]}


def _listed(stored: dict[str, Any]) -> dict[str, Any]:
    sources = [{"source": name, "title": "", "url": ""} for name in stored["sources"]]
    return stored | {"text": stored["summary"], "sources": sources}


@cache
def _form() -> TypeAdapter[DigestView]:
    from pydantic import TypeAdapter  # takes a while to load

    return TypeAdapter(DigestView)
