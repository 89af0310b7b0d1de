"""Features of articles: text in, numbers out. ``registry`` lists every extractor."""

from extractors.article import Article, Document, Metadata
from extractors.article_features import AnalysedArticle, AnalysedBatch
from extractors.base import (
    OTHER_FAMILY,
    BatchDocumentExtractor,
    BatchReaderExtractor,
    BatchStreamExtractor,
    Context,
    DocumentExtractor,
    Extractor,
    ReaderExtractor,
    StreamExtractor,
    Verdicts,
)
from extractors.registry import (
    EXTRACTORS,
    GROUP,
    Factory,
    Published,
    Registry,
    families,
    published,
    registry,
)
from extractors.text.analysis import analyse, analyse_many

__all__ = [
    "EXTRACTORS",
    "GROUP",
    "OTHER_FAMILY",
    "AnalysedArticle",
    "AnalysedBatch",
    "Article",
    "BatchDocumentExtractor",
    "BatchReaderExtractor",
    "BatchStreamExtractor",
    "Context",
    "Document",
    "DocumentExtractor",
    "Extractor",
    "Factory",
    "Metadata",
    "Published",
    "ReaderExtractor",
    "Registry",
    "StreamExtractor",
    "Verdicts",
    "analyse",
    "analyse_many",
    "families",
    "published",
    "registry",
]
