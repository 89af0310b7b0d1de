"""Ingestion: computes the features and the story of stored articles, in order of arrival.

Features, stories and the stream's state (document frequencies, recent window, stories) are saved in one transaction.
If two processes ingest at once, the first to finish saves; the other starts again from the state that was saved.
Afterwards a basis of stream vectors is learned if one is due.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from iscore.core import timings
from iscore.core.timings import Progress
from iscore.services.learning import stream_vectors
from iscore.services.session.extractors import ExtractorFactory
from iscore.services.session.user_session import UserSession
from storage.log import snapshots
from storage.opening.database import ARRIVALS
from storage.records.articles import Article, Features
from storage.records.users import Snapshot
from storage.stream import articles, features, meanings

if TYPE_CHECKING:
    from iscore.services.learning.article_features import StreamFeatures
    from storage.engine.base_database import Transaction

BATCH = 4000
"""Articles per transaction: some 10 MB of texts in memory, and a state of a few MB saved once for all of them."""
TRIAL = 100
"""Articles on which ``try_extractors`` tries the extractors."""
WITH_MEANINGS, RENEWED = 5000, 2000
"""Newest articles, besides those with a verdict, that get a meaning by another encoder, and how many in one poll: a few
seconds. The others wait for the next."""
MEASURED_AGAIN = 20_000
"""Newest articles whose words are measured again when a version makes other words: as many as a basis is learned of."""
_FINGERPRINT = "stream 2"
"""Raised when words are made otherwise. All else is a fact once it is stored, and goes on from a former state."""
_FORMER = "stream 1"


class Ingestion:
    """Computes what is frozen of an article at its arrival."""

    def __init__(self, session: UserSession) -> None:
        self._database = session.database
        self._extractors = session.service(ExtractorFactory)

    def catch_up(self, progress: Progress | None = None) -> int:
        """Ingest every stored article that has no features yet, and return their number.

        Loads nothing heavy if there is none. Does nothing if the database cannot be written.
        """
        done = 0
        if not self._database.writable:
            return done
        self._measure_words_again(progress)
        started = time.perf_counter()
        stream: StreamFeatures | None = None
        while True:
            with self._database.read() as tx:
                waiting = articles.without_features(tx, BATCH)
                sequence = snapshots.newest_sequence(tx, None) or 0
                if not waiting:
                    break
                if stream is None or stream.sequence != sequence:
                    stream = self._stream(tx)
            if progress is not None:
                progress(done, done + len(waiting), "analysing articles")
            rows = stream.analyse(waiting)
            state = stream.packed()
            self._extractors.report(stream.failures)
            with self._database.write(ARRIVALS) as tx:
                if (snapshots.newest_sequence(tx, None) or 0) != sequence:
                    stream = None  # another process has saved meanwhile
                    continue
                features.add(tx, rows)
                snapshots.discard(tx, None)
                snapshots.save(tx, Snapshot(None, stream.sequence, _FINGERPRINT, state))
            done += len(rows)
        if done:
            if stream is not None:
                self._renew_meanings(stream, progress)
            stream_vectors.learn_due(self._database, progress)
            timings.add(timings.MEASURE, done, time.perf_counter() - started)
        return done

    def _renew_meanings(self, stream: StreamFeatures, progress: Progress | None) -> None:
        """Give articles a meaning that have none by the encoder that is installed now: ``RENEWED`` at most."""
        from extractors.text.meaning import encoder_name

        encoder = encoder_name()
        if not encoder:
            return
        with self._database.read() as tx:
            waiting = articles.get(tx, meanings.waiting(tx, encoder, WITH_MEANINGS, RENEWED))
        if waiting and progress is not None:
            progress(0, len(waiting), "analysing articles")
        rows = stream.meanings(waiting) if waiting else []
        self._extractors.report(stream.failures)
        if rows:
            with self._database.write(ARRIVALS) as tx:
                meanings.add(tx, rows)

    def analyse_apart(self, documents: Sequence[Article], progress: Progress | None = None) -> list[Features]:
        """Compute the features of documents that no feed brought, as if they arrived now.

        The stream's state does not change. The documents are in no story; ``seq`` is taken as it is. Stores nothing.
        """
        with self._database.read() as tx:
            stream = self._stream(tx)
        rows: list[Features] = []
        for start in range(0, len(documents), BATCH):
            if progress is not None:
                progress(start, len(documents), "analysing imported items")
            rows += stream.analyse_apart(documents[start : start + BATCH])
        self._extractors.report(stream.failures)
        return rows

    def try_extractors(self) -> None:
        """Compute the features of the newest articles as if they arrived now, so that failures are found.

        Stores nothing; ``ExtractorFactory.problems`` has what was found.
        """
        with self._database.read() as tx:
            newest = articles.last_seq(tx)
            documents = articles.get(tx, range(max(newest - TRIAL, 0) + 1, newest + 1))
        self.analyse_apart(documents)

    def _measure_words_again(self, progress: Progress | None) -> None:
        """Replace the words of articles that a former version measured, unless their texts are gone.

        Which articles were measured again is recorded at the end: if it is interrupted, all are again.
        """
        with self._database.read() as tx:
            if snapshots.newest_fingerprint(tx, None) in (None, _FINGERPRINT):
                return
            stream = self._stream(tx, _FORMER)
            total = min(articles.ingested_count(tx), MEASURED_AGAIN)
        done, last = 0, 0
        while True:
            with self._database.read() as tx:
                found = articles.with_texts(tx, MEASURED_AGAIN, BATCH, last)
            if not found:
                break
            if progress is not None:
                progress(done, max(total, done + len(found)), "analysing articles again")
            rows = stream.words_again(found)
            with self._database.write(ARRIVALS) as tx:
                features.replace_words(tx, rows)
            done, last = done + len(found), found[-1].seq
        state = stream.packed()
        with self._database.write(ARRIVALS) as tx:
            if snapshots.newest_fingerprint(tx, None) != _FINGERPRINT:  # or another process was faster
                snapshots.discard(tx, None)
                snapshots.save(tx, Snapshot(None, stream.sequence, _FINGERPRINT, state))
        stream_vectors.learn_due(self._database, progress)

    def _stream(self, tx: Transaction, fingerprint: str = _FINGERPRINT) -> StreamFeatures:
        from iscore.services.learning.article_features import StreamFeatures

        return StreamFeatures(self._extractors.for_arrivals, snapshots.newest(tx, None, fingerprint=fingerprint))
