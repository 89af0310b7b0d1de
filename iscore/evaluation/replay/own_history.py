"""A reader's own history as a measured stream: what another classifier would have done for them.

It holds what they have liked or disliked here, in order of arrival, with the features that were frozen then, and with
the tags and weights with which each verdict was learned. What was never delivered has no verdict and is not in it: a
classifier that would have found more there gets no credit for it, and the one that was in force chose the articles.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path

from iscore.core.errors import ReplayError
from iscore.evaluation.replay.feature_cache import CHUNK, Measured, MeasuredWriter
from iscore.evaluation.replay.protocol import Protocol
from iscore.evaluation.replay.results import Results
from iscore.evaluation.replay.run import Progress, Replayed, Workers, check_classifiers, live, told, work_folder
from iscore.evaluation.replay.stream import Labels
from iscore.filtering.decision.exploration import weight_of
from iscore.services.article_mapping import analysed_article
from iscore.services.news_filter import NewsFilter
from storage import features, feedback
from storage.database import Database
from storage.records import Kind, LogEntry, User

OWN = "own history"
"""What the stream is called."""
YOU = "you"
"""... and its reader."""


NOTE = (
    "Only what was delivered to you has a verdict. A classifier that would have found more gets no credit for it, and "
    "what is compared was chosen by the one that you had."
)


def replay_own(
    news: NewsFilter,
    *,
    classifiers: Sequence[str],
    follow_changes: bool = False,
    report: Path | None = None,
    workers: Workers = Workers(),  # noqa: B008 -- frozen
    progress: Progress | None = None,
) -> Replayed:
    """Replay the verdicts of an open news filter in the full protocol, with each of these classifiers.

    Changes of interest are followed if ``follow_changes``, or if the settings say so. Raises ``ReplayError`` for an
    unknown classifier, and while there are no verdicts.
    """
    started = time.perf_counter()
    check_classifiers(classifiers)
    news.ingestion.catch_up(progress)
    context, database, names = news.context, news.database, news.extractors.article_feature_names
    protocol = Protocol(
        "full", seed=context.user.seed, follow_changes=follow_changes or context.settings.follow_changes
    )
    about = {"mind": NOTE, "replayed": f"{context.clock():%Y-%m-%d}"}
    with database.read() as tx:
        entries = [e for e in feedback.effective(tx, context.user_id) if e.kind in feedback.VERDICTS]
    if not entries:
        raise ReplayError("you have given no verdicts yet, so there is nothing to replay")
    entries.sort(key=lambda entry: entry.story)
    with work_folder(report) as work:
        results = Results(work / "outcomes", protocol, {OWN: _digest(entries)})
        history = own_history(database, context.user, entries, names, work / "measured" / OWN)
        problems = live([(history, YOU, each) for each in classifiers], protocol, results, workers, progress)
        keys = [(OWN, YOU, each) for each in classifiers]
        return told(results, keys, problems, protocol, report, about, started)


def own_history(
    database: Database, user: User, entries: Sequence[LogEntry], article_feature_names: Sequence[str], folder: Path
) -> Measured:
    """Write the articles of the log's entries, in order of arrival, as a measured stream."""
    likes = sum(entry.kind is Kind.LIKE for entry in entries)
    writer = MeasuredWriter(folder, len(entries), {YOU: Labels(likes, len(entries) - likes)})
    times = []
    for start in range(0, len(entries), CHUNK):
        portion = entries[start : start + CHUNK]
        with database.read() as tx:
            articles = features.arrived(tx, user.id, [entry.story for entry in portion])
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
    return writer.complete(OWN, article_feature_names, texts=True, first=times[0], last=times[-1], problems={})


def _digest(entries: Sequence[LogEntry]) -> str:
    told = "\n".join(f"{e.story} {e.kind.value} {e.probability} {' '.join(e.tags)}" for e in entries)
    return blake2b(told.encode(), digest_size=16).hexdigest()
