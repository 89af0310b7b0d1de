"""Reads web pages and robots.txt files, in a parser process only: see ``worker``.

- An article's page → its main text, without menus, advertisements and readers' comments. trafilatura, which is part of
  the extra ``fulltext``, finds it. It takes seconds and hundreds of megabytes for malicious pages, and is imported only
  when there is a page.
- A document that is not a feed → what it is: a page, a login, a consent page, in one sentence that says what to do.
- A page → the feeds that it declares in its head: ``<link rel="alternate" type="application/rss+xml" href="…">``. If it
  declares none, links that look like a feed's (``/rss.xml``, ``/feed/``) are guesses. Hostile pages can make the
  standard library's parser slow.
- A page → the icons that it names in its head: ``<link rel="icon" sizes="32x32" href="…">``.
- A site's robots.txt → whether a page may be fetched (RFC 9309): groups by product token, the longest rule wins, ``*``
  and ``$``.
"""

from __future__ import annotations

import re
from contextlib import suppress
from functools import lru_cache
from html.parser import HTMLParser
from operator import itemgetter
from string import ascii_letters, digits, punctuation
from urllib.parse import quote, urlsplit

from iscore.feeds.errors import NoTextError
from iscore.feeds.parsing.article_html import article_html, says_more_than_text
from iscore.feeds.parsing.encoding import page_to_text
from iscore.feeds.parsing.html_to_text import feed_name, line, line_of_markup, prose
from iscore.feeds.parsing.jobs import FeedLink, IconLinksJob, LinksJob, PageArticle, PageJob, Permission, RobotsJob
from iscore.feeds.parsing.markup import prepared
from iscore.feeds.urls import safe_url

MAX_FEEDS = 20
"""Feeds of one page. Code hosting sites and magazines have about ten."""
MAX_LINKS = 200
"""Elements ``link`` of one page that are looked at to describe it, or for its icons."""
MAX_ICONS = 3
"""Icons of one page."""
LONGEST_OFFER = 500
"""Characters of an address that fits into a message."""
_TYPES = frozenset(
    {
        "application/atom+xml",
        "application/feed+json",
        "application/json",
        "application/rdf+xml",
        "application/rss+xml",
        "application/xml",
        "text/xml",
    }
)
_HEAD = 65_536
"""Bytes of a page in which to look for what it is."""
_IS_PAGE = re.compile(r"<(?:!doctype\s{1,9}html|html|head|body)\b", re.IGNORECASE)
_NAME = re.compile(r"<(?:title|h1)\b[^>]{0,200}>\s{0,200}([^<]{1,500})", re.IGNORECASE)
_LINK = re.compile(r"<(?:base|link)\b[^<>]{0,1000}>", re.IGNORECASE)
_PASSWORD = re.compile(r"<input\b[^>]{0,300}?\btype\s{0,9}=\s{0,9}[\"']?password", re.IGNORECASE)
_LOGIN = re.compile(
    r"(?:log|sign)[ -]?[io]n\b|anmeld|einlogg|connexion|s.identifier|iniciar sesi|acced[ei]\b|entrar\b|inloggen"
    r"|logga in|log ind|zaloguj|logowanie|kirjaudu|přihlá|вход|войти|увійти|giriş yap|登录|登入|ログイン|로그인",
    re.IGNORECASE,
)
_LOGIN_PATH = re.compile(r"/(?:[\w-]{0,20}log-?in|sign[_-]?in|sso|session/new)(?:[/.?]|$)", re.IGNORECASE)
_CONSENT = re.compile(
    r"before you continue|cookie[ -]?(?:consent|wall|settings|einstellungen)|your privacy|bevor (?:sie|du) |zustimmung"
    r"|einwilligung|avant de continuer|consentement|consentimiento|privacy-instellingen",
    re.IGNORECASE,
)
_FEW_LINKS = 40
"""A page with more links is no consent page, whatever its headline says."""
_CONSENT_PLACE = re.compile(r"^https?://(?:consent|guce|myprivacy)\.|/(?:[\w-]{0,20}consent|cookie-?wall)(?:[/.?]|$)")
_PLAYER = re.compile('<embed src="([^"]*)" title="([^"]*)">')
_PICTURE_OF_PLAYER = re.compile('<img src="([^"]*)#player.jpg" alt="([^"]*)"/>')
"""What trafilatura keeps instead."""
_NO_FEED = re.compile(r"/wp-json/|oembed|opensearch", re.IGNORECASE)
"""Addresses of other things that pages declare as an alternate in JSON or XML."""
_ICONS = {"icon", "apple-touch-icon", "apple-touch-icon-precomposed"}
_ASCII = ascii_letters + digits + punctuation
_UNRESERVED = frozenset(ascii_letters + digits + "-._~")
_ESCAPE = re.compile("%([0-9A-Fa-f]{2})")
_PAUSE = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)(?:\s*/\s*([0-9]{1,9})\s*([smhSMH]?))?(?:\s|$)")
_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600}
_LOOKS_LIKE_A_FEED = re.compile(r"(?:[/._-](?:feeds?|rss2?|atom)(?:\.xml|\.json|\.php)?|\.rdf)/?$", re.IGNORECASE)


