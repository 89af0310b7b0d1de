"""The registry: every extractor of iScore, and those of other packages.

To add one to iScore, write its file and its line in ``EXTRACTORS``. To add one from another package, publish an entry
point of the group ``iscore.extractors``: its name is the extractor's, and its object, a class or a function, is called
with a ``Context``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from extractors.base import Context, Extractor
from extractors.document.length import Length, MediaCounts
from extractors.document.publication_time import Age, PublicationTime
from extractors.document.sentiment import Sentiment
from extractors.document.style import SpeechEvents, Style
from extractors.reader.confidence_weighted_words import ConfidenceWeightedWords
from extractors.reader.erocchio import ERocchio
from extractors.reader.language_model import LanguageModel
from extractors.reader.linear_word_models import WordsPassiveAggressive, WordsWinnow
from extractors.reader.nearest_liked import NearestLiked
from extractors.reader.reputation import (
    AuthorReputation,
    CategoryReputation,
    SiteReputation,
    SourceReputation,
    TagReputation,
)
from extractors.reader.rocchio import Rocchio
from extractors.reader.topic_tracking import TopicTracking
from extractors.reader.words_nb import WordsNaiveBayes
from extractors.reader.writing_style import WritingStyle
from extractors.stream.rare_phrases import RarePhrases
from extractors.stream.recent_articles import RecentArticles

Factory = Callable[[Context], Extractor]

EXTRACTORS: dict[str, Factory] = {
    # document scope
    "age": Age,
    "rhythm": PublicationTime,
    "length": Length,
    "form": MediaCounts,
    "style": Style,
    "speech_events": SpeechEvents,
    "affect": Sentiment,
    # stream scope
    "neighbourhood": RecentArticles,
    "rare_phrases": RarePhrases,
    # reader scope
    "rocchio": Rocchio,
    "erocchio": ERocchio,
    "mtt": TopicTracking,
    "language_model": LanguageModel,
    "words_nb": WordsNaiveBayes,
    "words_mbw": WordsWinnow,
    "words_pa": WordsPassiveAggressive,
    "words_cw": ConfidenceWeightedWords,
    "nearest_liked": NearestLiked,
    "source_reputation": SourceReputation,
    "site_reputation": SiteReputation,
    "author_reputation": AuthorReputation,
    "category_reputation": CategoryReputation,
    "tag_reputation": TagReputation,
    "writing_style": WritingStyle,
}
"""Name → class, in the order in which features are listed. Saved states go by the names."""

GROUP = "iscore.extractors"
"""The group of entry points of other packages."""


@dataclass(frozen=True, slots=True)
class Published:
    """The entry points of other packages; none is loaded."""

    entries: tuple[EntryPoint, ...]
    """In the order of their names."""
    failed: dict[str, str]
    """Why others are left out, by their names."""


def published() -> Published:
    """Return the entry points of other packages. One whose name is taken is left out."""
    entries: dict[str, EntryPoint] = {}
    failed: dict[str, str] = {}
    for entry in _entry_points(tuple((folder, _modified(folder)) for folder in sys.path)):
        if entry.name in EXTRACTORS or entry.name in entries:
            failed[entry.name] = f"the name is taken; {entry.value} is left out"
        else:
            entries[entry.name] = entry
    return Published(tuple(entries.values()), failed)


@dataclass(frozen=True, slots=True)
class Registry:
    """The extractors of this installation."""

    factories: dict[str, Factory]
    """``EXTRACTORS`` first, then those of other packages by name."""
    failed: dict[str, str]
    """Why entry points are left out, by their names."""


def registry(
    running: Callable[[str], AbstractContextManager[object]] = nullcontext, skipped: Mapping[str, str] | None = None
) -> Registry:
    """Return the extractors of iScore and those of other packages, loaded into this process.

    A package that cannot be loaded is left out and reported. ``running(name)`` is entered while the entry point of
    that name is loaded; those in ``skipped`` are left out for the given reasons.
    """
    found = published()
    factories, failed = dict(EXTRACTORS), found.failed | dict(skipped or {})
    for entry in found.entries:
        if entry.name in failed:
            continue
        try:
            with running(entry.name):
                factories[entry.name] = entry.load()
        except Exception as error:
            failed[entry.name] = f"{entry.value} cannot be loaded: {error}"
    return Registry(factories, failed)


@cache
def families() -> dict[str, tuple[str, ...]]:
    """Return the features of each family, in the order of ``EXTRACTORS``."""
    found: dict[str, list[str]] = {}
    for factory in EXTRACTORS.values():
        for feature, family in getattr(factory, "families", {}).items():
            found.setdefault(family, []).append(feature)
    return {family: tuple(features) for family, features in found.items()}


@lru_cache(maxsize=1)
def _entry_points(_: tuple[tuple[str, int], ...]) -> tuple[EntryPoint, ...]:
    """Return all entry points of the group, in order; read again only when a folder of packages has changed, since
    reading takes as long as making all extractors twice."""
    return tuple(sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, entry.value)))


def _modified(folder: str) -> int:
    """Return when a folder's list of files changed last, in ns; 0 if there is none."""
    try:
        return Path(folder).stat().st_mtime_ns
    except OSError:
        return 0
