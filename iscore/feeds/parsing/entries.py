"""Turns feedparser's entries into articles: the best of an entry's many fields, cleaned; its content; its key.

    entry ─► draft: title, text, date … ─► key ─► content: HTML, enclosures, thumbnail

The next poll recognises an article by its key. That is the publisher's id if no other entry of the document has it,
else the URL of its page under the same condition, else a hash of its title and content. Ids and URLs that several
entries share identify none of them.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import blake2b
from typing import Any

from iscore.feeds.parsing import dates
from iscore.feeds.parsing.article_html import cleaned, first_picture, says_more_than_text, written
from iscore.feeds.parsing.html_to_text import (
    Prose,
    feed_name,
    is_inline_markup,
    line,
    line_of_markup,
    plain_text,
    prose,
    prose_of_html,
)
from iscore.feeds.parsing.markup import Markup
from iscore.feeds.urls import canonical_url, is_placeholder, page_key, safe_url
from storage.records.articles import Content, Enclosure, NewArticle

MAX_CATEGORIES = 50
"""Longer lists are written for search engines."""
MAX_AUTHORS = 100
"""More names than the line of an article's authors can hold."""
MAX_GUID = 4000
MAX_ENCLOSURES = 20
"""Enclosures of one article. A podcast has one, a gallery a dozen."""
MAX_MARKUP = 3_000_000
"""Characters of markup of one document that are made into HTML; further articles have only their text. HTML takes
several times as long as the text: 1.5 s of processor time for 1 MB of dense markup."""
MAX_LENGTH = 1 << 50
"""Larger sizes of enclosures, in bytes, are ignored."""
MAX_KEY = 200
"""Characters; longer keys are replaced by their hash."""

_LOOKS_LIKE_MARKUP = re.compile(
    r"</(?:p|div|a|b|i|em|strong|span|ul|ol|li|h\d|blockquote)>|<(?:br|p|img)\b[^<>]{0,500}>"
)
_TEXT = re.compile(r"text/.+|.+[/+]xml")
_MEDIA_TYPE = re.compile(r"(?:application|audio|image|text|video)/[a-z0-9][a-z0-9.+-]{0,80}")
_LANGUAGE = re.compile(r"([A-Za-z]{2})(?:[-_]|$)")
_WIDTH = re.compile(r"\s*(\d{1,5})(?:\.\d{0,9})?(?:px)?\s*")
_WIDE_ENOUGH = 320
"""Pixels of the pictures of lists, which are half as wide on the screen. A wider one takes longer to load."""
_MAIL = re.compile(
    r"[<(\[]?(?:mailto:)?(?<![^\s<>()\[\]\",;:])([^\s<>()\[\]\",;:@]++@[^\s<>()\[\]\",;@]++)[>)\]]?", re.IGNORECASE
)
_NOBODY = frozenset({"donotreply", "do-not-reply", "no-reply", "nobody", "noreply"})
"""Mailboxes that tell nothing about an author."""
_ORIGINAL = ("feedburner_origlink", "pheedo_origlink")
"""An entry's own address, where its link leads through a service that counts clicks."""

Fields = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Draft:
    """A cleaned entry without a key."""

    guid: str
    """The publisher's id of the entry, or empty."""
    article: NewArticle
    """Complete except ``key``, ``content_hash`` and ``content``, which are empty."""
    entry: Any = None
    """The source, from which its ``content`` can be made."""
    clean: Markup | None = None
    """The markup as cleaned by ``article_html.cleaned``, if the text was made of that."""


def draft(entry: Fields, feed: Fields, *, url: str, now: datetime) -> Draft:
    """Convert one entry into an article without a key. ``feed`` has defaults for its fields."""
    value, kind, _, spoken = _longest(entry)
    text, clean = _text(value, kind)
    guid = line(_string(entry, "id"), MAX_GUID)
    published = dates.from_text(_own(entry, "published")) or dates.from_text(_own(entry, "updated"))
    article = NewArticle(
        key="",
        url=canonical_url(_link(entry, guid, url)),
        title=title(entry),
        author=author(entry) or author(entry.get("source") or {}) or author(feed, with_addresses=False),
        categories=categories(tag.get("label") or tag.get("term") for tag in entry.get("tags", ())),
        text=text.text,
        language=_language(entry, spoken, language(_string(feed, "language"))),
        published=dates.plausible(published, now),
        links=text.links,
        pictures=text.pictures,
        content_hash=b"",
    )
    return Draft(guid, article, entry, clean)


