"""Makes earlier decisions again, from what was known when they were made, and compares them to the bit.

    round ─► the database as it was ─┐
          ─► the model as it was ────┴─► the same decisions?

Rounds record what they knew. An undo, a correction or a rule that came later changes no earlier round.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from iscore.core.errors import ConfigError
from iscore.core.timings import Progress
from iscore.services.learning.loaded_model import LoadedModel
from iscore.services.learning.model_store import ModelStore
from iscore.services.session.decision_settings import DecisionSettings
from iscore.services.session.extractors import ExtractorFactory
from iscore.services.session.user_session import UserSession
from iscore.services.views.history import RoundsView
from storage.exchange import as_of
from storage.log import decision_rounds, decisions, reading_events, rule_outcomes
from storage.records.decisions import Decision, DecisionRound
from storage.stream import bases, features

NEWEST = 50
"""Rounds that are checked by default: two days of hourly polls."""
LATE = ("score", "threshold", "interesting", "explore", "at", "margin")
"""What is recorded of a late delivery."""
FIRST = (*LATE, "probability", "vote")
"""What is recorded of a first decision."""


class RoundCheck:
    """Checks one user's rounds."""

    def __init__(self, session: UserSession) -> None:
        self._database = session.database
        self._context = session.context
        self._extractors = session.service(ExtractorFactory)
        self._models = session.service(ModelStore)

    def run(self, newest: int = NEWEST, progress: Progress | None = None) -> RoundsView:
        """Make the decisions of the ``newest`` rounds again, oldest first, up to the first difference.

        Writes nothing. All articles must be ingested.
        """
        user = self._context.user_id
        with self._database.read() as tx:
            found = decision_rounds.newest(tx, user, newest)
            summed_to = reading_events.summed_to(tx, user)
            total, without = decision_rounds.last_number(tx, user), decision_rounds.decided_without(tx, user)
        equal, different = 0, ""
        skipped: Counter[str] = Counter()
        loaded: LoadedModel | None = None
        for done, known in enumerate(found):
            if progress is not None:
                progress(done, len(found), "making earlier decisions again")
            if known.number != found[0].number + done:
                different = f"round {found[0].number + done} is missing"
                break
            try:
                if known.event < summed_to and DecisionSettings.from_json(known.settings).learns_from_reading:
                    raise _NotReproducibleError("what the user had read by then has been summed since")
                models = self._models_of(known)
            except _NotReproducibleError as reason:
                skipped[str(reason)] += 1
                continue
            loaded = models.advanced(loaded, known.learned)
            different = self._difference(known, loaded)
            if different:
                break
            equal += 1
        return RoundsView(
            equal=equal, different=different, not_reproducible=dict(skipped), rounds=total, decided_before=without
        )

    def _models_of(self, known: DecisionRound) -> ModelStore:
        """Return a store of models as the round had them."""
        from iscore.services.session.fingerprint import digest

        try:
            models = self._models.under(DecisionSettings.from_json(known.settings))
            models.new_model()
        except (TypeError, ConfigError) as error:
            raise _NotReproducibleError("they were made with settings that this version does not know") from error
        if digest(models.fingerprint) != known.fingerprint:
            raise _NotReproducibleError(
                "they were made by another version of iScore or its libraries, with other extractors, or on another "
                "processor"
            )
        return models

    def _difference(self, known: DecisionRound, loaded: LoadedModel) -> str:
        """Return the first difference in words; empty when there is none."""
        from iscore.services.learning.scoring import decided

        user = known.user_id
        with self._database.read() as tx:
            first = decisions.of_round(tx, user, known.number)
            late = decisions.late_of_round(tx, user, known.number)
            stories = decisions.scored_in(tx, user, known.number)
            if known.basis and bases.get(tx, known.basis) is None:
                return f"{_named(known)}: basis {known.basis} is missing"
        with as_of.before(self._database, known) as tx:
            waiting = [
                article._replace(tags=first[article.seq].tags if article.seq in first else ())
                for article in features.ingested(tx, user, stories)
            ]
            outcomes = rule_outcomes.get(tx, user, stories)
            feature_names = self._extractors.article_feature_names
            again = decided(tx, self._context.user, known, loaded, feature_names, waiting, outcomes)
        for names, recorded, made in ((FIRST, first, again.first), (LATE, late, again.late)):
            found = _first_difference(names, recorded, {row.seq: row for row in made})
            if found is not None:
                seq, what = found
                return f"{_named(known)}: article {self._id(seq)}: {what}"
        return ""

    def _id(self, seq: int) -> str:
        with self._database.read() as tx:
            return next((article.id for article in features.ingested(tx, self._context.user_id, [seq])), str(seq))


class _NotReproducibleError(Exception):
    """Why a round cannot be compared to the bit."""


def _named(known: DecisionRound) -> str:
    return f"round {known.number} of {known.at:%Y-%m-%d %H:%M} UTC"


def _first_difference(
    names: Sequence[str], recorded: Mapping[int, Decision], made: Mapping[int, Decision]
) -> tuple[int, str] | None:
    """Return the first story on which decisions differ, and how."""
    for seq in sorted({*recorded, *made}):
        if seq not in recorded:
            return seq, "its decision is missing"
        if seq not in made:
            return seq, "a decision is recorded that the filter would not have made"
        for name in names:
            was, now = getattr(recorded[seq], name), getattr(made[seq], name)
            if was != now:
                return seq, f"{name} is recorded as {was}, and computed again it is {now}"
    return None
