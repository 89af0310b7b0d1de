"""An article's page → its main text, without menus, advertisements and readers' comments.

trafilatura finds it. It is part of the extra ``fulltext``, takes seconds and hundreds of megabytes for purpose-made
pages, and is therefore imported in a child process only, and only when there is a page: see ``worker``.
"""

from __future__ import annotations

from iscore.feeds.errors import NoTextError
from iscore.feeds.parsing.article_html import article_html, says_more_than_text
from iscore.feeds.parsing.encoding import page_to_text
from iscore.feeds.parsing.html_to_text import prose
from iscore.feeds.parsing.jobs import PageArticle, PageJob


def load() -> None:
    """Import trafilatura, which takes more time and memory than a page should."""
    import trafilatura  # noqa: F401 -- the import is the work


def page_article(job: PageJob) -> PageArticle:
    """Return the page's main text, and as HTML.

    They are extracted one after the other: with links and pictures, other parts of a page may be taken for its text,
    and features are computed from the text without them. Raises ``NoTextError`` when no text can be found.
    """
    text = page_text(job)
    html = article_html(_extracted(job, links=True), job.url)
    return PageArticle(text, html if says_more_than_text(html) else "")


def page_text(job: PageJob) -> str:
    """Return the page's main text, paragraphs separated by a blank line; never empty.

    Raises ``NoTextError`` when none can be found.
    """
    found = _extracted(job)
    text = prose(found).text if found else ""
    if not text:
        raise NoTextError("the page has no text that looks like an article's")
    return text


def _extracted(job: PageJob, *, links: bool = False) -> str:
    """Return the main part of the page as HTML, empty if none is found; with ``links`` also pictures and emphasis."""
    from trafilatura import extract

    try:
        # Precision: words of menus and of other stories would be learned as the article's.
        page = page_to_text(job.body, job.content_type)
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
    except Exception as error:  # a hostile page can make a library raise anything
        raise NoTextError(f"the page cannot be read ({type(error).__name__})") from error
    return found or ""
