"""Measures of articles: text in, numbers out.

``EXTRACTORS`` names every measure that comes with iScore. To add one, write its file and its line here; to
add one from another package, publish an entry point of the group ``iscore.extractors`` whose name is the
extractor's and whose object takes a ``Context``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from extractors.document.age import Age
from extractors.document.length import Length
from extractors.document.media_counts import MediaCounts
from extractors.document.publication_time import PublicationTime
from extractors.document.sentiment import Sentiment
from extractors.document.speech_events import SpeechEvents
from extractors.document.style import Style
from extractors.extractor import Context, Extractor
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
    "age": lambda _: Age(),
    "rhythm": lambda _: PublicationTime(),
    "length": lambda _: Length(),
    "form": lambda _: MediaCounts(),
    "style": lambda _: Style(),
    "speech_events": lambda _: SpeechEvents(),
    "affect": lambda _: Sentiment(),
    # stream scope
    "neighbourhood": lambda _: RecentArticles(),
    "rare_phrases": lambda _: RarePhrases(),
    # reader scope
    "rocchio": lambda _: Rocchio(),
    "erocchio": lambda _: ERocchio(),
    "mtt": lambda _: TopicTracking(),
    "language_model": lambda _: LanguageModel(),
    "words_nb": lambda _: WordsNaiveBayes(),
    "words_mbw": WordsWinnow,
    "words_pa": WordsPassiveAggressive,
    "words_cw": ConfidenceWeightedWords,
    "nearest_liked": lambda _: NearestLiked(),
    "source_reputation": lambda _: SourceReputation(),
    "site_reputation": lambda _: SiteReputation(),
    "author_reputation": lambda _: AuthorReputation(),
    "category_reputation": lambda _: CategoryReputation(),
    "tag_reputation": lambda _: TagReputation(),
    "writing_style": WritingStyle,
}
"""Name → factory, in the order in which features are listed."""

GROUP = "iscore.extractors"
"""The group of entry points by which other packages join."""


@dataclass(frozen=True, slots=True)
class Registry:
    """All extractors that can be had in this installation."""

    factories: dict[str, Factory]
    """``EXTRACTORS`` first, then those of other packages by name."""
    failed: dict[str, str]
    """Why entry points were left out, by their names."""


@dataclass(frozen=True, slots=True)
class Published:
    """The entry points of other packages, by name; none is loaded."""

    entries: tuple[EntryPoint, ...]
    failed: dict[str, str]
    """Why others are left out, by their names."""


def published() -> Published:
    """Return the entry points of other packages. One that takes a name already taken is left out."""
    entries: dict[str, EntryPoint] = {}
    failed: dict[str, str] = {}
    for entry in _entry_points(tuple((folder, _changed(folder)) for folder in sys.path)):
        if entry.name in EXTRACTORS or entry.name in entries:
            failed[entry.name] = f"the name is taken; {entry.value} is left out"
        else:
            entries[entry.name] = entry
    return Published(tuple(entries.values()), failed)


@lru_cache(maxsize=1)
def _entry_points(_: tuple[tuple[str, int], ...]) -> tuple[EntryPoint, ...]:
    """Return all of the group, in order; the packages are read again when there are others, which takes as long as
    making all extractors twice."""
    return tuple(sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, entry.value)))


def _changed(folder: str) -> int:
    """Return when something joined or left a folder of packages last, in ns; 0 if there is none."""
    try:
        return Path(folder).stat().st_mtime_ns  # the empty one is where we are
    except OSError:
        return 0


def registry() -> Registry:
    """Return the built-in extractors and those of other packages, loaded into this process.

    A package that cannot be loaded, or that takes a name already taken, is left out and reported: it must not
    stop the others.
    """
    found = published()
    factories = dict(EXTRACTORS)
    failed = dict(found.failed)
    for entry in found.entries:
        try:
            factories[entry.name] = entry.load()
        except Exception as error:
            failed[entry.name] = f"{entry.value} cannot be loaded: {error}"
    return Registry(factories, failed)


__all__ = ["EXTRACTORS", "GROUP", "Context", "Extractor", "Factory", "Published", "Registry", "published", "registry"]
