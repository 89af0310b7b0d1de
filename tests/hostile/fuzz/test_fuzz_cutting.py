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
from tests.hostile.fuzz.cut_claim import cutting_loses_nothing
from tests.hostile.fuzz.damage import examples
from tests.hostile.fuzz.made_up_feeds import made_up_feed
from tests.hostile.fuzz.mutations import mutated, shortened
from tests.hostile.fuzz.untouched_feedparser import UntouchedFeedparser


def _rss(items: str, head: str = "", attributes: str = "") -> bytes:
    return f'<rss version="2.0"{attributes}><channel><title>T</title>{head}{items}</channel></rss>'.encode()


def _rdf(items: str) -> bytes:
    spaces = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"'
    return f'<rdf:RDF {spaces}><channel rdf:about="c"><title>T</title></channel>{items}</rdf:RDF>'.encode()


def _atom(entries: str, head: str = "", attributes: str = "") -> bytes:
    return f'<feed xmlns="http://www.w3.org/2005/Atom"{attributes}><title>T</title>{head}{entries}</feed>'.encode()


_DC = ' xmlns:dc="http://purl.org/dc/elements/1.1/"'
_SLASH = ' xmlns:slash="http://purl.org/rss/1.0/modules/slash/"'
_NEXT = "<item><guid>2</guid><title>Two</title><description>b</description></item>"

FOUND: dict[str, tuple[bytes, list[bytes]]] = {
    "an item within a text ends the one around it": (
        b'<rss><channel><title></title><item><title></title><link>l</link><guid k=""></guid></item>'
        b"<item><description><item><description></description><guid>h</guid></item></description><link></link>"
        b"<title>a</title><description></description><guid>j</guid></item></channel></rss>",
        [],
    ),
    "the same within a title": (
        b"<rss><channel><title></title><item><title>ae</title><link>http://a.example/1</link></item><item><title><item>"
        b"<title></title><link>http://a.example/1</link></item></title><link>ht3/W3.h</link></item></channel></rss>",
        [],
    ),
    "a channel within an item ends the one around it": (
        b"<rss><channel><item><guid>1</guid><author><channel/></author></item><item><guid>2</guid></item>"
        b"<title>T</title></channel></rss>",
        [],
    ),
    "markup in a text of one item spoils the next": (
        _rss(
            "<item><guid>1</guid><description><p>a</p><summary>s</summary><content>c</content></description></item>"
            '<item><guid>2</guid><description mode="base64"><category>c</category></description></item>'
        ),
        [],
    ),
    "a division in a text makes an item's language that of the next": (
        _rss('<item xml:lang="it"><guid>1</guid><description><div>a</div></description></item>' + _NEXT),
        [],
    ),
    "a division in a text makes an item's base that of the next": (
        _rss(
            '<item xml:base="http://b.example/"><guid>1</guid><description><div>a</div></description></item>'
            "<item><guid>2</guid><link>page</link></item>"
        ),
        [],
    ),
    "a language deep in the head": (
        _rss(_NEXT, "<language>en</language><image><url><language>it</language></url></image>"),
        [_rss(_NEXT, "<language>en</language><image><url>u</url></image>")],
    ),
    "an author of another module in the head": (
        _atom("<entry><id>1</id><title>a</title></entry>", "<dc:creator>New</dc:creator>", _DC),
        [_atom("<entry><id>1</id><title>a</title></entry>", "<dc:creator>Old</dc:creator>", _DC)],
    ),
    "an id with a bracket in an attribute": (
        _rss('<item><guid a="x>1">1</guid><link>/a</link></item><item><guid>1</guid><link>/b</link></item>'),
        [],
    ),
    "an id with a comment in it": (
        _rss("<item><guid>1<!-- c --></guid><link>/a</link></item><item><guid>1</guid><link>/b</link></item>"),
        [],
    ),
    "an id in capitals": (
        _rss("<item><GUID>1</GUID><link>/a</link></item><item><GUID>1</GUID><link>/b</link></item>"),
        [],
    ),
    "a page that is also that of an item with an id": (
        _rss("<item><guid>1</guid><link>http://a.example/</link></item><item><link>http://a.example/</link></item>"),
        [],
    ),
    "an element that is read within one that is not": (
        _rss(
            "<item><guid>1</guid><slash:comments><dc:creator>A</dc:creator></slash:comments></item>", "", _DC + _SLASH
        ),
        [],
    ),
    "an element that is not read within a text": (
        _rss("<item><guid>1</guid><title>a <slash:comments>3</slash:comments> b</title></item>", "", _SLASH),
        [],
    ),
}

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
