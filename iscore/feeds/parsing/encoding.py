"""Converts a document's bytes from any encoding to UTF-8, so that other modules need to know only one encoding.

The order is that of feedparser (RFC 3023, adapted to real publishers): byte order mark, charset of the HTTP header, XML
declaration, UTF-8, Windows-1252. A declared encoding is used only if all bytes are valid in it.
"""

from __future__ import annotations

import codecs
import re

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: its mark begins with UTF-16's
    (codecs.BOM_UTF16_BE, "utf-16-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
)

_OPENINGS = (
    # "<?" or the first "<x" in encodings that do not contain ASCII, without a byte order mark.
    (b"\x00<\x00", "utf-16-be"),
    (b"<\x00?\x00", "utf-16-le"),
    (b"<\x00r\x00", "utf-16-le"),
    (b"<\x00f\x00", "utf-16-le"),
    (b"\x00\x00\x00<", "utf-32-be"),
    (b"<\x00\x00\x00", "utf-32-le"),
    (b"\x4c\x6f\xa7\x94", "cp037"),
)

_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE)
_DECLARED = re.compile(rb"<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]{1,40})[\"']")
_DECLARATION = re.compile(r"\s*(<\?xml[^>]*\?>)")

_HEAD = 4096
"""Bytes in which a page must declare its encoding. The standard says the first 1024."""
_META = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)
_XML_DECLARATION = re.compile(r"\s*<\?xml[^>]{0,200}\?>")

_SUPERSETS = {"gb2312": ("gb18030",), "gbk": ("gb18030",)} | dict.fromkeys(
    ("ascii", "iso-8859-1", "latin-1", "latin1", "us-ascii", "windows-1252"), ("utf-8", "windows-1252")
)
"""Encodings to try first for names that publishers' software declares by default.

Text beyond ASCII that is valid UTF-8 is hardly ever Latin-1, and text declared as Latin-1 often has the quotes and
dashes of Windows-1252.
"""


def to_utf8(body: bytes, content_type: str = "") -> bytes:
    """Return the document in UTF-8, without a byte order mark or anything before an XML declaration.

    The declaration itself stays, so tell the parser that the encoding is UTF-8. Never raises, since all bytes are valid
    Latin-1.
    """
    marked = next(((mark, name) for mark, name in _MARKS if body.startswith(mark)), None)
    if marked:
        body = body[len(marked[0]) :]
    names = [marked[1]] if marked else [name for opening, name in _OPENINGS if body.startswith(opening)]
    charset = _CHARSET.search(content_type)
    if charset:
        names.append(charset[1].lower())
    declared = _DECLARED.match(body.lstrip()[:300])
    if declared:
        names.append(declared[1].decode("ascii").lower())
    for name in (*names, "utf-8", "windows-1252"):
        text = _decoded(body, name)
        if text is not None:
            return _trimmed(text)
    return _trimmed(body.decode("latin-1"))


def page_to_text(body: bytes, content_type: str = "") -> str:
    """Return an HTML page as text, without its XML declaration, which would state a wrong encoding."""
    declared = _META.search(body[:_HEAD])
    if declared and "charset" not in content_type.lower():
        content_type = f"text/html; charset={declared[1].decode('ascii')}"
    return _XML_DECLARATION.sub("", to_utf8(body, content_type).decode("utf-8"), count=1)


def _decoded(body: bytes, name: str) -> str | None:
    for candidate in (*_SUPERSETS.get(name, ()), name):
        try:
            return body.decode(candidate)
        except (LookupError, ValueError):
            # an unknown name, invalid bytes, or one of Python's codecs that do not decode to text
            continue
    return None


def _trimmed(text: str) -> bytes:
    declaration = _DECLARATION.match(text)
    if declaration and declaration.start(1):
        # XML forbids blank lines before the declaration, but publishers write them.
        text = text[declaration.start(1) :]
    return text.encode("utf-8", "replace")
