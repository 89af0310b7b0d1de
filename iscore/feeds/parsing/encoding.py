"""Converts a document's bytes from any encoding to UTF-8, so that other modules need to know only one encoding.

    byte order mark, NULs ─► UTF-8, if at least half of what is not ASCII is UTF-8 ─► declared encoding ─► Windows-1252

Labels mean what the Encoding Standard of browsers says (webencodings has its table): "iso-8859-1" is Windows-1252,
"gb2312" is gb18030. A broken byte becomes U+FFFD and spoils nothing else.
"""

from __future__ import annotations

import codecs
import re
from contextlib import suppress
from functools import cache
from typing import Any

from webencodings import lookup

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: its mark begins with UTF-16's
    (codecs.BOM_UTF16_BE, "utf-16-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
)
_FIRST_BYTES = {
    # Which of the first four bytes are not NUL, if the document begins with two characters of ASCII and has no mark.
    b"\0\1\0\1": "utf-16-be",
    b"\1\0\1\0": "utf-16-le",
    b"\0\0\0\1": "utf-32-be",
    b"\1\0\0\0": "utf-32-le",
}
_EBCDIC = b"\x4c\x6f\xa7\x94"
"""``<?xm`` in EBCDIC."""

_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE | re.ASCII)
_DECLARED = re.compile(rb"[\s\xef\xbb\xbf]*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]{1,40})[\"']")
_DECLARATION = re.compile(r"[\s\ufeff]*(<\?xml[^>]*\?>)")

_HEAD = 4096
"""Bytes in which a page must declare its encoding. The standard says the first 1024."""
_META = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)

_ALSO = {"cp932": "shift_jis", "cp936": "gbk", "cp949": "euc-kr", "cp950": "big5"}
"""Labels that the standard does not have, but programs for Windows write."""
_UNSAID = ("utf-8", "windows-1252", "replacement")
"""Encodings that servers and programs declare by default, and the standard's name for those that nobody reads: such a
label is worth no more than none."""
_BEYOND_ASCII = bytes(range(0x80, 0x100))


def to_utf8(body: bytes, content_type: str = "") -> bytes:
    """Return the document in UTF-8, without a byte order mark or anything before an XML declaration.

    The declaration itself stays, so tell the parser that the encoding is UTF-8. Never raises.
    """
    text = _decoded(body, content_type)
    declaration = _DECLARATION.match(text)
    if declaration and declaration.start(1):
        # XML forbids blank lines before the declaration, but publishers write them.
        text = text[declaration.start(1) :]
    return text.encode("utf-8", "replace")


def page_to_text(body: bytes, content_type: str = "") -> str:
    """Return an HTML page, or any file, as text without its XML declaration, which would state a wrong encoding.

    ``<meta charset>`` counts after the header's charset.
    """
    declared = _META.search(body[:_HEAD])
    text = _decoded(body, content_type, *([declared[1].decode("ascii")] if declared else []))
    declaration = _DECLARATION.match(text)
    return text[declaration.end() :] if declaration else text


def _decoded(body: bytes, content_type: str, *labels: str) -> str:
    mark = next(((mark, codec) for mark, codec in _MARKS if body.startswith(mark)), (b"", ""))
    body = body[len(mark[0]) :]
    codec = mark[1] or _FIRST_BYTES.get(bytes(map(bool, body[:4]))) or ("cp037" if body.startswith(_EBCDIC) else "")
    if codec not in ("", "utf-8"):
        return body.decode(codec, "replace")
    if b"\x1b" not in body:  # ISO-2022-JP has it, and is ASCII by its bytes
        with suppress(UnicodeDecodeError):
            return body.decode()
    charset, declared = _CHARSET.search(content_type), _DECLARED.match(body)
    found = (charset[1] if charset else "", declared[1].decode("ascii") if declared else "", *labels)
    names = [each.name for label in found if (each := lookup(_ALSO.get(label.lower(), label)))]
    if "iso-2022-jp" in names and body.isascii():
        return _decode(body, "iso-2022-jp")
    return _not_all_utf8(body, names)


def _not_all_utf8(body: bytes, names: list[str]) -> str:
    """Decode a document with bytes that are not UTF-8. Text beyond ASCII is hardly ever UTF-8 by chance."""
    text = body.decode("utf-8", "replace")
    sequences = len(text) - len(body.translate(None, _BEYOND_ASCII))
    broken = text.count("\ufffd") - body.count("\ufffd".encode())
    if 2 * broken <= sequences:
        return text
    named = [name for name in names if name not in _UNSAID and (b"\0" in body or not name.startswith("utf-16"))]
    if named:
        return min((_decode(body, name) for name in named), key=lambda each: each.count("\ufffd"))
    if 4 * broken > 3 * sequences:
        return _decode(body, "windows-1252")
    # Some entries are in UTF-8 and some are not. Single sequences that are valid are no such entry: "é »" may be one.
    return body.decode("utf-8", "iscore.western")


def _decode(body: bytes, name: str) -> str:
    """Decode by the standard's name for an encoding."""
    if name.startswith("windows-"):
        return codecs.charmap_decode(body, "replace", _characters(name))[0]
    decode = lookup("gb18030" if name == "gbk" else name).codec_info.decode
    return str(decode(body, "iscore.nec" if name == "euc-jp" else "replace")[0])


@cache
def _characters(name: str) -> str:
    """Return the characters of the 256 bytes. Undefined ones below 0xA0 are control characters, says the standard."""
    decode = lookup(name).codec_info.decode
    known = (decode(bytes([code]), "replace")[0] for code in range(256))
    return "".join(chr(code) if char == "\ufffd" and code < 0xA0 else char for code, char in enumerate(known))


def _as_western(error: Any) -> tuple[str, int]:
    return "".join(_characters("windows-1252")[code] for code in error.object[error.start : error.end]), error.end


def _as_shift_jis(error: Any) -> tuple[str, int]:
    """Decode ①, ㈱ and other characters that Python's EUC-JP lacks and its Shift_JIS has; all else is U+FFFD."""
    row, cell, *_ = (*(code - 0xA0 for code in error.object[error.start : error.start + 2]), 0)
    if not (0 < row < 95 and 0 < cell < 95):
        return "\ufffd", error.end
    first = (row - 1) // 2 + (0x81 if row <= 62 else 0xC1)
    second = cell + (0x9E if row % 2 == 0 else 0x3F + (cell >= 64))
    return bytes([first, second]).decode("cp932", "replace"), error.start + 2


codecs.register_error("iscore.western", _as_western)
codecs.register_error("iscore.nec", _as_shift_jis)
