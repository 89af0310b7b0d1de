"""An extractor whose state cannot be kept or taken back costs its own features only."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
import pytest

from extractors.base import ReaderExtractor, StreamExtractor
from iscore.filtering.features.computation import ArticleFeatures, ReaderFeatures
from iscore.filtering.serialization import StateError, pack, unpack
from tests.iscore.filtering.features.test_computation import among


class Forgetful:
    """Counts what it is shown, and fails when its memory is asked for or given back."""

    features = ("odd_one", "odd_two")
    meanings: ClassVar = {"odd_one": "odd", "odd_two": "odder"}

    def __init__(self, state: object, refuses: bool = False) -> None:
        self.given, self.refuses, self.count = state, refuses, 0

    def extract(self, *_):
        return [float(self.count), 0.0]

    def observe(self, *_):
        self.count += 1

    def learn(self, *_):
        self.count += 1

    def state(self):
        if self.given is None:
            raise RuntimeError("cannot say")
        return self.given

    def restore(self, _):
        if self.refuses:
            raise AttributeError("cannot take it")


class ForgetfulStream(Forgetful, StreamExtractor):
    pass


class ForgetfulReader(Forgetful, ReaderExtractor):
    pass


STATES = {
    "raises": (None, "RuntimeError: cannot say"),
    "an object": ({"x": object()}, "TypeError: a state may not hold a object"),
    "an array of objects": ({"x": np.array([object()])}, "TypeError: a state may not hold an array of object"),
    "a part without a name": ({"": 1}, "TypeError: the parts of a state have names"),
    "a part numbered": ({"x": {1: 2}}, "TypeError: the parts of a state have names"),
    "no mapping": (7, "TypeError: a state is a mapping"),
}


@pytest.mark.parametrize("fault", STATES)
def test_a_stream_extractor_whose_state_cannot_be_kept_starts_afresh(make_extractors, pieces, fault: str) -> None:
    state, reason = STATES[fault]
    whole, broken = (
        ArticleFeatures(make_extractors()),
        ArticleFeatures(among(make_extractors(), ForgetfulStream(state))),
    )
    for features in (whole, broken):
        features.analyse_many(pieces[:10])
    assert pack(broken.state()) == pack(whole.state())
    assert broken.failures.reasons == {"odd": reason}
    after = ArticleFeatures(among(make_extractors(), ForgetfulStream({})))
    after.restore(unpack(pack(broken.state())))
    article = after.analyse(pieces[10])
    assert (article.value("odd_one"), after.failures.reasons) == (0.0, {})
    assert article.value("novelty") == whole.analyse(pieces[10]).value("novelty")


def test_a_stream_extractor_that_cannot_take_its_state_is_missing_until_the_next_time(make_extractors, pieces) -> None:
    first = ArticleFeatures(among(make_extractors(), ForgetfulStream({"x": 1})))
    first.analyse_many(pieces[:10])
    second = ArticleFeatures(among(make_extractors(), ForgetfulStream({"x": 1}, refuses=True)))
    second.restore(unpack(pack(first.state())))
    one, other = first.analyse(pieces[10]), second.analyse(pieces[10])
    assert (one.value("odd_one"), one.value("novelty")) == (10.0, other.value("novelty"))
    assert math.isnan(other.value("odd_one"))
    assert math.isnan(other.value("odd_two"))
    assert second.failures.reasons == {"odd": "AttributeError: cannot take it"}
    assert "odd" not in second.state()["extractors"]


@pytest.mark.parametrize("fault", STATES)
def test_a_reader_extractor_whose_state_cannot_be_kept_makes_the_state_incomplete(make_extractors, fault: str) -> None:
    state, reason = STATES[fault]
    whole, broken = ReaderFeatures(make_extractors()), ReaderFeatures(among(make_extractors(), ForgetfulReader(state)))
    assert pack(broken.state()) == pack(whole.state())
    assert broken.failures.reasons == {"odd": reason}
    whole.restore(broken.state())
    with pytest.raises(StateError, match="odd"):
        ReaderFeatures(among(make_extractors(), ForgetfulReader({}))).restore(broken.state())
    refusing = ReaderFeatures(among(make_extractors(), ForgetfulReader({}, refuses=True)))
    with pytest.raises(StateError, match="odd"):
        refusing.restore(refusing.state())
    assert refusing.failures.reasons == {"odd": "AttributeError: cannot take it"}
