"""Extractors that stand for one of another package: each verb is asked of the process where that lives."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from importlib.metadata import EntryPoint
from typing import Any

import numpy as np

from extractors.article import Document
from extractors.article_features import AnalysedArticle, AnalysedBatch
from extractors.extractor import DocumentExtractor, Extractor, ReaderExtractor, StreamExtractor, Verdicts
from extractors.state import State
from extractors.text.terms import TermVector
from extractors.text.text import Text, Texts
from iscore.filtering.features.fault_isolation import Apart, ApartError, Floats
from iscore.plugins.carried import carried_article, carried_batch, carried_documents
from iscore.plugins.process import PluginProcess, process_of

SECONDS = 20.0
"""How long an extractor may take for ``AT_ONCE`` articles: a thousand times what measures of texts take."""
AT_ONCE = 128
"""Articles that are asked about at once."""


def make(entry: EntryPoint, context: str, seed: int, seconds: float = SECONDS) -> Extractor:
    """Make the extractor of an entry point, in its own process; ``context``: ``module:function`` of its ``Context``.

    Raises ``ApartError`` when that fails or takes longer than ``seconds``, and each time after it did. An extractor
    that was made once and has hung since is missing in everything.
    """
    process = process_of(entry, context)
    number = 0
    if not process.gone or process.description is None:
        number = process.make(seed, seconds)
    description = process.description
    assert description is not None  # noqa: S101 -- it was made, now or before
    scope: type[_Proxy] = _SCOPES[description["scope"]]
    features = tuple(description["features"])
    meanings = {name: meaning for name, meaning in description["meanings"] if meaning}
    about = {"features": features, "meanings": meanings, "origin": description["origin"]}
    made: Extractor = type(scope.__name__, (scope,), about)(process, number, seconds)
    return made


class _Proxy(Apart):
    """One instance."""

    origin: str | None = None
    """The file that defines the extractor."""

    def __init__(self, process: PluginProcess, number: int, seconds: float) -> None:
        self._process = process
        self._number = number
        self._seconds = seconds
        weakref.finalize(self, process.drop, number).atexit = False

    def values(self, *about: Any) -> tuple[Floats, str]:
        answer = self._ask("values", *about)
        return np.asarray(answer["values"]), str(answer["reason"])

    def _ask(self, verb: str, *about: Any) -> dict[str, Any]:
        return self._process.ask(verb, self._number, *about, seconds=self._seconds)

    def _certain(self, *about: Any) -> Floats:
        values, reason = self.values(*about)
        if reason:
            raise ApartError(reason)
        return values


class DocumentProxy(_Proxy, DocumentExtractor):
    def values(self, *about: Any) -> tuple[Floats, str]:
        documents, texts = about
        return super().values(carried_documents(documents), texts)

    def extract_many(self, documents: Sequence[Document], texts: Texts) -> Floats:
        return self._certain(documents, texts)


class StreamProxy(_Proxy, StreamExtractor):
    def values(self, *about: Any) -> tuple[Floats, str]:
        documents, texts = about
        return super().values(carried_documents(documents), texts)

    def extract(self, document: Document, text: Text) -> Sequence[float]:
        said: list[float] = self._ask("extract", *carried_documents([document]), text)["said"].tolist()
        return said

    def observe(self, document: Document, text: Text) -> None:
        self._ask("observe", *carried_documents([document]), text)

    def follow(self, documents: Sequence[Document], texts: Texts) -> Floats:
        return self._certain(documents, texts)

    def state(self) -> State:
        said: State = self._ask("state")["said"]
        return said

    def restore(self, state: State) -> None:
        self._ask("restore", state)


class ReaderProxy(_Proxy, ReaderExtractor):
    def values(self, *about: Any) -> tuple[Floats, str]:
        articles, *said = about
        blocks, newest = [np.empty((0, len(self.features)))], ""
        for start in range(0, len(articles), AT_ONCE):
            end = min(start + AT_ONCE, len(articles))
            verdicts = [Verdicts(each.interesting[start:end], each.weights[start:end]) for each in said]
            block, reason = super().values(carried_batch(articles, start, end), *verdicts)
            blocks.append(block)
            newest = reason or newest
        return np.concatenate(blocks), newest

    def extract_many(self, articles: AnalysedBatch) -> Floats:
        return self._certain(articles)

    def follow(self, articles: AnalysedBatch, verdicts: Verdicts) -> Floats:
        return self._certain(articles, verdicts)

    def evidence(self, terms: TermVector) -> Floats:
        said: Floats = self._ask("evidence", terms)["said"]
        return said

    def learn(self, article: AnalysedArticle, interesting: bool, weight: float) -> None:
        self._ask("learn", carried_article(article), interesting, weight)

    def state(self) -> State:
        said: State = self._ask("state")["said"]
        return said

    def restore(self, state: State) -> None:
        self._ask("restore", state)


_SCOPES: dict[str, type[_Proxy]] = {"document": DocumentProxy, "stream": StreamProxy, "reader": ReaderProxy}
