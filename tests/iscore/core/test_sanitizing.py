from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iscore.core.sanitizing import document, line, one_line, paragraphs
from tests.hostile.active_content import terminal_controls

texts = st.text(st.characters(codec=None), max_size=200) | st.text("\r\n\t\v\f\x1c\x1f\x85\u2028\u202e\x1b\ud800é電 a")


@given(texts)
def test_nothing_that_steers_is_left_of_any_text(text: str) -> None:
    assert terminal_controls(paragraphs(text)) == []
    assert paragraphs(paragraphs(text)) == paragraphs(text)
    cut = line(text, 40)
    assert (terminal_controls(cut), cut.count("\n")) == ([], 0)
    assert len(cut) <= 40
    assert line(cut, 40) == cut


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("a\r\nb\rc\x0bd\x0ce\x1cf\x85g\u2028h\u2029i\nj", "a\nb\nc\nd\ne\nf\ng\nh\ni\nj"),
        ("a\tb\x1fc", "a b c"),
        ("émoji 👩\u200d👩\u200d👧 שלום نامه\u200cها", "émoji 👩\u200d👩\u200d👧 שלום نامه\u200cها"),
        ("half \ud800 and none \uffff", "half \ufffd and none \ufffd"),
    ],
)
def test_breaks_are_line_feeds_and_letters_stay(text: str, clean: str) -> None:
    assert paragraphs(text) == clean
    assert line(text) == clean.replace("\n", " ")


def test_any_white_space_is_one_blank() -> None:
    assert one_line("  a\n\tb\u2028c\x85d  ") == "a b c d"


@given(texts)
def test_a_document_can_be_written_and_keeps_its_markup(text: str) -> None:
    page = document(f"<p>{text}</p>\n")
    assert page.encode() == page.encode("utf-8", "replace")
    assert len(page) == len(text) + 8
    assert not any(character in page for character in "\x00\x1b\x85\x9b\ufffe")
