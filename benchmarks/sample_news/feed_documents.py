"""Articles to feed bytes: RSS 2.0, Atom 1.0 and JSON Feed 1.1, as real sources write them.

A document depends on its entries only, never on when it is asked for, so that an unchanged feed has unchanged bytes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from html import escape

from benchmarks.sample_news.article import Article
from benchmarks.sample_news.sources import Source

_SUMMARY_WORDS = 35
_NEVER = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Frame:
    """What surrounds the entries of a feed."""

    content_type: str
    """With the true charset."""
    head: str
    """``{updated}`` is replaced by the time of the newest entry."""
    tail: str
    separator: str = "\n"


def feed_bytes(source: Source, articles: Sequence[Article]) -> tuple[bytes, str]:
    """Return the feed with ``articles``, newest first, and its content type with the true charset."""
    parts = frame(source)
    head = parts.head.replace("{updated}", updated(source, articles[0].published if articles else _NEVER), 1)
    text = head + parts.separator.join(entry(source, article) for article in articles) + parts.tail
    # Characters that the declared encoding lacks become references, as a careful publishing system does it.
    return text.encode(source.encoding, "xmlcharrefreplace"), parts.content_type


def frame(source: Source) -> Frame:
    """Return what surrounds the entries of a source's feed."""
    return {"atom": _atom, "rss": _rss, "json": _json}[source.format](source)


def entry(source: Source, article: Article) -> str:
    """Write an article as an entry of a source's feed."""
    if source.format == "json":
        return json.dumps(_json_item(source, article), ensure_ascii=False, indent=1)
    return _atom_entry(source, article) if source.format == "atom" else _rss_item(source, article)


def updated(source: Source, at: datetime) -> str:
    """Write the time of the newest entry as a source's feed does."""
    return format_datetime(at, usegmt=True) if source.format == "rss" else at.isoformat()


def summary(article: Article) -> str:
    """Return the first paragraphs of the body, until there are about 35 words."""
    chosen: list[str] = []
    for paragraph in article.paragraphs:
        chosen.append(paragraph)
        if sum(len(text.split()) for text in chosen) >= _SUMMARY_WORDS:
            break
    return " ".join(chosen)


def _teaser(article: Article) -> str:
    """A summary in the markup that real feeds put around it."""
    link = escape(article.url)
    return f'<p>{escape(summary(article), quote=False)}</p><p><a href="{link}">Read more</a></p>'


def _rss(source: Source) -> Frame:
    head = f"""<?xml version="1.0" encoding="{source.encoding}"?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel>
<title>{escape(source.title)}</title>
<link>https://{source.site}/</link>
<description>All articles of {escape(source.title)}</description>
<language>{source.language}</language>
<lastBuildDate>{{updated}}</lastBuildDate>
"""
    return Frame(f"application/rss+xml; charset={source.encoding}", head, "\n</channel>\n</rss>\n")


def _rss_item(source: Source, article: Article) -> str:
    lines = [
        f"<title>{escape(article.title, quote=False)}</title>",
        f"<link>{escape(article.url)}</link>",
        f'<guid isPermaLink="false">{article.id}</guid>',
    ]
    if article.dated:
        lines.append(f"<pubDate>{format_datetime(article.published, usegmt=True)}</pubDate>")
    if article.author:
        lines.append(f"<dc:creator>{escape(article.author)}</dc:creator>")
    lines += [f"<category>{escape(category)}</category>" for category in article.categories]
    lines.append(f"<description>{escape(_teaser(article))}</description>")
    if source.full:
        lines.append(f"<content:encoded><![CDATA[{article.html}]]></content:encoded>")
    return "<item>\n" + "\n".join(lines) + "\n</item>"


def _atom(source: Source) -> Frame:
    head = f"""<?xml version="1.0" encoding="{source.encoding}"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="{source.language}">
<title>{escape(source.title)}</title>
<id>tag:{source.site},2020:feed</id>
<link rel="alternate" href="https://{source.site}/"/>
<updated>{{updated}}</updated>
"""
    return Frame(f"application/atom+xml; charset={source.encoding}", head, "\n</feed>\n")


def _atom_entry(source: Source, article: Article) -> str:
    lines = [
        f"<title>{escape(article.title, quote=False)}</title>",
        f"<id>tag:{source.site},2020:{article.id}</id>",
        f'<link rel="alternate" href="{escape(article.url)}"/>',
        f"<updated>{article.published.isoformat()}</updated>",
    ]
    if article.author:
        lines.append(f"<author><name>{escape(article.author)}</name></author>")
    lines += [f'<category term="{escape(category)}"/>' for category in article.categories]
    lines.append(f'<summary type="html">{escape(_teaser(article))}</summary>')
    if source.full:
        lines.append(f'<content type="html">{escape(article.html)}</content>')
    return "<entry>\n" + "\n".join(lines) + "\n</entry>"


def _json(source: Source) -> Frame:
    about = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": source.title,
        "home_page_url": f"https://{source.site}/",
        "language": source.language,
    }
    head = json.dumps(about, ensure_ascii=False, indent=1).removesuffix("\n}")
    return Frame("application/feed+json", f'{head},\n "items": [', "]\n}\n", ",\n")


def _json_item(source: Source, article: Article) -> dict[str, object]:
    item: dict[str, object] = {"id": article.id, "url": article.url, "title": article.title}
    if article.dated:
        item["date_published"] = article.published.isoformat()
    if article.author:
        item["authors"] = [{"name": article.author}]
    if article.categories:
        item["tags"] = list(article.categories)
    item["summary"] = summary(article)
    item["content_html"] = article.html if source.full else _teaser(article)
    return item
