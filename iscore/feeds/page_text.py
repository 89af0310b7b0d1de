"""An article's page → its main text, without menus, advertisements and readers' comments.

trafilatura finds it. It belongs to the extra ``fulltext``, takes seconds and hundreds of megabytes for purpose-made
pages, and is therefore imported in a child process only, and only when there is a page: see ``worker``.
"""

from __future__ import annotations

import re

from iscore.feeds.clean import prose
from iscore.feeds.encoding import to_utf8
from iscore.feeds.errors import NoTextError
from iscore.feeds.page_jobs import PageJob

_HEAD = 4096
"""Bytes in which a page must declare its encoding; the standard asks for the first 1024."""
_META = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)
_XML_DECLARATION = re.compile(r"\s*<\?xml[^>]{0,200}\?>")


def page_text(job: PageJob) -> str:
    """Return the page's main text, paragraphs separated by a blank line; never empty.

    Raises ``NoTextError`` when none can be found.
    """
    from trafilatura import extract

    try:
        # Precision: words of menus and of other stories would be learned as if they were the article's.
        found = extract(_decoded(job), output_format="html", include_comments=False, favor_precision=True)
    except MemoryError:
        raise  # a process without memory is of no further use
    except Exception as error:  # whatever a stranger's page makes a library do
        raise NoTextError(f"the page cannot be read ({type(error).__name__})") from error
    text = prose(found).text if found else ""
    if not text:
        raise NoTextError("the page has no text that looks like an article's")
    return text


def _decoded(job: PageJob) -> str:
    """The page as text. A declaration inside of it would contradict what it has become, and is left out."""
    declared = _META.search(job.body[:_HEAD])
    content_type = job.content_type
    if declared and "charset" not in content_type.lower():
        content_type = f"text/html; charset={declared[1].decode('ascii')}"
    return _XML_DECLARATION.sub("", to_utf8(job.body, content_type).decode("utf-8"), count=1)
