"""What a saved model depends on beside the log: under another fingerprint it is learned anew. Loads nothing heavy."""

from __future__ import annotations

from collections.abc import Sequence

from iscore import __version__

STATE_VERSION = 6
"""Raised whenever the meaning of a saved state changes."""

_BEGINNING = f"{STATE_VERSION}; iscore {__version__}; "


def fingerprint(classifier: str, names: Sequence[str]) -> str:
    """Return versions, classifier and features as a text.

    Processor and library versions are not part of it: they may change the last bits of a score, and that is no reason
    to learn anew.
    """
    return f"{_BEGINNING}{classifier}; {' '.join(names)}"


def is_of_other_version(stored: str) -> bool:
    """Return whether a fingerprint is another version of iScore's, which may score and decide otherwise."""
    return not stored.startswith(_BEGINNING)
