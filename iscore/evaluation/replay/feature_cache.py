"""The features of a stream on disk: everything that scoring and learning need of its articles, without their texts.

A folder holds ``about.json``, the labels of all readers as one memory-mapped array, the articles in chunks of
``CHUNK``, and the bases of stream vectors. A replay has one chunk in memory at a time, so memory does not grow with the
stream, and several processes can read at once. Nothing in it is code.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from extractors.arrays import Int8s
from extractors.article_features import AnalysedArticle, AnalysedBatch
from extractors.stream.word_vectors import Basis
from extractors.text.pairs import Pairs
from extractors.text.terms import TermBatch
from iscore.core.errors import ReplayError
from iscore.evaluation.replay.stream import Labels
from iscore.evaluation.replay.stream_format import EPOCH, LabelledArticle
from iscore.filtering.serialization import StateError, pack, unpack

Labelling = npt.NDArray[np.int8]

LIKED, DISLIKED, NO_VERDICT = 1, 0, -1

CHUNK = 2000
"""Articles in memory at a time: a few MB."""

_FORMAT = 3
_NEVER = np.iinfo(np.int64).min
_WORDS = ("id", "url", "source", "site", "author", "language")
_LISTS = ("categories", "tags")


@dataclass(frozen=True, slots=True, eq=False)
class Chunk:
    """Consecutive articles of a stream."""

    start: int
    """Place of the first one in the stream, from 0."""
    articles: AnalysedBatch
    """``metadata`` are of the type ``LabelledArticle``, without title, text and labels."""
    leaders: npt.NDArray[np.int64]
    """For each article the place of the one that leads its story, which may be its own."""
    weights: npt.NDArray[np.float64]
    """Weight of a verdict on each article; 1 except in a user's own history."""


class CachedBasis(NamedTuple):
    """A basis of stream vectors in the folder."""

    start: int
    """After how many articles of the stream it is in force."""
    number: int
    articles: int
    """As in ``Basis``."""


