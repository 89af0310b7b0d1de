"""The digest feed as JSON Feed 1.1 (jsonfeed.org)."""

from __future__ import annotations

import json
from typing import Any

from iscore.core.translation import gettext
from iscore.presentation.digest.feed_items import DESCRIPTION, TITLE, Feed, Item

VERSION = "https://jsonfeed.org/version/1.1"


def render_json_feed(feed: Feed) -> str:
    """Return the feed as a JSON document in ASCII. iScore's own fields are under ``_iscore``, as the spec asks."""
    document: dict[str, Any] = {"version": VERSION, "title": TITLE, "description": gettext(DESCRIPTION)}
    if feed.address:
        document["feed_url"] = feed.address
    document["items"] = [_item(item) for item in feed.items]
    return json.dumps(document, indent=1, allow_nan=False) + "\n"


def _item(item: Item) -> dict[str, Any]:
    story = item.entry
    shown: dict[str, Any] = {
        "id": item.id,
        "url": item.url,
        "title": item.title,
        "content_html": item.html,
        "summary": story.summary,
        "date_published": item.published.isoformat(timespec="seconds") if item.published else "",
        "date_modified": item.updated.isoformat(timespec="seconds"),
        "authors": [{"name": item.author}],
        "tags": [item.category],
        "language": story.language,
        "_iscore": {
            "id": story.id,
            "digest": item.digest.date.isoformat(),
            "number": story.number,
            "strength": story.strength,
            "strength_words": story.strength_words,
            "rule_outcome": story.rule,
            "reasons": list(story.reasons),
            "sources": [story.source, *(other.source for other in story.others)],
        },
    }
    return {key: value for key, value in shown.items() if value}
