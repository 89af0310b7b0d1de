"""Articles that have been stored but not measured: their features are computed, their story is found, both are frozen.

The stream's state (document frequencies, recent window, stories) is saved in the same transaction as the features that
it produced, so whatever happens in between, the two agree. Two processes may meet here: both compute, the first one
saves, the other sees that the stream has moved on and starts again from there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from extractors.article_features import AnalysedArticle
from extractors.extractor import Extractor
from extractors.near_duplicates import Stories, simhash_of
from iscore.feeds.urls import same_page
from iscore.filtering.features.computation import ArticleFeatures
from iscore.filtering.serialization import StateError, pack, unpack
from storage import articles, features, snapshots
from storage.database import Database
from storage.records import Article, Features, Snapshot

BATCH = 4000
"""Articles per transaction: some 10 MB of texts in memory, and a state of a few MB saved once for all of them."""

_FINGERPRINT = "stream 1"
"""The stream's state is not rebuilt, so it is not tied to versions; its outputs are facts once they are stored."""

Progress = Callable[[int, int, str], None]


class Ingestion:
    """Measures stored articles in order of arrival."""

    def __init__(self, database: Database, make_extractors: Callable[[], Mapping[str, Extractor]]) -> None:
        self._database = database
        self._make_extractors = make_extractors
        self.failures: dict[str, str] = {}
        """Extractors that failed, by name, with the newest reason."""

    def analyse_apart(self, strangers: Sequence[Article]) -> list[Features]:
        """Measure what came through no feed as if it arrived now, and let the stream know nothing of it.

        They are in no story; ``seq`` is taken as it is. Nothing is stored.
        """
        with self._database.read() as tx:
            stream = _Stream(self._make_extractors, snapshots.newest(tx, None, fingerprint=_FINGERPRINT))
        rows = stream.analyse_apart(strangers)
        self.failures |= stream.failures
        return rows

    def measure(self, progress: Progress | None = None) -> int:
        """Measure everything that waits; return how many articles it was."""
        done = 0
        stream: _Stream | None = None
        while True:
            with self._database.read() as tx:
                waiting = articles.unassessed(tx, BATCH)
                sequence = snapshots.newest_sequence(tx, None) or 0
                if not waiting:
                    return done
                if stream is None or stream.sequence != sequence:
                    stream = _Stream(self._make_extractors, snapshots.newest(tx, None, fingerprint=_FINGERPRINT))
            rows = stream.measure(waiting)
            state = stream.packed()
            self.failures |= stream.failures
            with self._database.write() as tx:
                if (snapshots.newest_sequence(tx, None) or 0) != sequence:
                    stream = None
                    continue
                features.add(tx, rows)
                snapshots.discard(tx, None)
                snapshots.save(tx, Snapshot(None, stream.sequence, _FINGERPRINT, state))
            done += len(rows)
            if progress is not None:
                progress(done, done, "measuring")


class _Stream:
    """The stream's side of the features, at one moment."""

    def __init__(self, make_extractors: Callable[[], Mapping[str, Extractor]], snapshot: Snapshot | None) -> None:
        self._features = ArticleFeatures(make_extractors())
        self._stories = Stories()
        self.sequence: int = 0 if snapshot is None else snapshot.sequence
        if snapshot is not None:
            try:
                state = unpack(snapshot.state)
                self._features.restore(state["features"])
                self._stories.restore(state["stories"])
            except (StateError, KeyError):
                # Damaged: novelty and rarity start afresh, and nothing that was stored changes.
                self._features = ArticleFeatures(make_extractors())
                self._stories = Stories()

    @property
    def failures(self) -> Mapping[str, str]:
        return self._features.failures.reasons

    def measure(self, waiting: Sequence[Article]) -> list[Features]:
        rows = []
        for article, frozen in zip(waiting, self._features.analyse_many(waiting), strict=True):
            page = same_page(article.url)
            story, simhash = self._stories.place(article.seq, frozen.terms, page, article.feed_id, article.arrived)
            rows.append(_row(article.seq, story, simhash, frozen))
        self.sequence = waiting[-1].seq
        return rows

    def analyse_apart(self, strangers: Sequence[Article]) -> list[Features]:
        return [
            _row(article.seq, 0, int(simhash_of(frozen.terms.ids, frozen.terms.counts)), frozen)
            for article, frozen in zip(strangers, self._features.analyse_many(strangers), strict=True)
        ]

    def packed(self) -> bytes:
        return pack({"features": self._features.state(), "stories": self._stories.state()})


def _row(seq: int, story: int, simhash: int, frozen: AnalysedArticle) -> Features:
    return Features(
        seq=seq,
        story=story,
        simhash=simhash,
        names=frozen.names,
        values=frozen.values.astype("<f8").tobytes(),
        terms=frozen.terms.to_bytes(),
        pairs=frozen.pairs.astype("<i4").tobytes(),
    )
