"""Why an article is shown, by what the user did with an article like it."""

from __future__ import annotations

import numpy as np

from extractors.arrays import Floats
from extractors.text.terms import N_TERMS, TermBatch, TermVector
from iscore.core.translation import gettext
from iscore.services.learning.stored_log import StoredLog
from storage.engine.transaction import Transaction
from storage.records.reading_events import StoryReading
from storage.stream import articles

ALIKE = 0.2
"""Cosine of the words from which articles are alike; most pairs have less than 0.05."""


def reading_reason(tx: Transaction, log: StoredLog, seq: int, terms: TermVector) -> str:
    """Say what the user did with the article most like ``seq`` that counts; empty if none is like it.

    ``you read 4 minutes of an article like it: Storm reaches the coast``
    """
    counted = [(found, weight) for found, weight in log.counted_readings() if found.story != seq]
    if not counted:
        return ""
    likeness = cosines(terms, log.terms([found.story for found, _ in counted]))
    best = int(np.argmax(likeness))
    if likeness[best] < ALIKE:
        return ""
    found, weight = counted[best]
    (article,) = articles.get(tx, [found.story])
    return gettext("%(done)s: %(title)s", done=done_words(found, liked=weight > 0.0), title=article.title)


def cosines(terms: TermVector, others: TermBatch) -> Floats:
    """Return the cosine of an article's words with those of others, by their weights; shape (others,)."""
    dense = np.zeros(N_TERMS)
    dense[terms.ids] = terms.weights
    products = others.sums(others.weights, dense[others.vocabulary.terms])
    squares = np.array([float(np.square(others[row].weights, dtype=np.float64).sum()) for row in range(len(others))])
    lengths = np.sqrt(squares * float(np.square(terms.weights, dtype=np.float64).sum()))
    return np.divide(products, lengths, out=np.zeros(len(others)), where=lengths > 0.0)


def done_words(found: StoryReading, *, liked: bool) -> str:
    """Say what the user did with a story; ``liked``: whether it counts for it.

    >>> from datetime import datetime, timezone
    >>> at = datetime(2026, 3, 1, tzinfo=timezone.utc)
    >>> done_words(StoryReading(1, True, 240.0, False, False, False, False, 1, at), liked=True)
    'you read 4 minutes of an article like it'
    """
    if liked and found.saved:
        return gettext("you saved an article like it")
    if liked and found.seconds < 90.0 and found.original:
        return gettext("you opened the original of an article like it")
    if liked and found.seconds >= 90.0:
        minutes = round(found.seconds / 60.0)
        return gettext("you read %(number)s minutes of an article like it", number=minutes)
    if found.seconds > 0.0:
        seconds = round(found.seconds)
        return gettext("you read an article like it for %(number)s seconds", number=seconds)
    if found.opened:
        return gettext("you opened an article like it")
    return gettext("you left an article like it unread")
