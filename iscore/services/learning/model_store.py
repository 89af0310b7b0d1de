"""The reader's model: always equal to a replay of the verdict log.

    log ─► newest valid snapshot ─► learn the entries after it ─► current model ─► snapshot, current scores

The log is the truth; a snapshot is a cache: the model's state with the log row that it includes. When a verdict is
corrected, snapshots that include the old one are no longer valid, and an earlier one is loaded, or none. A snapshot is
valid only under its fingerprint (versions, features, classifier).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from iscore.core import timings
from iscore.core.errors import ConfigError
from iscore.core.timings import Progress
from iscore.services.learning.ingestion import Ingestion
from iscore.services.learning.loaded_model import DecisionSettings, LoadedModel, fingerprint, is_of_other_version
from iscore.services.rules.rule_application import RuleApplication
from iscore.services.session.extractors import ExtractorFactory
from iscore.services.session.user_session import UserSession
from iscore.services.views.status import RebuildView
from storage.engine.base_database import Transaction
from storage.log import evidence, feedback, snapshots
from storage.records.users import Snapshot
from storage.stories import due_users
from storage.stream import features

if TYPE_CHECKING:
    from iscore.filtering.model import ReaderModel


SAME = 1e-6
"""Scores that differ by no more are the same: another processor or library may give other last bits."""
COMPARED = 1000
"""Newest stories whose scores are compared."""


class ModelStore:
    """Loads and saves one reader's model. Modules with numbers are loaded with the first model, not before."""

    def __init__(self, session: UserSession) -> None:
        self._database = session.database
        self._context = session.context
        self._user_id = session.context.user_id
        self._extractors = session.service(ExtractorFactory)
        self._ingestion = session.service(Ingestion)
        self._rules = session.service(RuleApplication)
        self._last: LoadedModel | None = None

    def current(self, progress: Progress | None = None) -> ReaderModel:
        """Return the model of ``up_to_date``."""
        return self.up_to_date(progress).model

    def up_to_date(self, progress: Progress | None = None, *, ingest: bool = True) -> LoadedModel:
        """Return the model after every verdict; save it and rescore the inbox if it has changed and can be written.

        New articles are ingested before, unless somebody else does that (``ingest`` false), and the rules are applied.
        Raises ``RulesError``, ``ConfigError``.
        """
        loaded = self.learned(progress, ingest=ingest)
        if loaded.changed and self._database.writable:
            return self._save_and_rescore(loaded, progress, self.load)
        return loaded

    def learned(self, progress: Progress | None = None, *, ingest: bool = True) -> LoadedModel:
        """Like ``up_to_date``, but leave it to others to save the model and to rescore the inbox."""
        progress = progress or self._context.progress
        if ingest:
            self._ingestion.catch_up(progress)
        self._rules.apply()
        return self.load(progress)

    def catch_up(self, progress: Progress | None = None) -> None:
        """Apply the rules, and learn the verdicts that current scores do not include yet; all, after an upgrade.

        Loads nothing heavy if there are none.
        """
        self._rules.apply()
        if self.unlearned() or self._outdated():
            self.current(progress)

    def unlearned(self) -> int:
        """Count the verdicts that current scores do not include yet; a correction of an older one counts as one."""
        with self._database.read() as tx:
            return due_users.unlearned(tx, self._user_id)

    def _outdated(self) -> bool:
        """Return whether another version of iScore has computed the current scores."""
        with self._database.read() as tx:
            saved = snapshots.newest_fingerprint(tx, self._user_id)
        return saved is not None and is_of_other_version(saved) and self._database.writable

    def rebuild(self, *, check: bool = False, progress: Progress | None = None) -> RebuildView:
        """Learn everything again from the log. With ``check``, only compare the result with what is saved."""
        from iscore.filtering.serialization import pack

        started = time.perf_counter()
        self._ingestion.catch_up(progress)
        replayed = self.replay(progress)
        equal: bool | None = None
        self._last = None  # what is saved is checked, or replaced
        if check:
            saved = self.load().model
            equal = pack(saved.state()) == pack(replayed.model.state()) or self._are_alike(saved, replayed.model)
        else:
            self._save_and_rescore(replayed, progress, self.replay)
        return RebuildView(verdicts=replayed.learned, equal=equal, seconds=time.perf_counter() - started)

    def load(self, progress: Progress | None = None) -> LoadedModel:
        """Return the model after every verdict in the log, whose articles are all ingested. Writes nothing.

        It is the one that was loaded last, as long as that is saved and the log has no new row.
        """
        progress = progress or self._context.progress
        if progress is not None:
            progress(0, 1, "loading the model")  # and what runs it
        with self._database.read() as tx:
            last = feedback.last_row(tx, self._user_id)
            if self._last is not None and self._last.row == last and self._is_saved(tx, self._last):
                known = self._last.articles.without_articles()
                return replace(self._last, learned=0, changed=False, articles=known)
            started = time.perf_counter()
            model, row, newest = self._from_snapshot(tx)
            timings.add(timings.LOAD, 1, time.perf_counter() - started)
            learned = self._learn(tx, model, row, last, progress)
        loaded = self._loaded(model, last, learned, changed=learned > 0 or not newest)
        self._last = replace(loaded, articles=loaded.articles.without_articles())
        return loaded

    def replay(self, progress: Progress | None = None) -> LoadedModel:
        """Return the model that a replay of the whole log gives, without snapshots. Writes nothing."""
        with self._database.read() as tx:
            last = feedback.last_row(tx, self._user_id)
            model = self.new_model()
            learned = self._learn(tx, model, 0, last, progress)
        return self._loaded(model, last, learned, changed=True)

    def at(self, row: int) -> LoadedModel:
        """Return the model as it was when the log ended at ``row``, before later corrections. Saves nothing."""
        from iscore.services.learning.log_replay import learn

        with self._database.read() as tx:
            model, known, _ = self._from_snapshot(tx, row)
            entries = feedback.effective_at(tx, self._user_id, row, after_row=known)
            learned = learn(tx, self._user_id, model, entries, self._extractors.article_feature_names)
        return self._loaded(model, row, learned, changed=learned > 0)

    def saved(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the saved states of today's fingerprint with the log rows that they include, oldest first.

        Damaged ones are left out.
        """
        from iscore.filtering.serialization import StateError, unpack

        with self._database.read() as tx:
            for row in snapshots.sequences(tx, self._user_id, fingerprint=self.fingerprint):
                snapshot = snapshots.newest(tx, self._user_id, fingerprint=self.fingerprint, up_to=row)
                if snapshot is not None:
                    with suppress(StateError):
                        yield row, unpack(snapshot.state)

    def save(self, tx: Transaction, loaded: LoadedModel) -> None:
        """Save a snapshot, and delete those of other fingerprints and some of the older ones.

        One is kept per power of two of age, in log rows.
        """
        from iscore.filtering.serialization import pack

        snapshots.discard_others(tx, self._user_id, self.fingerprint)
        snapshots.save(tx, Snapshot(self._user_id, loaded.row, self.fingerprint, pack(loaded.model.state())))
        by_age: dict[int, int] = {}
        for sequence in snapshots.sequences(tx, self._user_id, fingerprint=self.fingerprint):
            age = max(loaded.row - sequence, 0).bit_length()
            by_age[age] = min(by_age.get(age, sequence), sequence)
        snapshots.thin(tx, self._user_id, self.fingerprint, [*by_age.values(), loaded.row])

    def new_model(self) -> ReaderModel:
        """Return a model that has learned nothing. Raises ``ConfigError`` for an unknown classifier."""
        from iscore.filtering.model_factory import make_reader
        from iscore.learners import LEARNERS

        settings = self.settings
        if settings.classifier not in LEARNERS:
            problem = f"no classifier {settings.classifier!r}; there are {', '.join(LEARNERS)}"
            raise ConfigError(str(self._context.personal_settings), problem)
        model = make_reader(
            self._extractors.article_feature_names,
            self._extractors.for_reader(),
            settings.classifier,
        )
        self._extractors.watch(model.features.failures)
        return model

    @cached_property
    def settings(self) -> DecisionSettings:
        """Under which models are made: the user's."""
        return DecisionSettings.of(self._context.settings, self._context.user)

    @cached_property
    def fingerprint(self) -> str:
        """What a snapshot must have been saved under to be valid now."""
        return fingerprint(self.settings.classifier, self._extractors.names)

    def _from_snapshot(self, tx: Transaction, end: int | None = None) -> tuple[ReaderModel, int, bool]:
        """Return the newest valid snapshot's model, its row, and whether it is the newest snapshot of all.

        Without a valid one it is a new model, and row 0. With ``end`` the log is taken as it was when that row was
        its last.
        """
        from iscore.filtering.serialization import StateError, unpack

        up_to = end
        while True:
            snapshot = snapshots.newest(tx, self._user_id, fingerprint=self.fingerprint, up_to=up_to)
            if snapshot is None:
                return self.new_model(), 0, False
            superseded = feedback.superseded_after(tx, self._user_id, snapshot.sequence, end)
            if superseded is not None:
                up_to = superseded - 1
                continue
            try:
                model = self.new_model()
                model.restore(unpack(snapshot.state))
            except (StateError, KeyError, TypeError, ValueError):
                up_to = snapshot.sequence - 1  # damaged: take an older one, or the log
                continue
            return model, snapshot.sequence, up_to == end

    def _are_alike(self, one: ReaderModel, other: ReaderModel) -> bool:
        """Return whether two models have learned the same verdicts and give the newest stories the same scores."""
        import numpy as np

        from iscore.services.learning.article_features import analysed_batch

        if (one.likes, one.dislikes, one.imported) != (other.likes, other.dislikes, other.imported):
            return False
        with self._database.read() as tx:
            stories = evidence.newest_scored(tx, self._user_id, COMPARED).seqs
            newest = features.ingested(tx, self._user_id, stories)
        batch = analysed_batch(newest, self._extractors.article_feature_names)
        pairs = [
            (model.score_many(batch), model.left_out(liked=True), model.left_out(liked=False)) for model in (one, other)
        ]
        return all(np.allclose(a, b, rtol=0.0, atol=SAME, equal_nan=True) for a, b in zip(*pairs, strict=True))

    def _is_saved(self, tx: Transaction, loaded: LoadedModel) -> bool:
        return loaded.row in snapshots.sequences(tx, self._user_id, fingerprint=loaded.fingerprint)

    def _loaded(self, model: ReaderModel, row: int, learned: int, *, changed: bool) -> LoadedModel:
        return LoadedModel(model, row, learned, changed, self.settings, self.fingerprint)

    def _learn(self, tx: Transaction, model: ReaderModel, after: int, last: int, progress: Progress | None) -> int:
        from iscore.services.learning.log_replay import learn

        started = time.perf_counter()
        entries = feedback.effective(tx, self._user_id, after_row=after, up_to_row=last)
        learned = learn(tx, self._user_id, model, entries, self._extractors.article_feature_names, progress)
        timings.add(timings.LEARN, learned, time.perf_counter() - started)
        return learned

    def _save_and_rescore(
        self, loaded: LoadedModel, progress: Progress | None, load: Callable[[], LoadedModel]
    ) -> LoadedModel:
        from iscore.services.learning.scoring import update_scores

        started = time.perf_counter()
        user, since, now = self._context.user, self._context.inbox_start(), self._context.clock()
        loaded = update_scores(
            self._database, user, loaded, since=since, now=now, load=load, save=self.save, progress=progress
        )
        timings.add(timings.DECIDE, 0, time.perf_counter() - started)
        return loaded
