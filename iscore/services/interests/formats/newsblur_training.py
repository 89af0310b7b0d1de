"""NewsBlur's training: authors, tags, titles and sites that its user likes (1) or dislikes (-1).

NewsBlur has no export of it; its API has (``/classifier/42``, ``/reader/feeds_trainer``):

    {"payload": {"authors": {"Ines": 1}, "tags": {"sport": -1}, "titles": {..}, "texts": {..}, "feeds": {"42": 1}}}
    {"classifiers": {"42": {"authors": ..}}, "feeds": {"42": {"feed_title": ".."}}}
    [{"feed_id": 42, "feed_title": "..", "classifiers": {"authors": ..}}]

Each of them becomes a rule that raises or lowers scores. Rules hold for all feeds: what somebody likes in one feed and
dislikes in another becomes none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from iscore.rules.rule import DEFAULT_BOOST, Field, Rule, RuleError, make_rule
from storage.records.rules import Action

NOTE = "NewsBlur"
_FIELDS = {
    "authors": (Field.AUTHOR, False),
    "tags": (Field.CATEGORY, False),
    "titles": (Field.PHRASE, True),
    "title_regex": (Field.REGEX, True),
    "texts": (Field.PHRASE, False),
    "text_regex": (Field.REGEX, False),
    "feeds": (Field.SOURCE, False),
}
"""What NewsBlur trains → what the rule looks at, and whether in titles only. It also knows parts of addresses."""


def is_training(document: object) -> bool:
    """Whether a JSON document has trained classifiers."""
    return any(_trained(document))


def read_training(document: object) -> Iterator[Rule | None]:
    """Yield a rule for each thing that was trained; None for what a rule cannot say, and for contradictions."""
    names = dict(_feed_names(document))
    scores: dict[tuple[str, str], set[int]] = {}
    for trained in _trained(document):
        for kind, values in trained.items():
            if not isinstance(values, Mapping) or kind.endswith("_scope"):
                continue
            for text, score in values.items():
                looked_for = names.get(text, "") if kind == "feeds" else text
                if score in (1, -1):
                    scores.setdefault((kind, looked_for), set()).add(score)
    for (kind, text), found in scores.items():
        yield _rule(kind, text, *found) if len(found) == 1 else None


def _rule(kind: str, text: str, score: int) -> Rule | None:
    if kind not in _FIELDS or not text:
        return None
    field, in_title = _FIELDS[kind]
    try:
        return make_rule(Action.BOOST, field, text, boost=score * DEFAULT_BOOST, in_title=in_title, note=NOTE)
    except RuleError:
        return None


def _trained(document: object) -> Iterator[Mapping[str, Any]]:
    """Yield the objects with classifiers, whichever answer of the API this is."""
    if isinstance(document, list):
        for each in document:
            if isinstance(each, Mapping):
                yield from _trained(each)
    elif isinstance(document, Mapping):
        for name in ("payload", "classifiers"):
            found = document.get(name)
            if isinstance(found, Mapping):
                each_feed = [found, *found.values()]
                yield from (each for each in each_feed if isinstance(each, Mapping) and "authors" in each)


def _feed_names(document: object) -> Iterator[tuple[str, str]]:
    """Yield number and title of each feed that the document names."""
    if isinstance(document, list):
        for each in document:
            yield from _feed_names(each)
    elif isinstance(document, Mapping):
        feeds = document.get("feeds")
        for number, feed in feeds.items() if isinstance(feeds, Mapping) else ():
            if isinstance(feed, Mapping) and isinstance(feed.get("feed_title"), str):
                yield str(number), feed["feed_title"]
        if isinstance(document.get("feed_title"), str) and isinstance(document.get("feed_id"), int | str):
            yield str(document["feed_id"]), document["feed_title"]
