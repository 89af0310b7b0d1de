"""How the filter has come to know its reader: the door to all of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING

from iscore.services.learning.ingestion import Ingestion
from iscore.services.learning.model_store import ModelStore
from iscore.services.learning.reading_events import ReadingEvents
from iscore.services.session.extractors import ExtractorFactory
from iscore.services.session.user_session import UserSession
from iscore.services.subscriptions.subscriptions import Subscriptions
from iscore.services.views.view_builders import hidden_check
from storage.engine.base_database import Transaction
from storage.log import decisions, history
from storage.records.decisions import PastVerdict
from storage.records.users import Kind
from storage.stream import articles

if TYPE_CHECKING:
    from iscore.services.views.history import FeatureHistory, HistoryView, WordOpinion

MAX_STORIES = 3
"""Articles whose spelling of a word is looked at."""


class History:
    """One user's history. Learns and saves nothing."""

    def __init__(self, session: UserSession) -> None:
        self._database = session.database
        self._context = session.context
        self._extractors = session.service(ExtractorFactory)
        self._ingestion = session.service(Ingestion)
        self._models = session.service(ModelStore)
        self._subscriptions = session.service(Subscriptions)
        self._reading_events = session.service(ReadingEvents)

    def view(self, *, learned: bool = True, zone: tzinfo | None = None) -> HistoryView:
        """Return the history; days are those of ``zone``, by default the machine's own.

        Without ``learned`` features, words and the distribution of scores are left out, which take long to compute.
        """
        from iscore.services.insight.agreement import trained_since
        from iscore.services.insight.history_view import Past, history_view

        user = self._context.user_id
        with self._database.read() as tx:
            verdicts = history.verdicts(tx, user)
            trained = trained_since(verdicts)
            past = Past(
                verdicts=verdicts,
                batches=history.decision_batches(tx, user),
                arrivals=history.arrival_counts(tx, self._context.user_id),
                checked=hidden_check(tx, user),
                unjudged_scores=_scores_without_verdict(tx, user, trained) if learned else None,
            )
            threshold = decisions.newest_threshold(tx, user, default=0.0)
        made = history_view(
            past,
            statistics=self._subscriptions.statistics(),
            words=self._words(verdicts) if learned else None,
            features=self._features() if learned else None,
            threshold=threshold,
            now=self._context.clock(),
            zone=zone,
        )
        reading = self._reading_events
        return replace(made, reading=reading.view()) if reading.on else made

    def _features(self) -> FeatureHistory:
        """Compare the current model with that of a month ago, and list the features in use at each saved state."""
        from iscore.services.insight.agreement import MONTH
        from iscore.services.insight.learned import explained, feature_history, in_use
        from iscore.services.views.history import FeaturesInUse

        self._ingestion.catch_up()  # the model is asked about verdicts, and those need features
        user, now = self._context.user_id, self._context.clock()
        loaded = self._models.load()
        with self._database.read() as tx:
            then = history.last_row_before(tx, user, now - MONTH)
            used = [
                FeaturesInUse(at, row, size)
                for row, size in in_use(self._models.saved(), self._models.new_model())
                if row < loaded.row and (at := history.time_of_row(tx, user, row)) is not None
            ]
        if loaded.model.trained:
            used.append(FeaturesInUse(now, loaded.row, explained(loaded.model).subset_size))
        return feature_history(
            loaded.model,
            self._models.at(then).model if then else None,
            before=now - MONTH if then else None,
            used=used,
        )

    def _words(self, verdicts: Sequence[PastVerdict]) -> tuple[tuple[WordOpinion, ...], tuple[WordOpinion, ...]]:
        """Return the words that go surely with likes and with dislikes, those only that reasons may name."""
        from extractors.text.analysis import spellings
        from extractors.text.terms import TermBatch, TermVector
        from iscore.filtering.ranking.evidence import POOL
        from iscore.filtering.ranking.typical_words import shares, typical
        from iscore.services.insight.learned import SignificantTerm, significant_terms, spelled
        from iscore.services.learning.stored_log import StoredLog

        opinions = {each.story: each.kind for each in verdicts if each.kind is not Kind.SKIP}
        with self._database.read() as tx:
            kept = {story: TermVector.from_bytes(terms) for story, terms in history.terms(tx, list(opinions)).items()}
            frequencies = shares(StoredLog(tx, self._context.user).pool(POOL)[0].terms)
        liked, disliked = (
            {story: terms for story, terms in kept.items() if opinions[story] is kind}
            for kind in (Kind.LIKE, Kind.DISLIKE)
        )

        def sure(found: list[SignificantTerm], of: dict[int, TermVector]) -> list[SignificantTerm]:
            named = set(typical(TermBatch.of([*of.values()]), frequencies).tolist())
            return [each for each in found if each.term in named]

        likes, dislikes = significant_terms(liked.values(), disliked.values())
        speaking_for, against = sure(likes, liked), sure(dislikes, disliked)

        def spell(stories: Sequence[int]) -> dict[int, dict[int, str]]:
            with self._database.read() as tx:
                return {article.seq: spellings(article) for article in articles.get(tx, stories)}

        def having(wanted: set[int], stories: dict[int, TermVector]) -> dict[int, list[int]]:
            found: defaultdict[int, list[int]] = defaultdict(list)
            for story in sorted(stories, reverse=True):
                for term in wanted.intersection(stories[story].ids.tolist()):
                    if len(found[term]) < MAX_STORIES:
                        found[term].append(story)
            return found

        return (
            spelled(speaking_for, having({each.term for each in speaking_for}, liked), spell),
            spelled(against, having({each.term for each in against}, disliked), spell),
        )


def _scores_without_verdict(tx: Transaction, user_id: int, trained: datetime | None) -> list[float]:
    return [] if trained is None else history.scores_without_verdict(tx, user_id, trained)
