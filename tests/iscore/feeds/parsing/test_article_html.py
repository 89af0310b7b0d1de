"""The HTML of articles: what is kept, what is left out, and that nothing in it runs."""

from __future__ import annotations

import re
from html import unescape

import lxml.html
import pytest
from hypothesis import given
from hypothesis import strategies as st

from iscore.feeds.parsing.article_html import (
    MAX_BYTES,
    MAX_DEPTH,
    article_html,
    first_picture,
    pictures,
    says_more_than_text,
    without_heading,
)
from iscore.feeds.parsing.html_to_text import prose
from tests.hostile.hostile_texts import HOSTILE_TEXTS

BASE = "https://site.example/news/story"
REL = 'rel="noopener noreferrer nofollow"'


@pytest.mark.parametrize(
    ("markup", "html"),
    [
        ("<p>One <b>bold</b> word</p>", "<p>One <b>bold</b> word</p>"),
        ('<a href="../a?b=1&amp;c">x</a>', f'<a href="https://site.example/a?b=1&amp;c" {REL}>x</a>'),
        ('<a href="JaVa\tscript:alert(1)">x</a>', "x"),
        ('<a href="data:text/html,x">x</a> <a href="mailto:a@b.c">y</a>', "x y"),
        ('<a href="https://user:secret@a.example/">x</a>', f'<a href="https://a.example/" {REL}>x</a>'),
        ('<p style="position:fixed" class=c id=i onclick=x()>a</p>', "<p>a</p>"),
        ("a<script>x</script><style>p{}</style><iframe></iframe><!-- c -->b", "ab"),
        ("<form action=/x><input name=a><button>Go</button>word</form>", "word"),
        ("<h1>Title</h1><section>a</section><section>b</section>", "<h2>Title</h2><div>a</div><div>b</div>"),
        ('<img src="p.jpg" width="640" height="50%" alt="A &quot;b&quot;">',
         '<img alt="A &quot;b&quot;" src="https://site.example/news/p.jpg" width="640">'),
        ('<img src="data:image/gif;base64,R0" data-src="/real.png">', '<img alt="" src="https://site.example/real.png">'),
        ('<img srcset="/s.webp 1x, /l.webp 2x">', '<img alt="" src="https://site.example/l.webp">'),
        ('word <img src="https://t.example/pixel.gif" width="1" height="1">', "word"),
        ('<a href="/x"><img src="/p.png"></a>', '<img alt="" src="https://site.example/p.png">'),
        ('<a href="/x"><img src="/p.png" alt="Go"></a>',
         f'<a href="https://site.example/x" {REL}><img alt="Go" src="https://site.example/p.png"></a>'),
        ("<p></p><div><p> </p></div><p>x</p>", "<p>x</p>"),
        ("<table><tr><td></td><td colspan=2>x</table>",
         '<table><tbody><tr><td></td><td colspan="2">x</td></tr></tbody></table>'),
        ("<p dir=rtl lang=he>x</p><p dir='\"x' lang='a b'>y</p>", '<p dir="rtl" lang="he">x</p><p>y</p>'),
        ("a\u202eb&#x202e;c&#27;d&#0;e", "abcd\ufffde"),
        ("<p>unclosed <em>and <p>crossed</em>", "<p>unclosed <em>and </em></p><p><em>crossed</em></p>"),
        ("a<b> </b>b<i><br></i>c", "a bc"),
        ("'<table><tr><td></td></tr></table>", "'"),
        ("<br><hr>", ""),
    ],
)  # fmt: skip
def test_what_is_kept(markup: str, html: str) -> None:
    assert article_html(markup, BASE) == html


def test_what_is_too_long_is_cut_between_words_with_its_elements_closed() -> None:
    long = article_html(
        "<div><p>" + "word " * 40_000 + "</p><ul>" + "<li><b>more words</b></li>" * 20_000 + "</ul></div>"
    )
    assert MAX_BYTES - 100 < len(long.encode()) <= MAX_BYTES
    assert re.search(r"<li><b>more( words)?</b></li></ul></div>$", long)
    one = article_html("<p>" + "größe " * 60_000)
    assert len(one.encode()) <= MAX_BYTES
    assert one.endswith("größe</p>")
    assert article_html("<p>" + "x" * 300_000) == ""
    assert set(re.findall(r"&[^;]*;?", article_html("<p>" + "&amp; " * 60_000))) == {"&amp;"}


