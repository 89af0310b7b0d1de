"""What the decision of a round costs, in processor time: rankers, and the vote of the feature classifier.

Articles of Reuters as a reader of *acq* has them. With 300 verdicts, half of them likes, 10,000 articles have arrived,
and the others were hidden; with 10,000 verdicts, these are on the first 10,000 articles, and as many hidden ones came
after them. A round decides about 100 new articles, and again about the last 700 hidden ones. Rows with interests are of
a reader who has named many other topics in words, of which nothing is liked yet.

- *rankers*: vectors, fit, left-out scores, calibration, and the scores of articles and pool;
- *vote*: the feature classifier scores the new articles; its line, share and level;
- *evidence*: collecting what both learn from, which here is kept in memory;
- *decision*: everything, with cut and limits.

Milliseconds of processor time, medians of 21 rounds in one process, after one that compiles. Learning verdicts is not
part of it. Targets: at 300 verdicts 60 for rankers and 60 for the vote; at 10,000 verdicts 150 for rankers; 20 for each
interest beyond five.

    python -m benchmarks.round_costs [--folder FOLDER]

The feature cache stays in the folder for the next run.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice
from pathlib import Path

import numpy as np

from benchmarks import results
from benchmarks.adaptive_filtering import CLASSIFIER, INTERESTS, reuters_cache
from extractors.article_features import AnalysedArticle, AnalysedBatch
from extractors.text.frequencies import Frequencies
from extractors.text.terms import TermBatch
from iscore.evaluation.replay.feature_cache import LIKED, FeatureCache
from iscore.evaluation.replay.feature_cache_build import new_model
from iscore.evaluation.replay.starts import phrase
from iscore.filtering.delivery.changes import evidence_of
from iscore.filtering.delivery.decide import Batch, Candidates, Decision, decide
from iscore.filtering.memory_log import MemoryLog
from iscore.filtering.model import ReaderModel
from iscore.filtering.ranking.evidence import Evidence
from iscore.filtering.ranking.labelled import Articles
from iscore.filtering.ranking.ranking import score

READER = "acq"
NEW, EARLIER = 100, 700
ROUNDS = 21
SIZES = [(300, 10_000, 0), (300, 10_000, 5), (300, 10_000, 10), (300, 10_000, 25), (10_000, 20_000, 0)]
"""Verdicts, articles, interests."""
TOPICS = [text for reader, text in INTERESTS if "∧" not in reader and reader != READER]
COLUMNS = ["verdicts", "articles", "interests", "rankers, ms", "vote, ms", "evidence, ms", "decision, ms"]


def chosen(labels: Sequence[bool], verdicts: int) -> set[int]:
    """Return the articles with a verdict: half of them liked, or the first ones if there are to be many."""
    if verdicts > len(labels) // 4:
        return set(range(verdicts))
    of_kind = ([place for place, liked in enumerate(labels) if liked == kind] for kind in (True, False))
    return {place for places in of_kind for place in places[:: len(places) // (verdicts // 2)][: verdicts // 2]}


def past(
    stream: FeatureCache, reader: str, verdicts: int, articles: Sequence[AnalysedArticle]
) -> tuple[MemoryLog, ReaderModel]:
    """Return a log with a number of verdicts, and the feature classifier that learned them."""
    liked = (stream.labels(reader)[: len(articles)] == LIKED).tolist()
    with_verdict = chosen(liked, verdicts)
    model = new_model(stream, CLASSIFIER, seed=0)
    for place in sorted(with_verdict):
        model.learn(articles[place], liked[place])
    votes = model.score_many(AnalysedBatch.of(articles))
    log = MemoryLog(seed=0)
    for place, (article, vote) in enumerate(zip(articles, votes.tolist(), strict=True)):
        decision = Decision(vote, vote, 0.0, place in with_verdict, explore=False)
        alone = Articles(TermBatch.of([article.terms]), votes[place : place + 1])
        candidate = Candidates([place + 1], alone, ["source"], np.zeros(1))
        log.add_decisions(candidate, [decision], [article], article.metadata.arrived)
        if place in with_verdict:
            log.add_verdict(place + 1, article.terms, liked[place], decision)
    return log, model


def milliseconds(step: Callable[[], object]) -> float:
    """Return the median of processor time; the first run compiles and does not count."""
    found = []
    for _ in range(ROUNDS + 1):
        began = time.process_time()
        step()
        found.append((time.process_time() - began) * 1e3)
    return statistics.median(found[1:])


def costs(stream: FeatureCache, verdicts: int, size: int, interests: int, reader: str = READER) -> list[results.Cell]:
    """Return the figures for a number of verdicts and of interests."""
    each = (chunk.articles[row] for chunk in stream.chunks() for row in range(len(chunk.leaders)))
    articles = list(islice(each, size + NEW))
    log, model = past(stream, reader, verdicts, articles[:size])
    words = Frequencies()
    for article in articles[:size]:
        words.observe(article.terms)
    for text in TOPICS[:interests]:
        log.add_phrase(text, phrase(text, words, "en", articles[-1].metadata.arrived))
    basis, new = stream.basis_at(size), AnalysedBatch.of(articles[size:])
    now, log.basis = articles[-1].metadata.arrived, basis
    every_hidden = log.hidden(datetime.min.replace(tzinfo=now.tzinfo)).articles
    rows = np.arange(max(len(every_hidden.votes) - EARLIER, 0), len(every_hidden.votes))
    hidden = Articles(TermBatch.of([every_hidden.terms[row] for row in rows.tolist()]), every_hidden.votes[rows])

    def candidates() -> Articles:
        return Articles.joined(hidden, Articles.new(new, model))

    def decided() -> None:
        arrived = Articles.new(new, model)
        evidence = evidence_of(log, basis, model, new=arrived)
        every = Articles.joined(hidden, arrived)
        batch = Batch(every, ["source"] * len(every.votes), len(hidden.votes), np.zeros(len(every.votes)))
        decide(batch, evidence, log.today(now), log.shown())

    evidence = evidence_of(log, basis, model)
    both = milliseconds(lambda: score(candidates(), evidence))
    without = without_votes(evidence)
    joined = candidates()
    blank = Articles(joined.terms, np.full(len(joined.votes), np.nan))
    rankers = milliseconds(lambda: score(blank, without))
    collected = milliseconds(lambda: evidence_of(log, basis, model))
    known, found = [verdicts, size, interests], (rankers, both - rankers, collected, milliseconds(decided))
    return [*known, *(round(each, 1) for each in found)]


def without_votes(evidence: Evidence) -> Evidence:
    """Return the same where the feature classifier never gave a vote."""
    blank, left_out = np.full(len(evidence.pool.votes), np.nan), np.full(len(evidence.left_out), np.nan)
    return replace(evidence, pool=Articles(evidence.pool.terms, blank), left_out=left_out)


def main() -> None:
    """Measure and write ``benchmarks/results/round_costs``."""
    parser = argparse.ArgumentParser(description="What the decision of a round costs.")
    parser.add_argument("--folder", type=Path, help="where the feature cache stays")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        stream = reuters_cache(options.folder or Path(temporary))
        table = [costs(stream, *size) for size in SIZES]
    results.write("round_costs", "What the decision of a round costs", COLUMNS, table, __doc__ or "")


if __name__ == "__main__":
    main()
