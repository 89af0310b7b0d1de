"""URLs: which of them may be fetched or shown, and which mean the same feed or page."""

from __future__ import annotations

import re
from urllib.parse import urljoin, urlsplit, urlunsplit

from iscore.core.translation import gettext
from iscore.feeds.errors import UrlError

MAX_LENGTH = 4000
"""Characters. Real URLs have less than 2,000, and browsers and mail programs accept little more."""

_DEFAULT_PORTS = {"http": 80, "https": 443}
_PLAIN = re.compile(r"https?://[a-z0-9][a-z0-9.-]*(?::[0-9]{1,5})?(?:[/?#][A-Za-z0-9/?#.,;:~=&%+_!*()-]*)?")
"""URLs that are already safe, as most are."""
_PLAIN_PATH = re.compile(r"(?:/[A-Za-z0-9_~%-][A-Za-z0-9._~%-]*)+/?(?:\?[A-Za-z0-9._~%=&-]+)?")
"""Addresses on the same site that only need the site's name in front."""
_PLAIN_SITE = re.compile(r"https?://[a-z0-9][a-z0-9.-]*(?::[0-9]{1,5})?(?=[/?#]|$)")

_NOT_IN_HOST = re.compile("[<>^|]")
"""Forbidden by the URL standard."""
_HOST_FIRST = re.compile(
    r"(?:[^\s/?#@:]+\.[^\s/?#@:.]+\.?|[^\s/?#@:]+(?=:\d)|localhost)(?::\d+)?(?:[/?#]|$)", re.IGNORECASE
)

_UNSAFE = re.compile(r"""[ "<>^`{|}]""")
_PLACEHOLDER = re.compile(
    r"(?:(?:[\w.-]{0,60}[_.-])?(?:placeholder|spacer|transparent|1x1)|blank|clear|dot|empty|gr[ae]y|lazy(?:-?load(?:er|ing)?)?"
    r"|load(?:er|ing)|pixel|space|trans)(?:[_-]?(?:\d[\dx]{0,9}|gif|image|img|pixel))?\.(?:gif|png|svg|webp|jpe?g)",
    re.IGNORECASE,
)

_TRACKING = re.compile(
    r"utm_\w+|(?:fb|g|dc|ms|y|tw)clid|g?braid|wbraid|igshid|mc_[ce]id|_hs(?:enc|mi)|mkt_tok|xtor|ncid|cmpid|src_rss"
    r"|guccounter|ns_(?:campaign|mchannel|source|linkname)",
    re.IGNORECASE,
)
"""Parameters that tell where a visitor comes from and do not change the page."""


_RANDOM = re.compile(r"(?=[^/]*[0-9])(?=[^/]*[A-Za-z])[\w.~%+=-]{16,}|[0-9A-Fa-f-]{16,}")
"""A part of a path that looks random: at least sixteen characters, with letters and digits."""

_ADDRESS = re.compile(r"\w+://[^\s\"'<>]+")


def typed_url(text: str) -> str:
    """Return the URL that a user means. ``https://`` may be missing, and it may be a ``feed:`` URL.

    Raises ``UrlError`` like ``check_url``.
    """
    return check_url(f"https://{_without_feed(text)}" if has_no_scheme(text) else _without_feed(text))


def has_no_scheme(text: str) -> bool:
    """Whether ``typed_url`` adds ``https://``: to a host name with a dot or a port, and to ``localhost``."""
    return _HOST_FIRST.match(_without_feed(text)) is not None


def _without_feed(text: str) -> str:
    return re.sub("^feed:(//)?", "", text.strip(), flags=re.IGNORECASE)


def check_url(url: str) -> str:
    """Return the URL without surrounding white space and without fragment, if a feed may be fetched from it.

    Raises ``UrlError`` for everything but plain http or https with a host: for other schemes, white space and control
    characters inside, backslashes (on which parsers disagree), and invalid ports. Names are not resolved.
    """
    url = url.strip()
    if not url:
        raise UrlError(url, gettext("is empty"))
    if len(url) > MAX_LENGTH:
        raise UrlError(url[:60] + "…", gettext("is longer than %(number)s characters", number=MAX_LENGTH))
    if not url.isprintable() or "\\" in url or any(map(str.isspace, url)):
        raise UrlError(url, gettext("contains spaces, backslashes or control characters"))
    url = url.partition("#")[0]
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise UrlError(url, gettext("is not valid (%(error)s)", error=error)) from error
    if parts.scheme not in _DEFAULT_PORTS:
        if not parts.scheme or "." in parts.scheme:
            raise UrlError(url, gettext("is not a web address: begin it with https://"))
        raise UrlError(url, gettext("is not a web address: only http and https addresses work"))
    if not host or _NOT_IN_HOST.search(host) or ("%" in host and ":" not in host):  # a zone may follow IPv6
        raise UrlError(url, gettext("has no valid host"))
    if port == 0:
        raise UrlError(url, gettext("has no valid port"))
    return url


