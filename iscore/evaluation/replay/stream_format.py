"""One line of a labelled stream: a JSON object about one article.

``id`` (text, not empty) and ``labels`` (reader → true or false) are required. ``published`` and ``arrived`` are
ISO 8601, or null; a time without a zone is in UTC. ``title``, ``text``, ``source``, ``author``, ``url`` and
``language`` are texts, empty when unknown; ``categories`` and ``tags`` lists of texts; ``features`` an object of name →
number, null being missing; ``links`` and ``pictures`` counts. Null means "unknown" everywhere except in ``id`` and
``labels``. Other names are ignored.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from extractors.article import Article

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
"""Arrival of articles before the first time of their stream."""

MOST = 1_000_000_000
"""Largest number of links or pictures of an article."""
LONGEST = 20_000_000
"""Characters of a line; the longest articles have a few hundred thousand."""

_SURROGATES = re.compile("[\ud800-\udfff]")


class StreamFormatError(ValueError):
    """A line is not a labelled article; the message says why, without the line number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledArticle(Article):
    """An article with the verdicts of its readers."""

    labels: Mapping[str, bool]
    """Reader → verdict. A reader who is missing has none."""
    features: Mapping[str, float] = field(default_factory=dict)
    """Ratings that come with the article, for sets without texts."""


def read_line(line: str, now: datetime) -> LabelledArticle:
    """Return the article of a line; ``now`` is when the article before it arrived, ``EPOCH`` for the first.

    It arrives at the time ``arrived``, or else ``published``, but never before ``now``, because the order of arrival is
    that of the lines. Raises ``StreamFormatError``.
    """
    row = _parsed(line)
    published = _time(row, "published")
    arrived = _time(row, "arrived") or published
    url = _text(row, "url")
    return LabelledArticle(
        id=_id(row),
        arrived=now if arrived is None else max(now, arrived),
        title=_text(row, "title"),
        text=_text(row, "text"),
        labels=_labels(row),
        published=published,
        source=_text(row, "source"),
        url=url,
        site=_site(url),
        author=_text(row, "author"),
        categories=_texts(row, "categories"),
        language=_text(row, "language"),
        features=_features(row),
        links=_count(row, "links"),
        pictures=_count(row, "pictures"),
        tags=_texts(row, "tags"),
    )


def write_line(article: LabelledArticle, now: datetime) -> str:
    """Return the line from which ``read_line`` makes the same article; unknown or implied values are left out.

    ``site`` follows from ``url`` and is not written.
    """
    row: dict[str, Any] = {
        "id": article.id,
        "published": None if article.published is None else article.published.isoformat(),
        "title": article.title,
        "text": article.text,
    }
    if article.arrived != max(now, article.published or now):
        row["arrived"] = article.arrived.isoformat()
    for name in ("source", "author", "url", "language", "links", "pictures"):
        if value := getattr(article, name):
            row[name] = value
    for name in ("categories", "tags"):
        if words := getattr(article, name):
            row[name] = list(words)
    if article.features:
        row["features"] = {name: value if math.isfinite(value) else None for name, value in article.features.items()}
    row["labels"] = dict(article.labels)
    return json.dumps(row, ensure_ascii=False, allow_nan=False)


def _parsed(line: str) -> dict[str, Any]:
    if len(line) > LONGEST:
        raise StreamFormatError(f"is longer than {LONGEST:,} characters")
    try:
        row = _without_surrogates(json.loads(line)) if "\\u" in line else json.loads(line)
    except json.JSONDecodeError as error:
        raise StreamFormatError(f"is no JSON: {error.msg.lower()} at column {error.colno}") from error
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, a hundred thousand brackets
        raise StreamFormatError(f"is no JSON that can be read: {error}") from error
    if not isinstance(row, dict):
        raise StreamFormatError("is no JSON object")
    return row


def _without_surrogates(value: Any) -> Any:
    """Replace lone surrogates, which JSON can escape but UTF-8 cannot encode."""
    if isinstance(value, str):
        return _SURROGATES.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_without_surrogates(name): _without_surrogates(inner) for name, inner in value.items()}
    return [_without_surrogates(inner) for inner in value] if isinstance(value, list) else value


def _id(row: Mapping[str, Any]) -> str:
    found = row.get("id")
    if not isinstance(found, str) or not found:
        raise StreamFormatError('"id" must be a text that is not empty')
    return found


def _labels(row: Mapping[str, Any]) -> dict[str, bool]:
    labels = row.get("labels")
    if not isinstance(labels, dict):
        raise StreamFormatError('"labels" must be an object of reader → true or false; {} for nobody')
    for reader, label in labels.items():
        if not isinstance(label, bool):
            raise StreamFormatError(f'"labels" says {label!r} for {reader!r}; only true and false are verdicts')
    return labels


def _text(row: Mapping[str, Any], name: str) -> str:
    found = row.get(name)
    if found is None:
        return ""
    if not isinstance(found, str):
        raise StreamFormatError(f'"{name}" must be a text')
    return found


def _texts(row: Mapping[str, Any], name: str) -> tuple[str, ...]:
    found = row.get(name)
    if found is None:
        return ()
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise StreamFormatError(f'"{name}" must be a list of texts')
    return tuple(found)


def _count(row: Mapping[str, Any], name: str) -> int:
    found = row.get(name)
    if found is None:
        return 0
    if not isinstance(found, int) or isinstance(found, bool) or not 0 <= found <= MOST:
        raise StreamFormatError(f'"{name}" must be a count')
    return found


def _features(row: Mapping[str, Any]) -> dict[str, float]:
    found = row.get("features")
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise StreamFormatError('"features" must be an object of name → number')
    features = {}
    for name, value in found.items():
        if isinstance(value, bool) or not isinstance(value, int | float | None):
            raise StreamFormatError(f'"features" says {value!r} for {name!r}; only numbers and null can be')
        features[name] = _finite(value)
    return features


def _finite(value: float | None) -> float:
    try:
        return math.nan if value is None or not math.isfinite(value) else float(value)
    except OverflowError:  # a whole number beyond all floats
        return math.nan


def _time(row: Mapping[str, Any], name: str) -> datetime | None:
    found = row.get(name)
    if found is None or found == "":
        return None
    try:
        time = datetime.fromisoformat(found)
        return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)
    except (TypeError, ValueError, OverflowError) as error:
        raise StreamFormatError(f'"{name}" is no time: {found!r}; write 2025-03-01T07:00:00Z or null') from error


def _site(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.") if url else ""
    except ValueError:  # brackets that hold no address
        return ""