def load_trafilatura() -> None:
    """Import trafilatura, which takes more time and memory than a page may."""
    import trafilatura  # noqa: F401 -- the import is the work


def page_article(job: PageJob) -> PageArticle:
    """Return the page's main text, as text and as HTML.

    The two are extracted separately: with links and pictures, trafilatura may choose other parts of the page, and
    features are computed from the text without them. Raises ``NoTextError`` if no text can be found.
    """
    page, base, _ = prepared(page_to_text(job.body, job.content_type), page=True)
    text = _main_text(page)
    found = _extracted(_PLAYER.sub(r'<img src="\1#player.jpg" alt="\2">', page), links=True)
    found = _PICTURE_OF_PLAYER.sub(r'<embed src="\1" title="\2">', found)
    html = article_html(found, safe_url(base, job.url) or job.url)
    return PageArticle(text, html if says_more_than_text(html) else "")


def page_text(job: PageJob) -> str:
    """Return the page's main text, paragraphs separated by a blank line; never empty.

    Raises ``NoTextError`` if none can be found.
    """
    return _main_text(prepared(page_to_text(job.body, job.content_type), page=True).html)


def _main_text(page: str) -> str:
    found = _extracted(page)
    text = prose(found).text if found else ""
    if not text:
        raise NoTextError("the page has no text that looks like an article's")
    return text


def _extracted(page: str, *, links: bool = False) -> str:
    """Return the main part of the page as HTML, or nothing. ``links`` keeps links, pictures and emphasis."""
    from trafilatura import extract

    try:
        # Precision, since words of menus and other stories would be learned as the article's.
        found = extract(
            page,
            output_format="html",
            include_comments=False,
            favor_precision=True,
            include_formatting=links or None,
            include_images=links,
            include_links=links,
        )
    except MemoryError:
        raise  # this process is of no further use
    except Exception as error:  # a hostile page can make a library raise any error
        raise NoTextError(f"the page cannot be read ({type(error).__name__})") from error
    return found or ""


def feed_links(job: LinksJob) -> list[FeedLink]:
    """List the feeds that a page declares, in its order; if it declares none, links that look like a feed."""
    reader = _LinkParser(job.url)
    with suppress(AssertionError):  # ``HTMLParser`` asserts that it knows each section that begins with ``<![``.
        reader.feed(page_to_text(job.body, job.content_type))
        reader.close()
    found = reader.declared or reader.guessed
    return list(found.values())[:MAX_FEEDS]


def not_a_feed(body: bytes, content_type: str, url: str) -> str:
    """Describe a document that is not a feed, and say what to do."""
    text = page_to_text(body[:_HEAD], content_type)
    page = "".join(each.partition("-->")[2] for each in f"-->{text}".split("<!--"))  # without comments
    if not _IS_PAGE.search(page[:2000]):
        return "the document is not a feed"
    names = [name for each in _NAME.findall(page)[:3] if (name := line_of_markup(each))]
    title = line(names[0] if names else urlsplit(url).hostname or "", 80)
    asks = any(map(_CONSENT.search, names)) and page.count("<a ") < _FEW_LINKS
    if asks or _CONSENT_PLACE.search(url):
        advice = "”; the site wants a click first, so look for another address"
        return f"this is a consent page, not a feed: “{title}{advice}"
    has_password = _PASSWORD.search(page) and any(map(_LOGIN.search, names))
    if has_password or ("<form" in page.lower() and _LOGIN.match(title)) or _LOGIN_PATH.search(url):
        advice = "”; look on the site for a private address of the feed, or put name and password into its address"
        return f"this is a login page, not a feed: “{title}{advice}"
    links = "".join(_LINK.findall(page)[:MAX_LINKS])  # the parser takes quadratic time for what is left open
    declared = feed_links(LinksJob(links.encode(), "text/html; charset=utf-8", url))
    address = next((link.url for link in declared if len(link.url) < LONGEST_OFFER), "")
    offer = f"”; follow the feed that it declares: {address}" if address else "”; no feed of it was found"
    return f"this is a web page, not a feed: “{title}{offer}"


def icon_links(job: IconLinksJob) -> list[str]:
    """List the icons that a page names in a raster format, the most suitable first."""
    links = "".join(_LINK.findall(page_to_text(job.body, job.content_type))[:MAX_LINKS])
    reader = _LinkParser(job.url)
    with suppress(AssertionError):
        reader.feed(links)
    return [url for _, url in sorted(reader.icons, key=itemgetter(0))][:MAX_ICONS]


