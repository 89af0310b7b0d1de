"""Articles' contents for pages, with every picture's address replaced by one of our own.

    stored HTML ─► article_html, again ─► a name for each picture ─► the page's own address
                                          name ─► the picture's address ─► pictures.Pictures

Stored HTML is cleaned again when it is shown: pages do not rely on what is stored.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from hashlib import blake2b
from html import escape
from typing import TYPE_CHECKING

from iscore.core.errors import UnknownArticleError
from iscore.core.sanitizing import line
from iscore.services.session.user_session import UserSession
from iscore.services.views.stories import ContentView, EnclosureView
from storage.stream import articles, contents

if TYPE_CHECKING:
    from storage.engine.base_database import Transaction

THUMBNAIL = "thumbnail"
"""The name of an article's thumbnail; that of any other picture is a hash of its address."""

Address = Callable[[str], str]
"""From the name of a picture of an article to what a page loads."""


class Size(StrEnum):
    """How large a picture is wanted."""

    WHOLE = "whole"
    THUMBNAIL = "thumbnail"


@dataclass(frozen=True, slots=True)
class PictureSource:
    """Where a picture is fetched."""

    url: str
    """http or https."""
    private: bool
    """Whether it may be in a private network, if feeds may."""
    size: Size


class Contents:
    """One user's view of articles' contents."""

    def __init__(self, session: UserSession) -> None:
        self._database = session.database
        self._context = session.context

    def view(self, article_id: str, address: Address) -> ContentView:
        """Return an article's content; ``address`` is asked for each picture that a page loads.

        Without the setting ``pictures`` there are none. Raises ``UnknownArticleError`` also for an article that the
        user may not see.
        """
        from iscore.feeds.parsing.article_html import article_html, first_picture
        from iscore.feeds.urls import safe_url

        shows = self._context.settings.pictures
        with self._database.read() as tx:
            seq = self._seq(tx, article_id)
            found = contents.get(tx, seq)
        html = article_html(found.html, picture=lambda url: address(picture_name(url)) if shows else "")
        lead = shows and found.thumbnail and not first_picture(html)
        enclosures = [EnclosureView(safe_url(each.url), each.type, each.length) for each in found.enclosures]
        return ContentView(
            html=html,
            picture=address(picture_name(found.thumbnail)) if lead else "",
            enclosures=tuple(each for each in enclosures if each.url),
        )

    def picture(self, article_id: str, name: str) -> PictureSource | None:
        """Return where the picture of that name is fetched; None if the article has none, or pictures are off.

        Raises ``UnknownArticleError`` also for an article that the user may not see.
        """
        from iscore.feeds.parsing.article_html import article_html, pictures
        from iscore.feeds.urls import origin, safe_url

        if not self._context.settings.pictures:
            return None
        with self._database.read() as tx:
            seq = self._seq(tx, article_id)
            feed = contents.feed_address(tx, seq)
            found = contents.get(tx, seq)
        if name == THUMBNAIL:
            url, size = found.thumbnail, Size.THUMBNAIL
        else:
            known = [found.thumbnail, *pictures(article_html(found.html))]
            url, size = next((each for each in known if picture_name(each) == name), ""), Size.WHOLE
        url = safe_url(url)
        # A feed in one's own network may have pictures beside it, and nobody else's feed may point there.
        return PictureSource(url, origin(url) == origin(feed), size) if url else None

    def thumbnails(self, article_ids: list[str], address: Callable[[str], str]) -> dict[str, str]:
        """Return what lists load as the thumbnails of articles, by their ids; ``address`` is asked with each id.

        Those without one are left out, and so are articles that the user may not see.
        """
        if not self._context.settings.pictures:
            return {}
        with self._database.read() as tx:
            seqs = articles.seqs(tx, self._context.user_id, article_ids)
            found = contents.thumbnails(tx, list(seqs.values()))
        return {key: address(key) for key, seq in seqs.items() if seq in found}

    def _seq(self, tx: Transaction, article_id: str) -> int:
        seq = articles.seqs(tx, self._context.user_id, [article_id]).get(article_id)
        if seq is None:
            raise UnknownArticleError(article_id)
        return seq


def text_html(text: str) -> str:
    """Return the paragraphs and lines of an article's text as HTML.

    >>> text_html("One & two.\\n\\nThree\\nlines.")
    '<p>One &amp; two.</p><p>Three<br>lines.</p>'
    """
    paragraphs = (map(line, each.split("\n")) for each in re.split(r"\n\s*\n", text) if each.strip())
    return "".join(f"<p>{'<br>'.join(map(escape, lines))}</p>" for lines in paragraphs)


def picture_name(url: str) -> str:
    """Return the name of a picture within its article: 24 hexadecimal digits, a hash of its address."""
    return blake2b(url.encode(), digest_size=12).hexdigest()
