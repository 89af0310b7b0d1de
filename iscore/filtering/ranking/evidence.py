"""What a reader's ranking is fitted to, and where it comes from.

The product reads it from its database, a replay keeps it in memory. Both implement ``DecisionLog``; ``evidence_after``
asks either for the same. All of it is a function of the effective verdict log, the first decisions, the stored term
vectors, a stored basis and the user's seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from typing import NamedTuple, Protocol

import numpy as np

from extractors.arrays import Bools, Floats, Int64s
from extractors.stream.word_vectors import Basis
from extractors.text.terms import N_TERMS, TermBatch
from iscore.filtering.ranking.labelled import RANKERS, Articles, FeatureClassifier, Implicit, Labelled

NEWEST_VERDICTS = 150
"""Likes, and dislikes, that the rankers learn from."""
SAMPLE = 750
"""Hidden articles that stand for all."""
NEWEST_HIDDEN = 5_000
"""Hidden articles that the sample is drawn from, at most."""
POOL = 3000
"""Newest articles over which the threshold is best."""
NEWEST_DELIVERIES = 50
"""Deliveries with a verdict that say how true margins are: few, so that they follow changes."""

NEWEST_IMPLICIT = 150
"""Articles without a verdict that count as a part of a like, and as a part of a dislike (``implicit_feedback``)."""
SHOWN = 500
"""Newest deliveries that the diverse selection compares new articles with."""


class DeliveryVerdict(NamedTuple):
    """A verdict on something that was delivered."""

    row: int
    """Position in the log."""
    liked: bool
    score: float
    """At delivery."""
    margin: float
    """At delivery; NaN for an article of the diverse selection."""
    interesting: bool
    """Whether it was recommended."""


class Interest(NamedTuple):
    """Which part of the log shows what the user is interested in now."""

    after: int = 0
    """Only later rows count."""
    known_after: int = 0
    """The row of the like that confirmed it: margins of earlier deliveries were those of another ranking."""
    searching: bool = False
    """Whether the user seems to have changed, and nothing that they like now is known yet."""


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """Everything besides the articles to be scored."""

    labelled: Labelled
    hidden_sample: TermBatch
    """A sample of at most ``SAMPLE``."""
    n_hidden: int
    """How many there are, of the newest ``NEWEST_HIDDEN``."""
    pool: Articles
    """The newest ``POOL`` articles."""
    known: Floats
    """For each of the pool 1 if it is liked, 0 if disliked, NaN without a verdict."""
    hidden: Bools
    """Which of the pool were not delivered and have no verdict."""
    new: Articles
    """Those that have just arrived; none of them is in the pool or was hidden before."""
    deliveries: Int64s
    """The newest ``NEWEST_DELIVERIES`` with margin and verdict, as places in ``labelled``, oldest first."""
    margins: Floats
    """Of each of ``deliveries`` the margin at that moment."""
    can_rank: bool
    """Whether anything is liked, or known to be, that has words of this stream."""
    searching: bool
    """Whether interests seem to have changed (``delivery.changes``)."""
    has_examples: bool
    """Whether there are imported examples with words of this stream; phrases are none."""
    likes: int
    """Likes since interests changed last, or all if they never have."""
    dislikes: int
    basis: Basis | None
    left_out: Floats
    """For each of ``labelled`` the feature classifier's score before it learned from it; NaN where it gave none."""
    beta: float
    """The user's weight of recall against precision: how many articles they want."""
    rankers: str = RANKERS[0]


class DecisionLog(Protocol):
    """Where verdicts and decisions are found."""

    def history(self) -> Sequence[DeliveryVerdict]:
        """Return all verdicts on deliveries, in order of the log."""

    def stated(self) -> Sequence[int]:
        """Return the rows of all likes, interests and examples, in order of the log."""

    def labelled(self, newest: int, after: int) -> Labelled:
        """Return the examples, then the ``newest`` likes and the ``newest`` dislikes, each in order of the log.

        Only those of rows ``after`` this one.
        """

    def verdicts(self, after: int) -> tuple[int, int]:
        """Count the likes and dislikes of rows ``after`` this one."""

    def hidden_sample(self, sample: int, newest: int) -> tuple[TermBatch, int]:
        """Return the ``sample`` smallest by hash of the ``newest`` hidden articles, and how many these are.

        What the user opened or saved all the same is not among them.
        """

    def pool(self, newest: int) -> tuple[Articles, Floats, Bools]:
        """Return the ``newest`` articles that were scored, what is known of each, and whether it was delivered."""

    def implicit(self, newest: int, after: int) -> Implicit:
        """Return the ``newest`` articles without a verdict whose implicit feedback is for a like, and against.

        Only what was done after row ``after``.
        """


