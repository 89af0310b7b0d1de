"""Learns a reader's model from entries of the verdict log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, islice

import numpy as np

from extractors.base import Verdicts
from iscore.core.timings import Progress
from iscore.filtering.model import ReaderModel
from iscore.services.learning.article_features import analysed_batch
from storage.engine.base_database import Transaction
from storage.log import feedback
from storage.records.users import Kind, LogEntry
from storage.stream import features

PIECE = 1000
"""Entries learned together: their articles are in memory at once, and progress is reported in between."""
MAX_WEIGHT = 3.0
"""Largest weight of a verdict on an article that a former version drew at random: kernel estimates take one heavy
verdict for many equal ones."""


def learn(
    tx: Transaction,
    user_id: int,
    model: ReaderModel,
    entries: Sequence[LogEntry],
    article_feature_names: Sequence[str],
    progress: Progress | None = None,
) -> int:
    """Let a model learn entries of the log in order, and return how many of them it learns from.

    Articles have the features frozen at their arrival and the feed's tags of the time of the verdict: with today's
    tags the model would depend on more than the log.
    """
    teaching = [entry for entry in entries if entry.kind in feedback.LEARNED_KINDS]
    done = 0
    for piece in _pieces(teaching):
        if progress is not None:
            progress(done, len(teaching), "learning your verdicts")
        articles = features.ingested(tx, user_id, [entry.story for entry in piece])
        dated = [article._replace(tags=entry.tags) for article, entry in zip(articles, piece, strict=True)]
        frozen = analysed_batch(dated, article_feature_names)
        if piece[0].kind is Kind.IMPORTED:
            for row, entry in enumerate(piece):
                model.learn_imported(frozen[row], weight=entry.weight)
        else:
            model.learn_many(frozen, _verdicts(piece))
        done += len(piece)
    return done


def _pieces(entries: Sequence[LogEntry]) -> Iterator[list[LogEntry]]:
    """Split the log where imported items begin and end, and after ``PIECE`` entries."""
    for _, group in groupby(entries, key=lambda entry: entry.kind is Kind.IMPORTED):
        while piece := list(islice(group, PIECE)):
            yield piece


def _verdicts(entries: Sequence[LogEntry]) -> Verdicts:
    return Verdicts(
        np.array([entry.kind is Kind.LIKE for entry in entries]),
        np.array([weight_of(entry.probability) for entry in entries], dtype=np.float64),
    )


def weight_of(probability: float) -> float:
    """Return the weight of a verdict on an article delivered with ``probability``: its bounded inverse.

    Today nothing is left to chance: what is delivered has probability 1. Former versions drew a few hidden articles.
    """
    return min(1 / probability, MAX_WEIGHT) if probability > 0 else MAX_WEIGHT
