"""Errors in the language of the user: of the storage, and those of feeds and other servers, stored in English."""

from __future__ import annotations

import re
from functools import cache

from iscore.core.translation import SOURCE, gettext, gettext_noop, language
from storage.engine.errors import DatabaseBusy, DiskFull, LastAdmin, RefusedUserName, TakenUserName, UnknownName

NO_NETWORK = gettext_noop("cannot reach anything (%(reason)s); is this computer offline?")
"""The error of feeds after a poll that reached no server."""
_UNREACHABLE = re.compile(
    r"no such host|connection refused|no route to the server|the network cannot be reached|the server did not answer"
    r"|the server cannot be reached|no response within .* seconds"
)
"""Errors of one feed that a computer without a network has, too."""
FEED_ERRORS = (
    gettext_noop("the server answered %(answer)s"),
    gettext_noop(
        "the site answered with a check that only browsers pass (%(service)s, status %(status)s); ask its publisher to "
        "let feed readers in"
    ),
    gettext_noop("the server sent a part of the document (206) though all of it was asked for"),
    gettext_noop("no response within %(seconds)s seconds"),
    gettext_noop("its redirects form a loop"),
    gettext_noop("its redirects form a loop; the site wants cookies, which iScore does not keep"),
    gettext_noop("it redirects more than %(number)s times"),
    gettext_noop("not requested in this poll; the next one will"),
    gettext_noop("not finished in this poll; the next one tries again"),
    gettext_noop("it is slow to read, and other slow feeds came first; the next poll tries again"),
    gettext_noop("it is not a web page but %(kind)s"),
    gettext_noop("connection refused"),
    gettext_noop("the server closed the connection"),
    gettext_noop("the server closed the connection without a response"),
    gettext_noop("no route to the server"),
    gettext_noop("the network cannot be reached"),
    gettext_noop("the server did not answer"),
    gettext_noop("the server cannot be reached"),
    gettext_noop("no such host"),
    gettext_noop("the response was cut off"),
    gettext_noop("not a valid address"),
    gettext_noop("the server does not speak HTTP"),
    gettext_noop("the document is larger than %(size)s MB"),
    gettext_noop("it is on a private network; `private_hosts` in config.toml can allow its host"),
    gettext_noop("the server's certificate is not valid (%(problem)s)"),
    gettext_noop("cannot make a secure connection"),
    gettext_noop("gone for good according to its server, since %(day)s"),
    gettext_noop("the document is empty"),
    gettext_noop("the document is not a feed"),
    gettext_noop(
        "this is a login page, not a feed: “%(title)s”; look on the site for a private address of the feed, or put "
        "name and password into its address"
    ),
    gettext_noop(
        "this is a consent page, not a feed: “%(title)s”; the site wants a click first, so look for another address"
    ),
    gettext_noop("this is a web page, not a feed: “%(title)s”; follow the feed that it declares: %(address)s"),
    gettext_noop("this is a web page, not a feed: “%(title)s”; no feed of it was found"),
    gettext_noop("the feed is damaged and has no readable entry (%(problem)s)"),
    gettext_noop("the document is neither a feed nor valid JSON"),
    gettext_noop("the document is JSON, but not a JSON Feed: it has no list of items"),
    gettext_noop("the feed could not be read within %(seconds)s seconds"),
    gettext_noop("the process that read the feed died, probably out of memory"),
    gettext_noop("it is a page, and no feed of it was found"),
    gettext_noop("it is a page, and no feed of it could be read: %(problem)s"),
    gettext_noop("the page has no text that looks like an article's"),
)
"""What usually goes wrong. Anything else stays English."""
SERVER_ERRORS = (
    gettext_noop("%(address)s: the server answered %(answer)s; there is no Google Reader API at this address"),
    gettext_noop("%(address)s: the server answered %(answer)s; is the name right, and the address?"),
    gettext_noop(
        "%(address)s: the server answered %(answer)s; in FreshRSS, allow API access (Administration, Authentication)"
    ),
    gettext_noop("%(address)s: no answer within %(seconds)s seconds"),
    gettext_noop("%(address)s redirects to %(place)s, which is not followed; connect to the address where it ends"),
    gettext_noop("%(address)s redirects, which is not followed; connect to the address where it ends"),
    gettext_noop(
        "%(address)s does not accept this name and password; FreshRSS wants the API password, which is set in its "
        "profile page"
    ),
    gettext_noop(
        "%(address)s does not accept this name and password; Miniflux wants the name and password of its integration "
        "Google Reader"
    ),
    gettext_noop(
        "%(address)s does not accept this name and password; some servers have a password of its own for apps"
    ),
    gettext_noop("%(address)s refuses to remove %(number)s labels; disconnect and leave them (--leave-labels)"),
    gettext_noop("there is no Google Reader API at this address: it answered, but gave no token"),
    gettext_noop("the server's answer is not that of a Google Reader API"),
    gettext_noop("the server's answer is not that of a Google Reader API: no JSON"),
)
"""What usually goes wrong with another reader server, the longer ones first."""