class _LinkParser(HTMLParser):
    """Collects links by address, the first of each address."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self.declared: dict[str, FeedLink] = {}
        self.guessed: dict[str, FeedLink] = {}
        self.icons: list[tuple[int, str]] = []
        """Addresses, each after the place of its kind: lower ones are more suitable."""
        self._base = url

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Collect the URL of a link."""
        if tag not in ("a", "base", "link"):
            return
        values = {name: value or "" for name, value in attributes}
        url = safe_url(values.get("href", "").strip(), self._base) if values.get("href") else ""
        if not url:
            return
        url = url.partition("#")[0]
        if tag == "base":
            self._base = url
        elif tag == "link" and (relations := _ICONS & set(values.get("rel", "").lower().split())):
            if "svg" not in values.get("type", "").lower() and not url.partition("?")[0].lower().endswith(".svg"):
                sizes = values.get("sizes", "").lower().split()
                suits = 0 if "32x32" in sizes else 1 if "icon" in relations else 2
                self.icons.append((suits, url))
        elif tag == "link" and _is_declared(values, url):
            self.declared.setdefault(url, FeedLink(url, feed_name(values.get("title", "")), declared=True))
        elif tag == "a" and _LOOKS_LIKE_A_FEED.search(url.partition("?")[0]):
            self.guessed.setdefault(url, FeedLink(url, feed_name(values.get("title", "")), declared=False))


def _is_declared(values: dict[str, str], url: str) -> bool:
    relations = values.get("rel", "").lower().split()
    if "stylesheet" in relations:
        return False
    kind = values.get("type", "").partition(";")[0].strip().lower()
    return ("feed" in relations or ("alternate" in relations and kind in _TYPES)) and not _NO_FEED.search(url)


def permission(job: RobotsJob) -> Permission:
    """Apply the rules of the group for ``job.agent``, else of that for all; without a group everything is allowed.

    ``delay`` is the larger of Crawl-delay and Request-rate, which are not part of the standard.
    """
    rules, delay = _rules(job.body, job.agent.partition("/")[0].lower())
    parts = urlsplit(job.url)
    path = _comparable((parts.path or "/") + (f"?{parts.query}" if parts.query else ""))
    longest, allowed = -1, True
    for pattern, allows in rules:
        if (len(pattern) > longest or (len(pattern) == longest and allows)) and _matches(pattern, path):
            longest, allowed = len(pattern), allows
    return Permission("" if allowed else "the site's robots.txt does not allow it", delay)


@lru_cache(maxsize=4)  # the pages of a feed are mostly of one site
def _rules(body: bytes, agent: str) -> tuple[list[tuple[str, bool]], float]:
    """Return the rules of all groups for an agent, else of those for all: pattern, and whether it allows; and a delay.

    Unknown lines are passed by. A line that names an agent begins a group unless it follows another such line.
    """
    groups: dict[str, list[tuple[str, bool]]] = {}
    delays: dict[str, float] = {}
    members, naming = list[str](), False
    for row in re.split(r"[\r\n]+", body.decode("utf-8-sig", "replace")):
        name, _, value = (part.strip() for part in row.partition("#")[0].partition(":"))
        name = name.lower()
        if name == "user-agent":
            members = members if naming else []
            token = value.partition("/")[0].strip().lower()
            if token in (agent, "*"):
                members.append(token)
                groups.setdefault(token, [])
            naming = True
        elif name in ("allow", "disallow", "crawl-delay", "request-rate"):
            naming = False
            for member in members:
                if not name.endswith("allow"):
                    delays[member] = max(delays.get(member, 0.0), _seconds(value))
                elif value:
                    groups[member].append((_comparable(value), name == "allow"))
    group = agent if agent in groups else "*"
    return groups.get(group, []), delays.get(group, 0.0)


def _matches(pattern: str, path: str) -> bool:
    """Whether a rule applies to a path: ``*`` stands for any text, ``$`` for the end."""
    first, *rest = pattern.removesuffix("$").split("*")
    if not path.startswith(first):
        return False
    at = len(first)
    last = rest.pop() if rest and pattern.endswith("$") else None
    for piece in rest:
        at = path.find(piece, at)
        if at < 0:
            return False
        at += len(piece)
    if last is not None:
        return len(path) - len(last) >= at and path.endswith(last)
    return at == len(path) or not pattern.endswith("$")


def _comparable(path: str) -> str:
    """Return a path, or a pattern of one, in the spelling that all its spellings share."""
    return _ESCAPE.sub(_unescaped, quote(path, safe=_ASCII))


def _unescaped(found: re.Match[str]) -> str:
    character = chr(int(found[1], 16))
    return character if character in _UNRESERVED else found[0].upper()


def _seconds(value: str) -> float:
    """Return a pause in seconds: ``2.5``, or a rate such as ``1/5s``; 0 for any other text."""
    found = _PAUSE.match(value)
    if found is None:
        return 0.0
    return float(found[2]) * _UNITS[found[3].lower()] / max(1.0, float(found[1])) if found[2] else float(found[1])
