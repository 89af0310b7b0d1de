"""The people who share a data folder, and their settings."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from storage.records.users import Role


@dataclass(frozen=True, slots=True)
class PersonView:
    """One person."""

    name: str
    role: Role
    time_zone: str
    """Empty: that of their settings."""
    created: datetime | None
    """None: not known."""
    has_password: bool
    feeds: int
    """How many they follow."""


@dataclass(frozen=True, slots=True)
class AddedPerson:
    """A new person, and what became of the files of the first."""

    person: PersonView
    moved: tuple[Path, ...]
    """Copies of the files that were moved into the database; empty if that was done before."""


@dataclass(frozen=True, slots=True)
class SettingView:
    """One of a user's own settings."""

    name: str
    value: str | bool | float
    default: str | bool | float
    description: str
    variable: str = ""
    """The environment variable that sets it, so that the text does not; empty if none does."""


class AddressState(StrEnum):
    """How far it is confirmed that an address belongs to its user."""

    CONFIRMED = "confirmed"
    """It is, or needs not to be: digests are mailed there."""
    WAITING = "waiting"
    """A code will be mailed."""
    NO_SERVER = "no server"
    """No code can be mailed: the settings name no server that sends mail."""
    SENT = "sent"
    """A code was mailed and can be entered."""
    LAPSED = "lapsed"
    """No code is valid: the last one is too old, was entered wrongly too often, or its mail was refused."""


@dataclass(frozen=True, slots=True)
class MailAddressView:
    """The address to which a user wants their digest."""

    address: str
    state: AddressState
    ask_from: datetime | None
    """When another code can be asked for; None: now."""
