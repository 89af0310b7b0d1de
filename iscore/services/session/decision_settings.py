"""What decisions depend on of the user's settings."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from iscore.core.settings import Settings
    from storage.records.users import User


@dataclass(frozen=True, slots=True)
class DecisionSettings:
    """Fields have the names and meanings of the settings."""

    classifier: str
    inbox_days: int = 7
    beta: float = 0.5
    learns_from_reading: bool = False
    """Not in the settings, but of the user."""

    @classmethod
    def of(cls, settings: Settings, user: User) -> Self:
        """Take them from the user's settings and record."""
        of_settings = settings.classifier, settings.inbox_days, settings.beta
        return cls(*of_settings, user.learns_from_reading)

    @property
    def window(self) -> timedelta:
        """How long an article that was not delivered is decided about again."""
        return timedelta(days=self.inbox_days)
