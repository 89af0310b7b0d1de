"""Keeps what was learned of each reader equal to a replay of their feedback log.

The log is the truth. A snapshot is a cache: the model's state with the log row that it includes. Loading is the newest
valid snapshot and a replay of the rows behind it. When a verdict of long ago is corrected, snapshots that include it
are no longer true, and an earlier one is taken; when there is none, the replay starts at the first row.

A snapshot is only good under its fingerprint (versions, processor, features, classifier): another one rebuilds from
the log.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from itertools import groupby, islice
from pathlib import Path
from typing import Any

import numpy as np

from extractors.extractor import Verdicts
from iscore.filtering.decision.exploration import weight_of
from iscore.filtering.pipeline import ReaderModel
from iscore.filtering.serialization import StateError, pack, unpack
from iscore.services.article_mapping import analysed_batch
from iscore.services.imports.item import seed_weight
from storage import features, feedback, snapshots
from storage.database import Database
from storage.records import Kind, LogEntry, Snapshot
from storage.transaction import Transaction

STATE_VERSION = 2
"""Raised whenever the meaning of a saved state changes."""

PIECE = 1000
"""Verdicts learned together: their articles are in memory, and progress is told of in between."""

Progress = Callable[[int, int, str], None]
"""Told ``(done, total, what)`` in the course of long work."""


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A reader's model, and the log row up to which it has learned."""

    model: ReaderModel
    row: int
    learned: int
    """Verdicts that were learned just now, beyond the snapshot."""
    changed: bool
    """Whether the model differs from the newest snapshot: it should be saved, and standings renewed."""


class ModelStore:
    """Loads and saves one reader's model.

    Parameters
    ----------
    make_model
        Makes a model that has learned nothing.
    article_feature_names
        Names of the frozen features in today's order.
    classifier
        Name of the classifier, part of the fingerprint.
    """

    def __init__(
        self,
        database: Database,
        user_id: int,
        make_model: Callable[[], ReaderModel],
        article_feature_names: Sequence[str],
        classifier: str,
    ) -> None:
        self._database = database
        self._user_id = user_id
        self._make_model = make_model
        self._arrival_names = tuple(article_feature_names)
        self._fingerprint = fingerprint(classifier, make_model().names)

    def load(self, progress: Progress | None = None) -> LoadedModel:
        """Return the model after every verdict in the log. Writes nothing."""
        with self._database.read() as tx:
            last = feedback.last_row(tx, self._user_id)
            model, row, newest = self._from_snapshot(tx)
            entries = feedback.effective(tx, self._user_id, after_row=row, up_to_row=last)
            learned = self._replay(tx, model, entries, progress)
        return LoadedModel(model, last, learned, changed=learned > 0 or not newest)

    def replay(self, progress: Progress | None = None) -> LoadedModel:
        """Return the model that a replay of the whole log gives, whatever snapshots there are. Writes nothing."""
        with self._database.read() as tx:
            last = feedback.last_row(tx, self._user_id)
            model = self._make_model()
            entries = feedback.effective(tx, self._user_id, up_to_row=last)
            learned = self._replay(tx, model, entries, progress)
        return LoadedModel(model, last, learned, changed=True)

    def at(self, row: int, progress: Progress | None = None) -> ReaderModel:
        """Return the model as it was when the log ended at ``row``: what has been corrected since is as it was then."""
        with self._database.read() as tx:
            model, known, _ = self._from_snapshot(tx, row)
            self._replay(tx, model, feedback.effective_at(tx, self._user_id, row, after_row=known), progress)
        return model

    def saved(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Give the saved states of today's fingerprint with the rows up to which they have learned, the oldest first.

        What is damaged is left out.
        """
        with self._database.read() as tx:
            for row in snapshots.sequences(tx, self._user_id, fingerprint=self._fingerprint):
                snapshot = snapshots.newest(tx, self._user_id, fingerprint=self._fingerprint, up_to=row)
                if snapshot is not None:
                    with suppress(StateError):
                        yield row, unpack(snapshot.state)

    def save(self, tx: Transaction, kept: LoadedModel) -> None:
        """Save a snapshot, and thin the older ones: one is kept per power of two of age, in log rows."""
        snapshots.discard(tx, self._user_id, other_than=self._fingerprint)
        snapshots.save(tx, Snapshot(self._user_id, kept.row, self._fingerprint, pack(kept.model.state())))
        by_age: dict[int, int] = {}
        for sequence in snapshots.sequences(tx, self._user_id):
            age = max(kept.row - sequence, 0).bit_length()
            by_age[age] = min(by_age.get(age, sequence), sequence)
        snapshots.thin(tx, self._user_id, keep=[*by_age.values(), kept.row])

    def _from_snapshot(self, tx: Transaction, end: int | None = None) -> tuple[ReaderModel, int, bool]:
        """Return the newest true snapshot's model, its row, and whether it is the newest of all.

        Without any it is a fresh model, and 0. With ``end`` the log is taken as it was when that row was its last.
        """
        up_to = end
        while True:
            snapshot = snapshots.newest(tx, self._user_id, fingerprint=self._fingerprint, up_to=up_to)
            if snapshot is None:
                return self._make_model(), 0, False
            superseded = feedback.superseded_after(tx, self._user_id, snapshot.sequence, end)
            if superseded is not None:
                up_to = superseded - 1
                continue
            try:
                model = self._make_model()
                model.restore(unpack(snapshot.state))
            except (StateError, KeyError, TypeError, ValueError):
                up_to = snapshot.sequence - 1  # damaged: an older one will do, or the log
                continue
            return model, snapshot.sequence, up_to == end

    def _replay(
        self, tx: Transaction, model: ReaderModel, entries: Sequence[LogEntry], progress: Progress | None
    ) -> int:
        teaching = [entry for entry in entries if entry.kind in feedback.TEACHING]
        done = 0
        for piece in _pieces(teaching):
            if progress is not None:
                progress(done, len(teaching), "learning")
            articles = features.arrived(tx, self._user_id, [entry.story for entry in piece])
            # The tags of that day, since those of today would make what was learned depend on more than the log.
            dated = [article._replace(tags=entry.tags) for article, entry in zip(articles, piece, strict=True)]
            frozen = analysed_batch(dated, self._arrival_names)
            if piece[0].kind is Kind.SEED:
                for row, entry in enumerate(piece):
                    model.seed(frozen[row], weight=seed_weight(entry.form))
            else:
                model.learn_many(frozen, _verdicts(piece))
            done += len(piece)
        return done


def _pieces(entries: Sequence[LogEntry]) -> Iterator[list[LogEntry]]:
    """Cut the log where seeds begin and end, and where a piece is as long as ``PIECE``."""
    for _, alike in groupby(entries, key=lambda entry: entry.kind is Kind.SEED):
        while piece := list(islice(alike, PIECE)):
            yield piece


def _verdicts(entries: Sequence[LogEntry]) -> Verdicts:
    return Verdicts(
        np.array([entry.kind is Kind.LIKE for entry in entries]),
        np.array([weight_of(entry.probability) for entry in entries], dtype=np.float64),
    )


def fingerprint(classifier: str, names: Sequence[str]) -> str:
    """Name everything on which bit-for-bit equality of a replay depends."""
    versions = " ".join(f"{package} {version(package)}" for package in ("iscore-news", "numba", "numpy"))
    return f"{STATE_VERSION}; {versions}; {_processor()}; {classifier}; {' '.join(names)}"


def _processor() -> str:
    """Name the processor: compiled code is made for it, and may round differently on another."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return f"{platform.machine()} {platform.processor()}"
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{platform.machine()} {named[0] if named else platform.processor()}"
