"""Rows 17 to 38: documents that are bombs, false or damaged. ``server_faults`` has the servers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping
from xml.sax.saxutils import escape

from tests.hostile.fault import Fault
from tests.hostile.texts_of_rows import ADDRESSES, LINES, SCRIPTS, TERMINAL, TITLES
from tests.servers.feed_server import Behaviour, Request, document, rss

PROLOGUE = '<?xml version="1.0" encoding="utf-8"?>'
DATES = {
    "missing": "",
    "garbage": "the day before yesterday",
    "year-0": "Sat, 01 Jan 0000 00:00:00 GMT",
    "year-9999": "Fri, 31 Dec 9999 23:59:59 GMT",
    "years-ahead": "Sat, 01 Jan 2050 00:00:00 GMT",
    "epoch": "Thu, 01 Jan 1970 00:00:00 GMT",
    "month-13": "2026-13-45T99:99:99Z",
}
"""Row 32."""


def channel(items: str, *, before: str = PROLOGUE, title: str = "Documents") -> bytes:
    """A feed around some items."""
    spaces = 'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/"'
    return f'{before}<rss version="2.0" {spaces}><channel><title>{title}</title>{items}</channel></rss>'.encode()


def item(guid: str, title: str, *, text: str = "", link: str = "", more: str = "") -> str:
    """One item. The texts are escaped already (``written``)."""
    identity = f'<guid isPermaLink="false">{guid}</guid>' if guid else ""
    linked = f"<link>{link}</link>" if link else ""
    return f"<item>{identity}<title>{title}</title>{linked}<description>{text}</description>{more}</item>"


def written(text: str) -> str:
    """Write a text in XML: characters that XML forbids become references."""
    return "".join(f"&#{ord(c)};" if ord(c) < 32 and c not in "\t\n" else escape(c) for c in text)


def everywhere(texts: Mapping[str, str]) -> bytes:
    """One item for each text, with the text in every field."""
    items = []
    for name, text in texts.items():
        hostile = written(text)
        more = f"<author>{hostile}</author><dc:creator>{hostile}</dc:creator><category>{hostile}</category>"
        more += f"<content:encoded>{hostile} A harmless sentence about {name} follows it.</content:encoded>"
        items.append(item(name, f"{name} {hostile}", text=hostile, link=f"https://hostile.example/{name}", more=more))
    return channel("".join(items), title=written(next(iter(texts.values()))))


def addresses() -> bytes:
    """Row 26: in link, guid and enclosure."""
    items = []
    for name, bad in ADDRESSES.items():
        hostile, quoted = written(bad), written(bad).replace("\t", "&#9;").replace("\n", "&#10;")
        text = written(f"<p><a href='{bad}'>a link</a> and words about {name}</p>")
        enclosure = f'<enclosure url="{quoted}" type="text/html" length="1"/>'
        identity = f'<guid isPermaLink="true">{hostile}</guid>'
        items.append(item("", name, text=text, link=hostile, more=identity + enclosure))
    return channel("".join(items))


def in_turn(make: Callable[[int], bytes]) -> Behaviour:
    """Another document at each asking; they are counted from 0."""
    asked = 0

    async def behave(request: Request, writer: asyncio.StreamWriter) -> None:
        nonlocal asked
        body, asked = make(asked), asked + 1
        await document(body)(request, writer)

    return behave


def laughs() -> bytes:
    """A billion laughs."""
    entities = '<!ENTITY e0 "laughter ">'
    for number in range(1, 10):
        entities += f'<!ENTITY e{number} "' + f"&e{number - 1};" * 10 + '">'
    return channel(item("l", "&e9;", text="&e9;"), before=f"{PROLOGUE}<!DOCTYPE rss [{entities}]>")


def outside(canary: int) -> bytes:
    """Entities and a document type of elsewhere."""
    entities = f'<!ENTITY web SYSTEM "http://127.0.0.1:{canary}/e"><!ENTITY file SYSTEM "file:///etc/passwd">'
    entities += f'<!ENTITY % dtd SYSTEM "http://127.0.0.1:{canary}/d"> %dtd;'
    before = f'{PROLOGUE}<!DOCTYPE rss SYSTEM "http://127.0.0.1:{canary}/rss.dtd" [{entities}]>'
    return channel(item("o", "outside &web; &file;", text="text &web; &file;"), before=before)


def faults(canary: int) -> Iterable[Fault]:
    """All of them. ``canary``: a port of this machine's at which nobody must ever call."""
    yield Fault(17, "laughs", "entities that grow to a gigabyte", document(laughs()))
    yield Fault(17, "outside", "entities and a document type of elsewhere", document(outside(canary)))
    tags = channel("<item><title>" + "<a " * 600_000)
    yield Fault(18, "tags", "tags that are never finished", document(tags))
    comments = "&lt;!--" * 10 + "</title>" + "<!--<!" * 200_000
    yield Fault(
        18, "comments", "comments within comments", document(channel(f"<item><title>{comments}</title></item>"))
    )
    style = escape(f'<p style="{"url(" * 100_000}">text</p>')
    yield Fault(18, "style", "a style of brackets", document(channel(item("s", "style", text=style))))
    deep = channel(item("d", "deep", text=escape("<div><p>" * 200_000)))
    yield Fault(18, "deep", "elements 400,000 deep", document(deep))
    depth = channel(item("d", "depth") + "<a>" * 3_000_000)
    yield Fault(18, "depth", "elements that are never closed", document(depth))
    yield Fault(18, "unfinished", "items that are never closed", document(channel("<item>" * 1_500_000)))
    many = "".join(f"<item><guid>{n}</guid><title>entry {n}</title></item>" for n in range(100_000))
    yield Fault(19, "many", "100,000 entries", document(channel(many)))
    yield Fault(20, "huge", "an entry of 50 MB", document(channel(item("h", "huge", text="ä" * 25_000_000))))
    yield Fault(20, "large", "an entry of 8 MB", document(channel(item("l", "large", text="aä€𝄞" * 800_000))))
    yield from encodings()
    yield from damaged()
    yield Fault(23, "controls", "control characters in every field", document(everywhere(TERMINAL)))
    yield Fault(24, "scripts", "markup and script in every field", document(everywhere(SCRIPTS)))
    yield Fault(26, "addresses", "addresses that a browser would run", document(addresses()))
    pixel = escape(f'<p>words</p><img src="http://127.0.0.1:{canary}/pixel.gif" width=1><img src="/logout">')
    yield Fault(27, "pixels", "pictures that count readers", document(channel(item("p", "pixels", text=pixel))))
    yield Fault(29, "lines", "line ends, lone dots and formulas in every field", document(everywhere(LINES)))
    dated = "".join(item(n, f"date {n}", more=f"<pubDate>{date}</pubDate>") for n, date in DATES.items())
    yield Fault(32, "dates", "dates that cannot be", document(channel(dated)))
    nameless = "".join(item("", f"nameless {n}", text=f"What nameless {n} tells.") for n in range(5))
    yield Fault(33, "nameless", "no guid, no date, no link", in_turn(lambda n: channel(nameless + f"<!-- {n} -->")))
    yield Fault(34, "fresh-guids", "guids that are new at every fetch", in_turn(fresh_guids))
    one = "".join(item("one", f"one guid {n}", text=f"Another text {n}.") for n in range(5))
    yield Fault(35, "one-guid", "one guid for all entries", document(channel(one)))
    again = in_turn(lambda n: channel(item("same", f"version {n}", text=f"The text of version {n}.")))
    yield Fault(36, "reused-guid", "one guid for an article that changes", again)
    words = "The harbour council has decided after long debate that the old bridge will be rebuilt before winter comes"
    for name, mark in (("story", ""), ("story-again", "?utm_source=rss&amp;utm_medium=feed")):
        story = item(name, words, text=f"{words}, and everybody agreed.", link=f"https://harbour.example/bridge{mark}")
        yield Fault(37, name, "a story that another feed has too", document(channel(story)))
    titled = "".join(item(name, written(title), text=f"About {name}.") for name, title in TITLES.items())
    yield Fault(38, "titles", "titles of all kinds", document(channel(titled)))


