"""Replay a user's own history: how other classifiers would have done with their verdicts.

The stream holds the articles that they liked or disliked, in order of arrival, with the features and stream vectors of
that time and the tags and weights with which each verdict was learned. Articles that were never delivered have no
verdict and are left out: a classifier that would have found more of them gets no credit for it, and the classifier in
use chose the articles.
"""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path

from iscore.core.errors import ReplayError
from iscore.core.timings import Progress
from iscore.evaluation.replay.feature_cache import CHUNK, FeatureCache, FeatureCacheWriter
from iscore.evaluation.replay.outcome import OutcomeStore
from iscore.evaluation.replay.protocol import Protocol
from iscore.evaluation.replay.run import ReplayResult, Workers, check_classifiers, run, work_folder
from iscore.evaluation.replay.stream import Labels
from iscore.services.learning import stream_vectors
from iscore.services.learning.article_features import analysed_article
from iscore.services.learning.log_replay import weight_of
from iscore.services.news_filter import NewsFilter
from storage.log import feedback
from storage.opening.database import Database
from storage.records.users import Kind, LogEntry, User
from storage.stream import features

OWN = "own history"
"""The name of the stream."""
YOU = "you"
"""The name of its reader."""

NOTE = (
    "Only what was delivered to you has a verdict. A classifier that would have found more gets no credit for it, and "
    "the classifier that you used chose the articles that are compared."
)


def replay_own_history(
    news: NewsFilter,
    *,
    classifiers: Sequence[str],
    thresholder: str = "",
    report: Path | None = None,
    workers: Workers = Workers(),  # noqa: B008 -- frozen
    progress: Progress | None = None,
) -> ReplayResult:
    """Replay the verdicts of an open news filter in the full protocol, with each of these classifiers.

    ``thresholder`` is as in ``Protocol``. Raises ``ReplayError`` for an unknown classifier, and while there are no
    verdicts.
    """
    started = time.perf_counter()
    check_classifiers(classifiers)
    news.ingestion.catch_up(progress)
    context, database, names = news.context, news.database, news.extractors.article_feature_names
    protocol = Protocol("full", seed=context.user.seed, thresholder=thresholder)
    about = {"mind": NOTE, "replayed": f"{context.clock():%Y-%m-%d}"}
    with database.read() as tx:
        entries = [e for e in feedback.effective(tx, context.user_id) if e.kind in feedback.VERDICTS]
    if not entries:
        raise ReplayError("you have given no verdicts yet, so there is nothing to replay")
    entries.sort(key=lambda entry: entry.story)
    with work_folder(report) as work:
        store = OutcomeStore(work / "outcomes", protocol, {OWN: _digest(entries)})
        history = own_history(database, context.user, entries, names, work / "measured" / OWN)
        wanted = [(history, YOU, classifier) for classifier in classifiers]
        return run(wanted, protocol, store, workers, progress, report=report, about=about, started=started)


def own_history(
    database: Database, user: User, entries: Sequence[LogEntry], article_feature_names: Sequence[str], folder: Path
) -> FeatureCache:
    """Write a feature cache of the articles of these entries of the log, in order of arrival."""
    likes = sum(entry.kind is Kind.LIKE for entry in entries)
    writer = FeatureCacheWriter(folder, len(entries), {YOU: Labels(likes, len(entries) - likes)})
    times = []
    for start in range(0, len(entries), CHUNK):
        portion = entries[start : start + CHUNK]
        with database.read() as tx:
            articles = features.ingested(tx, user.id, [entry.story for entry in portion])
        times += [articles[0].arrived, articles[-1].arrived]
        writer.add(
            [
                analysed_article(article._replace(tags=entry.tags), tuple(article_feature_names))
                for article, entry in zip(articles, portion, strict=True)
            ],
            [{YOU: entry.kind is Kind.LIKE} for entry in portion],
            range(start, start + len(portion)),
            [weight_of(entry.probability) for entry in portion],
        )
    stories = [entry.story for entry in entries]
    with database.read() as tx:
        for basis in features.load_bases(tx):
            writer.add_basis(bisect_right(stories, basis.sequence), stream_vectors.restored(basis))
    return writer.complete(OWN, article_feature_names, texts=True, first=times[0], last=times[-1], problems={})


def _digest(entries: Sequence[LogEntry]) -> str:
    rows = "\n".join(f"{e.story} {e.kind.value} {e.probability} {' '.join(e.tags)}" for e in entries)
    return blake2b(rows.encode(), digest_size=16).hexdigest()
