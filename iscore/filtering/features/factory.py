"""All extractors of this installation, made, with the learners that some of them ask for.

Those of other packages are made in processes of their own (``iscore.plugins``).
"""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import dataclass
from functools import partial

from extractors import EXTRACTORS, Context, Extractor, published
from extractors.extractor import DocumentExtractor, ReaderExtractor, StreamExtractor
from extractors.learners import SparseLearner
from extractors.reader.confidence_weighted_words import N_COORDINATES
from extractors.text.terms import N_TERMS
from iscore.filtering.features.fault_isolation import ApartError
from iscore.learners import ConfidenceWeighted, KernelNaiveBayes, ModifiedBalancedWinnow, PassiveAggressive
from iscore.plugins import proxies

TERM_LEARNERS: dict[str, Callable[[], SparseLearner]] = {
    "modified-balanced-winnow": lambda: ModifiedBalancedWinnow(n_features=N_TERMS),
    "passive-aggressive": lambda: PassiveAggressive(n_features=N_TERMS),
    # Likes are rare: without a bias every word would have to say so.
    "confidence-weighted": lambda: ConfidenceWeighted(bias=True, n_features=N_COORDINATES),
}
"""Learners over words, by the names by which extractors ask for them."""

STYLE_NODES = 512
"""Nodes of the density grids over measures of style: they are smooth, and a quarter of the usual number keeps a
reader's state small."""


_CONTEXT = "iscore.filtering.features.factory:learning_context"


@dataclass(frozen=True, slots=True)
class LoadedExtractors:
    """What could be made of the registry."""

    extractors: dict[str, Extractor]
    """By registered name, having seen nothing."""
    failed: dict[str, str]
    """Why others are not there, by name."""


def learning_context(seed: int = 0) -> Context:
    """Return what extractors are given: the seed, and learners that have seen nothing."""
    return Context(seed, TERM_LEARNERS, lambda: KernelNaiveBayes(n_nodes=STYLE_NODES))


def load_extractors(seed: int = 0, seconds: float = proxies.SECONDS) -> LoadedExtractors:
    """Make every extractor; one of another package that cannot be made is left out, with the reason.

    ``seconds``: how long one of another package may take, to be made and then for each portion of articles.
    """
    context = learning_context(seed)
    makers: dict[str, Callable[[], object]] = {name: partial(factory, context) for name, factory in EXTRACTORS.items()}
    found = published()
    for entry in found.entries:
        makers[entry.name] = partial(proxies.make, entry, _CONTEXT, seed, seconds)
    made: dict[str, Extractor] = {}
    failed = dict(found.failed)
    for name, maker in makers.items():
        try:
            extractor = maker()
            made[name] = _checked(extractor, taken={feature for other in made.values() for feature in other.features})
        except ApartError as error:
            failed[name] = str(error)
        except Exception as error:
            failed[name] = f"{type(error).__name__}: {error}"
    return LoadedExtractors(made, failed)


def make_extractors(seed: int = 0) -> dict[str, Extractor]:
    """Make every extractor that can be made, by name, having seen nothing."""
    return load_extractors(seed).extractors


def _checked(extractor: object, taken: Set[str]) -> Extractor:
    """Raise ``TypeError`` or ``ValueError`` for what cannot work as an extractor, or not beside the others."""
    if not isinstance(extractor, DocumentExtractor | StreamExtractor | ReaderExtractor):
        raise TypeError(f"{type(extractor).__name__} is no document, stream or reader extractor")
    features = tuple(extractor.features)
    if not features or not all(isinstance(name, str) and name for name in features):
        raise ValueError("it names no features")
    for name in features:
        if name in taken or features.count(name) > 1:
            raise ValueError(f"there is a feature {name!r} already")
        if not extractor.meanings.get(name):
            raise ValueError(f"it does not say what its feature {name!r} means")
    return extractor
