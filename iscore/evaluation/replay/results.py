"""Outcomes on disk, so that a replay that was cut off goes on where it was.

Each finished outcome is a file of its own, which is there when it is complete. They belong to one configuration:
protocol, streams' bytes, and the code that decides. Readers and classifiers may be added at any time.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, overload

from iscore.core.errors import ReplayError
from iscore.evaluation.replay.code_digest import sources_of_outcomes
from iscore.evaluation.replay.correlations import FeatureCorrelations
from iscore.evaluation.replay.outcome import Outcome
from iscore.evaluation.replay.progress_line import Lived
from iscore.evaluation.replay.protocol import Protocol
from iscore.filtering.serialization import StateError, pack, unpack

Key = tuple[str, str, str]
"""Stream, reader, classifier."""


class Results:
    """The outcomes of one configuration. Raises ``ReplayError`` when ``folder`` belongs to another one.

    Parameters
    ----------
    folder
        Made when it is missing.
    protocol
        How streams are lived through.
    streams
        Name of each stream → hash of its bytes.
    """

    def __init__(self, folder: Path, protocol: Protocol, streams: Mapping[str, str]) -> None:
        self._folder = folder
        begun = folder / "configuration.json"
        configuration = _configuration(protocol)
        known: dict[str, str] = {}
        if begun.is_file():
            try:
                found = json.loads(begun.read_text(encoding="utf-8"))
                known = found.pop("streams")
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise ReplayError(f"{begun} cannot be read: {error}; name another folder, or delete it") from error
            changed = [name for name, value in configuration.items() if found.get(name) != value]
            changed += [f"the stream {name}" for name, digest in streams.items() if known.get(name, digest) != digest]
            if changed:
                raise ReplayError(
                    f"{folder.parent} holds a replay that was begun otherwise: {', '.join(changed)} changed; "
                    "name another folder, or delete it"
                )
        folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps(configuration | {"streams": known | dict(streams)}, indent=1)
        _write(begun, text.encode())

    def get(self, stream: str, reader: str, classifier: str) -> tuple[Outcome, dict[str, str]] | None:
        """Return an outcome with the problems of its extractors; None when there is none that can be read."""
        try:
            state = unpack(self._path(stream, reader, classifier).read_bytes())
            return Outcome(**state["outcome"]), dict(state["problems"])
        except (OSError, StateError, KeyError, TypeError, ValueError):
            return None

    def put(self, lived: Lived) -> None:
        """Keep outcomes."""
        for outcome in lived.outcomes:
            told = {field.name: getattr(outcome, field.name) for field in dataclasses.fields(outcome)}
            state = {"outcome": told, "problems": [[name, reason] for name, reason in lived.problems.items()]}
            _write(self._path(outcome.stream, outcome.reader, outcome.classifier), pack(state))
        if (found := lived.correlations) is not None:
            kept = {"stream": found.stream, "reader": found.reader, "names": list(found.names), "r": found.r}
            _write(self._path(found.stream, found.reader), pack(kept))

    def correlations(self, stream: str, reader: str) -> FeatureCorrelations | None:
        """Return how features go with a reader's interest; None when that is not known."""
        try:
            kept = unpack(self._path(stream, reader).read_bytes())
            return FeatureCorrelations(kept["stream"], kept["reader"], tuple(kept["names"]), kept["r"])
        except (OSError, StateError, KeyError, TypeError):
            return None

    def _path(self, *key: str) -> Path:
        # Readers are called anything: a hash is a name that every file system takes.
        digest = blake2b(json.dumps(key).encode(), digest_size=12).hexdigest()
        return self._folder / f"{digest}.{'outcome' if len(key) == 3 else 'correlations'}"


class Kept(Sequence[Outcome]):
    """Outcomes that are read when they are looked at: a thousand readers of a million articles fit into no memory.

    Looking raises ``ReplayError`` when one is not there any more.
    """

    def __init__(self, results: Results, keys: Sequence[Key]) -> None:
        self._results = results
        self._keys = keys

    def __len__(self) -> int:
        return len(self._keys)

    @overload
    def __getitem__(self, place: int) -> Outcome: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Outcome]: ...
    def __getitem__(self, place: int | slice) -> Outcome | Sequence[Outcome]:
        if isinstance(place, slice):
            return Kept(self._results, self._keys[place])
        kept = self._results.get(*self._keys[place])
        if kept is None:
            raise ReplayError("an outcome of the replay cannot be read; run it again")
        return kept[0]


def _configuration(protocol: Protocol) -> dict[str, Any]:
    told = {field.name: str(getattr(protocol, field.name)) for field in dataclasses.fields(protocol)}
    return {"protocol": told.pop("name")} | told | {"the program": sources_of_outcomes()}


def _write(path: Path, data: bytes) -> None:
    part = path.with_name(f"{path.name}.part")
    part.write_bytes(data)
    part.replace(path)
