"""Well-formed feeds that no publisher would write: every element that means something to a parser, anywhere.

Spoilt feeds are seldom well-formed, and then nothing is cut. These always are.
"""

from __future__ import annotations

from random import Random
from xml.sax.saxutils import escape, quoteattr

_PREFIXES = {
    "dc": "http://purl.org/dc/elements/1.1/",
    "atom": "http://www.w3.org/2005/Atom",
    "content": "http://purl.org/rss/1.0/modules/content/",
    "itunes": "http://www.itunes.com/DTDs/PodCast-1.0.dtd",
    "media": "http://search.yahoo.com/mrss/",
    "slash": "http://purl.org/rss/1.0/modules/slash/",
    "georss": "http://www.georss.org/georss",
    "xhtml": "http://www.w3.org/1999/xhtml",
    "x": "urn:x",
}
_PLAIN = (
    *("title", "link", "guid", "id", "description", "summary", "content", "pubDate", "published", "updated", "author"),
    *("name", "email", "url", "category", "source", "image", "textInput", "language", "enclosure", "comments", "ttl"),
    *("div", "p", "svg", "body", "info", "rights", "generator", "managingEditor", "contributor", "item", "entry"),
    *("GUID", "Item", "width", "href", "cloud", "tagline", "subtitle", "keywords", "channel", "feed", "rss", "logo"),
)
_PREFIXED = (
    *("dc:creator", "dc:date", "dc:language", "dc:title", "dc:subject", "dc:author", "dc:publisher", "dc:source"),
    *("atom:link", "atom:id", "atom:author", "atom:name", "atom:updated", "atom:title", "atom:source", "atom:entry"),
    *("content:encoded", "itunes:author", "itunes:owner", "itunes:summary", "itunes:name", "itunes:image", "x:item"),
    *("media:content", "media:title", "media:group", "media:description", "media:credit", "slash:comments", "x:guid"),
    *("georss:point", "xhtml:body", "xhtml:div", "x:title", "x:language"),
)
_STRUCTURE = frozenset({"item", "entry", "channel", "feed", "rss", "Item", "GUID", "atom:entry", "atom:id"})
_HOLDERS = (
    "author",
    "source",
    "image",
    "textInput",
    "media:group",
    "atom:author",
    "contributor",
    "itunes:owner",
    "x:item",
)
_COMMON = ("title", "link", "guid", "id", "description", "pubDate", "updated", "author", "dc:creator", "category")
_TEXTS = (
    *("a", "b", "1", "2", "https://a.example/1", "https://a.example/1?utm_source=x", "http://www.a.example/1/", "/1"),
    *("<p>x</p>", "a & b", "en", "de-AT", "it", "Fri, 20 Nov 2026 10:00:00 GMT", "2026-11-20T10:00:00Z", "", " ", "é"),
    *("me@a.example (Me)", "AT&amp;T", "<div>", "]]", "YQ==", "Ã¼"),
)
_ATTRIBUTES = (
    *(("xml:lang", "it"), ("xml:base", "http://b.example/x/"), ("type", "html"), ("type", "xhtml"), ("lang", "fr")),
    *(("type", "text/plain"), ("href", "https://a.example/h"), ("rel", "alternate"), ("rel", "self"), ("url", "u")),
    *(("isPermaLink", "false"), ("mode", "base64"), ("base", "/y/"), ("role", "author"), ("term", "t"), ("src", "s")),
    *(("version", "2.0"), ("title", "a>b"), ("domain", "d"), ("xmlns", "http://www.w3.org/1999/xhtml"), ("xmlns", "")),
    *(("xmlns", "http://www.w3.org/2005/Atom"), ("xmlns", "urn:x"), ("xml:lang", "")),
)
_ROOTS = (
    ('<rss version="2.0"{}>', "<channel{}>", "item", "</channel></rss>"),
    ("<rss{}>", "<channel{}>", "item", "</channel></rss>"),
    ('<feed xmlns="http://www.w3.org/2005/Atom"{}>', "", "entry", "</feed>"),
    ('<feed version="0.3" xmlns="http://purl.org/atom/ns#"{}>', "", "entry", "</feed>"),
    (
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"{}>',
        '<channel rdf:about="c"{}><title>T</title></channel>',
        "item",
        "</rdf:RDF>",
    ),
)


def made_up_feed(chance: Random) -> bytes:
    """Write a feed of up to five entries."""
    root, inner, entry, end = chance.choice(_ROOTS)
    declared = "".join(f" xmlns:{prefix}={quoteattr(uri)}" for prefix, uri in _PREFIXES.items())
    wild = chance.random() < 0.4
    head = "".join(_element(chance, 2, wild=wild) for _ in range(chance.choice((0, 1, 2, 4))))
    pieces = [
        root.format(declared + _attributes(chance, 0.2, wild=wild)),
        inner.format(_attributes(chance, 0.2, wild=wild)),
        head,
    ]
    for number in range(chance.randint(1, 5)):
        pieces.append(_entry(chance, entry, number, rdf="rdf" in root, wild=wild))
        if chance.random() < 0.1:
            pieces.append(_element(chance, 2, wild=wild))
    return "".join([*pieces, end]).encode()


def _entry(chance: Random, name: str, number: int, *, rdf: bool, wild: bool) -> str:
    about = f' rdf:about="{chance.choice((str(number), "a>b", "1"))}"' if rdf and chance.random() < 0.8 else ""
    if chance.random() < 0.05:
        return f"<{name}{about}/>"
    identity = "id" if name == "entry" else "guid"
    known = chance.choices(
        ("", f"<{identity}>n{number}</{identity}>", f"<link>https://a.example/{number}</link>"), (1, 30, 2)
    )[0]
    children = [known, f"<title>Title {number}</title>"]
    children += [_element(chance, 3 if wild else 1, wild=wild) for _ in range(chance.randint(0, 4))]
    chance.shuffle(children)
    return f"<{name}{about}{_attributes(chance, 0.1, wild=wild)}>{''.join(children)}</{name}>"


def _element(chance: Random, depth: int, *, wild: bool) -> str:
    """Write an element; unless ``wild``, only such hold others as are meant to."""
    name = chance.choice(chance.choice((_COMMON, _PLAIN, _PREFIXED)))
    if name in _STRUCTURE and not wild:
        name = chance.choice(_HOLDERS)
    kind = chance.random()
    if kind < 0.1:
        return f"<{name}{_attributes(chance, 0.7, wild=wild)}/>"
    if kind < 0.13:
        return chance.choice(("<!-- <item> -->", "<?php <item> ?>", "text", "<![CDATA[<item></item>]]>"))
    if depth and (kind < 0.35 if wild else name in _HOLDERS):
        inside = "".join(_element(chance, depth - 1, wild=wild) for _ in range(chance.randint(1, 3)))
    else:
        inside = _text(chance)
    return f"<{name}{_attributes(chance, 0.25, wild=wild)}>{inside}</{name}>"


def _text(chance: Random) -> str:
    text = chance.choice(_TEXTS)
    form = chance.random()
    if form < 0.2 and "]]" not in text:
        return f"<![CDATA[{text}]]>"
    if form < 0.3:
        return "".join(f"&#{ord(each)};" for each in text)
    return escape(text) + ("<!-- c -->" if form > 0.97 else "")


def _attributes(chance: Random, share: float, *, wild: bool) -> str:
    found = {} if chance.random() >= share else dict(chance.choices(_ATTRIBUTES, k=chance.randint(1, 2)))
    return "".join(f" {name}={quoteattr(value)}" for name, value in found.items() if wild or name != "xmlns")
