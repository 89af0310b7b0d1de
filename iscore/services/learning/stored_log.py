"""One user's verdicts and decisions in the database, as the decision asks for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from itertools import pairwise
from math import nan
from typing import NamedTuple

import numpy as np

from extractors.arrays import Bools, Floats
from extractors.stream.word_vectors import Basis
from extractors.text.meaning import encoder_name
from extractors.text.terms import TermBatch, TermVector
from iscore.filtering.delivery.changes import evidence_of
from iscore.filtering.delivery.decide import Candidates
from iscore.filtering.delivery.limits import Today, day_began
from iscore.filtering.delivery.tuning import BETA, DAY, DAYS_BEFORE
from iscore.filtering.ranking.evidence import (
    NEWEST_HIDDEN,
    NEWEST_IMPLICIT,
    SAMPLE,
    SHOWN,
    DeliveryVerdict,
    Evidence,
    smallest_hashes,
)
from iscore.filtering.ranking.implicit_feedback import Sign, newest_of_each, signs, weights
from iscore.filtering.ranking.implicit_feedback import count as counted
from iscore.filtering.ranking.labelled import NO_INTEREST, Articles, FeatureClassifier, Implicit, Labelled, Phrase
from iscore.rules.application import ruled_score
from iscore.services.learning import stream_vectors
from iscore.services.learning.imported_item import WEIGHTS, Form
from iscore.services.learning.loaded_model import KnownArticles
from storage.engine.base_database import Transaction
from storage.log import decisions, evidence, feedback, reading_events, rule_outcomes
from storage.log.evidence import RoundStories, Words
from storage.records.reading_events import StoryReading
from storage.records.rules import RuleOutcome
from storage.records.users import Kind, User
from storage.stream import articles, features

NEWEST_READ = 2000
"""Stories of the newest reading events that are considered."""


class Deciding(NamedTuple):
    """The new stories of a round that is not stored yet."""

    news: Sequence[int] = ()
    archive: Sequence[int] = ()


class Before(NamedTuple):
    """What there was before the newest round."""

    hidden: list[int]
    """The newest stories that were not delivered and have no verdict, in order of arrival."""
    round: RoundStories
    """Those of the round, which are left out."""
    verdicts: dict[int, Kind]
    """On stories of the round that were there before."""


class StoredLog:
    """A ``loop.Log`` in the database. ``known`` is what another transaction has read, and is added to.

    Rankings are fitted to all verdicts, and to the stories that there were before the newest round, if these are
    enough. So the current scores after a round are by the rankings that it was decided with.

    ``deciding`` are the new stories of that round; by default it is the newest that is stored.
    """

    def __init__(
        self, tx: Transaction, user: User, known: KnownArticles | None = None, deciding: Deciding | None = None
    ) -> None:
        self._tx = tx
        self._user = user
        self._known = known or KnownArticles()
        self._is_deciding = deciding is not None
        self._new = deciding or Deciding()
        self._hidden: dict[datetime, Candidates] = {}

    def evidence(self, classifier: FeatureClassifier, *, beta: float = BETA) -> Evidence:
        """Collect what rankings are fitted to; see ``evidence_of``."""
        return evidence_of(self, self.basis, classifier, new=self.articles(self._before.round.news), beta=beta)

    @property
    def has_enough(self) -> bool:
        """Whether there were enough stories before the newest round."""
        return len(self._before.hidden) >= SAMPLE

    @cached_property
    def _before(self) -> Before:
        """What counts: with too few stories before the newest round, all of them."""
        newest = (
            RoundStories(list(self._new.news), [])
            if self._is_deciding
            else evidence.of_newest_round(self._tx, self._user.id)
        )
        every = evidence.hidden(self._tx, self._user.id, NEWEST_HIDDEN + len(newest.news))
        others = [*newest.late, *self._new.archive]
        verdicts = feedback.verdicts(self._tx, self._user.id, others)
        hidden = sorted({*every, *others}.difference(newest.news, verdicts))
        if self._is_deciding or len(hidden) >= SAMPLE:
            return Before(hidden[-NEWEST_HIDDEN:], newest, verdicts)
        return Before(every[-NEWEST_HIDDEN:], RoundStories([], []), {})

    @cached_property
    def _readings(self) -> list[StoryReading]:
        """What the user did while they read, if the filter may learn from it."""
        return reading_events.newest(self._tx, self._user.id, NEWEST_READ) if self._user.learns_from_reading else []

    def history(self) -> list[DeliveryVerdict]:
        """See ``DecisionLog``."""
        return self._history

    @cached_property
    def _history(self) -> list[DeliveryVerdict]:
        rows = evidence.delivery_verdicts(self._tx, self._user.id)
        return [
            DeliveryVerdict(row.row, row.liked, row.score, nan if row.margin is None else row.margin, row.interesting)
            for row in rows
        ]

    def stated(self) -> list[int]:
        """See ``DecisionLog``."""
        return evidence.stated(self._tx, self._user.id)

    def labelled(self, newest: int, after: int) -> Labelled:
        """See ``DecisionLog``."""
        imported = evidence.examples(self._tx, self._user.id, after)
        examples = [item for item in imported if item.form != Form.KEYWORDS]
        phrases = [item for item in imported if item.form == Form.KEYWORDS]
        likes, dislikes = (
            evidence.newest_verdicts(self._tx, self._user.id, kind, newest, after) for kind in (Kind.LIKE, Kind.DISLIKE)
        )
        verdicts = [*likes, *dislikes]
        n = len(examples) + len(verdicts)
        names = list(dict.fromkeys(item.interest for item in imported))
        numbers = [names.index(item.interest) for item in examples]
        seqs = [item.seq for item in phrases]
        usual = features.usual_language(self._tx) if seqs else ""  # in which they were measured
        terms, texts = self.terms(seqs), {each.seq: each for each in articles.get(self._tx, sorted(set(seqs)))}
        return Labelled(
            terms=self.terms([*(each.seq for each in examples), *(story for _, story in verdicts)]),
            liked=np.arange(n) < len(examples) + len(likes),
            weights=np.array([*(each.weight for each in examples), *[1.0] * len(verdicts)]),
            rows=np.array([*[0] * len(examples), *(row for row, _ in verdicts)], dtype=np.int64),
            phrases=[
                replace(
                    Phrase.of(terms[row], replace(texts[each.seq], language=usual)),
                    interest=names.index(each.interest),
                    weight=each.weight / WEIGHTS[Form.KEYWORDS],
                )
                for row, each in enumerate(phrases)
            ],
            names=tuple(names),
            interests=np.array([*numbers, *[NO_INTEREST] * (n - len(numbers))], dtype=np.int64),
        )

    def verdicts(self, after: int) -> tuple[int, int]:
        """See ``DecisionLog``."""
        counts = evidence.count_verdicts(self._tx, self._user.id, after)
        return counts.get(Kind.LIKE, 0), counts.get(Kind.DISLIKE, 0)

    def hidden_sample(self, sample: int, newest: int) -> tuple[TermBatch, int]:
        """See ``DecisionLog``."""
        chosen_by_user = {each.story for each in self._readings if each.opened or each.seconds or each.saved}
        found = [seq for seq in self._before.hidden[-newest:] if seq not in chosen_by_user]
        chosen = smallest_hashes(np.array(found, dtype=np.int64), sample, self._user.seed)
        return self.terms([found[place] for place in chosen.tolist()]), len(found)

    def pool(self, newest: int) -> tuple[Articles, Floats, Bools]:
        """See ``DecisionLog``."""
        _, (news, late), others = self._before
        stored, verdicts, delivered = evidence.newest_scored(self._tx, self._user.id, newest + len(news))
        seqs = sorted({*stored, *self._new.archive}.difference(news))[-newest:]
        known = {Kind.LIKE: 1.0, Kind.DISLIKE: 0.0}
        said = {seq: known[kind] for seq, kind in (verdicts | others).items() if kind in known}
        return (
            self.articles(seqs),
            np.array([said.get(seq, nan) for seq in seqs]),
            np.isin(seqs, delivered) & ~np.isin(seqs, late),
        )

    def implicit(self, newest: int, after: int) -> Implicit:
        """See ``DecisionLog``."""
        found = self.counted_readings(newest, after)
        return Implicit(self.articles([each.story for each, _ in found]), np.array([weight for _, weight in found]))

    def counted_readings(self, newest: int = NEWEST_IMPLICIT, after: int = 0) -> list[tuple[StoryReading, float]]:
        """Return what the user did with the stories that count without a verdict, each with its weight.

        As for ``DecisionLog.implicit``.
        """
        if not self._readings:
            return []
        of = [signs_of(each) for each in self._readings]
        verdicts = feedback.verdicts(self._tx, self._user.id, [each.story for each in self._readings])
        known = [(sign, verdicts.get(each.story)) for sign, each in zip(of, self._readings, strict=True)]
        liked = [(sign, kind is Kind.LIKE) for sign, kind in known if kind in feedback.VERDICTS]
        since = feedback.time_of(self._tx, after)
        rows = [
            (each, sign)
            for each, (sign, kind) in zip(self._readings, known, strict=True)
            if kind is None and sign and (since is None or each.at > since)
        ]
        found = weights([sign for _, sign in rows], counted(liked))
        return [(rows[place][0], float(found[place])) for place in newest_of_each(found, newest).tolist()]

    def today(self, at: datetime) -> Today:
        """See ``loop.Log``."""
        since = day_began(at, decisions.time_of_round_before(self._tx, self._user.id, at))
        starts = [since - day * DAY for day in range(1 + DAYS_BEFORE)]
        today, *earlier = (evidence.deliveries_since(self._tx, self._user.id, start) for start in starts)
        before = max(old.recommended - new.recommended for new, old in pairwise([today, *earlier]))
        is_third_day = earlier[-1].decided > earlier[0].decided
        return Today(today.decided, today.recommended, today.explored, before if is_third_day else None)

    def shown(self) -> list[TermVector]:
        """See ``loop.Log``."""
        return [TermVector.from_bytes(each.terms) for each in decisions.delivered(self._tx, self._user.id, SHOWN)]

    @property
    def basis(self) -> Basis | None:
        """The basis in force."""
        known, number = self._known.bases, features.newest_basis_number(self._tx)
        if number not in known and (found := stream_vectors.load(self._tx, number)):
            known[number] = found
        return known.get(number)

    def articles(self, seqs: Sequence[int]) -> Articles:
        """Return stories that have a decision, in the order of ``seqs``."""
        known = self._known.votes
        known.update(evidence.votes(self._tx, self._user.id, [seq for seq in seqs if seq not in known]))
        return Articles(self.terms(seqs), np.array([known.get(seq, nan) for seq in seqs]))

    def hidden(self, since: datetime) -> Candidates:
        """See ``loop.Log``; archive is left out."""
        if since not in self._hidden:
            seqs = evidence.candidates(self._tx, self._user.id, since)
            self._hidden[since] = self.candidates(seqs, rule_outcomes.get(self._tx, self._user.id, seqs))
        return self._hidden[since]

    def n_hidden(self, since: datetime) -> int:
        """See ``loop.Log``."""
        return len(evidence.candidates(self._tx, self._user.id, since))

    def candidates(
        self, seqs: Sequence[int], outcomes: Mapping[int, RuleOutcome], votes: Floats | None = None
    ) -> Candidates:
        """Return articles that may be delivered; ``votes`` are those of new ones, which are not stored yet."""
        articles = self.articles(seqs) if votes is None else Articles(self.terms(seqs), votes)
        boosts = np.array([ruled_score(0.0, outcomes.get(seq)) for seq in seqs])
        return Candidates(seqs, articles, self.sources(seqs), boosts)

    def terms(self, seqs: Sequence[int]) -> TermBatch:
        """Return the term vectors of articles, with their meanings by the encoder that is installed."""
        found = self._read(seqs)
        return TermBatch.from_bytes([each.terms for each in found], seqs, [each.meaning for each in found])

    def sources(self, seqs: Sequence[int]) -> list[str]:
        """Return the sources of articles."""
        return [each.source for each in self._read(seqs)]

    def _read(self, seqs: Sequence[int]) -> list[Words]:
        known = self._known.words
        unknown = [seq for seq in dict.fromkeys(seqs) if seq not in known]
        known.update(evidence.words(self._tx, unknown, encoder_name()))
        return [known[seq] for seq in seqs]


def signs_of(found: StoryReading) -> frozenset[Sign]:
    """Return the signs of a story by what the user did with it."""
    return signs(
        opened=found.opened,
        seconds=found.seconds,
        saved=found.saved,
        original=found.original,
        left=found.left,
        passed=found.passed,
    )
