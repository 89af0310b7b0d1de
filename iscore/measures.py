"""All extractors of this installation, made, with the learners that some of them ask for."""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import dataclass

from extractors import Context, Extractor, registry
from extractors.extractor import DocumentExtractor, ReaderExtractor, StreamExtractor
from extractors.learners import SparseLearner
from extractors.placed_words import N_COORDINATES
from extractors.terms import N_TERMS
from iscore.learners import ConfidenceWeighted, KernelNaiveBayes, ModifiedBalancedWinnow, PassiveAggressive

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


@dataclass(frozen=True, slots=True)
class Measures:
    """What could be made of the registry."""

    extractors: dict[str, Extractor]
    """By registered name, having seen nothing."""
    failed: dict[str, str]
    """Why others are not there, by name."""


def learning_context(seed: int = 0) -> Context:
    """Return what extractors are given: the seed, and learners that have seen nothing."""
    return Context(seed, TERM_LEARNERS, lambda: KernelNaiveBayes(n_nodes=STYLE_NODES))


def make_measures(seed: int = 0) -> Measures:
    """Make every extractor; one of another package that cannot be made is left out, with the reason."""
    context = learning_context(seed)
    found = registry()
    made: dict[str, Extractor] = {}
    failed = dict(found.failed)
    for name, factory in found.factories.items():
        try:
            extractor = factory(context)
            _check(extractor, taken={feature for other in made.values() for feature in other.features})
        except Exception as error:  # the factory may be anybody's
            failed[name] = f"{type(error).__name__}: {error}"
        else:
            made[name] = extractor
    return Measures(made, failed)


def _check(extractor: object, taken: Set[str]) -> None:
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
