"""Markup from strangers becomes plain text, whatever it tries."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iscore.feeds.parsing.html_to_text import (
    MAX_TEXT,
    escaped_name,
    feed_name,
    line,
    line_of_markup,
    plain_text,
    prose,
)


def test_paragraphs_survive_as_blank_lines() -> None:
    cleaned = prose("<h2>One</h2><p>two <b>bold</b>\n words</p>\n<ul><li>three</li><li>four</li></ul>")
    assert cleaned.text == "One\n\ntwo bold words\n\nthree\n\nfour"


def test_a_line_break_is_a_line_break_and_two_are_a_paragraph() -> None:
    assert prose("a<br>b<br/><br />c<br><br><br>d").text == "a\nb\n\nc\n\nd"


def test_entities_are_decoded_once() -> None:
    assert prose("<p>AT&amp;T &lt;b&gt; &amp;lt; caf&eacute;&nbsp;&#8217;</p>").text == "AT&T <b> &lt; café ’"
    assert prose("Fish &amp; chips &lt;3").text == "Fish & chips <3"


def test_links_and_pictures_are_counted_and_not_kept() -> None:
    cleaned = prose('<a href="/x">x</a> and <A HREF="//y">y</A><img src="/logout"><img src=1 onerror=alert(1)>')
    assert (cleaned.text, cleaned.links, cleaned.pictures) == ("x and y", 2, 2)


ATTRIBUTES = ("title", "lang", "dir", "class", "id", "style", "role", "aria-label", "data-x", "xml:lang", "itemprop")


def test_no_attribute_leaves_a_tag_in_the_text_or_hides_a_link_or_a_picture() -> None:
    markup = "".join(f'<p {a}="v">x <a {a}="v">y</a><img {a}="v"><br {a}="v">z</p>' for a in ATTRIBUTES)
    cleaned = prose(markup)
    assert cleaned.text == "\n\n".join(["x y\nz"] * len(ATTRIBUTES))
    assert (cleaned.links, cleaned.pictures) == (len(ATTRIBUTES), len(ATTRIBUTES))


@pytest.mark.parametrize(
    "markup",
    [
        "<script>alert(1)</script>",
        "<style>p{}</style>",
        "<svg><style><img src=x onerror=alert(1)></style></svg>",
        "<math><mtext><table><mglyph><style><img src onerror=alert(1)>",
        "<template><p>alert(1)</p></template>",
        '<iframe srcdoc="&lt;script&gt;alert(1)&lt;/script&gt;">alert(1)</iframe>',
        "<noscript><p title='</noscript><img src=x onerror=alert(1)>'></noscript>",
        "<!--<p>alert(1)</p>-->",
        "<title>alert(1)</title>",
    ],
)
def test_what_is_no_prose_is_dropped(markup: str) -> None:
    text = prose(f"<p>before</p>{markup}<p>after</p>").text
    assert text.startswith("before")
    assert "alert(1)" not in text


def test_script_content_does_not_become_text() -> None:
    assert prose("<p>a</p><script>alert(1)</script><style>p{}</style><p>b</p>").text == "a\n\nb"


@pytest.mark.parametrize("character", ["\0", "\x1b", "\x07", "\x9b", "\x85", "\u202e", "\u2066", "\ufeff", "\ud800"])
def test_control_characters_never_come_through(character: str) -> None:
    for cleaned in (prose, plain_text, line, line_of_markup):
        result = cleaned(f"a{character}b <b>c</b>")
        text = result if isinstance(result, str) else result.text
        assert character not in text
        assert text.startswith("a")
        text.encode("utf-8")


def test_control_characters_written_as_references_do_not_come_through_either() -> None:
    assert prose("<p>a&#27;[31mb&#x202e;c&#155;</p>").text.isprintable()
    assert line_of_markup("a&#27;]8;;http://x&#7;b").isprintable()


def test_joined_emoji_and_right_to_left_marks_stay() -> None:
    family = "👩\u200d👩\u200d👧"
    assert line(f"{family} שלום\u200f") == f"{family} שלום\u200f"


def test_lines_are_one_line_and_bounded() -> None:
    assert line("a\r\nBcc: b\u2028c\x85d\n") == "a Bcc: b c d"
    assert len(line("wort " * 10_000)) <= 500
    assert line_of_markup("<b>Bold</b> &amp; <i>brave</i>") == "Bold & brave"


def test_long_texts_are_cut_between_characters() -> None:
    text = prose("<p>" + "é👍" * MAX_TEXT + "</p>").text
    assert len(text) == MAX_TEXT
    text.encode("utf-8")


def test_plain_text_keeps_its_angle_brackets_and_paragraphs() -> None:
    assert plain_text("if a < b:\n  c\n \n\nd > e") == "if a < b:\nc\n\nd > e"


@settings(max_examples=150, deadline=None)
@given(st.text(st.sampled_from("<>/&;#x!-ab \n\0\u202e\ud800'\"=pbri")) | st.text())
def test_nothing_unsafe_comes_out_of_anything(markup: str) -> None:
    for text in (prose(markup).text, plain_text(markup), line(markup), line_of_markup(markup)):
        text.encode("utf-8")
        assert not any(unicodedata.category(character) == "Cc" for character in text if character != "\n")
        assert text == text.strip()


@pytest.mark.parametrize("name", ["A & B", "A &amp; B", "&lt;b&gt; &#8211;", "R&amp;amp;D"])
def test_a_name_that_is_written_is_read_as_it_was(name: str) -> None:
    assert feed_name(escaped_name(name)) == line(name)


PIECES = (
    "<p>",
    "</p>",
    "a",
    "b c",
    " ",
    "\n\n",
    "\xa0",
    "\u202e",
    "&amp;",
    "&lt;p&gt;",
    "&nbsp",
    "&",
    "x;",
    "\x00",
    "<P>",
)


@given(st.lists(st.sampled_from(PIECES), max_size=9).map("".join))
def test_paragraphs_alone_are_read_as_the_parser_reads_them(markup: str) -> None:
    assert prose(f"<p>{markup}") == prose(f"<p>{markup}<!-- for the parser -->")