def feed_error_text(error: str) -> str:
    """Return the error of a feed, as it is stored, in the present language; as it is if it is none of the usual ones.

    >>> feed_error_text("the server answered 404 Not Found")
    'the server answered 404 Not Found'
    """
    if found := _patterns((NO_NETWORK,))[0][1].fullmatch(error):
        return gettext(NO_NETWORK, reason=feed_error_text(found["reason"]))
    return _translated(error, FEED_ERRORS) or error


def unreachable_text(error: str) -> str:
    """Return why a feed's server could not be reached, in the present language; empty if that is not the error.

    >>> unreachable_text("cannot reach anything (no such host); is this computer offline?")
    'no such host'
    """
    found = _patterns((NO_NETWORK,))[0][1].fullmatch(error)
    reason = found["reason"] if found else error
    return feed_error_text(reason) if found or _UNREACHABLE.fullmatch(reason) else ""


def server_error_text(error: str) -> str:
    """Return the error of another reader server, as it is stored, in the present language; likewise.

    >>> server_error_text("https://rss.example.org: connection refused")
    'https://rss.example.org: connection refused'
    """
    if known := _translated(error, SERVER_ERRORS):
        return known
    address, colon, reason = error.partition(": ")
    return f"{address}{colon}{feed_error_text(reason)}"


def error_text(error: Exception) -> str:
    """Return the message of an error; those of the storage that a user can meet in the present language."""
    if isinstance(error, UnknownName):
        return _unknown_name(error)
    if isinstance(error, DatabaseBusy | DiskFull):
        return gettext(_FULL if isinstance(error, DiskFull) else _BUSY, file=error.path)
    if isinstance(error, LastAdmin | TakenUserName | RefusedUserName):
        return _of_a_user(error)
    return str(error)


_FULL = gettext_noop("The disk that holds %(file)s is full; make room and try again, nothing is lost.")
_BUSY = gettext_noop("Another process is writing to %(file)s and does not finish; try again later.")


def _of_a_user(error: LastAdmin | TakenUserName | RefusedUserName) -> str:
    if isinstance(error, LastAdmin):
        return gettext("this is the only admin; make somebody else an admin first")
    if isinstance(error, TakenUserName):
        return gettext("there is a user called %(name)s already; choose another name", name=repr(error.name))
    return gettext(
        "%(name)s cannot be a user's name; use letters and digits, and blanks, dots, - _ @ ' between them, "
        "of one alphabet, 60 characters at most",
        name=repr(error.name[:60]),
    )


def _unknown_name(error: UnknownName) -> str:
    names = {"feed": gettext("feed"), "tag": gettext("tag"), "label": gettext("label")}
    values = {"what": names.get(error.what, error.what), "name": repr(error.name)}
    if error.nearest:
        return gettext(
            "no %(what)s is called %(name)s; did you mean %(nearest)s?", nearest=repr(error.nearest), **values
        )
    words = gettext("no %(what)s is called %(name)s", **values)
    hint = "" if error.what == "label" else gettext("`iscore edit feeds` shows your feeds and tags")
    return f"{words}; {hint}" if hint else words


def _translated(error: str, messages: tuple[str, ...]) -> str:
    """Return an error in the present language; empty if none of the messages has become it, and in English."""
    if language() != SOURCE:
        for message, pattern in _patterns(messages):
            if found := pattern.fullmatch(error):
                return gettext(message, **found.groupdict())
    return ""


@cache
def _patterns(messages: tuple[str, ...]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return the messages with expressions for the texts that are made of them."""
    found = []
    for message in messages:
        pieces = re.split(r"%\((\w+)\)s", message)
        text = "".join(f"(?P<{each}>.*)" if place % 2 else re.escape(each) for place, each in enumerate(pieces))
        found.append((message, re.compile(text, re.DOTALL)))
    return tuple(found)
