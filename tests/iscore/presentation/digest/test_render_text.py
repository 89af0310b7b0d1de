from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from iscore.presentation.digest.layout import build_digest
from iscore.presentation.digest.render import fold, render_text
from iscore.services.views.digests import DigestView
from iscore.services.views.stories import StoryView
from tests.iscore.presentation.made_views import named


def test_the_digest_reads_from_the_top(view: DigestView) -> None:
    text = render_text(build_digest(view))
    expected = """\
iScore · Monday, 6 October 2025
1 story for you, out of 312
════════════════════════════════════════════════════════════════════════════════

TOP STORIES
What you most likely want to read, best first.

  1. Grid operators warn of a winter shortfall
     Energy Wire, Harbour Post and Il Lago · Ines Halloran · Mon 6 Oct, 11:00 ·
     4 min read
     ●●●●● a strong match
     – It resembles what you liked.
     – You like this source.
     https://wire.example/grid
"""
    assert text.startswith(expected)
    assert "\nFILTER STATUS\n" in text
    assert "  Liked          74 %  of the recommended articles that you rated\n" in text
    assert "  – Il Lago: the server answered 503\n" in text
    assert text.endswith(
        "Rate by number: `iscore like --digest 1` or `iscore dislike --digest 1`. After a\n"
        "newer digest, add `--date 2025-10-06`.\n"
    )


def test_every_part_of_a_digest_is_told(full: DigestView) -> None:
    text = render_text(build_digest(replace(full, serve_address="http://127.0.0.1:8473")))
    assert (
        """
IN SEVERAL FEEDS
Recommended, and reported by more than one of your feeds.

  2. Of several
     Energy Wire, Harbour Post and Il Lago · Ines Halloran · Mon 6 Oct, 11:00 ·
     2 min read
     ●●●●● a strong match
     – words you like: several
     https://wire.example/several
     also Harbour Post:
       https://harbour.example/7
     also Il Lago:
       https://lago.example/7
     vote: http://127.0.0.1:8473/article/several
"""
        in text
    )
    assert "\n     – boosted by your rule: word “grid” (clearly)\n     – words you like: seldom\n" in text
    assert (
        """
HIDDEN
40 stories were hidden; these came closest. If you like one, say so with `iscore
like missed1x`.

  missed1x  Just missed · Energy Wire
  missed2x  Missed too · Energy Wire
"""
        in text
    )


def test_an_empty_digest_gives_its_reason_and_teaches_nothing(view: DigestView) -> None:
    text = render_text(build_digest(replace(view, recommended=())))
    assert "312 unread stories, none above" in text
    assert "Vote by number" not in text


def test_no_line_is_wider_than_eighty_columns_but_addresses(view: DigestView, item: StoryView) -> None:
    wide = replace(
        item,
        title="送電網" * 60 + " " + "unbroken" * 30,
        sources=named(*(f"A source with quite a long name {number}" for number in range(9))),
        url="https://wire.example/" + "x" * 200,
    )
    text = render_text(build_digest(replace(view, recommended=(replace(wide, number=1),))))
    too_wide = [line for line in text.splitlines() if cell_len(line) > 80]
    assert [line.strip() for line in too_wide] == [wide.url]


def test_a_title_cannot_forge_a_line(view: DigestView, item: StoryView) -> None:
    forged = replace(item, title="a\n  2. A forged story\u2028  3. And another")
    text = render_text(build_digest(replace(view, recommended=(replace(forged, number=1),))))
    assert "\n  2." not in text
    assert "\u2028" not in text


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z", "M"]), min_size=1)))
def test_folding_loses_no_letter_and_keeps_the_width(words: list[str]) -> None:
    lines = fold(" ".join(words), 20, first="> ", rest="  ")
    assert all(cell_len(line) <= 20 for line in lines)
    assert "".join(line[2:] for line in lines).replace(" ", "") == "".join(words)
    assert lines[0].startswith("> ")
    assert all(line.startswith("  ") for line in lines[1:])
