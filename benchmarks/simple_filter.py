"""A simple filter for headlines, which iScore must beat: tf-idf, Rocchio and regression, and nothing else.

Words and the linked host, without what a feed writes into most of its entries; scikit-learn's weights and regression;
the likeliest articles of a week from the threshold of the greatest expected F0.5. Hidden articles count as
max(10, 0.5 · likes) dislikes in the calibration. Any word of an interest is a vote until there are likes. Numbers a day
are those of iScore, without its stories, rules, stream vectors, feature classifier, lean and changes of interest.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import precision_recall_curve
from sklearn.model_selection import cross_val_predict
from sklearn.preprocessing import normalize

from benchmarks.resampling import Bools, Floats
from benchmarks.streams.data import site_of
from iscore.evaluation.replay.stream_format import LabelledArticle
from iscore.filtering.delivery.limits import explored, least, most

URL, WORD = re.compile(r"https?://\S+"), re.compile(r"[^\W\d_]\w+")
STEM = 6
USUAL, ENOUGH_ENTRIES = 0.3, 10
"""A word of more of a feed's entries is boilerplate, from this entry on."""
WINDOW, POOL, SAMPLE, NEWEST = 7, 3000, 750, 150
"""Days in which a hidden article may be delivered; articles for the threshold; hidden ones that stand for all; verdicts
of each kind."""
COST, WEAK, ROCCHIO = 5.0, 0.1, 30
HIDDEN, HIDDEN_PER_LIKE = 10.0, 0.5
WORDS_STRENGTH = 5.0
"""Likes at which the words of an interest count as much as verdicts do."""
FIRST, LATER = 20, 5
"""Articles shown a day until one is disliked, and then until one is liked."""


def stems(text: str) -> list[str]:
    """Return the beginnings of words, which is as good as a stemmer here.

    >>> stems("Vulnerabilities of TLS")
    ['vulner', 'of', 'tls']
    """
    return [word.lower()[:STEM] for word in WORD.findall(text)]


@dataclass(slots=True)
class Texts:
    """The words of a stream, cleaned in order of arrival."""

    articles: Sequence[LabelledArticle]
    days: list[range] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)
    counts: Any = None
    """Shape (articles, words)."""
    known: Any = None
    """Of each day, in how many articles before it each word is."""

    def __post_init__(self) -> None:
        entries: Counter[str] = Counter()
        of_feed: dict[str, Counter[str]] = defaultdict(Counter)
        rows, columns = [], []
        for row, article in enumerate(self.articles):
            text = f"{article.title} {article.text}"
            host = next((f"host:{site_of(url)}" for url in URL.findall(text)), f"host:{article.source}")
            found = stems(URL.sub(" ", text))
            feed, seen = entries[article.source], of_feed[article.source]
            kept = [word for word in found if feed < ENOUGH_ENTRIES or seen[word] <= USUAL * feed]
            entries[article.source] += 1
            seen.update(set(found))
            columns += [self.numbers.setdefault(word, len(self.numbers)) for word in [*kept, host]]
            rows += [row] * (len(kept) + 1)
        shape = (len(self.articles), len(self.numbers))
        self.counts = sparse.csr_matrix((np.ones(len(rows)), (rows, columns)), shape=shape)
        groups = groupby(range(len(self.articles)), key=lambda row: self.articles[row].arrived.date())
        self.days = [range(each[0], each[-1] + 1) for _, group in groups for each in [list(group)]]
        there = self.counts.sign()
        self.known = sparse.vstack([sparse.csr_matrix(there[: day.start].sum(axis=0)) for day in self.days]).tocsr()

    def rarity(self, day: int) -> Floats:
        """Return the idf of each word at the beginning of a day."""
        found: Floats = np.log((1 + self.days[day].start) / (1.0 + self.known[day].toarray()[0])) + 1.0
        return found

    def vectors(self, day: int, rows: Any) -> Any:
        """Return vectors of length 1 of articles as they are on a day."""
        counts = self.counts[rows]
        counts.data = 1.0 + np.log(counts.data)
        return normalize(counts.multiply(self.rarity(day)).tocsr())

    def matches(self, interests: Sequence[str], day: int) -> Floats:
        """Return of each article how much of the best of some interests it has, by the rarity of its words."""
        rarity, best = self.rarity(day), np.zeros(len(self.articles))
        for text in interests:
            known = {self.numbers[word] for word in stems(text) if word in self.numbers}
            mine = sorted(number for number in known if self.known[day, number] < 0.1 * self.days[day].start)
            best = np.maximum(best, self.counts[:, mine].sign() @ rarity[mine])
        return best


