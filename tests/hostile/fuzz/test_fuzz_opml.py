"""Any file in the place of OPML is a list without harm or refused, and every list comes back as it was written."""

from __future__ import annotations

import time

from hypothesis import example, given
from hypothesis import strategies as st

from iscore.feeds.parsing.html_to_text import line
from iscore.feeds.subscriptions.opml import read_opml
from storage.records.feeds import Subscription
from tests.hostile.fuzz import seeds
from tests.hostile.fuzz.damage import damaged, examples
from tests.hostile.fuzz.opml_claim import opml_is_read_safely, opml_survives

texts = st.text(st.characters(codec="utf-8") | st.sampled_from("&;/,%<>\"'#\u202e\n\t"), max_size=12) | st.sampled_from(
    ["&amp;", "a &lt; b", "&#38;", "%2C", "/x", "x/y", "https://a.example/1", "&nbsp;", "A&ampB", "\U0001f600"]
)
lines = texts.map(line)
feeds = st.builds(
    Subscription,
    url=st.integers(0, 99).map(lambda number: f"https://a.example/{number}?a=b&amp;c=d'e"),
    title=lines,
    tags=st.lists(lines.filter(bool), max_size=3, unique=True).map(tuple),
    interval=st.none() | st.integers(5, 44_640).map(lambda minutes: 60 * minutes),
    fulltext=st.booleans(),
    enabled=st.booleans(),
)


@examples(27)
@given(st.lists(feeds, max_size=4, unique_by=lambda feed: feed.url))
@example([Subscription("https://a.example/", "AT&amp;T &lt;b&gt;")])  # was read as AT&T <b>
@example([Subscription("https://a.example/", "x", ("A &amp; B",))])  # had a tag "A & B" besides
def test_what_is_exported_is_imported_again(subscriptions: list[Subscription]) -> None:
    opml_survives(subscriptions)


@examples(33)
@given(damaged(seeds.OPML))
def test_a_damaged_list_is_read_or_refused(document: bytes) -> None:
    opml_is_read_safely(document)


def test_one_feed_in_many_folders_takes_no_time_that_grows_with_their_square() -> None:
    def seconds(folders: int) -> float:
        outline = b'<outline xmlUrl="https://a.example/" category="/%d"/>'
        document = b"<opml><body>" + b"".join(outline % number for number in range(folders)) + b"</body></opml>"
        began = time.process_time()
        assert len(read_opml(document).feeds) == 1
        return time.process_time() - began

    few = max(min(seconds(500), seconds(500)), 0.005)
    assert seconds(4000) < 24 * few