def markup(entry: Fields, article: NewArticle, *, url: str) -> tuple[str, str]:
    """Return the HTML of an entry, which may be empty, and the base of relative addresses in the entry.

    The base is ``xml:base``, else the article's page, else ``url``, the address of the document.
    """
    value, kind, base, _ = _longest(entry)
    base = safe_url(base, url)
    return value if _is_markup(value, kind) else "", base if base and base != url else article.url or url


def author(fields: Fields, with_addresses: bool = True) -> str:
    """Return the names of all authors. Mail addresses stand for those without a name if ``with_addresses``."""
    listed = _dicts(fields, "authors")[:MAX_AUTHORS]
    people = [person(_string(each, "name")) or person(_string(each, "email")) for each in listed]
    return joined(each for each in people if with_addresses or "@" not in each)


def joined(names: Iterable[str]) -> str:
    """Return the names as one line, each once."""
    first: dict[str, str] = {}
    for name in filter(None, names):
        first.setdefault(name.casefold(), name)
    return line(", ".join(first.values()))


def person(text: str) -> str:
    """Return the name in an author's text, or a mail address that has none beside it.

    >>> person("ada@site.example (Ada Berg)"), person('"Berg, Ada" <ada@site.example>')
    ('Ada Berg', 'Berg, Ada')
    """
    text = line_of_markup(text) if "</" in text else feed_name(text)
    names, addresses = _MAIL.split(text)[::2], _MAIL.findall(text)
    name = ", ".join(filter(None, map(_without_brackets, names)))
    known = (each for each in addresses if each.partition("@")[0].lower() not in _NOBODY)
    return name or next(known, "")


def _without_brackets(name: str) -> str:
    name = name.strip(" ,;:–—-")
    inner = name[1:-1]
    if name[:1] + name[-1:] in ('""', "''", "“”", "()", "[]") and inner.find("(") <= inner.find(")"):
        return inner.strip()
    return name


def categories(names: Iterable[object]) -> tuple[str, ...]:
    """Return the categories in the feed's order, without duplicates."""
    cleaned = (line_of_markup(name, 200) for name in names if isinstance(name, str))
    return tuple(dict.fromkeys(name for name in cleaned if name))[:MAX_CATEGORIES]


def language(code: str) -> str:
    """Return ``en`` of ``en-US``; empty without a two-letter code."""
    found = _LANGUAGE.match(code.strip())
    return found[1].lower() if found else ""


def title(fields: Fields) -> str:
    """Return the title as one line. It is read as HTML unless the feed declares it as plain text, and it looks so."""
    detail = {"type": "", **(fields.get("title_detail") or {}), "value": _string(fields, "title")}
    value, kind = _as_text(detail)["value"] or detail["value"], detail["type"]
    return line(value) if kind == "text/plain" and not is_inline_markup(value) else line_of_markup(value)


def _longest(entry: Fields) -> tuple[str, str, str, str]:
    """Return value, media type, base address and language of the longest of contents and summary: any of them may be a
    teaser.
    """
    summary = {"type": "text/html", **(entry.get("summary_detail") or {}), "value": _string(entry, "summary")}
    written = [each for each in (summary, *_dicts(entry, "content")) if _string(each, "value")]
    versions = list(map(_as_text, written))
    best = max(versions, key=lambda version: len(version["value"]), default={})
    same = [each for each in versions if each["value"] == best["value"]]
    base, spoken = (next(filter(None, (_string(each, name) for each in same)), "") for name in ("base", "language"))
    return _string(best, "value"), best.get("type") or "text/plain", base, spoken


