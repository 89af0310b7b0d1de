"""Makes all extractors of this installation, with the learners that some of them need."""

from __future__ import annotations

from collections.abc import Callable, Set
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from extractors import Context, Extractor, published, registry
from extractors.base import BatchDocumentExtractor, BatchReaderExtractor, BatchStreamExtractor, SparseLearner
from extractors.reader.confidence_weighted_words import N_COORDINATES
from extractors.text.terms import N_TERMS
from iscore.learners import ConfidenceWeighted, KernelNaiveBayes, ModifiedBalancedWinnow, PassiveAggressive

TERM_LEARNERS: dict[str, Callable[[], SparseLearner]] = {
    "modified-balanced-winnow": lambda: ModifiedBalancedWinnow(n_features=N_TERMS),
    "passive-aggressive": lambda: PassiveAggressive(n_features=N_TERMS),
    # Likes are rare: without a bias every word would have to express that.
    "confidence-weighted": lambda: ConfidenceWeighted(bias=True, n_features=N_COORDINATES),
}
"""Learners over words, by the names by which extractors ask for them."""

STYLE_NODES = 512
"""Nodes of the density grids over features of style: the densities are smooth, and a quarter of the usual number keeps
the state small."""


@dataclass(frozen=True, slots=True)
class LoadedExtractors:
    """The extractors that could be made, and why others could not."""

    extractors: dict[str, Extractor]
    """By registered name, without any state."""
    failed: dict[str, str]
    """The reasons, by name."""


def learning_context(seed: int = 0) -> Context:
    """Return what extractors receive: the seed, and makers of untrained learners."""
    return Context(seed, TERM_LEARNERS, lambda: KernelNaiveBayes(n_nodes=STYLE_NODES))


def load_extractors(seed: int = 0, record: Path | None = None) -> LoadedExtractors:
    """Make every extractor; one of another package that cannot be loaded or made is left out, with the reason.

    ``record`` is the folder of the crash record; without one there is no such record.
    """
    running: dict[str, Callable[[], AbstractContextManager[object]]] = {}
    skipped: dict[str, str] = {}
    entries = published().entries
    if record is not None and entries:
        from iscore.filtering.features.crash_record import crash_record  # its file lock is heavy to load

        crashes = crash_record(record)
        skipped = crashes.skipped(entries)
        running = {entry.name: partial(crashes.running, entry) for entry in entries}
    found = registry(lambda name: running.get(name, nullcontext)(), skipped)
    context = learning_context(seed)
    made: dict[str, Extractor] = {}
    failed = dict(found.failed)
    for name, factory in found.factories.items():
        enter = running.get(name, nullcontext)
        try:
            with enter():
                extractor = factory(context)
                made[name] = _checked(extractor, {feature for other in made.values() for feature in other.features})
        except Exception as error:
            failed[name] = f"{type(error).__name__}: {error}"
        else:
            extractor.running = enter
    return LoadedExtractors(made, failed)


def make_extractors(seed: int = 0) -> dict[str, Extractor]:
    """Make every extractor that can be made, by name, without any state."""
    return load_extractors(seed).extractors


def _checked(extractor: object, taken: Set[str]) -> Extractor:
    """Raise ``TypeError`` or ``ValueError`` for what cannot work as an extractor, or not beside the others."""
    if not isinstance(extractor, BatchDocumentExtractor | BatchStreamExtractor | BatchReaderExtractor):
        raise TypeError(f"{type(extractor).__name__} is no document, stream or reader extractor")
    features = tuple(extractor.features)
    if not features or not all(isinstance(name, str) and name for name in features):
        raise ValueError("it names no features")
    for name in features:
        if name in taken or features.count(name) > 1:
            raise ValueError(f"there is a feature {name!r} already")
        if not extractor.meanings.get(name):
            raise ValueError(f"it does not say what its feature {name!r} means")
        low, high = extractor.limits.get(name, (0.0, 0.0))
        if not low <= high:
            raise ValueError(f"the limits of its feature {name!r} are not in order")
    return extractor
