"""The outcome of a replay: the decisions of one classifier about one reader's articles, and outcomes on disk.

An interrupted replay continues where it stopped: each outcome is a file of its own, written as a whole. A store belongs
to one configuration: protocol, bytes of the streams, and code. Readers and classifiers may be added at any time.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from iscore.core.errors import ReplayError
from iscore.evaluation.replay.code_digest import digest_of_decisions
from iscore.evaluation.replay.protocol import Protocol
from iscore.filtering.serialization import StateError, pack, unpack
from iscore.learners.naive_bayes import correlation

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

FEWEST = 30
"""Smallest number of articles with a feature for which its correlation is given."""


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """Decisions about the n articles that the reader has a verdict on, in order of arrival; arrays of shape (n,)."""

    stream: str
    reader: str
    classifier: str
    protocol: str
    """"full" or "delivered"."""
    liked: Flags
    """The reader's verdict, whether the filter learned it or not."""
    scores: Floats
    """At arrival, in log-odds."""
    thresholds: Floats
    """The threshold at that moment."""
    recommended: Flags
    """Score at or above threshold."""
    explored: Flags
    """Delivered although below the threshold; nowhere in the full protocol."""
    trained: Flags
    """Whether the score is the classifier's; False while there are too few verdicts."""
    verdicts: int
    """Number of verdicts that the filter learned."""
    seconds: float
    """Processor time for scoring and learning, without document and stream features."""

    @property
    def delivered(self) -> Flags:
        """Whether the reader saw the article."""
        return self.recommended | self.explored


@dataclass(frozen=True, slots=True, eq=False)
class FeatureCorrelations:
    """Pearson's correlation of every feature with the verdicts of one reader: the paper's Figure 2."""

    stream: str
    reader: str
    names: tuple[str, ...]
    r: Floats
    """Shape (features,), in [-1, 1]; NaN where too few articles have the feature, or it never varies."""

    @classmethod
    def of_moments(cls, stream: str, reader: str, names: Sequence[str], moments: Floats) -> FeatureCorrelations:
        """Make them from running ``moments`` (6, features), as ``correlation.update`` updates them."""
        known = (moments[0] >= FEWEST) & (moments[3] > 0.0) & (moments[4] > 0.0)
        return cls(stream, reader, tuple(names), np.where(known, correlation.correlations(moments), np.nan))


@dataclass(frozen=True, slots=True)
class ReaderOutcomes:
    """What the replay of one reader gives."""

    outcomes: tuple[Outcome, ...]
    """One per classifier."""
    problems: dict[str, str]
    """Why extractors failed, by name: their features were missing then."""
    correlations: FeatureCorrelations | None = None
    """None in the delivered protocol, in which the verdicts depend on the classifier."""


Key = tuple[str, str, str]
"""Stream, reader, classifier."""


class OutcomeStore:
    """The outcomes of one configuration. Raises ``ReplayError`` when ``folder`` belongs to another one.

    Parameters
    ----------
    folder
        Made when it is missing.
    streams
        Name of each stream → hash of its bytes.
    """

    def __init__(self, folder: Path, protocol: Protocol, streams: Mapping[str, str]) -> None:
        self._folder = folder
        path = folder / "configuration.json"
        configuration = _configuration(protocol)
        known: dict[str, str] = {}
        if path.is_file():
            try:
                found = json.loads(path.read_text(encoding="utf-8"))
                known = found.pop("streams")
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise ReplayError(f"{path} cannot be read: {error}; name another folder, or delete it") from error
            changed = [name for name, value in configuration.items() if found.get(name) != value]
            changed += [f"the stream {name}" for name, digest in streams.items() if known.get(name, digest) != digest]
            if changed:
                raise ReplayError(
                    f"{folder.parent} holds a replay that was begun otherwise: {', '.join(changed)} changed; "
                    "name another folder, or delete it"
                )
        folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps(configuration | {"streams": known | dict(streams)}, indent=1)
        _write(path, text.encode())

    def get(self, stream: str, reader: str, classifier: str) -> tuple[Outcome, dict[str, str]] | None:
        """Return an outcome with the problems of its extractors; None when there is none that can be read."""
        try:
            state = unpack(self._path(stream, reader, classifier).read_bytes())
            return Outcome(**state["outcome"]), dict(state["problems"])
        except (OSError, StateError, KeyError, TypeError, ValueError):
            return None

    def put(self, found: ReaderOutcomes) -> None:
        """Store the outcomes of a reader."""
        for outcome in found.outcomes:
            values = {field.name: getattr(outcome, field.name) for field in dataclasses.fields(outcome)}
            state = {"outcome": values, "problems": [[name, reason] for name, reason in found.problems.items()]}
            _write(self._path(outcome.stream, outcome.reader, outcome.classifier), pack(state))
        if (each := found.correlations) is not None:
            values = {"stream": each.stream, "reader": each.reader, "names": list(each.names), "r": each.r}
            _write(self._path(each.stream, each.reader), pack(values))

    def correlations(self, stream: str, reader: str) -> FeatureCorrelations | None:
        """Return the correlations of features with a reader's verdicts; None when there are none."""
        try:
            state = unpack(self._path(stream, reader).read_bytes())
            return FeatureCorrelations(state["stream"], state["reader"], tuple(state["names"]), state["r"])
        except (OSError, StateError, KeyError, TypeError):
            return None

    def _path(self, *key: str) -> Path:
        # Readers have any name: a hash is a name that every file system accepts.
        digest = blake2b(json.dumps(key).encode(), digest_size=12).hexdigest()
        return self._folder / f"{digest}.{'outcome' if len(key) == 3 else 'correlations'}"


class StoredOutcomes(Sequence[Outcome]):
    """Outcomes that are read from a store when accessed, because a thousand readers do not fit into memory.

    Access raises ``ReplayError`` for an outcome that is no longer there.
    """

    def __init__(self, store: OutcomeStore, keys: Sequence[Key]) -> None:
        self._store = store
        self._keys = keys

    def __len__(self) -> int:
        return len(self._keys)

    @overload
    def __getitem__(self, place: int) -> Outcome: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Outcome]: ...
    def __getitem__(self, place: int | slice) -> Outcome | Sequence[Outcome]:
        if isinstance(place, slice):
            return StoredOutcomes(self._store, self._keys[place])
        stored = self._store.get(*self._keys[place])
        if stored is None:
            raise ReplayError("an outcome of the replay cannot be read; run it again")
        return stored[0]


def _configuration(protocol: Protocol) -> dict[str, Any]:
    values = {field.name: str(getattr(protocol, field.name)) for field in dataclasses.fields(protocol)}
    return {"protocol": values.pop("name")} | values | {"the program": digest_of_decisions()}


def _write(path: Path, data: bytes) -> None:
    part = path.with_name(f"{path.name}.part")
    part.write_bytes(data)
    part.replace(path)
