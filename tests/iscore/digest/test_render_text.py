from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from iscore.digest.edition import edition
from iscore.digest.render_text import fold, render_text
from iscore.views import DigestView, InboxItem


def test_the_digest_reads_from_the_top(view: DigestView) -> None:
    text = render_text(edition(view))
    expected = """\
iScore · Monday, 6 October 2025
1 story for you, out of 312 articles
════════════════════════════════════════════════════════════════════════════════

RECOMMENDED
Best first. What several feeds carried is told once.

  1. Grid operators warn of a winter shortfall
     Energy Wire, Harbour Post and Il Lago · Ines Halloran · Mon 6 Oct, 11:00 ·
     4 min read
     ●●●●● a strong match
     – It resembles what you liked.
     – You like this source.
     https://wire.example/grid
"""
    assert text.startswith(expected)
    assert "\nHOW THE FILTER IS DOING\n" in text
    assert "  Precision      74 %  of what was recommended and judged, you liked this much\n" in text
    assert "  – Il Lago: the server answered 503\n" in text
    assert text.endswith("Teach it: iscore like --digest 1, iscore dislike --digest 1\n")


def test_an_empty_digest_gives_its_reason_and_teaches_nothing(view: DigestView) -> None:
    text = render_text(edition(replace(view, recommended=())))
    assert "312 articles arrived, and none passed" in text
    assert "Teach it" not in text


def test_no_line_is_wider_than_eighty_columns_but_addresses(view: DigestView, item: InboxItem) -> None:
    wide = replace(
        item,
        title="送電網" * 60 + " " + "unbroken" * 30,
        sources=tuple(f"A source with quite a long name {number}" for number in range(9)),
        url="https://wire.example/" + "x" * 200,
    )
    text = render_text(edition(replace(view, recommended=(replace(view.recommended[0], item=wide),))))
    too_wide = [line for line in text.splitlines() if cell_len(line) > 80]
    assert [line.strip() for line in too_wide] == [wide.url]


def test_a_title_cannot_forge_a_line(view: DigestView, item: InboxItem) -> None:
    forged = replace(item, title="a\n  2. A forged story\u2028  3. And another")
    text = render_text(edition(replace(view, recommended=(replace(view.recommended[0], item=forged),))))
    assert "\n  2." not in text
    assert "\u2028" not in text


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z", "M"]), min_size=1)))
def test_folding_loses_no_letter_and_keeps_the_width(words: list[str]) -> None:
    lines = fold(" ".join(words), 20, first="> ", rest="  ")
    assert all(cell_len(line) <= 20 for line in lines)
    assert "".join(line[2:] for line in lines).replace(" ", "") == "".join(words)
    assert lines[0].startswith("> ")
    assert all(line.startswith("  ") for line in lines[1:])
