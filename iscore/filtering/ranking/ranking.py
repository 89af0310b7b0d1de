"""The score of articles for one reader: votes, each calibrated, added up by what they are worth.

    verdicts, examples, hidden ──────► Rocchio ─────────► line ─┐
                                    ─► regression ──────► line ─┴─► rankers ─┐
    interests in words ──────────────► similarity ──────► line ─────────────┼─► log-odds
    verdicts ────────────────────────► feature classifier ─► line ──────────┘

Early on Rocchio is better, with many verdicts regression; averaging calibrated log-odds is better than either. The
words of interests (``phrases``) are all that is known at first, and count less with each verdict. The feature
classifier knows what vectors of words do not: sources, authors, style, freshness. Its share is the one that would have
predicted the newest verdicts best.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import log
from typing import NamedTuple

import numpy as np

from extractors.arrays import Bools, Floats, Int32s, Int64s
from extractors.text.terms import TermBatch
from iscore.filtering.ranking.calibration import Line, Offsets, fit_line, likely_score, log_loss, sigmoid
from iscore.filtering.ranking.evidence import Evidence
from iscore.filtering.ranking.interests import assigned, named, nearest
from iscore.filtering.ranking.labelled import NO_INTEREST, Articles, Labelled
from iscore.filtering.ranking.phrases import Match, Scale, Words, WordVote
from iscore.filtering.ranking.rankers import Ranker, Training, regression, rocchio
from iscore.filtering.ranking.vectors import Vectors, Weights

ROCCHIO_VERDICTS = 30
"""Verdicts and examples at which both rankers count alike."""
LEAST_SHARE = 0.1
"""With a smaller share Rocchio no longer counts."""
EXAMPLE_WEIGHT = 0.5
"""Weight of an example in the calibration: it was not found among the articles of this stream."""
HIDDEN_WEIGHT, HIDDEN_PER_LIKE = 10.0, 0.5
"""Weight of all hidden articles together in the calibration, as dislikes, and for each like, whichever is more:
while little is disliked nothing else tells how far likes are from the rest."""
ROCCHIO_MIDDLE, REGRESSION_MIDDLE, CLASSIFIER_MIDDLE = 0.35, 0.5, 0.5
"""Quantiles of the left-out scores of liked articles that are even odds before there is evidence."""
SHARES = np.linspace(0.01, 0.99, 99)
USUAL_SHARE, SHARE_STRENGTH = 1 / 3, 10.0
"""The classifier is one of three votes. Its share moves away from that as by evidence of ``SHARE_STRENGTH``
verdicts."""
PHRASE_LIKES = 5
"""Likes of its own with which an interest in words is found among the likes of others."""
WORDS_AT, DISLIKE_OF_WORDS = 5.0, 0.1
"""Likes with which interests in words count as much as the rankers, and how many of these a dislike is worth."""
FEWEST_VOTES = 300
"""Articles of the pool with a vote that are needed to correct it, or half of a smaller pool."""


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """Margins: uncalibrated log-odds, correctly ranked, biased upwards, since they were fitted to deliveries."""

    articles: Floats
    pool: Floats
    new: Floats
    """Of the new articles of the evidence."""
    interests: Int64s
    """Of each article the number of its interest, or ``NO_INTEREST``."""
    offsets: Offsets
    """How true the margins are."""

    def at(self, places: Int64s) -> Scored:
        """Return the same for some of the articles, by their places."""
        return replace(self, articles=self.articles[places], interests=self.interests[places])


class Ranking(NamedTuple):
    """Log-odds by rankers: weights · vector + constant."""

    weights: Weights
    constant: float


@dataclass(frozen=True, slots=True, eq=False)
class _Vote:
    """Log-odds of the articles, the pool, the new ones, and, left out, of what has a verdict or is an example."""

    articles: Floats
    pool: Floats
    new: Floats
    labelled: Floats


@dataclass(frozen=True, slots=True)
class _Classifier:
    """How the feature classifier's vote counts."""

    share: float = 0.0
    line: Line = field(default_factory=Line)
    correction: Line = field(default_factory=Line)

    def sums(self, rankers: Floats, votes: Floats) -> Floats:
        """Add votes to the rankers'."""
        return (1.0 - self.share) * rankers + self.share * self.line.log_odds(votes)

    def added(self, rankers: Floats, votes: Floats) -> Floats:
        """Return the log-odds by all votes; those of the rankers where the classifier has none."""
        if self.share == 0.0:
            return rankers
        return np.where(np.isnan(votes), rankers, self.correction.log_odds(self.sums(rankers, votes)))


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """Everything that was fitted to score some articles."""

    rankers: _Vote
    interests: Int64s
    """As in ``Scored``."""
    base: Ranking | None
    """By all that is liked; None without a like."""
    votes: Sequence[WordVote]
    """An article's log-odds are the largest by these; without interests in words, those by ``base``."""
    terms: Int32s
    """The terms to which the weights of rankings belong; all others have no weight."""
    centre: Floats | None
    """As in ``Vectors``."""
    classifier: _Classifier
    left_out: Floats
    """Of each labelled article the margin by votes that have not learned from it."""
    offsets: Offsets
    """As in ``Scored``."""

    def scored(self, votes: Floats, evidence: Evidence) -> Scored:
        """Add the classifier's votes on the articles, and on those of the evidence."""
        added, rankers = self.classifier.added, self.rankers
        return Scored(
            added(rankers.articles, votes),
            added(rankers.pool, evidence.pool.votes),
            added(rankers.new, evidence.new.votes),
            self.interests,
            self.offsets,
        )


