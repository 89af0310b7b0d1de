"""Leaving out known entries before feedparser loses none, merges none and changes none: against feedparser untouched.

Over feeds as real sites published them, over those spoilt at random, and over feeds made up to be well-formed and odd.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.hostile.fuzz import seeds
from tests.hostile.fuzz.bounds import examples
from tests.hostile.fuzz.cut_claim import cutting_loses_nothing
from tests.hostile.fuzz.found_in_cutting import FOUND
from tests.hostile.fuzz.made_up_feeds import made_up_feed
from tests.hostile.fuzz.mutations import mutated, shortened
from tests.hostile.fuzz.untouched_feedparser import UntouchedFeedparser

SHORT = 2
"""Entries of the real feeds that are compared: reading all of each twice takes half a minute."""


@pytest.fixture(scope="module")
def feedparser() -> Iterator[UntouchedFeedparser]:
    with UntouchedFeedparser() as process:
        yield process


@pytest.fixture(scope="module")
def feeds() -> list[bytes]:
    """Every real feed, each with its first entries."""
    found = list({shortened(document, SHORT): None for document in seeds.real_feeds(2_000_000)})
    if not found:
        pytest.skip("ISCORE_DATA is not set")
    return found


@pytest.mark.long
def test_every_real_feed_is_read_the_same_in_parts(feedparser: UntouchedFeedparser, feeds: list[bytes]) -> None:
    cut = sum(cutting_loses_nothing(document, feedparser) for document in feeds)
    assert len(feeds) > 450
    assert cut > 100


@examples(23)
@given(st.integers(0, 1 << 32))
def test_real_feeds_that_were_spoilt(feedparser: UntouchedFeedparser, feeds: list[bytes], seed: int) -> None:
    chance = Random(seed)
    small = [document for document in feeds if len(document) < 6_000]
    document, other = chance.choice(small), chance.choice(small)
    cutting_loses_nothing(mutated(document, chance, other), feedparser, [document])


@examples(13)
@given(st.sampled_from(seeds.FEEDS[:3]), st.integers(0, 1 << 32))
def test_small_feeds_that_were_spoilt(feedparser: UntouchedFeedparser, document: bytes, seed: int) -> None:
    cutting_loses_nothing(mutated(document, Random(seed), document, most=2), feedparser, [document])


@examples(23)
@given(st.integers(0, 1 << 32))
def test_well_formed_feeds_that_no_publisher_would_write(feedparser: UntouchedFeedparser, seed: int) -> None:
    document = made_up_feed(Random(seed))
    later = mutated(document, Random(seed + 1), document, most=1)
    cutting_loses_nothing(document, feedparser)
    cutting_loses_nothing(later, feedparser, [document])


@pytest.mark.parametrize("name", FOUND)
def test_what_was_found_once(feedparser: UntouchedFeedparser, name: str) -> None:
    document, earlier = FOUND[name]
    cutting_loses_nothing(document, feedparser, earlier)


def test_made_up_feeds_are_cut_often_enough() -> None:
    """What is never cut shows nothing."""
    from iscore.feeds.parsing.known_items import find_items, have_distinct_identities

    found = [find_items(made_up_feed(Random(seed)), "https://a.example/") for seed in range(400)]
    assert sum(items is not None and len(items) > 1 and have_distinct_identities(items) for items in found) > 80