def safe_url(url: str, base: str = "") -> str:
    """Return ``url`` as an absolute http or https URL, or an empty string if it is something else.

    Line ends, tabs, control characters and invisible characters are removed before the scheme is checked, and blanks at
    both ends, as browsers do. User names and passwords are removed too. Blanks and characters that are not allowed in
    an attribute or a header are percent-encoded; letters beyond ASCII stay.
    """
    if _PLAIN.fullmatch(url) and len(url) <= MAX_LENGTH:
        return url
    if _PLAIN_PATH.fullmatch(url) and (site := _PLAIN_SITE.match(base)) and len(site[0]) + len(url) <= MAX_LENGTH:
        return site[0] + url
    try:
        absolute = urljoin(base, _visible(url)) if url.strip() else ""
        if not absolute or len(absolute) > MAX_LENGTH:
            return ""
        scheme, netloc, path, query, fragment = urlsplit(absolute.replace("\\", "/"))
        host = netloc.rpartition("@")[2].lower()
        if scheme not in _DEFAULT_PORTS or " " in host or not urlsplit(f"//{host}").hostname:
            return ""
        found = urlunsplit((scheme, host, path, query, fragment))
        return _UNSAFE.sub(lambda character: f"%{ord(character[0]):02X}", found)
    except ValueError:  # a port that is not a number, or an unbalanced bracket
        return ""


def _visible(url: str) -> str:
    if not url.isprintable() or not url.isascii():
        url = "".join(c for c in url if c.isprintable() and (c == " " or not c.isspace()) and c not in "\ufffc\ufffd")
    return url.strip(" ")


def is_placeholder(url: str) -> bool:
    """Whether a picture's address names one that stands for a picture until that is loaded, or that nobody sees.

    >>> is_placeholder("https://site.example/img/blank.gif?v=2")
    True
    """
    file = url.partition("?")[0].rpartition("/")[2]
    return url.startswith(("about:", "data:")) or _PLACEHOLDER.fullmatch(file[-100:]) is not None


def canonical_url(url: str) -> str:
    """Return a safe URL without the parameters that only tell where a visitor comes from."""
    page, mark, fragment = url.partition("#")
    if mark and _TRACKING.match(fragment):
        mark = fragment = ""
    path, question, query = page.partition("?")
    if question:
        parameters = [part for part in query.split("&") if part and not _TRACKING.fullmatch(part.partition("=")[0])]
        path += "?" + "&".join(parameters) if parameters else ""
    return path + mark + fragment


def page_key(url: str) -> str:
    """Return a key that URLs of the same page share: without scheme, ``www.`` and trailing slash."""
    return canonical_url(url).partition("://")[2].removeprefix("www.").rstrip("/")


def url_key(url: str) -> str:
    """Return a key that spellings of the same URL share. They may differ in the case of scheme and host, in the default
    port, and in an empty path.
    """
    parts = urlsplit(url)
    scheme, host, port = origin(url)
    login = parts.netloc.rpartition("@")[0]
    query = f"?{parts.query}" if parts.query else ""
    return f"{scheme}://{login}@{host}:{port}{parts.path or '/'}{query}"


def origin(url: str) -> tuple[str, str, int | None]:
    """Return scheme, host and port. A password is sent again only if they are equal."""
    parts = urlsplit(url)
    return parts.scheme, parts.hostname or "", parts.port or _DEFAULT_PORTS.get(parts.scheme)


def without_password(url: str) -> str:
    """Return ``url`` without user name and password, for screens, pages and logs, and as a base address."""
    scheme, separator, rest = url.partition("://")
    authority = re.match(r"[^/?#]*", rest)
    end = authority.end() if authority else 0
    return scheme + separator + rest[:end].rpartition("@")[2] + rest[end:] if separator else url


def without_secrets(url: str) -> str:
    """Return ``url`` for people who do not follow it: without user, password, and all that may be a secret.

    Possible secrets are the values of parameters, the fragment, and parts of the path that look random.

    >>> without_secrets("https://me:pw@a.example/private/0f3ac81d77b2e94c/rss?user=7&token=abc#x")
    'https://a.example/private/…/rss?user=…&token=…'
    """
    address, question, query = without_password(url).partition("#")[0].partition("?")
    site, path = re.split(r"(?<=[^:/])(?=/|$)", address, maxsplit=1) if "://" in address else ("", address)
    shown = site + "/".join("…" if _RANDOM.fullmatch(part) else part for part in path.split("/"))
    # A parameter without a value may itself be a secret.
    names = [part.partition("=")[0] + "=…" if "=" in part else "…" for part in query.split("&")]
    return shown + (f"?{'&'.join(names)}" if question else "")


def hide_secrets(text: str) -> str:
    """Apply ``without_secrets`` to each address in a text.

    >>> hide_secrets("no server at https://me:pw@a.example/rss?token=abc")
    'no server at https://a.example/rss?token=…'
    """
    return _ADDRESS.sub(lambda found: without_secrets(found[0]), text)
