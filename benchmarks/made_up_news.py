"""News without meaning but with the statistics of news, as many articles as a benchmark wants, always the same.

Nearly half of the words are English function words, the rest are made up: syllables with English endings, 60,000 of
them, as frequent as Zipf's law (with Mandelbrot's shift) says, so that the number of different words grows with the
number of articles as it does in real news. Every article has one of 60 topics, each with words of its own; the reader
of the benchmarks likes one topic in five. Markup is what feeds carry: paragraphs, links, now and then a picture and a
quotation.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from extractors.text.function_words import FUNCTION_WORDS

Length = str
"""``summary``: some 50 words an article. ``full``: some 430, and the summary beside them."""

LENGTHS = {"summary": 50, "full": 430}
N_WORDS = 60_000
N_TOPICS = 60
TOPIC_WORDS = 40
ENTRIES = 30
_ENDINGS = ("", "", "", "s", "ed", "ing", "er", "ation", "ly", "ness", "al", "ive")
_AUTHORS = 400


@dataclass(frozen=True, slots=True)
class Story:
    """One made-up article."""

    number: int
    topic: int
    title: str
    sentences: tuple[str, ...]
    author: str


def is_liked(topic: int) -> bool:
    """Whether the reader of the benchmarks likes a topic."""
    return topic % 5 == 0


def story(number: int, length: Length) -> Story:
    """Return article ``number``; the same for ever."""
    random = np.random.default_rng([number, LENGTHS[length]])
    topic = int(random.integers(N_TOPICS))
    n_words = max(12, int(random.normal(LENGTHS[length], LENGTHS[length] / 5)))
    words = _draw(random, topic, n_words + 60)
    sentences: list[str] = []
    start = 9
    while start < n_words + 9:
        end = start + int(random.integers(8, 28))
        sentences.append(_sentence(words[start:end], random.random()))
        start = end
    title = " ".join(words[:9]).capitalize()
    return Story(number, topic, title, tuple(sentences), f"Author {int(random.integers(_AUTHORS))}")


def feed(feed_number: int, length: Length, first: int, entries: int = ENTRIES) -> bytes:
    """Return a feed with the articles from ``first`` on, newest on top; RSS and Atom by turns."""
    stories = [story(first + n, length) for n in reversed(range(entries))]
    return (_rss if feed_number % 2 else _atom)(feed_number, stories, length)


def _sentence(words: list[str], chance: float) -> str:
    text = " ".join(words)
    if chance < 0.08:
        return f"“{text[:1].upper()}{text[1:]},” she said."
    if chance < 0.16:
        text = f"{text}, {int(chance * 10_000)}"
    return f"{text[:1].upper()}{text[1:]}."


def _draw(random: np.random.Generator, topic: int, count: int) -> list[str]:
    function, made_up, cumulative = _vocabulary()
    kinds = random.random(count)
    common = random.integers(len(function), size=count)
    rare = np.searchsorted(cumulative, random.random(count) * cumulative[-1])
    own = random.integers(TOPIC_WORDS, size=count)
    # The words of a topic lie anywhere among the 20,000 commonest.
    own = (topic * 7919 + own * 487) % 20_000
    return [
        function[common[i]] if kind < 0.45 else made_up[own[i] if kind < 0.55 else rare[i]]
        for i, kind in enumerate(kinds)
    ]


@cache
def _vocabulary() -> tuple[list[str], list[str], npt.NDArray[np.float64]]:
    random = np.random.default_rng(2008)
    syllables = [a + b + c for a in "bcdfglmnprstvw" for b in "aeiou" for c in ("", "", "n", "r", "st", "l")]
    words: dict[str, None] = {}
    while len(words) < N_WORDS:
        parts = random.integers(len(syllables), size=int(random.integers(1, 4)))
        ending = _ENDINGS[int(random.integers(len(_ENDINGS)))]
        words["".join(syllables[part] for part in parts) + ending] = None
    weights = (np.arange(N_WORDS) + 10.0) ** -1.25
    return sorted(FUNCTION_WORDS["en"]), list(words), np.cumsum(weights)


def _summary(told: Story) -> str:
    return " ".join(told.sentences[:3])


def _body(told: Story) -> str:
    paragraphs = [" ".join(told.sentences[start : start + 4]) for start in range(0, len(told.sentences), 4)]
    paragraphs = [f'<p>{text} <a href="/topic/{told.topic}">More</a>.</p>' for text in paragraphs]
    picture = f'<p><img src="/pictures/{told.number}.jpg" alt="{told.title[:20]}"/></p>' if told.number % 3 == 0 else ""
    return picture + "\n".join(paragraphs)


def _rss(feed_number: int, stories: list[Story], length: Length) -> bytes:
    items = []
    for news in stories:
        content = f"<content:encoded><![CDATA[{_body(news)}]]></content:encoded>" if length == "full" else ""
        items.append(
            f"<item><title>{news.title}</title><link>{_address(feed_number, news)}</link>"
            f'<guid isPermaLink="false">{news.number}</guid><dc:creator>{news.author}</dc:creator>'
            f"<category>Topic {news.topic}</category>"
            f"<pubDate>Mon, 02 Mar 2026 {news.number % 24:02}:30:00 GMT</pubDate>"
            f"<description>{_summary(news)}</description>{content}</item>"
        )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" '
        'xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel>'
        f"<title>Feed {feed_number}</title><link>https://feed{feed_number}.example/</link>"
        f"<description>Made up</description><language>en</language>{''.join(items)}</channel></rss>\n"
    ).encode()


def _atom(feed_number: int, stories: list[Story], length: Length) -> bytes:
    entries = []
    for news in stories:
        content = f'<content type="html">{_escaped(_body(news))}</content>' if length == "full" else ""
        entries.append(
            f'<entry><title>{news.title}</title><link href="{_address(feed_number, news)}"/>'
            f"<id>tag:feed{feed_number}.example,2026:{news.number}</id><author><name>{news.author}</name></author>"
            f'<category term="Topic {news.topic}"/><updated>2026-03-02T{news.number % 24:02}:30:00Z</updated>'
            f'<summary type="html">{_escaped(f"<p>{_summary(news)}</p>")}</summary>{content}</entry>'
        )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">'
        f"<title>Feed {feed_number}</title><id>tag:feed{feed_number}.example,2026:feed</id>"
        f'<link href="https://feed{feed_number}.example/"/><updated>2026-03-02T12:00:00Z</updated>'
        f"{''.join(entries)}</feed>\n"
    ).encode()


def _address(feed_number: int, told: Story) -> str:
    return f"https://feed{feed_number}.example/{told.number}"


def _escaped(markup: str) -> str:
    return markup.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