def score(articles: Articles, evidence: Evidence) -> Scored:
    """Score articles, and the pool, by what is known. There must be a like or an example."""
    return fitted(articles, evidence).scored(articles.votes, evidence)


def fitted(articles: Articles, evidence: Evidence) -> Fitted:
    """Fit what is needed to score articles. There must be a like or an example."""
    labelled = evidence.labelled
    batches = (labelled.terms, evidence.hidden_sample, evidence.pool.terms, evidence.new.terms, articles.terms)
    terms, of_all = TermBatch.joined(batches).distinct()
    starts = np.cumsum([0, *(len(batch) for batch in batches)]).tolist()
    places = [of_all[start:end] for start, end in pairwise(starts)]
    training = Training(
        vectors=Vectors.of(terms, evidence.basis, np.concatenate(places[2:4])),
        labelled=places[0],
        liked=labelled.liked,
        weights=labelled.weights,
        hidden=places[1],
        represented=evidence.n_hidden / max(len(places[1]), 1),
    )
    words = Words.of(labelled.phrases, evidence.pool.terms, evidence.basis, training.vectors.centre)
    matches = [each.match(terms) for each in words]
    scales = [Scale.of(match.similarities[places[2]]) for match in matches]
    near = nearest(words, matches, scales, len(terms))
    interests, owners = assigned(
        training, np.where(labelled.interests == NO_INTEREST, near[places[0]], labelled.interests), len(labelled.names)
    )
    base, log_odds, left_out = _base(training, labelled)
    votes = _word_votes(words, matches, scales, training, labelled, owners)
    if votes:
        similar = {each.interest: match.similarities for each, match in zip(words, matches, strict=True)}
        of = [similar[vote.words.interest] for vote in votes]
        left_out = np.max([vote.added(left_out, each[places[0]]) for vote, each in zip(votes, of, strict=True)], axis=0)
        log_odds = np.max([vote.added(log_odds, each) for vote, each in zip(votes, of, strict=True)], axis=0)
    rankers = _Vote(log_odds[places[4]], log_odds[places[2]], log_odds[places[3]], left_out)
    belongs = named(
        near[places[4]],
        interests.of(training.vectors, places[4]),
        [(each.interest, match.for_certain) for each, match in zip(words, matches, strict=True)],
        places[4],
        labelled.interests,
    )
    classifier = (
        _alone(evidence)
        if evidence.rankers == "classifier"
        else _Classifier()
        if evidence.rankers == "words"
        else _classifier(rankers, evidence)
    )
    delivered = evidence.deliveries
    margins = classifier.added(rankers.labelled, evidence.left_out)
    offsets = Offsets.of(margins[delivered], evidence.margins, labelled.liked[delivered])
    vocabulary, centre = terms.vocabulary.terms, training.vectors.centre
    return Fitted(rankers, belongs, base, votes, vocabulary, centre, classifier, margins, offsets)


