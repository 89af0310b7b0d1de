"""Any bytes that a server may send are articles without harm, or an error in words."""

from __future__ import annotations

from random import Random

from hypothesis import example, given
from hypothesis import strategies as st

from tests.hostile.fuzz import seeds
from tests.hostile.fuzz.damage import damaged, examples
from tests.hostile.fuzz.feed_claim import feed_is_read_safely
from tests.hostile.fuzz.made_up_feeds import made_up_feed
from tests.hostile.fuzz.mutations import mutated

types = st.sampled_from(
    [
        "",
        "text/xml",
        "application/json; charset=utf-16",
        "text/html;charset=latin-1",
        "x; charset=rot13",
        "a;charset=idna",
    ]
)
ITEM = b'<rss version="2.0"><channel><title>T</title>%s<item><title>a</title><guid>1</guid>%s</item></channel></rss>'


@examples(23)
@given(damaged(seeds.FEEDS), types)
@example(ITEM % (b"<ttl>" + b"9" * 400 + b"</ttl>", b""), "")
@example(ITEM % (b"<ttl>" + b"9" * 5000 + b"</ttl>", b""), "")
@example(ITEM % (b"", b"<guid>" + b"x" * 9000 + b"</guid><link>http://a.example/\xed\xa0\x80</link>"), "")
@example(b'{"items":[{"id":' + b"9" * 4000 + b"}]}", "")
@example(b'{"items":[{"id":"1","x":' + b"[" * 900 + b"]" * 900 + b"}]}", "")
@example(b'{"items":[{"id":"\\ud800","title":"\\udfff","tags":["\\ud800"],"url":"http://\\ud800"}]}', "")
def test_damaged_feeds_are_read_or_refused(body: bytes, content_type: str) -> None:
    feed_is_read_safely(body, content_type)


@examples(13)
@given(st.sampled_from(seeds.FEEDS), st.integers(0, 1 << 32))
def test_spoilt_feeds_are_read_or_refused(document: bytes, seed: int) -> None:
    feed_is_read_safely(mutated(document, Random(seed), document))


@examples(13)
@given(st.integers(0, 1 << 32))
def test_made_up_feeds_are_read_or_refused(seed: int) -> None:
    feed_is_read_safely(made_up_feed(Random(seed)))
