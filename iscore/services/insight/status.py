"""The status of one user, and of a server as its admins see it.

One user's: verdicts against decisions, the threshold, the features in use. The server's: people, what waits, what was
set aside, hosts and broken feeds. Nothing there says what anybody reads, or who follows which feed, and addresses of
feeds are without what may be a secret.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from iscore.core.clock import Clock
from iscore.feeds.urls import hide_secrets, without_secrets
from iscore.services.learning.ingestion import Ingestion
from iscore.services.learning.model_store import ModelStore
from iscore.services.session.extractors import ExtractorFactory
from iscore.services.session.user_session import UserSession
from iscore.services.subscriptions.subscriptions import Subscriptions
from iscore.services.views.feeds import ExtractorProblem
from iscore.services.views.status import BrokenFeedView, ServerView, SetAsideView, StatusView
from iscore.services.views.view_builders import hidden_check, learning, moved, problems
from storage.exchange import server_counts
from storage.log import decisions, history
from storage.opening.database import Database
from storage.people import users
from storage.records.users import Tally
from storage.records.work import Task
from storage.stream import articles, meanings
from storage.work import work

if TYPE_CHECKING:
    from iscore.filtering.model import ReaderModel


class Status:
    """One user's status."""

    def __init__(self, session: UserSession) -> None:
        self._database = session.database
        self._context = session.context
        self._extractors = session.service(ExtractorFactory)
        self._ingestion = session.service(Ingestion)
        self._models = session.service(ModelStore)
        self._subscriptions = session.service(Subscriptions)
        self._user_id = session.context.user_id

    def view(self, model: ReaderModel | None = None, *, details: bool = True) -> StatusView:
        """Return the status. Scores and snapshots stay as they are.

        Rates compare decisions, first or late, with valid verdicts. They are None until a recommended article has a
        verdict.
        ``details`` are the features in use, by ``model`` or by one loaded now; without them nothing heavy is loaded.
        """
        unlearned = self._models.unlearned()
        if model is None and details:
            # The model learns verdicts on articles, which need features.
            self._ingestion.catch_up(self._context.progress)
            model = self._models.load().model
        encoder = ""
        if details:
            from extractors.text.meaning import encoder_name

            encoder = encoder_name()
        feeds = [*self._subscriptions.known().values()]
        with self._database.read() as tx:
            tally = history.tally(tx, self._user_id)
            counts = decisions.recent_counts(tx, self._user_id, None)
            threshold = decisions.newest_threshold(tx, self._user_id, default=0.0)
            stored = articles.count(tx, self._user_id)
            change = history.last_change(tx, self._user_id)
            with_meaning = meanings.count(tx, encoder) if encoder else 0
            checked = hidden_check(tx, self._user_id)
        self._extractors.load_others()
        begun = tally.true_positives + tally.false_positives > 0
        best = [] if model is None else best_features(model)
        return StatusView(
            feeds=len(feeds),
            articles=stored,
            decided=counts.decided,
            recommended=counts.recommended,
            explored=counts.explored,
            likes=tally.likes,
            dislikes=tally.dislikes,
            skips=tally.skips,
            f05=f05(tally) if begun else None,
            precision=_ratio(tally.true_positives, tally.true_positives + tally.false_positives),
            threshold=threshold,
            subset_size=len(best),
            n_features=0 if model is None else len(model.names),
            best_features=tuple(best),
            learning=learning(tally),
            problems=problems(feeds),
            last_poll=max((feed.last_success for feed in feeds if feed.last_success is not None), default=None),
            to_learn=unlearned,
            extractor_problems=self.extractor_problems(),
            encoder=encoder,
            with_meaning=with_meaning,
            moved=moved(feeds),
            checked=checked,
            change=change,
        )

    def recommendations_a_day(self, betas: Sequence[float]) -> list[float]:
        """Return how many recommendations a day each beta would give, by the articles of the inbox."""
        from iscore.services.learning.current_scores import recommendations_a_day

        self._ingestion.catch_up(self._context.progress)
        model, since = self._models.load().model, self._context.inbox_start()
        return recommendations_a_day(self._database, self._context.user, model, betas, since=since)

    def extractor_problems(self) -> tuple[ExtractorProblem, ...]:
        """List the extractors that were left out or have failed since the data folder was opened. Loads nothing."""
        return tuple(ExtractorProblem(name, reason) for name, reason in self._extractors.problems().items())


def best_features(model: ReaderModel) -> list[tuple[str, float]]:
    """Return name and correlation of the features that the classifier uses, most useful first."""
    import numpy as np

    explanation = model.classifier.explain_one(np.full(len(model.names), np.nan))  # no article matters here
    ranked = sorted(zip(explanation.ranks.tolist(), model.names, explanation.correlations.tolist(), strict=True))
    return [(name, correlation) for _, name, correlation in ranked[: explanation.subset_size]]


def f05(tally: Tally) -> float | None:
    """Return F_beta with beta = 0.5 of decisions; None while nothing was liked."""
    if tally.true_positives + tally.false_negatives == 0:
        return None
    weighted = 1.25 * tally.true_positives
    return weighted / (weighted + 0.25 * tally.false_negatives + tally.false_positives)


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


MOST_FEEDS = 200
"""Broken feeds that are listed."""


class ServerOverview:
    """The state of a server."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def view(self) -> ServerView:
        """Return the state as it is now."""
        now = self._clock()
        with self._database.read() as tx:
            counts = server_counts.server_counts(tx, now)
            aside = work.set_aside(tx)
            names = {each.id: each.name for each in users.list_users(tx)} if aside else {}
            hosts = server_counts.hosts(tx, now)
            broken = server_counts.broken_feeds(tx, MOST_FEEDS)
        return ServerView(
            database=self._database.name,
            size=self._database.size(),
            counts=counts,
            set_aside=tuple(
                SetAsideView(
                    each.task, each.key, names.get(each.user_id or 0, ""), each.since, hide_secrets(each.reason)
                )
                for each in aside
            ),
            hosts=tuple(hosts),
            broken=tuple(
                BrokenFeedView(without_secrets(each.url), hide_secrets(each.error), each.failures, each.last_success)
                for each in broken
            ),
        )

    def try_again(self, task: str, key: str) -> bool:
        """Let workers do again what was set aside; return whether it was. Raises ``ValueError`` for no task."""
        with self._database.write_work() as tx:
            return work.try_again(tx, Task(task), key, work.now(tx))
