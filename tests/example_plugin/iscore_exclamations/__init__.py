"""Exclamation marks as features of iScore: how many, and whether this reader likes them."""

from __future__ import annotations

from extractors.base import Context, Extractor
from iscore_exclamations.excitement import Excitement
from iscore_exclamations.exclamations import Exclamations
from iscore_exclamations.unlucky import Unlucky


def make_exclamations(context: Context) -> Extractor:
    """Make the counter; it needs nothing of the context."""
    return Exclamations()


def make_excitement(context: Context) -> Extractor:
    """Make one reader's taste."""
    return Excitement()


def make_unlucky(context: Context) -> Extractor:
    """Make what fails."""
    return Unlucky()
