"""Windows and usefulness against plain loops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iscore.evaluation.replay.windows import articles_until_useful, part, trailing_f, windows
from iscore.filtering.metrics import count
from tests.iscore.evaluation.replay.outcomes import outcome, simulated

PAIRS = st.lists(st.tuples(st.booleans(), st.booleans()), max_size=80)


def arrays(pairs: list[tuple[bool, bool]]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([pair[0] for pair in pairs], dtype=bool), np.array([pair[1] for pair in pairs], dtype=bool)


def test_windows_cover_the_stream_once() -> None:
    run = simulated(1234, seed=3)
    found = windows(run.delivered, run.liked, 500)
    assert [(window.first, window.last) for window in found] == [(1, 500), (501, 1000), (1001, 1234)]
    assert sum(window.counts.articles for window in found) == 1234
    assert sum(window.counts.hits for window in found) == count(run.delivered, run.liked).hits
    assert found[1].counts == count(run.delivered[500:1000], run.liked[500:1000])
    assert windows(run.delivered[:0], run.liked[:0]) == []


@settings(max_examples=100, deadline=None)
@given(PAIRS.filter(bool), st.integers(1, 40))
def test_trailing_f_is_that_of_the_last_articles(pairs: list[tuple[bool, bool]], size: int) -> None:
    delivered, liked = arrays(pairs)
    positions = np.arange(1, len(liked) + 1)
    found = trailing_f(delivered, liked, positions, size=size)
    for position, value in zip(positions, found, strict=True):
        stretch = slice(max(0, position - size), position)
        expected = count(delivered[stretch], liked[stretch]).f_beta()
        assert np.isnan(value) if expected is None else value == pytest.approx(expected)


@settings(max_examples=100, deadline=None)
@given(PAIRS, st.integers(1, 6), st.sampled_from([0.3, 0.5, 0.8]))
def test_useful_from_the_first_article_that_the_definition_allows(
    pairs: list[tuple[bool, bool]], likes: int, level: float
) -> None:
    delivered, liked = arrays(pairs)
    at = np.flatnonzero(liked)

    def f(position: int) -> float:
        behind = at[at < position]
        start = at[len(behind) - likes - 1] + 1 if len(behind) > likes else 0
        return count(delivered[start:position], liked[start:position]).f_beta() or 0.0

    expected = None
    for position in range(1, len(liked) + 1):
        behind = int(np.count_nonzero(at < position))
        if behind < likes or behind + likes > len(at):
            continue
        proven = at[behind + likes - 1] + 1
        if all(f(later) >= level for later in range(position, proven + 1)):
            expected = position
            break
    assert articles_until_useful(delivered, liked, level=level, likes=likes) == expected


def test_a_filter_becomes_useful_when_it_starts_to_deliver() -> None:
    liked = np.tile([False, False, False, True], 100)
    delivered = liked.copy()
    delivered[:200] = False
    # Of the last 20 likes, k delivered rightly give 1.25 k / (k + 5): 0.5 from k = 4 on, at article 204 + 3 · 4.
    assert articles_until_useful(delivered, liked) == 216


def test_one_good_spell_is_not_enough() -> None:
    liked = np.ones(100, dtype=bool)
    delivered = np.zeros(100, dtype=bool)
    # Four of the last 20 are enough: from article 24 on, while none of the first four has fallen out.
    delivered[20:27] = True
    assert articles_until_useful(delivered, liked) is None
    delivered[27] = True
    assert articles_until_useful(delivered, liked) == 24


def test_part_of_an_outcome_is_its_articles() -> None:
    run = simulated(100, seed=5)
    cut = part(run, 10, 30)
    assert len(cut.liked) == len(cut.scores) == len(cut.thresholds) == len(cut.trained) == 20
    assert (cut.delivered == run.delivered[10:30]).all()
    assert cut.reader == run.reader
    assert len(part(run, 90).explored) == 10
    assert len(part(outcome(""), 5).liked) == 0