def _alone(evidence: Evidence) -> _Classifier:
    """Let the feature classifier rank alone: a line through its left-out scores, and its scores of the hidden articles.

    Until there are two likes with such scores its own log-odds count. What it did not score the rankers do.
    """
    known = ~np.isnan(evidence.left_out)
    scores, liked = evidence.left_out[known], evidence.labelled.liked[known]
    weights, surely = evidence.labelled.weights[known], liked & ~evidence.labelled.implicit[known]
    if np.count_nonzero(surely) < 2:
        return _Classifier(1.0)
    hidden = evidence.pool.votes[evidence.hidden & ~np.isnan(evidence.pool.votes)]
    middle = float(np.quantile(scores[surely], CLASSIFIER_MIDDLE))
    return _Classifier(1.0, _line(scores, liked, weights, hidden, float(weights[liked].sum()), middle))


def _word_votes(
    words: Sequence[Words],
    matches: Sequence[Match],
    scales: Sequence[Scale],
    training: Training,
    labelled: Labelled,
    owners: Int64s,
) -> list[WordVote]:
    """Return how interests in words vote: together, and each that has few likes of its own once more.

    It would be lost among the likes of others. If the user has weakened an interest, its vote counts less beside the
    rankers', and its odds are less where it votes without them.
    """
    if not words:
        return []
    deviations = np.array([scale.deviations(match.similarities) for scale, match in zip(scales, matches, strict=True)])
    everything = np.ones(len(labelled.liked), dtype=np.bool_)
    line, share = _word_line(deviations.max(axis=0), training, labelled, everything)
    votes = [
        WordVote.of(each, scale, line, share, each.weight)
        if labelled.only_words
        else WordVote.of(each, scale, line, share * each.weight, 1.0)
        for each, scale in zip(words, scales, strict=True)
    ]
    own = owners[labelled.liked & labelled.verdicts]
    # A sole interest is what everything is about, unless there are likes and none belongs to it.
    few = PHRASE_LIKES if len(labelled.names) > 1 else min(len(own), 1)
    for place, (each, scale) in enumerate(zip(words, scales, strict=True)):
        if np.count_nonzero(own == each.interest) < few:
            # What is liked of another interest says nothing about this one.
            counted = (owners == each.interest) | ~labelled.liked
            line, share = _word_line(deviations[place], training, labelled, counted)
            votes.append(WordVote.of(each, scale, line, share, each.weight))
    return votes


def _word_line(deviations: Floats, training: Training, labelled: Labelled, counted: Bools) -> tuple[Line, float]:
    """Fit the line of words to what counts and to what is hidden; return it with the share that verdicts leave."""
    liked, weights = labelled.liked[counted], labelled.weights[counted]
    likes, dislikes = float(weights[liked].sum()), float(weights[~liked].sum())
    line = _line(deviations[training.labelled[counted]], liked, weights, deviations[training.hidden], likes, 0.0)
    return line, 1.0 if labelled.only_words else WORDS_AT / (WORDS_AT + likes + DISLIKE_OF_WORDS * dislikes)


def _base(training: Training, labelled: Labelled) -> tuple[Ranking | None, Floats, Floats]:
    """Return the ranking by all that is liked, the log-odds of all articles, and left-out ones of the labelled ones.

    Without a like there is none, and all are 0.
    """
    if labelled.only_words:
        return None, np.zeros(len(training.vectors)), np.zeros(len(labelled.liked))
    return _ranking(training, labelled)