def evidence_after(
    interest: Interest,
    log: DecisionLog,
    basis: Basis | None,
    classifier: FeatureClassifier,
    *,
    beta: float,
    new: Articles | None = None,
) -> Evidence:
    """Collect what a ranking of this interest is fitted to.

    Parameters
    ----------
    classifier
        It has learned the verdicts, except perhaps the newest.
    new
        The articles of the round that is being decided, which neither the pool nor the hidden ones include.
    """
    history = log.history()
    likes, dislikes = log.verdicts(interest.after)
    ever = log.verdicts(0) if interest.after else (likes, dislikes)
    hidden_sample, n_hidden = log.hidden_sample(SAMPLE, NEWEST_HIDDEN)
    pool, known, delivered = log.pool(POOL)
    words = np.zeros(N_TERMS, dtype=np.bool_)
    words[pool.terms.ids] = True
    new = new or Articles.none()
    words[new.terms.ids] = True
    labelled = log.labelled(NEWEST_VERDICTS, interest.after)
    relevant = labelled.with_words_of(words)
    has_examples = bool(relevant[labelled.examples].any())
    can_rank = bool(relevant[labelled.liked].any())
    if basis is not None:
        words[basis.terms] = True
    labelled = labelled.with_phrases_of(words)
    can_rank = can_rank or bool(labelled.phrases)
    implicit = log.implicit(NEWEST_IMPLICIT, interest.after)
    if can_rank:  # implicit feedback alone ranks nothing
        labelled = labelled.with_implicit(implicit)
    recent = [each for each in history if each.row > interest.known_after and not isnan(each.margin)]
    recent = recent[-NEWEST_DELIVERIES:]
    _, found, places = np.intersect1d([each.row for each in recent], labelled.rows, return_indices=True)
    left_out = np.full(len(labelled.liked), np.nan)
    for liked, since in ((True, ever[0] - classifier.likes), (False, ever[1] - classifier.dislikes)):
        # Verdicts that came since the classifier learned are the last ones.
        of_kind = np.flatnonzero(labelled.verdicts & (labelled.liked == liked))
        of_kind = of_kind[: len(of_kind) - max(since, 0)]
        scores = classifier.left_out(liked=liked)[-len(of_kind) :] if len(of_kind) else np.empty(0)
        left_out[of_kind[len(of_kind) - len(scores) :]] = scores
    if labelled.n_implicit:  # the classifier never learned from them
        left_out[-labelled.n_implicit :] = implicit.articles.votes
    return Evidence(
        labelled=labelled,
        hidden_sample=hidden_sample,
        n_hidden=n_hidden,
        pool=pool,
        known=known,
        hidden=np.isnan(known) & ~delivered,
        new=new,
        deliveries=places,
        margins=np.array([recent[place].margin for place in found.tolist()]),
        can_rank=can_rank,
        searching=interest.searching,
        has_examples=has_examples,
        likes=likes,
        dislikes=dislikes,
        basis=basis,
        left_out=left_out,
        beta=beta,
        rankers=classifier.rankers,
    )


def smallest_hashes(numbers: Int64s, count: int, seed: int) -> Int64s:
    """Return the places of the ``count`` numbers with the smallest hashes, ascending: a sample that changes little.

    >>> smallest_hashes(np.arange(10), 3, seed=1).tolist()
    [1, 6, 9]
    """
    mixed = numbers.astype(np.uint64) + np.uint64(seed * 0x9E3779B97F4A7C15 % (1 << 64))
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    mixed ^= mixed >> np.uint64(31)
    return np.sort(np.argsort(mixed, kind="stable")[:count])