@dataclass(slots=True)
class Reader:
    """One reader's days: ``liked`` (articles,) is the truth, the first ``archive`` articles are never delivered."""

    texts: Texts
    liked: Bools
    archive: int = 0
    examples: Sequence[int] = ()
    interests: Sequence[str] = ()
    verdicts: list[int] = field(default_factory=list)
    """Deliveries with a verdict, in order."""

    def delivered(self) -> Bools:
        """Return what is delivered."""
        shown, waiting = np.zeros(len(self.liked), dtype=bool), list[int]()
        for day, arrived in enumerate(self.texts.days):
            self.verdicts += waiting
            fresh = range(max(arrived.start, self.archive), arrived.stop)
            waiting = self._round(day, arrived.start, fresh, shown) if fresh else []
            shown[waiting] = True
        return shown

    def _round(self, day: int, start: int, fresh: range, shown: Bools) -> list[int]:
        taken = set(self.verdicts) | set(self.examples)
        week = range(max(self.texts.days[max(day - WINDOW, 0)].start, self.archive), fresh.start)
        candidates = np.array([*(row for row in week if row not in taken and not shown[row]), *fresh])
        likes = [*self.examples, *(row for row in self.verdicts if self.liked[row])][-NEWEST:]
        dislikes = [row for row in self.verdicts if not self.liked[row]][-NEWEST:]
        if not likes and not self.interests:
            return self._diverse(day, np.array(fresh), LATER if dislikes else FIRST)
        pool = np.arange(max(start - POOL, 0), start)
        hidden = np.setdiff1d(np.arange(max(start - 5000, 0), start), [*taken, *np.flatnonzero(shown)])
        rows = np.concatenate([candidates, pool, fresh]).astype(int)
        log_odds = self._log_odds(day, likes, dislikes, hidden, rows)
        chances = 1.0 / (1.0 + np.exp(-log_odds[len(candidates) :]))
        known = np.isin(pool, self.verdicts)
        chances[: len(pool)][known] = self.liked[pool[known]]
        falling = np.sort(chances)[::-1]
        best = (1.25 * np.cumsum(falling) / (np.arange(1, len(falling) + 1) + 0.25 * falling.sum())).max()
        threshold = 0.8 * min(max(float(best), 0.25), 0.8)
        order = np.argsort(-log_odds[: len(candidates)], kind="stable")
        n_likes = len(likes) - len(self.examples)
        reached = int((log_odds[: len(candidates)] >= np.log(threshold / (1.0 - threshold))).sum())
        recommended = min(reached, most(n_likes))
        at_least = least(n_likes, len(fresh), examples=bool(self.examples))
        count = max(recommended + explored(len(fresh), recommended), at_least)
        chosen: list[int] = candidates[order[:count]].tolist()
        return chosen

    def _log_odds(self, day: int, likes: list[int], dislikes: list[int], hidden: Floats, rows: Floats) -> Floats:
        sample = np.random.default_rng(day).permutation(hidden)[:SAMPLE].astype(int)
        total = np.zeros(len(rows))
        if len(likes) > 1:
            known, y = self.texts.vectors(day, [*likes, *dislikes]), np.arange(len(likes) + len(dislikes)) < len(likes)
            other, new = self.texts.vectors(day, sample), self.texts.vectors(day, rows)
            share = ROCCHIO / (ROCCHIO + len(y))
            for part, (left_out, background, found) in (
                (share, _rocchio(known, y, other, new)),
                (1.0 - share, _regression(known, y, other, new, len(hidden))),
            ):
                total += part * _line(left_out, y, background, found)
        if not self.interests and len(likes) > 1:
            return total
        words = (
            self.texts.matches(self.interests, day)
            if self.interests
            else np.asarray(
                (self.texts.vectors(day, np.arange(len(self.liked))) @ self.texts.vectors(day, likes).T).toarray()
            ).mean(axis=1)
        )
        spread = np.sort(words[rows])[::-1]
        by_words = (words[rows] - spread[len(spread) // 200]) / max(float(words[rows].std()), 1e-9)
        share = WORDS_STRENGTH / (WORDS_STRENGTH + len(likes) + 0.25 * len(dislikes)) if len(likes) > 1 else 1.0
        mixed: Floats = (1.0 - share) * total + share * by_words
        return mixed

    def _diverse(self, day: int, fresh: Floats, count: int) -> list[int]:
        """Return the articles that represent the day best, one after the other."""
        vectors = self.texts.vectors(day, fresh)
        similar = (vectors @ vectors.T).toarray()
        similar[similar < 0.2] = 0.0
        covered, chosen = np.zeros(len(fresh)), list[int]()
        for _ in range(min(count, len(fresh))):
            gains = np.maximum(similar - covered, 0.0).sum(axis=1)
            gains[chosen] = -1.0
            chosen.append(int(np.argmax(gains)))
            covered = np.maximum(covered, similar[chosen[-1]])
        return [int(fresh[place]) for place in chosen]


def _rocchio(known: Any, y: Bools, hidden: Any, new: Any) -> tuple[Floats, Floats, Floats]:
    """Return left-out scores of ``known``, and scores of the hidden sample and of new articles."""
    likes = np.asarray(known[y].sum(axis=0))[0]
    away = np.asarray(hidden.mean(axis=0))[0]
    if not y.all():
        away = away + 0.25 * np.asarray(known[~y].mean(axis=0))[0]
    weights = likes / y.sum() - away
    left_out = known @ weights
    left_out[y] = (known[y] @ likes - 1.0) / (y.sum() - 1) - known[y] @ away
    return 30.0 * left_out, 30.0 * (hidden @ weights), 30.0 * (new @ weights)


def _regression(known: Any, y: Bools, hidden: Any, new: Any, n_hidden: int) -> tuple[Floats, Floats, Floats]:
    model = LogisticRegression(C=COST, solver="liblinear")
    X, targets = sparse.vstack([known, hidden]), np.concatenate([y, np.zeros(hidden.shape[0], dtype=bool)])
    weights = np.concatenate([np.ones(len(y)), np.full(hidden.shape[0], WEAK * n_hidden / max(hidden.shape[0], 1))])
    folds = 3 if y.sum() > 10 else min(5, int(y.sum()))
    left_out = cross_val_predict(
        model, X, targets, cv=folds, method="decision_function", params={"sample_weight": weights}
    )
    model.fit(X, targets, sample_weight=weights)
    return left_out[: len(y)], left_out[len(y) :], model.decision_function(new)


def _line(left_out: Floats, y: Bools, background: Floats, found: Floats) -> Floats:
    """Return log-odds of scores: a regression of what is known on them, where hidden articles are dislikes."""
    middle = float(np.quantile(left_out[y], 0.4))
    x = np.concatenate([left_out, background]) - middle
    weight = max(HIDDEN, HIDDEN_PER_LIKE * float(y.sum())) / max(len(background), 1)
    weights = np.concatenate([np.ones(len(y)), np.full(len(background), weight)])
    targets = np.concatenate([y, np.zeros(len(background), dtype=bool)])
    line = LogisticRegression(C=4.0).fit(x[:, np.newaxis], targets, sample_weight=weights)
    odds: Floats = line.decision_function((found - middle)[:, np.newaxis])
    return odds


def told_everything(texts: Texts, liked: Bools) -> Bools:
    """Return what is delivered if every verdict is known at the end of each day: a regression of all, cut at what
    would have been best for its scores of the last weeks."""
    scores, shown = np.zeros(len(liked)), np.zeros(len(liked), dtype=bool)
    begun, model = 0, LogisticRegression(C=10.0, solver="liblinear")
    for day, arrived in enumerate(texts.days):
        past, rows = np.arange(arrived.start), np.array(arrived)
        if liked[past].sum() < 3:
            begun = arrived.stop
            continue
        scores[rows] = model.fit(texts.vectors(day, past), liked[past]).decision_function(texts.vectors(day, rows))
        recent = past[max(begun, len(past) - 5000) :]
        threshold = 0.0
        if liked[recent].sum() > 2:
            precision, recall, thresholds = precision_recall_curve(liked[recent], scores[recent])
            f = 1.25 * precision * recall / np.maximum(0.25 * precision + recall, 1e-9)
            threshold = float(thresholds[int(np.argmax(f[:-1]))])
        shown[rows] = scores[rows] >= threshold
    return shown
