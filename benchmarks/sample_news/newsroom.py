"""The sources at work: they cover events, reprint the wire and fill the rest of the day with briefs and noise."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from datetime import datetime, timedelta

from benchmarks.sample_news.article import Article, StyleName
from benchmarks.sample_news.draws import Draws
from benchmarks.sample_news.events import Event, bind, events, settle
from benchmarks.sample_news.noise import compose_noise
from benchmarks.sample_news.sources import SOURCES, Source
from benchmarks.sample_news.styles import compose
from benchmarks.sample_news.topic import Development, Topic
from benchmarks.sample_news.topics import TOPICS

WIRE = "northwire"
"""Key of the agency whose reports others reprint."""


class Newsroom:
    """Writes all articles of a world; ``articles`` holds them when ``work`` is done."""

    def __init__(self, seed: int, start: datetime, days: int) -> None:
        self._seed = seed
        self._start = start
        self._days = days
        self._serial: Counter[str] = Counter()
        self._written: Counter[tuple[str, int]] = Counter()
        self.articles: list[Article] = []

    def work(self) -> None:
        """Write everything: coverage of events, reprints of the wire, then what fills each source's day."""
        for event in events(self._seed, self._start, self._days):
            self._cover(event)
        for source in SOURCES:
            self._fill(source)
            if source.key == WIRE:
                self._reprint()
        self.articles.sort(key=lambda article: (article.published, article.id))

    def _cover(self, event: Event) -> None:
        draws = Draws(self._seed, "cover", event.story, event.stage)
        for source in SOURCES:
            weights = dict(source.topics)
            if source.language != event.topic.language or event.topic.key not in weights:
                continue
            wire = source.key == WIRE
            interest = weights[event.topic.key] / sum(weights.values())
            delay = timedelta(minutes=draws.between(5, 120) if wire else draws.between(60, 840))
            if draws.chance(0.9 if wire else min(0.75, 2.0 * interest)):
                style = draws.weighted(source.styles)
                self._write(source, event.at + delay, style, event.topic, event.news, event.bound, event)

    def _fill(self, source: Source) -> None:
        draws = Draws(self._seed, "fill", source.key)
        for day in range(self._days):
            morning = self._start + timedelta(days=day)
            self._add_noise(source, morning, draws)
            share = 0.6 if morning.weekday() >= 5 else 1.0
            wanted = round(source.per_day * share) + draws.between(-1, 1)
            for _ in range(wanted - self._written[source.key, day]):
                topic = TOPICS[draws.weighted(source.topics), source.language]
                bound = bind(topic, draws)
                news = settle(draws.pick(topic.briefs), topic, bound, draws)
                self._write(source, _hour(morning, draws), draws.weighted(source.styles), topic, news, bound)

    def _add_noise(self, source: Source, morning: datetime, draws: Draws) -> None:
        for kind, mean in source.noise:
            for _ in range(int(mean) + draws.chance(mean % 1)):
                blank = self._blank(source, _hour(morning, draws), "notice", "")
                title, paragraphs = compose_noise(kind, Draws(self._seed, "noise", blank.id))
                self._publish(source, replace(blank, title=title, paragraphs=paragraphs, noise=kind))

    def _write(
        self,
        source: Source,
        at: datetime,
        style: StyleName,
        topic: Topic,
        news: Development,
        bound: dict[str, str],
        event: Event | None = None,
    ) -> None:
        blank = self._blank(source, at, style, topic.key)
        draws = Draws(self._seed, "write", blank.id)
        title, paragraphs = compose(style, topic, news, bound, draws)
        if style == "wire":
            dateline = f"{bound['place'].upper()}, {at.day} {at:%B} ({source.title}) – "
            paragraphs = (dateline + paragraphs[0], *paragraphs[1:])
        named = source.authors and draws.chance(0.92)
        article = replace(
            blank,
            title=title,
            paragraphs=paragraphs,
            author=draws.pick(source.authors) if named else "",
            categories=tuple(draws.sample(topic.categories, draws.between(0, len(topic.categories)))),
            story=event.story if event else "",
            stage=event.stage if event else 0,
        )
        self._publish(source, article)

    def _reprint(self) -> None:
        for original in [article for article in self.articles if article.source == WIRE]:
            draws = Draws(self._seed, "reprint", original.id)
            for source in SOURCES:
                if original.topic in dict(source.topics) and draws.chance(source.syndicates):
                    self._publish(source, self._copy(original, source, draws))

    def _copy(self, original: Article, source: Source, draws: Draws) -> Article:
        """Return the wire report as another paper prints it: a few words changed, a line added or a paragraph cut."""
        at = original.published + timedelta(minutes=draws.between(20, 300))
        paragraphs = [paragraph.replace("(Northwire)", "(NW)") for paragraph in original.paragraphs]
        if len(paragraphs) > 3 and draws.chance(0.15):
            paragraphs.pop()
        if draws.chance(0.5):
            paragraphs[-1] += " (Northwire)"
        title = original.title
        if draws.chance(0.4):
            title = f"{draws.pick(('Report', 'Update', 'News'))}: {title}"
        blank = self._blank(source, at, original.style, original.topic)
        return replace(
            blank,
            title=title,
            paragraphs=tuple(paragraphs),
            author="Northwire",
            url=original.url if source.links_to_wire else "",
            story=original.story,
            stage=original.stage,
            copy_of=original.id,
        )

    def _blank(self, source: Source, at: datetime, style: StyleName, topic: str) -> Article:
        self._serial[source.key] += 1
        identity = f"{source.key}-{self._serial[source.key]}"
        return Article(
            id=identity,
            source=source.key,
            topic=topic,
            style=style,
            language=source.language,
            day=(at - self._start).days,
            published=at,
            dated=not Draws(self._seed, "dated", identity).chance(source.undated),
            title="",
            paragraphs=(),
            author="",
            categories=(),
            url="",
        )

    def _publish(self, source: Source, article: Article) -> None:
        if article.day >= self._days:
            return
        if not article.url:
            slug = re.sub(r"[^a-z0-9]+", "-", article.title.lower())[:48].strip("-")
            page = f"https://{source.site}/{article.published:%Y/%m/%d}/{slug}-{article.id}"
            article = replace(article, url=page)
        if article.copy_of or article.source == "meridian":
            article = replace(article, url=f"{article.url}?utm_source={source.key}&utm_medium=feed")
        self._written[source.key, article.day] += 1
        self.articles.append(article)


def _hour(morning: datetime, draws: Draws) -> datetime:
    """A time between five in the morning and eleven at night."""
    return morning + timedelta(minutes=draws.between(300, 1380), seconds=draws.below(60))
