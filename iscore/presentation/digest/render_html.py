"""A digest as HTML: one page without scripts or external files, the HTML part of a mail, and the items of a feed."""

from __future__ import annotations

from html import escape

from iscore.core.translation import gettext
from iscore.presentation.digest.layout import Digest
from iscore.presentation.html import render
from iscore.presentation.wording.scores import STRENGTHS
from iscore.presentation.wording.story import StoryEntry


def render_html(digest: Digest) -> str:
    """Return the page as a complete HTML document, to be stored or sent as UTF-8.

    Texts are escaped by the template engine; URLs have passed ``addresses.web_address``.
    """
    return render("iscore.presentation.digest", "digest.html", digest=digest, strengths=STRENGTHS)


def render_mail(digest: Digest) -> str:
    """Return a complete HTML document, to be sent as UTF-8.

    Many mail programs drop style sheets, so every element has inline styles, in one column; the style sheet only adds
    dark mode.
    """
    return render("iscore.presentation.digest", "mail.html", digest=digest, strengths=STRENGTHS).lstrip()


def render_item(entry: StoryEntry, digest: Digest) -> str:
    """Return the content of a story in a feed."""
    item = render("iscore.presentation.digest", "feed_item.html", entry=entry, digest=digest, strengths=STRENGTHS)
    return item.strip()


def rating_links(page: str) -> str:
    """Return the end of an entry: links to the page of its story. Nothing happens before that page is answered."""
    choices = (
        (f"{page}?choose=like", gettext("More like this")),
        (f"{page}?choose=dislike", gettext("Less like this")),
        (page, gettext("Why")),
    )
    links = " · ".join(f'<a href="{escape(address)}" rel="nofollow">{escape(words)}</a>' for address, words in choices)
    return f"<p>{links}</p>"
