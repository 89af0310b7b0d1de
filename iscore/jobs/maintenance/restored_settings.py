"""Which settings of a backup a restore takes over.

A backup may come from anybody, and some settings run a command, send something or open this machine's network. Those
keep their value here unless the user agrees to each one. They stay readable: as comments in config.toml.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from iscore.core.settings import HARMLESS, Settings
from iscore.core.settings_text import parted, readable, values_of

Agree = Callable[[str, object], bool]
"""Asked with the name and value of one setting; says whether to take it over."""

_LEFT_OUT = "# From the backup, but not taken over. Remove the # of what you want:\n"
_KEPT = "# As before the restore:\n"


@dataclass(frozen=True, slots=True)
class RestoredSettings:
    """The new config.toml, and what became of the settings that a restore does not take over by itself."""

    text: str
    switched_on: tuple[str, ...] = ()
    """Names of settings that the user agreed to."""
    left_out: tuple[str, ...] = ()
    """Names of settings that have another value here, or none."""


def merged(backup: str, present: str, agree: Agree) -> RestoredSettings:
    """Return the settings of a backup, except those that are not harmless, which stay as they are at present.

    A ``present`` that cannot be read counts as empty. Raises ``ValueError`` when ``backup`` is not a plain list of
    settings; its text completes "config.toml …".
    """
    mine, theirs = readable(present), values_of(backup)
    asked = [name for name, value in theirs.items() if name not in HARMLESS and mine.get(name) != value]
    switched_on = {name for name in asked if name in Settings.model_fields and agree(name, theirs[name])}
    left_out = set(asked) - switched_on
    kept = mine.keys() - HARMLESS - switched_on - {name for name in theirs if name not in asked}
    taken, refused = parted(backup, left_out)
    text = taken + _section(_LEFT_OUT, _commented(refused), taken)
    text += _section(_KEPT, parted(present, kept)[1], text)
    if values_of(text) != {name: theirs[name] for name in theirs.keys() - left_out} | {
        name: mine[name] for name in kept
    }:
        raise ValueError("is not a plain list of settings")
    return RestoredSettings(
        text,
        tuple(name for name in asked if name in switched_on),
        tuple(name for name in asked if name in left_out),
    )


def _section(title: str, content: str, before: str) -> str:
    if not content:
        return ""
    return ("" if before.endswith("\n") or not before else "\n") + title + content


def _commented(text: str) -> str:
    return "".join(f"# {line}\n" for line in text.split("\n") if line.strip())