def test_deep_elements_lose_their_tags_and_not_their_text() -> None:
    html = article_html("<div>" * 1000 + "deep <i>words</i>")
    assert html == "<div>" * MAX_DEPTH + "deep words" + "</div>" * MAX_DEPTH


def test_pictures_can_load_something_else_or_be_left_out() -> None:
    html = article_html("<p>a</p><img src=/1.png><img src=/2.png alt=two>", BASE)
    assert pictures(html) == ["https://site.example/1.png", "https://site.example/2.png"]
    assert first_picture(html) == "https://site.example/1.png"
    shown = article_html(html, picture=lambda url: "/picture/2" if url.endswith("2.png") else "")
    assert shown == '<p>a</p><img alt="two" src="/picture/2">'


def test_only_html_that_shows_more_than_paragraphs_is_worth_keeping() -> None:
    assert not says_more_than_text(article_html("<div><p>a &amp; b</p><p>c</p></div>"))
    for markup in ("<p>a<br>b</p>", "<b>a</b>", "<p><img src=https://a.example/b></p>"):
        assert says_more_than_text(article_html(markup))


def test_a_heading_that_repeats_the_title_is_left_out() -> None:
    assert without_heading("<div><h2>The  <b>Title</b></h2><p>a</p></div>", "the title") == "<div><p>a</p></div>"
    assert without_heading("<p>a</p><h2>The title</h2>", "The title") == "<p>a</p><h2>The title</h2>"


FORBIDDEN = ["base", "form", "iframe", "maction", "meta", "mglyph", "object", "script", "style", "svg", "template"]


def is_safe(html: str) -> bool:
    """Whether a second parser finds only what is allowed, by its own list."""
    if not html:
        return True
    root = lxml.html.fragment_fromstring(html, create_parent="div")
    for element in root.iterdescendants():
        if not isinstance(element.tag, str) or not re.fullmatch(r"[a-z]+[1-6]?", element.tag):
            return False
        if element.tag in FORBIDDEN:
            return False
        for name, value in element.attrib.items():
            if name.startswith("on") or name in ("style", "id", "class", "srcset", "srcdoc", "formaction"):
                return False
            leads = element.tag in ("a", "img") and re.fullmatch(r"https?://[^\s\"<>\\]+", value)
            if name in ("href", "src") and not leads:
                return False
    return True


@pytest.mark.parametrize("name", HOSTILE_TEXTS)
def test_hostile_markup_is_harmless_and_cleaning_again_changes_nothing(name: str) -> None:
    text = HOSTILE_TEXTS[name]
    for markup in (
        text,
        f"<p>{text}</p>",
        f'<img src="{text}" alt="{text}">',
        f"<a href='{text}'>x</a>",
        unescape(text),
    ):
        html = article_html(markup, BASE)
        assert is_safe(html)
        assert article_html(html, BASE) == html


TAGS = (
    "<b> </b> <p> </p> <a/href=/x> </a> <img/src=/p> <table> <td> </table> <svg> <math> <style> </style> <!-- -->"
    " <form> <noscript> <template> <title> </title> <h1> </h1> <mtext> <mi> </mi> <mglyph> <noscript> </noscript>"
    " <iframe/src=//e.example/> <li> <ul> ' > < & &lt; \x1b \u202e word"
)
PIECES = st.sampled_from([*TAGS.split(), '"', " "])


@given(st.lists(PIECES, max_size=30))
def test_any_mixture_of_tags_is_harmless_also_when_it_is_cleaned_again(pieces: list[str]) -> None:
    html = article_html("".join(pieces), BASE)
    again = article_html(html, BASE)
    assert is_safe(html)
    assert is_safe(again)
    assert prose(again).text == prose(html).text