def _as_text(version: Fields) -> Fields:
    """Return a version of a text. If its type is none of text, it is in base64, and a text if that is UTF-8."""
    if _TEXT.fullmatch(version.get("type") or "text/html"):
        return version
    try:
        text = b64decode("".join(version["value"].split()), validate=True).decode()
    except ValueError:
        text = ""
    return {**version, "value": "" if "\0" in text else text, "type": "text/html"}


def _text(value: str, kind: str) -> tuple[Prose, Markup | None]:
    if _is_markup(value, kind):
        return text_of_markup(value)
    return Prose(plain_text(value) if kind == "text/plain" else "", 0, 0), None


def text_of_markup(markup: str) -> tuple[Prose, Markup | None]:
    """Return the text of markup; and what its HTML is made of, if that shows more."""
    if not says_more_than_text(markup):
        return prose(markup), None
    clean = cleaned(markup)
    return prose_of_html(clean.html), clean


def _is_markup(value: str, kind: str) -> bool:
    if kind == "text/plain":
        return _LOOKS_LIKE_MARKUP.search(value) is not None
    return True


def _link(entry: Fields, guid: str, base: str) -> str:
    original = (_string(entry, name) for name in _ORIGINAL)
    candidates = [*(each for each in original if each.startswith("http")), _string(entry, "link")]
    if candidates[-1] == guid and not guid.startswith(("http", "/")):
        candidates.pop()  # feedparser takes every id for an address
    candidates += [link.get("href", "") for link in entry.get("links", ()) if link.get("rel") in ("alternate", "via")]
    if guid.startswith(("http://", "https://")):
        candidates.append(guid)
    candidates += [link.get("href", "") for link in entry.get("links", ())]
    return next((safe for safe in (safe_url(candidate, base) for candidate in candidates if candidate) if safe), "")


def _language(entry: Fields, spoken: str, inherited: str) -> str:
    """Return the language of an entry: that of its text unless inherited, else that of the entry or of its title."""
    spoken = language(spoken)
    title = _string(entry.get("title_detail") or {}, "language")
    own = spoken if spoken != inherited else ""
    return own or language(_string(entry, "language")) or spoken or language(title) or inherited


def _own(entry: Any, name: str) -> str:
    """Return the field itself. feedparser's ``get`` would replace a missing date by another one, with a warning."""
    return dict.get(entry, name) or ""