def fresh_guids(asking: int) -> bytes:
    """Row 34: the same three articles under ever new names."""
    subjects = ("The lighthouse keeper retires after forty years of service on the northern cape",
                "A new orchard of two thousand apple trees was planted by the school children",
                "Engineers repaired the ancient clock of the town hall within a single night")  # fmt: skip
    return channel(
        "".join(
            item(f"{asking}-{n}", subject, text=f"{subject}, our reporter writes.", link=f"https://fresh.example/{n}")
            for n, subject in enumerate(subjects)
        )
    )


def encodings() -> Iterable[Fault]:
    """Row 21."""
    text = "<rss version='2.0'><channel><title>T</title><item><guid>g</guid><title>{}</title></item></channel></rss>"
    latin, cyrillic = text.format("Grüße aus Köln"), text.format("Привет из Москвы")
    declared = "<?xml version='1.0' encoding='{}'?>"
    bodies = {
        "latin-1-as-utf-8": (declared.format("utf-8") + latin).encode("latin-1"),
        "bogus-charset": (declared.format("x-no-such-thing") + latin).encode(),
        "utf-16-unmarked": (declared.format("utf-16") + latin).encode("utf-16-le"),
        "koi8-r": (declared.format("koi8-r") + cyrillic).encode("koi8-r"),
    }
    for name, body in bodies.items():
        yield Fault(21, name, "another encoding than it says, or a rare one", document(body))


def damaged() -> Iterable[Fault]:
    """Row 22."""
    yield Fault(22, "unclosed", "a feed that breaks off", document(rss(3, first=500)[:-60]))
    login = (
        b"<!doctype html><html><head><title>Sign in</title></head><body><form><input name=user></form></body></html>"
    )
    yield Fault(22, "login-page", "a page for signing in", document(login, Content_Type="text/html"))
    yield Fault(22, "json", "JSON that is no feed", document(json.dumps({"error": "no"}).encode()))
    yield Fault(22, "empty", "nothing", document(b""))
    yield Fault(22, "nought", "one nought", document(b"\0"))
