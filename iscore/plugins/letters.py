"""What an extractor's process is told, and its way there as bytes: fields by name, numbers and texts, never code.

The form is that of saved states (``serialization``). A dataclass is written as its name and fields; only those named
here can come out at the other end.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

import numpy as np

from extractors.article_features import AnalysedArticle, AnalysedBatch
from extractors.extractor import Verdicts
from extractors.text.pairs import Pairs
from extractors.text.terms import TermBatch, TermVector
from extractors.text.text import Text, Texts
from iscore.filtering.serialization import StateError, pack, unpack
from iscore.plugins.carried import CarriedDocument, CarriedMetadata


@dataclass(frozen=True, slots=True)
class Introduction:
    """What the process has to know before anything else."""

    entry: tuple[str, str, str]
    """Name, value and group of the entry point."""
    context: str
    """``module:function`` that makes what extractors are given, of the reader's seed."""
    folders: tuple[str, ...]
    """Where modules are looked for."""


@dataclass(frozen=True, slots=True)
class Request:
    """One thing to do with one instance."""

    verb: str
    instance: int
    about: tuple[Any, ...]
    seconds: float
    dropped: tuple[int, ...] = ()
    """Instances that nobody will ask any more."""


_CARRIED: dict[str, type] = {
    each.__name__: each
    for each in (
        *(Introduction, Request, CarriedMetadata, CarriedDocument),
        *(AnalysedArticle, AnalysedBatch, TermVector, TermBatch, Pairs, Text, Texts, Verdicts),
    )
}
_TIME, _STATE = "time", "state"


def written(letter: Introduction | Request) -> bytes:
    """Return a letter as bytes. Raises ``TypeError`` if it is about what cannot be carried."""
    described: dict[str, Any] = _described(letter)
    return pack(described)


def read(data: bytes) -> Any:
    """Return the letter that ``written`` wrote; all sequences are tuples. Raises ``StateError``."""
    described = unpack(data)
    try:
        return _revived(described)
    except (KeyError, TypeError, ValueError) as error:
        raise StateError(f"no letter to an extractor: {error}") from error


def _described(value: Any) -> Any:
    name = type(value).__name__
    if _CARRIED.get(name) is type(value):
        return {"is": name} | {field: _described(getattr(value, field)) for field in _fields(type(value))}
    if isinstance(value, datetime):
        return {"is": _TIME, "at": value.isoformat()}
    if isinstance(value, Mapping):
        return {"is": _STATE, "state": value}
    if isinstance(value, list | tuple):
        return [_described(inner) for inner in value]
    if value is None or isinstance(value, bool | int | float | str | np.ndarray | np.generic):
        return value
    raise TypeError(f"a {name} cannot be carried to an extractor")


def _revived(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_revived(inner) for inner in value)
    if not isinstance(value, dict):
        return value
    if value["is"] == _TIME:
        return datetime.fromisoformat(value["at"])
    if value["is"] == _STATE:
        return value["state"]
    carried = _CARRIED[value["is"]]
    return carried(**{field: _revived(value[field]) for field in _fields(carried)})


def _fields(carried: type) -> list[str]:
    """Those that are told; what is underscored is worked out from them."""
    return [field.name for field in fields(carried) if not field.name.startswith("_")]
