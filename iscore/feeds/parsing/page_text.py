"""An article's page → its main text, without menus, advertisements and readers' comments.

trafilatura finds it. It is part of the extra ``fulltext``, takes seconds and hundreds of megabytes for purpose-made
pages, and is therefore imported in a child process only, and only when there is a page: see ``worker``.
"""

from __future__ import annotations

from iscore.feeds.errors import NoTextError
from iscore.feeds.parsing.encoding import page_to_text
from iscore.feeds.parsing.html_to_text import prose
from iscore.feeds.parsing.jobs import PageJob


def load() -> None:
    """Import trafilatura, which takes more memory than any page should."""
    import trafilatura  # noqa: F401 -- the import is the work


def page_text(job: PageJob) -> str:
    """Return the page's main text, paragraphs separated by a blank line; never empty.

    Raises ``NoTextError`` when none can be found.
    """
    from trafilatura import extract

    try:
        # Precision: words of menus and of other stories would be learned as the article's.
        page = page_to_text(job.body, job.content_type)
        found = extract(page, output_format="html", include_comments=False, favor_precision=True)
    except MemoryError:
        raise  # this process is of no further use
    except Exception as error:  # a hostile page can make a library raise anything
        raise NoTextError(f"the page cannot be read ({type(error).__name__})") from error
    text = prose(found).text if found else ""
    if not text:
        raise NoTextError("the page has no text that looks like an article's")
    return text
