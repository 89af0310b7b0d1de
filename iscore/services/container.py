"""The composition root: the only place where the parts are put together. Each is made when it is first asked for.

What is heavy to load is imported by the part that needs it, so that a verdict, which needs none, stays instant.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING

from iscore.core.data_folder import DataFolder
from iscore.core.errors import ConfigError
from storage import users
from storage.database import Database
from storage.records import LOCAL_USER, User

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    from extractors.extractor import Extractor
    from iscore.core.settings import Settings
    from iscore.feeds.poll_settings import PollSettings
    from iscore.filtering.features.fault_isolation import Failures
    from iscore.filtering.pipeline import ReaderModel
    from iscore.services.model_store import ModelStore


class Composition:
    """The parts of one person's news filter."""

    def __init__(self, home: DataFolder, database: Database) -> None:
        self._home = home
        self._database = database
        self._failed: dict[str, str] = {}
        self._failures: deque[Failures] = deque(maxlen=8)  # of the last models, which it does not keep alive

    @cached_property
    def settings(self) -> Settings:
        """What ``config.toml`` and the environment say. Raises ``ConfigError``."""
        from iscore.core.settings import load_settings

        return load_settings(self._home.config)

    @cached_property
    def poll_settings(self) -> PollSettings:
        """The part of the settings that polling needs."""
        from iscore import __version__
        from iscore.feeds.poll_settings import PollSettings

        return PollSettings.of(self.settings, __version__)

    @cached_property
    def zone(self) -> ZoneInfo | None:
        """Where the person's day begins; None is the machine's own. Raises ``ConfigError`` for an unknown name."""
        from zoneinfo import ZoneInfo

        name = self.settings.time_zone
        try:
            return ZoneInfo(name) if name else None
        except (LookupError, OSError, ValueError) as error:  # as the name is unknown, a folder's, or no name
            raise ConfigError(str(self._home.config), f"no time zone {name!r}; write it as Europe/Rome") from error

    @cached_property
    def user(self) -> User:
        """The person."""
        with self._database.read() as tx:
            return users.get(tx, LOCAL_USER)

    @property
    def window(self) -> timedelta:
        """How long an article waits for its reader."""
        return timedelta(days=self.settings.inbox_days)

    def make_extractors(self) -> dict[str, Extractor]:
        """Make every extractor of this installation, by name, having seen nothing."""
        from iscore.filtering.features.factory import load_extractors

        loaded = load_extractors(self.user.seed, self.settings.extractor_timeout)
        self._failed |= loaded.failed
        return loaded.extractors

    def make_model(self) -> ReaderModel:
        """Make a model of a reader that has learned nothing. Raises ``ConfigError`` for an unknown classifier."""
        from iscore.filtering.model_factory import make_reader
        from iscore.learners import LEARNERS

        name = self.settings.classifier
        if name not in LEARNERS:
            raise ConfigError(str(self._home.config), f"no classifier {name!r}; there are {', '.join(LEARNERS)}")
        follows = self.settings.follow_changes
        model = make_reader(self.article_feature_names, self.make_extractors, name, follow_changes=follows)
        self._failures.append(model.features.failures)
        return model

    @cached_property
    def article_feature_names(self) -> tuple[str, ...]:
        """Names of the features that are frozen at arrival, in order."""
        from iscore.filtering.features.computation import ArticleFeatures

        return ArticleFeatures(self.make_extractors()).names

    @cached_property
    def meanings(self) -> dict[str, str]:
        """What each feature means in words a person understands."""
        extractors = self.make_extractors().values()
        return {name: meaning for extractor in extractors for name, meaning in extractor.meanings.items()}

    def note_failures(self, reasons: Mapping[str, str]) -> None:
        """Remember why extractors failed outside the models made here."""
        self._failed |= reasons

    def failures(self) -> dict[str, str]:
        """Why extractors of this process were left out or failed, by name, the newest reason of each. Loads nothing."""
        for failures in self._failures:
            self._failed |= failures.reasons
        return dict(sorted(self._failed.items()))

    @cached_property
    def keeper(self) -> ModelStore:
        """The person's model, loaded and saved."""
        from iscore.services.model_store import ModelStore

        # What a model learned without following changes is not what one learns that does.
        judges = self.settings.classifier + (", following changes" if self.settings.follow_changes else "")
        return ModelStore(self._database, self.user.id, self.make_model, self.article_feature_names, judges)
