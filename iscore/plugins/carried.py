"""Articles as they are carried into an extractor's process: what an extractor may see of them, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any

from extractors.article import Document, Metadata
from extractors.article_features import AnalysedArticle, AnalysedBatch


@dataclass(frozen=True, slots=True)
class CarriedMetadata:
    """``extractors.article.Metadata``."""

    id: str
    url: str
    source: str
    site: str
    author: str
    categories: tuple[str, ...]
    tags: tuple[str, ...]
    language: str
    published: datetime | None
    arrived: datetime


@dataclass(frozen=True, slots=True)
class CarriedDocument(CarriedMetadata):
    """``extractors.article.Document``."""

    title: str
    text: str
    links: int
    pictures: int


_METADATA = tuple(field.name for field in fields(CarriedMetadata))
_DOCUMENT = tuple(field.name for field in fields(CarriedDocument))


def carried_documents(documents: Sequence[Document]) -> list[CarriedDocument]:
    """Take from documents what is carried."""
    return [CarriedDocument(*_taken(document, _DOCUMENT)) for document in documents]


def carried_article(article: AnalysedArticle) -> AnalysedArticle:
    """Take from an article what is carried."""
    return replace(article, metadata=_metadata(article.metadata))


def carried_batch(batch: AnalysedBatch, start: int, end: int) -> AnalysedBatch:
    """Take the articles of some rows, and of them what is carried."""
    return AnalysedBatch.of([carried_article(batch[row]) for row in range(start, end)])


def _metadata(metadata: Metadata) -> CarriedMetadata:
    return CarriedMetadata(*_taken(metadata, _METADATA))


def _taken(article: object, names: Sequence[str]) -> list[Any]:
    return [getattr(article, name) for name in names]
