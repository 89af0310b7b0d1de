"""What runs in the process of one extractor: it makes instances and asks them, as it is told.

Requests and answers are numbers, names and texts (``iscore.plugins.letters``, ``serialization``): neither side can be
made to run anything by what it reads.
"""

from __future__ import annotations

import signal
import socket
import sys
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from importlib.metadata import EntryPoint
from typing import Any

import numpy as np

from extractors.extractor import Context, DocumentExtractor, Extractor, ReaderExtractor, StreamExtractor
from extractors.learners import SparseLearner
from iscore.filtering.features.fault_isolation import (
    Failures,
    document_values,
    followed_values,
    reader_values,
    stream_values,
)
from iscore.filtering.serialization import pack
from iscore.plugins.frames import receive, send
from iscore.plugins.letters import Introduction, Request, read


def serve(channel: socket.socket) -> None:
    """Answer requests until there are no more."""
    introduction = read(receive(channel))
    sys.path[:] = introduction.folders
    servant = Servant(introduction)
    while True:
        try:
            request = read(receive(channel))
        except EOFError:
            return
        # Nobody handles this signal, so it ends the process, even inside of compiled code.
        signal.setitimer(signal.ITIMER_REAL, request.seconds)
        try:
            answer = pack(servant.do(request))
        except Exception as error:
            answer = pack({"error": f"{type(error).__name__}: {error}"})
        signal.setitimer(signal.ITIMER_REAL, 0)
        send(channel, answer)


class Servant:
    """The instances of one extractor."""

    def __init__(self, introduction: Introduction) -> None:
        self._entry = EntryPoint(*introduction.entry)
        self._context = introduction.context
        self._factory: Callable[[Context], object] | None = None
        self._instances: dict[int, Extractor] = {}

    def do(self, request: Request) -> dict[str, Any]:
        """Do what is asked; raises whatever the extractor raises."""
        for gone in request.dropped:
            self._instances.pop(gone, None)
        if request.verb == "make":
            return self._make(request.instance, *request.about)
        extractor = self._instances[request.instance]
        if request.verb == "values":
            return _values(extractor, self._entry.name, *request.about)
        said = getattr(extractor, request.verb)(*request.about)
        return {"said": np.asarray(said, dtype=np.float64) if request.verb in {"extract", "evidence"} else said}

    def _make(self, number: int, seed: int) -> dict[str, Any]:
        if self._factory is None:
            try:
                self._factory = self._entry.load()
            except Exception as error:
                return {"error": f"{self._entry.value} cannot be loaded: {error}"}
        made = self._factory(_context(self._context, seed))
        if not isinstance(made, DocumentExtractor | StreamExtractor | ReaderExtractor):
            raise TypeError(f"{type(made).__name__} is no document, stream or reader extractor")
        self._instances[number] = made
        meanings = made.meanings
        return {
            "scope": made.scope,
            "features": list(made.features),
            # Pairs, since the names of a state may not be empty, and these may be anything before they are checked.
            "meanings": [[name, meanings.get(name)] for name in made.features],
            "origin": getattr(sys.modules.get(type(made).__module__), "__file__", None),
        }


def _values(extractor: Extractor, name: str, *about: Any) -> dict[str, Any]:
    failures = Failures({name: extractor})
    if isinstance(extractor, ReaderExtractor):
        articles, *verdicts = about
        values = (
            followed_values(extractor, articles, verdicts[0], failures)
            if verdicts
            else reader_values(extractor, articles, failures)
        )
    else:
        documents, texts = about
        measure = document_values if isinstance(extractor, DocumentExtractor) else stream_values
        values = measure(extractor, documents, texts, failures)  # type: ignore[arg-type]
    return {"values": values, "reason": failures.reasons.get(name, "")}


def _context(maker: str, seed: int) -> Context:
    """What extractors are given. Learners take seconds to load, and few extractors ask for any."""

    def whole() -> Context:
        module, _, function = maker.partition(":")
        context: Context = getattr(import_module(module), function)(seed)
        return context

    return Context(seed, _Learners(lambda: whole().term_learners), lambda: _style_learner(whole()))


def _style_learner(context: Context) -> Any:
    if context.style_learner is None:
        raise LookupError("there is no learner over measures of style")
    return context.style_learner()


class _Learners(Mapping[str, Callable[[], SparseLearner]]):
    """Learners by name, loaded when one is asked for."""

    def __init__(self, load: Callable[[], Mapping[str, Callable[[], SparseLearner]]]) -> None:
        self._load = load

    def __getitem__(self, name: str) -> Callable[[], SparseLearner]:
        return self._load()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._load())

    def __len__(self) -> int:
        return len(self._load())
