"""What ``iscore.services.session.personal_settings`` answers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SettingView:
    """One of a user's own settings."""

    name: str
    value: str | bool | float
    default: str | bool | float
    description: str
    variable: str = ""
    """The environment variable that sets it, so that the text does not; empty if none does."""
