"""How the filter has come to know its reader: the door to all of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING

from iscore.core.clock import Clock
from iscore.services.container import Composition
from iscore.services.views.feeds import FeedStatistics
from storage import articles, decisions, history
from storage.database import Database
from storage.records import Kind
from storage.records.history import Said
from storage.transaction import Transaction

if TYPE_CHECKING:
    from iscore.services.views.history import FeatureHistory, HistoryView, WordOpinion

LOOKED_AT = 3
"""Articles whose spelling of a word is looked at."""


class History:
    """One person's past with their filter. It learns nothing and saves nothing learned.

    ``catch_up`` measures what was stored and not measured yet; ``statistics`` tells what each feed has brought.
    """

    def __init__(
        self,
        database: Database,
        parts: Composition,
        clock: Clock,
        *,
        catch_up: Callable[[], None],
        statistics: Callable[[], list[FeedStatistics]],
    ) -> None:
        self._database = database
        self._parts = parts
        self._clock = clock
        self._catch_up = catch_up
        self._statistics = statistics

    def view(self, *, learned: bool = True, zone: tzinfo | None = None) -> HistoryView:
        """Return what can be told; days are those of ``zone``, by default the machine's own.

        Without ``learned`` features, words and the spread of scores are left out, for which much has to be read.
        """
        from iscore.services.history.agreement import warm_since
        from iscore.services.history.view import Past, history_view

        user = self._parts.user.id
        with self._database.read() as tx:
            said = history.said(tx, user)
            warm = warm_since(said)
            past = Past(
                said=said,
                rounds=history.rounds(tx, user),
                arrived=history.arrivals(tx),
                unsaid=_unsaid(tx, user, warm) if learned else None,
            )
            threshold = decisions.newest_threshold(tx, user, default=0.0)
        return history_view(
            past,
            statistics=self._statistics(),
            words=self._words(said) if learned else None,
            features=self._features() if learned else None,
            threshold=threshold,
            now=self._clock(),
            zone=zone,
        )

    def page(self, view: HistoryView, *, zone: tzinfo | None = None) -> str:
        """Return the report as one self-contained page, to be stored as UTF-8."""
        from iscore.presentation.history_report.page import page

        return page(view, zone=zone)

    def _features(self) -> FeatureHistory:
        """Compare today's model with that of a month ago, and tell the features in use where a state was saved."""
        from iscore.services.history.features import explained, feature_history, in_use
        from iscore.services.history.periods import MONTH
        from iscore.services.views.history import FeaturesInUse

        self._catch_up()  # the model is asked about verdicts, and those need features
        user, keeper, now = self._parts.user.id, self._parts.keeper, self._clock()
        kept = keeper.load()
        with self._database.read() as tx:
            then = history.log_until(tx, user, now - MONTH)
            used = [
                FeaturesInUse(at, row, size)
                for row, size in in_use(keeper.saved(), self._parts.make_model())
                if row < kept.row and (at := history.said_at(tx, user, row)) is not None
            ]
        if kept.model.warm:
            used.append(FeaturesInUse(now, kept.row, explained(kept.model).subset_size))
        return feature_history(
            kept.model,
            keeper.at(then) if then else None,
            before=now - MONTH if then else None,
            used=used,
            meanings=self._parts.meanings,
        )

    def _words(self, said: Sequence[Said]) -> tuple[tuple[WordOpinion, ...], tuple[WordOpinion, ...]]:
        """Tell the words that go surely with likes and with dislikes."""
        from extractors.text.term_spelling import spellings
        from extractors.text.terms import TermVector
        from iscore.services.history.words import spelled, telling

        opinions = {each.story: each.kind for each in said if each.kind is not Kind.SKIP}
        with self._database.read() as tx:
            kept = {story: TermVector.from_bytes(terms) for story, terms in history.terms(tx, list(opinions)).items()}
        liked, disliked = (
            {story: terms for story, terms in kept.items() if opinions[story] is kind}
            for kind in (Kind.LIKE, Kind.DISLIKE)
        )
        speaking_for, against = telling(liked.values(), disliked.values())

        def spell(stories: Sequence[int]) -> dict[int, dict[int, str]]:
            with self._database.read() as tx:
                return {article.seq: spellings(article) for article in articles.get(tx, stories)}

        def having(wanted: set[int], stories: dict[int, TermVector]) -> dict[int, list[int]]:
            found: defaultdict[int, list[int]] = defaultdict(list)
            for story in sorted(stories, reverse=True):
                for term in wanted.intersection(stories[story].ids.tolist()):
                    if len(found[term]) < LOOKED_AT:
                        found[term].append(story)
            return found

        return (
            spelled(speaking_for, having({each.term for each in speaking_for}, liked), spell),
            spelled(against, having({each.term for each in against}, disliked), spell),
        )


def _unsaid(tx: Transaction, user_id: int, warm: datetime | None) -> list[float]:
    return [] if warm is None else history.unsaid_scores(tx, user_id, warm)
