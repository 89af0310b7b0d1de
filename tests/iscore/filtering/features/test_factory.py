"""Which extractors are made, and why others are not."""

from __future__ import annotations

from typing import ClassVar

import pytest

from extractors import EXTRACTORS, Context
from extractors.base import DocumentExtractor, Extractor
from iscore.filtering.features.factory import load_extractors


class Loud(DocumentExtractor):
    """Somebody else's."""

    features: ClassVar = ("loud",)
    meanings: ClassVar = {"loud": "loud"}

    def extract(self, *_):
        return [1.0]


def changed(**attributes: object) -> type[Loud]:
    return type("Changed", (Loud,), attributes)


def raises(_: Context) -> Extractor:
    raise OSError("no such file")


def test_everything_that_comes_with_iscore_can_be_made() -> None:
    made = load_extractors(seed=3)
    assert list(made.extractors) == list(EXTRACTORS)
    assert made.failed == {}


def test_other_extractors_come_after_those_of_iscore(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EXTRACTORS, "loud", lambda _: Loud())
    made = load_extractors()
    assert list(made.extractors)[-1] == "loud"
    assert made.failed == {}


@pytest.mark.parametrize(
    ("factory", "reason"),
    [
        (raises, "OSError: no such file"),
        (lambda _: 7, "TypeError: int is no document, stream or reader extractor"),
        (lambda _: Loud, "TypeError: ABCMeta is no document, stream or reader extractor"),
        (lambda _: changed(features=())(), "ValueError: it names no features"),
        (lambda _: changed(features=("",))(), "ValueError: it names no features"),
        (lambda _: changed(features=("age",))(), "ValueError: there is a feature 'age' already"),
        (lambda _: changed(features=("loud", "loud"))(), "ValueError: there is a feature 'loud' already"),
        (lambda _: changed(meanings={})(), "ValueError: it does not say what its feature 'loud' means"),
        (
            lambda _: changed(limits={"loud": (2.0, 1.0)})(),
            "ValueError: the limits of its feature 'loud' are not in order",
        ),
        (lambda _: changed(meanings=None)(), "AttributeError: 'NoneType' object has no attribute 'get'"),
    ],
)
def test_what_cannot_be_made_is_left_out_with_its_reason(monkeypatch: pytest.MonkeyPatch, factory, reason: str) -> None:
    monkeypatch.setitem(EXTRACTORS, "odd", factory)
    monkeypatch.setitem(EXTRACTORS, "loud", lambda _: Loud())
    made = load_extractors()
    assert made.failed == {"odd": reason}
    assert list(made.extractors) == [name for name in EXTRACTORS if name != "odd"]
