"""How one and the same piece of news sounds in a wire report, a tabloid, an analysis, a blog.

A style dresses the topic's clauses: openers before, tails after, asides between, quotations, and its own headlines.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import cycle

from benchmarks.sample_news.article import StyleName
from benchmarks.sample_news.draws import Draws
from benchmarks.sample_news.grammar import sentence, write
from benchmarks.sample_news.style_words import (
    ANALYSIS_ASIDES,
    ANALYSIS_OPENERS,
    ANALYSIS_TAILS,
    ANALYSIS_TITLES,
    BLOG_ASIDES,
    BLOG_OPENERS,
    BLOG_TAILS,
    ITALIAN_ASIDES,
    ITALIAN_OPENERS,
    ITALIAN_QUOTES,
    NEWSPAPER_ASIDES,
    NEWSPAPER_OPENERS,
    QUOTES,
    TABLOID_ASIDES,
    TABLOID_OPENERS,
    TABLOID_QUOTES,
    TABLOID_SHOUTS,
    WIRE_ASIDES,
)
from benchmarks.sample_news.topic import Development, Topic


@dataclass(frozen=True)
class Style:
    """The manner of a kind of source."""

    facts: tuple[int, int]
    """Fewest and most clauses of the topic in a body."""
    quotes: tuple[int, int]
    asides: tuple[int, int]
    paragraph: int
    """Sentences to a paragraph."""
    quotations: tuple[str, ...] = QUOTES
    openers: tuple[str, ...] = ()
    opener_share: float = 0.0
    """Share of clauses that get an opener."""
    tails: tuple[str, ...] = ()
    tail_share: float = 0.0
    aside_lines: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    """Headlines of the style's own; empty: the headline of the news."""
    shouts: bool = False
    """Capitals in the headline, exclamation marks in the text."""


_WIRE = Style(facts=(3, 5), quotes=(1, 1), asides=(0, 1), paragraph=2, aside_lines=WIRE_ASIDES)

STYLES: dict[tuple[StyleName, str], Style] = {
    ("wire", "en"): _WIRE,
    ("trade", "en"): Style(facts=(4, 6), quotes=(0, 1), asides=(0, 1), paragraph=3, aside_lines=WIRE_ASIDES),
    ("newspaper", "en"): Style(
        facts=(5, 8),
        quotes=(1, 3),
        asides=(1, 2),
        paragraph=3,
        openers=NEWSPAPER_OPENERS,
        opener_share=0.3,
        aside_lines=NEWSPAPER_ASIDES,
    ),
    ("tabloid", "en"): Style(
        facts=(3, 5),
        quotes=(1, 2),
        asides=(2, 3),
        paragraph=1,
        quotations=TABLOID_QUOTES,
        openers=TABLOID_OPENERS,
        opener_share=0.5,
        aside_lines=TABLOID_ASIDES,
        shouts=True,
    ),
    ("analysis", "en"): Style(
        facts=(7, 10),
        quotes=(2, 3),
        asides=(6, 9),
        paragraph=4,
        openers=ANALYSIS_OPENERS,
        opener_share=0.6,
        tails=ANALYSIS_TAILS,
        tail_share=0.7,
        aside_lines=ANALYSIS_ASIDES,
        titles=ANALYSIS_TITLES,
    ),
    ("blog", "en"): Style(
        facts=(4, 7),
        quotes=(0, 1),
        asides=(3, 5),
        paragraph=3,
        openers=BLOG_OPENERS,
        opener_share=0.4,
        tails=BLOG_TAILS,
        tail_share=0.3,
        aside_lines=BLOG_ASIDES,
    ),
    ("newspaper", "it"): Style(
        facts=(4, 6),
        quotes=(1, 2),
        asides=(1, 3),
        paragraph=3,
        quotations=ITALIAN_QUOTES,
        openers=ITALIAN_OPENERS,
        opener_share=0.3,
        aside_lines=ITALIAN_ASIDES,
    ),
}
"""(style, language) to manner."""


def compose(
    style_name: StyleName, topic: Topic, news: Development, bound: Mapping[str, str], draws: Draws
) -> tuple[str, tuple[str, ...]]:
    """Return a title and the paragraphs of a body that tell ``news`` in the given style."""
    style = STYLES[style_name, topic.language]
    voice = _Voice(topic, bound, draws)
    headline, lead = news
    title = voice.fill(draws.pick(style.titles) if style.titles else headline)
    title = title[:1].upper() + title[1:]
    body = _dressed(style, voice, draws.sample(topic.facts, draws.between(*style.facts)))
    quotations = draws.sample(style.quotations, draws.between(*style.quotes))
    claims = draws.sample(topic.claims, len(quotations))
    asides = draws.sample(style.aside_lines, draws.between(*style.asides))
    extras = [
        voice.fill(quotation, claim=voice.fill(claim)) for quotation, claim in zip(quotations, claims, strict=True)
    ]
    extras += [voice.fill(aside) for aside in asides]
    for extra in extras:
        body.insert(draws.between(0, len(body)), sentence(extra))
    sentences = [sentence(voice.fill(lead)), *body]
    if style.shouts:
        title = f"{draws.pick(TABLOID_SHOUTS)} {title.upper()}!"
        sentences = [text[:-1] + "!" if text.endswith(".") and draws.chance(0.5) else text for text in sentences]
    starts = range(0, len(sentences), style.paragraph)
    return title, tuple(" ".join(sentences[start : start + style.paragraph]) for start in starts)


@dataclass(frozen=True, slots=True)
class _Voice:
    """Fills templates for one article."""

    topic: Topic
    bound: Mapping[str, str]
    draws: Draws

    def fill(self, template: str, **more: str) -> str:
        bound = {**self.bound, **more}
        return write(template, self.topic.lexicon, bound, self.draws, language=self.topic.language)


def _dressed(style: Style, voice: _Voice, clauses: list[str]) -> list[str]:
    """Clauses as sentences, with openers and tails of which none is used twice while others are left."""
    draws = voice.draws
    openers = cycle(draws.sample(style.openers, len(style.openers)))
    tails = cycle(draws.sample(style.tails, len(style.tails)))
    result = []
    for clause in clauses:
        text = clause
        if style.openers and draws.chance(style.opener_share):
            text = f"{next(openers)} {text}"
        if style.tails and draws.chance(style.tail_share):
            text = f"{text}, {next(tails)}"
        result.append(sentence(voice.fill(text)))
    return result