def _ranking(training: Training, labelled: Labelled) -> tuple[Ranking, Floats, Floats]:
    """Return the ranking by all that is liked, the log-odds of all articles, and left-out ones of the labelled ones."""
    implicit, trust = labelled.implicit, _trust(labelled)
    known = int(np.count_nonzero(~implicit)) + float(training.weights[implicit].sum())
    share = ROCCHIO_VERDICTS / (ROCCHIO_VERDICTS + known)
    share = share if share >= LEAST_SHARE else 0.0
    wanted = np.arange(len(training.vectors))
    total, left_out = np.zeros(len(wanted)), np.zeros(len(training.liked))
    weights, constant = training.vectors.zero(), 0.0
    for fit, part, middle in ((rocchio, share, ROCCHIO_MIDDLE), (regression, 1.0 - share, REGRESSION_MIDDLE)):
        if part > 0.0:
            ranker = fit(training)
            line = _calibrated(ranker, training, trust, implicit, middle)
            total += part * line.log_odds(ranker.scores(training.vectors, wanted))
            left_out += part * line.log_odds(ranker.left_out)
            weights.words[:] += part * line.slope * ranker.weights.words
            weights.stream[:] += part * line.slope * ranker.weights.stream
            constant += part * (line.slope * (ranker.bias - line.middle) + line.offset)
    return Ranking(weights, constant), total, left_out


def _trust(labelled: Labelled) -> Floats:
    """Return the weight of each article in the calibration, as a part of its own weight."""
    return np.where(labelled.examples & ~labelled.implicit, EXAMPLE_WEIGHT, 1.0)


def _calibrated(ranker: Ranker, training: Training, trust: Floats, implicit: Bools, quantile: float) -> Line:
    weights = trust * training.weights
    liked = training.liked
    surely = liked & ~implicit
    background = np.sort(ranker.scores(training.vectors, training.hidden))[::-1]
    if np.count_nonzero(surely) > 1:
        middle = float(np.quantile(ranker.left_out[surely], quantile))
        return _line(ranker.left_out, liked, weights, background, float(training.weights[liked].sum()), middle)
    # A single like has no left-out score.
    middle = likely_score(background) if len(background) else 0.0
    return fit_line(ranker.left_out[~liked], liked[~liked], weights[~liked], middle)


def _line(left_out: Floats, liked: Bools, weights: Floats, hidden: Floats, likes: float, middle: float) -> Line:
    """Fit a line to left-out scores, where the scores of ``hidden`` articles count as dislikes."""
    weight = max(HIDDEN_WEIGHT, HIDDEN_PER_LIKE * likes)
    return fit_line(
        np.concatenate([left_out, hidden]),
        np.concatenate([liked, np.zeros(len(hidden), dtype=np.bool_)]),
        np.concatenate([weights, np.full(len(hidden), weight / max(len(hidden), 1))]),
        middle,
    )


def _classifier(rankers: _Vote, evidence: Evidence) -> _Classifier:
    """Return how the feature classifier's vote counts.

    Its share predicts verdicts best, given that it is one of three votes. But it has learned from deliveries only, and
    takes other articles for likelier than they are: so the sum is corrected by verdicts and, for what was hidden, by
    what the rankers say.
    """
    known, voted = ~np.isnan(evidence.left_out), ~np.isnan(evidence.pool.votes)
    scores, liked = evidence.left_out[known], evidence.labelled.liked[known]
    weights, surely = evidence.labelled.weights[known], liked & ~evidence.labelled.implicit[known]
    if np.count_nonzero(surely) < 2 or np.count_nonzero(voted) < min(FEWEST_VOTES, len(voted) / 2):
        return _Classifier()
    line = fit_line(scores, liked, weights, float(np.quantile(scores[surely], CLASSIFIER_MIDDLE)))
    votes, others = line.log_odds(scores), rankers.labelled[known]
    losses = [
        float((weights * log_loss((1.0 - share) * others + share * votes, liked)).sum())
        - SHARE_STRENGTH * (USUAL_SHARE * log(share) + (1.0 - USUAL_SHARE) * log(1.0 - share))
        for share in SHARES.tolist()
    ]
    share = float(SHARES[int(np.argmin(losses))])
    hidden = voted & evidence.hidden
    sums = _Classifier(share, line).sums(rankers.pool[hidden], evidence.pool.votes[hidden])
    scores = np.concatenate([(1.0 - share) * others + share * votes, sums])
    targets = np.concatenate([liked.astype(np.float64), sigmoid(rankers.pool[hidden])])
    weights = np.concatenate([weights, np.ones(len(sums))])
    return _Classifier(share, line, fit_line(scores, targets, weights, 0.0))