@dataclass(frozen=True, slots=True)
class FeatureCache:
    """A folder with features. Articles are numbered from 0 in order of arrival."""

    folder: Path
    stream: str
    """The stream's name."""
    articles: int
    names: tuple[str, ...]
    """Document and stream features, then the stream's own ratings."""
    readers: dict[str, Labels]
    texts: bool
    """Whether any article has a text, without which most features are missing."""
    first: datetime
    last: datetime
    """Times at which the first and the last article arrived."""
    problems: dict[str, str]
    """Why extractors were left out or failed, by name."""
    bases: tuple[CachedBasis, ...]
    """Oldest first."""
    _loaded: dict[int, Basis] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Open a folder that ``FeatureCacheWriter`` has completed. Raises ``ReplayError``."""
        try:
            about = json.loads((folder / "about.json").read_text(encoding="utf-8"))
            if about["format"] != _FORMAT:
                raise ReplayError(f"{folder} was written by another version; delete it")
            return cls(
                folder=folder,
                stream=about["stream"],
                articles=about["articles"],
                names=tuple(about["names"]),
                readers={reader: Labels(*counts) for reader, counts in about["readers"]},
                texts=about["texts"],
                first=datetime.fromisoformat(about["first"]),
                last=datetime.fromisoformat(about["last"]),
                problems=about["problems"],
                bases=tuple(CachedBasis(*each) for each in about["bases"]),
            )
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ReplayError(f"{folder} holds no features that can be read: {error}; delete it") from error

    def labels(self, reader: str) -> Labelling:
        """Return ``LIKED``, ``DISLIKED`` or ``NO_VERDICT`` for each article; shape (articles,)."""
        mapped = np.load(self.folder / "labels.npy", mmap_mode="r", allow_pickle=False)
        return np.array(mapped[list(self.readers).index(reader)])

    def basis_at(self, articles: int) -> Basis | None:
        """Return the basis in force after the first ``articles`` of the stream; None before the first basis.

        It is read when first asked for. Raises ``ReplayError`` when its file is damaged.
        """
        past = [each for each in self.bases if each.start <= articles]
        if not past:
            return None
        _, number, learned_from = past[-1]
        if number not in self._loaded:
            path = _basis_path(self.folder, number)
            try:
                self._loaded[number] = Basis.from_bytes(number, learned_from, path.read_bytes())
            except (OSError, ValueError) as error:
                raise ReplayError(f"{path} cannot be read: {error}; delete {self.folder}") from error
        return self._loaded[number]

    def chunks(self, articles: int | None = None) -> Iterator[Chunk]:
        """Yield all chunks, or those with the first ``articles``. Raises ``ReplayError`` when the folder is damaged."""
        for start in range(0, self.articles if articles is None else articles, CHUNK):
            path = _chunk_path(self.folder, start)
            try:
                state = unpack(path.read_bytes())
                chunk = _chunk(start, state, self.names)
            except (OSError, StateError, ValueError, KeyError, TypeError) as error:
                raise ReplayError(f"{path} cannot be read: {error}; delete {self.folder}") from error
            yield chunk


class FeatureCacheWriter:
    """Write a feature cache. The folder appears when it is complete.

    Parameters
    ----------
    folder
        Replaced if it exists.
    articles
        Number of articles.
    readers
        Those with verdicts, with their counts.
    """

    def __init__(self, folder: Path, articles: int, readers: Mapping[str, Labels]) -> None:
        self._folder = folder
        self._part = folder.with_name(f"{folder.name}.part")
        self._readers = dict(readers)
        self._places = {reader: place for place, reader in enumerate(readers)}
        self._articles = articles
        self._written = 0
        self._bases: list[CachedBasis] = []
        shutil.rmtree(self._part, ignore_errors=True)
        self._part.mkdir(parents=True)
        shape = (len(readers), articles)
        self._labels = np.lib.format.open_memmap(self._part / "labels.npy", mode="w+", dtype=np.int8, shape=shape)

    def add(
        self,
        articles: Sequence[AnalysedArticle],
        labels: Sequence[Mapping[str, bool]],
        leaders: Sequence[int],
        weights: Sequence[float] | None = None,
    ) -> None:
        """Add the next ``CHUNK`` articles, or fewer if they are the last."""
        batch = AnalysedBatch.of(articles)
        state = _state(batch) | {
            "leaders": np.array(leaders, dtype=np.int64),
            "weights": np.ones(len(batch)) if weights is None else np.array(weights, dtype=np.float64),
        }
        _chunk_path(self._part, self._written).write_bytes(pack(state))
        block = np.full((len(self._readers), len(articles)), NO_VERDICT, dtype=np.int8)
        for column, given in enumerate(labels):
            for reader, liked in given.items():
                block[self._places[reader], column] = liked
        self._labels[:, self._written : self._written + len(articles)] = block
        self._written += len(articles)

    def add_basis(self, start: int, basis: Basis) -> None:
        """Add the next basis of stream vectors, which is in force after ``start`` articles."""
        _basis_path(self._part, basis.number).write_bytes(basis.to_bytes())
        self._bases.append(CachedBasis(start, basis.number, basis.articles))

    def complete(
        self,
        stream: str,
        names: Sequence[str],
        *,
        texts: bool,
        first: datetime,
        last: datetime,
        problems: Mapping[str, str],
    ) -> FeatureCache:
        """Finish the folder and open it."""
        self._labels.flush()
        about = {
            "format": _FORMAT,
            "stream": stream,
            "articles": self._articles,
            "names": list(names),
            "readers": [[reader, [counts.liked, counts.disliked]] for reader, counts in self._readers.items()],
            "texts": texts,
            "first": first.isoformat(),
            "last": last.isoformat(),
            "problems": dict(problems),
            "bases": self._bases,
        }
        (self._part / "about.json").write_text(json.dumps(about, indent=1), encoding="utf-8")
        shutil.rmtree(self._folder, ignore_errors=True)
        self._part.replace(self._folder)
        return FeatureCache.open(self._folder)


def _chunk_path(folder: Path, start: int) -> Path:
    return folder / f"{start:09d}.articles"


def _basis_path(folder: Path, number: int) -> Path:
    return folder / f"{number}.basis"


def _state(batch: AnalysedBatch) -> dict[str, Any]:
    words = {name: [getattr(article, name) for article in batch.metadata] for name in _WORDS}
    lists = {name: [list(getattr(article, name)) for article in batch.metadata] for name in _LISTS}
    return {
        **words,
        **lists,
        "published": np.array([_microseconds(article.published) for article in batch.metadata], dtype=np.int64),
        "arrived": np.array([_microseconds(article.arrived) for article in batch.metadata], dtype=np.int64),
        "term_starts": batch.terms.indptr,
        "term_ids": batch.terms.ids,
        "term_counts": batch.terms.counts,
        "term_weights": batch.terms.weights,
        "term_parts": batch.terms.parts,
        "meanings": _no_meanings() if batch.terms.meanings is None else batch.terms.meanings,
        "pair_starts": batch.pairs.indptr,
        "pair_ids": batch.pairs.ids,
        "values": batch.values,
    }


def _no_meanings() -> Int8s:
    return np.empty((0, 0), dtype=np.int8)


def _chunk(start: int, state: Mapping[str, Any], names: tuple[str, ...]) -> Chunk:
    arrived, published = state["arrived"].tolist(), state["published"].tolist()
    metadata = [
        LabelledArticle(
            title="",
            text="",
            labels={},
            arrived=_time(arrived[row]),
            published=None if published[row] == _NEVER else _time(published[row]),
            id=state["id"][row],
            url=state["url"][row],
            source=state["source"][row],
            site=state["site"][row],
            author=state["author"][row],
            language=state["language"][row],
            categories=tuple(state["categories"][row]),
            tags=tuple(state["tags"][row]),
        )
        for row in range(len(arrived))
    ]
    terms = TermBatch(
        state["term_starts"],
        state["term_ids"],
        state["term_counts"],
        state["term_weights"],
        state["term_parts"],
        meanings=state["meanings"] if len(state["meanings"]) else None,
    )
    pairs = Pairs(state["pair_starts"], state["pair_ids"])
    batch = AnalysedBatch(metadata, terms, pairs, names, state["values"])
    return Chunk(start, batch, state["leaders"], state["weights"])


def _microseconds(time: datetime | None) -> int:
    return _NEVER if time is None else (time.astimezone(UTC) - EPOCH) // timedelta(microseconds=1)


def _time(microseconds: int) -> datetime:
    return EPOCH + timedelta(microseconds=microseconds)