def _string(fields: Fields, name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def content(
    markup: str, base: str, files: Iterable[Enclosure], thumbnails: Iterable[str], clean: Markup | None
) -> Content:
    """Return an article's content: what pages show besides its text.

    ``thumbnails``: addresses of pictures, the best first, relative to ``base``; placeholders are left out. ``clean``:
    the result of ``cleaned`` for ``markup``, if it was called. If there is no thumbnail, the first enclosure that is a
    picture is used, else the first picture of ``markup``. Its sound and video files become enclosures.
    """
    clean = (clean or cleaned(markup)) if says_more_than_text(markup) else Markup("", "", ())
    base_of_html = safe_url(clean.base, base) or base
    html = written(clean.html, base_of_html)
    found = {each.url: each for each in files}
    for url, kind in clean.files:
        file = enclosure(url, kind, None, base_of_html)
        found.setdefault(file.url, file)
    enclosures = tuple(each for url, each in found.items() if url)[:MAX_ENCLOSURES]
    pictures = (each.url for each in enclosures if each.type.startswith("image/"))
    addresses = (safe_url(each, base) for each in (*thumbnails, *pictures) if each and not is_placeholder(each))
    thumbnail = next(filter(None, addresses), "") or first_picture(html)
    return Content(html if says_more_than_text(html) else "", enclosures, thumbnail)


def entry_content(entry: Fields, markup: str, base: str, clean: Markup | None = None) -> Content:
    """Return the content of one of feedparser's entries.

    ``markup``: its text as HTML, or empty. ``clean``: as in ``content``.
    """
    media = [each for each in _dicts(entry, "media_content") if _string(each, "url")]
    links = [each for each in _dicts(entry, "links") if each.get("rel") == "enclosure"]
    if links and (original := _string(entry, "feedburner_origenclosurelink")):
        links[0] = {**links[0], "href": original}
    attached = [enclosure(_string(each, "href"), _string(each, "type"), each.get("length"), base) for each in links]
    attached += [
        enclosure(_string(each, "url"), _string(each, "type"), each.get("filesize"), base)
        for each in media
        if _kind(each) in ("audio", "video")
    ]
    image = entry.get("image")
    pictures = _dicts(entry, "media_thumbnail") + [each for each in media if _kind(each) == "image"]
    best_first = [_string(each, "url") for each in sorted(pictures, key=_unfitness)]
    return content(markup, base, attached, [*best_first, _string(image or {}, "href")], clean)


def _unfitness(picture: Fields) -> tuple[int, int]:
    """Return a number that is small for a picture that is wide enough for a list, but not wider; else for a wide one.
    One without a width is between the two.
    """
    found = _WIDTH.fullmatch(_string(picture, "width"))
    width = int(found[1]) if found else 0
    return (0, width) if width >= _WIDE_ENOUGH else (2, -width) if width else (1, 0)


def enclosure(url: str, media_type: str, length: object, base: str) -> Enclosure:
    """Return a cleaned enclosure. Its ``url`` is empty if pages may not link to it."""
    kind = media_type.partition(";")[0].strip().lower()
    digits = str(length).strip() if isinstance(length, str | int) else ""
    size = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 20 else 0
    return Enclosure(
        safe_url(url, base),
        kind if _MEDIA_TYPE.fullmatch(kind) else "",
        size if 0 < size < MAX_LENGTH else None,
    )


def icon(feed: Fields, base: str) -> str:
    """Return the address of a feed's icon, else of its logo; empty if it has neither."""
    image = feed.get("image")
    named = (_string(feed, "icon"), _string(image, "href") if isinstance(image, dict) else "", _string(feed, "logo"))
    return next(filter(None, (safe_url(each, base) for each in named if each)), "")


def _kind(media: Fields) -> str:
    return _string(media, "medium").lower() or _string(media, "type").partition("/")[0].lower()


def _dicts(fields: Fields, name: str) -> list[Fields]:
    found = fields.get(name)
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def with_keys(drafts: Sequence[Draft]) -> list[NewArticle]:
    """Return the articles of one document with their keys, in order."""
    guids = Counter(draft.guid for draft in drafts)
    pages = Counter(page_key(draft.article.url) for draft in drafts)
    return [_with_identity(draft.article, _key(draft, guids, pages)) for draft in drafts]


def without_duplicates(articles: Iterable[NewArticle]) -> tuple[NewArticle, ...]:
    """Return the first article of each key."""
    first: dict[str, NewArticle] = {}
    for article in articles:
        first.setdefault(article.key, article)
    return tuple(first.values())


def _key(draft: Draft, guids: Counter[str], pages: Counter[str]) -> str:
    if draft.guid and guids[draft.guid] == 1:
        return _short(f"id:{draft.guid}")
    page = page_key(draft.article.url)
    if page and pages[page] == 1:
        return _short(f"page:{page}")
    return f"text:{_digest(draft.article.title, draft.article.text, draft.article.url)}"


def _short(key: str) -> str:
    return key if len(key) <= MAX_KEY else f"{key.partition(':')[0]}:{_digest(key)}"


def _digest(*parts: str) -> str:
    return blake2b("\x1f".join(parts).encode(), digest_size=16).hexdigest()


def _with_identity(article: NewArticle, key: str) -> NewArticle:
    everything = "\x1f".join(
        (
            key,
            article.url,
            article.title,
            article.author,
            "\x1e".join(article.categories),
            article.text,
            article.language,
            article.published.isoformat() if article.published else "",
            str(article.links),
            str(article.pictures),
        )
    )
    return replace(article, key=key, content_hash=blake2b(everything.encode(), digest_size=16).digest())
