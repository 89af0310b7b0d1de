"""The main text of an article's page, and that a hostile one stops only itself."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest

from iscore.feeds.errors import NoTextError, ParseCrashedError, ParseTimeoutError
from iscore.feeds.parsing import parser_pool
from iscore.feeds.parsing.jobs import PageJob
from iscore.feeds.parsing.pages import page_article, page_text
from iscore.feeds.parsing.parser_pool import ParserPool
from tests.servers.feed_server import page


def test_the_text_is_the_articles_and_nothing_else() -> None:
    text = page_text(PageJob(page(7).encode(), "text/html; charset=utf-8"))
    paragraphs = text.split("\n\n")
    assert paragraphs[0] == "Story number 7"
    assert [one.partition(":")[0] for one in paragraphs[1:]] == [f"Paragraph {n} of story 7" for n in range(6)]
    assert "<" not in text
    assert not [word for word in ("Section", "subscription", "overrated", "rights") if word in text]


def test_what_is_markup_in_the_text_stays_text() -> None:
    markup = page(1).replace("Nobody objected", "Nobody &lt;b&gt;objected&lt;/b&gt; &amp;amp; left\x07\u202e")
    text = page_text(PageJob(markup.encode(), "text/html; charset=utf-8"))
    assert "Nobody <b>objected</b> &amp; left, said" in text


def test_the_html_has_what_the_text_cannot_show() -> None:
    markup = page(7).replace("Nobody objected", '<a href="/minutes" onclick="x()">Nobody</a> <b>objected</b>')
    job = PageJob(markup.encode(), "text/html; charset=utf-8", "https://site.example/news/7")
    article = page_article(job)
    assert article.text == page_text(job)
    assert 'href="https://site.example/minutes" rel="noopener noreferrer nofollow">Nobody</a>' in article.html
    assert "onclick" not in article.html
    assert not [word for word in ("Section", "subscription", "overrated", "rights") if word in article.html]


@pytest.mark.parametrize(
    ("declaration", "content_type", "encoding"),
    [
        ("", "text/html; charset=iso-8859-15", "iso-8859-15"),
        ('<meta charset="koi8-r">', "text/html", "koi8-r"),
        ('<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">', "text/html", "windows-1251"),
        ("", "text/html", "utf-8"),
        ('<meta charset="no-such">', "text/html", "utf-8"),
        ("", "text/html", "utf-16"),
    ],
)
def test_the_encoding_is_that_of_header_page_or_bytes(declaration: str, content_type: str, encoding: str) -> None:
    word = "Größe: 3 €" if encoding == "iso-8859-15" else "Нева" if encoding != "utf-8" else "Größe 水"
    markup = page(1).replace("<script>", f"{declaration}<script>").replace("the mayor", word)
    assert word in page_text(PageJob(markup.encode(encoding), content_type))


def test_an_xml_declaration_does_not_contradict_the_text() -> None:
    markup = '<?xml version="1.0" encoding="iso-8859-1"?>' + page(1).replace("the mayor", "Zoë")
    assert "Zoë" in page_text(PageJob(markup.encode("latin-1"), "application/xhtml+xml"))


@pytest.mark.parametrize(
    "body", [b"", b"\0", b"<html>", b"plain", b"<html><body><img src=x><script>let text = 1</script></body></html>"]
)
def test_a_page_without_text_says_so(body: bytes) -> None:
    with pytest.raises(NoTextError, match=r"no text|cannot be read"):
        page_text(PageJob(body, "text/html"))


HOSTILE: dict[str, Callable[[], str]] = {
    "deep": lambda: "<div><p>word word " * 500_000,
    "table": lambda: "<table><tr>" + "<td colspan=1000 rowspan=1000>x" * 30_000,
    "words": lambda: "<p>" + "a b. " * 2_000_000,
    "class": lambda: f'<div class="{"comment " * 1_000_000}"><p>x</p></div>',
}


@pytest.fixture(scope="module")
def hurried(runner: asyncio.Runner) -> Iterator[ParserPool]:
    """Grants each document two seconds: a new process first loads what reads pages."""
    opened = ParserPool(1, cpu_seconds=2.0)
    yield opened
    runner.run(opened.close())


@pytest.mark.parametrize("name", [pytest.param(each, marks=[pytest.mark.long] * (each != "table")) for each in HOSTILE])
async def test_a_hostile_page_ends_by_its_deadline_and_the_next_one_is_read(hurried: ParserPool, name: str) -> None:
    job = PageJob(f"<html><body><article>{HOSTILE[name]()}</article>".encode(), "text/html")
    with suppress(NoTextError, ParseTimeoutError, ParseCrashedError):
        assert len((await hurried.page_article(job)).text) <= 200_000
    assert "Paragraph 0" in (await hurried.page_article(PageJob(page(1).encode(), "text/html"))).text


@pytest.mark.long
async def test_the_deadline_of_a_page_holds_though_feeds_are_granted_more(
    monkeypatch: pytest.MonkeyPatch, processor_seconds: Callable[[], float]
) -> None:
    assert parser_pool.PAGE_SECONDS == 5.0  # of which one is used up here
    monkeypatch.setattr(parser_pool, "PAGE_SECONDS", 1.0)
    async with ParserPool(1, cpu_seconds=60.0, memory=1 << 29) as pool:
        with pytest.raises(ParseTimeoutError, match="the page could not be read within 1 seconds"):
            await pool.page_article(PageJob(f"<html><body><p>{HOSTILE['words']()}".encode() * 2, "text/html"))
    assert processor_seconds() < 55  # a feed may take 60
