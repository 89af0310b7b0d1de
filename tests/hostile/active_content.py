"""Finds content that a terminal, browser or spreadsheet would execute, by other means than the program's encoders."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections import Counter
from email import message_from_bytes, policy
from email.message import EmailMessage
from urllib.parse import urlsplit

import lxml.html
import nh3
from lxml import etree

_CONTROLS = {
    *range(0x202A, 0x202F),
    *range(0x2066, 0x206A),
    0x061C,
    0x200E,
    0x200F,
    0xFEFF,
    *range(0xFFF9, 0xFFFC),
}
_TAGS = range(0xE0000, 0xE0080)
_ACTIVE_TAGS = {
    *("iframe", "frame", "frameset", "object", "embed", "applet", "base", "template", "noscript", "img"),
    *("mglyph", "malignmark", "maction", "annotation", "annotation-xml"),
    *("audio", "video", "source", "track", "picture", "portal", "marquee", "foreignobject", "animate", "set", "use"),
}
_LOADS = {
    "src",
    "srcset",
    "srcdoc",
    "formaction",
    "background",
    "ping",
    "poster",
    "data",
    "manifest",
    "xlink:href",
}
_OWN_PICTURE = re.compile(r"/picture/[\w-]{43}/[a-z2-7]{8,20}/(?:[0-9a-f]{24}|thumbnail)")
_FORMULA = re.compile(r"[ \ufeff]*[=+\-@\t\r\n＝＋－＠]")
_NUMBER = re.compile(r"-?\d+(\.\d+)?(e-?\d+)?")


def terminal_controls(text: str) -> list[str]:
    """Characters that control a terminal or the order in which it shows others; all but line feeds."""
    return [
        f"{c!a} in {text[max(0, place - 30) : place + 30]!a}"
        for place, c in enumerate(text)
        if (unicodedata.category(c) in {"Cc", "Cs", "Zl", "Zp"} and c != "\n") or ord(c) in _CONTROLS or ord(c) in _TAGS
    ]


def active_html(page: str, *, script: str = "", forms: bool = False, pictures: bool = False) -> list[str]:
    """Elements and attributes of a page that run code, load resources or redirect.

    ``script``: the path of its own script; ``forms``: whether it may have forms that post to its own paths;
    ``pictures``: whether it may have pictures from its own server, by signed addresses.
    """
    found: list[str] = []
    root = lxml.html.document_fromstring(page.encode(), parser=lxml.html.HTMLParser(encoding="utf-8"))
    for element in root.iter():
        if not isinstance(element.tag, str):
            found.append(f"a comment or instruction: {element.text!a}")
            continue
        tag = element.tag.lower()
        own_picture = pictures and tag == "img" and _OWN_PICTURE.fullmatch(element.get("src", ""))
        if own_picture:
            del element.attrib["src"]
        elif tag in _ACTIVE_TAGS or (tag == "script" and (element.text or not script or element.get("src") != script)):
            found.append(f"<{tag}>")
        reloads_itself = forms and element.get("content") == "5"  # the progress of the first poll
        if tag == "meta" and (element.get("http-equiv") or "").lower() == "refresh" and not reloads_itself:
            found.append("a page that redirects by itself")
        for name, value in element.attrib.items():
            found += [
                f"<{tag} {name}={value[:80]!a}>"
                for _ in (0,)
                if _is_active(tag, str(name).lower(), value, script, forms=forms)
            ]
    return found + _parser_differences(page, root)


def _is_active(tag: str, name: str, value: str, script: str, *, forms: bool) -> bool:
    if name.startswith("on") or name == "autofocus":
        return not (name == "autofocus" and forms and tag == "input")
    if name in _LOADS:
        return not (tag == "script" and value == script)
    if name == "style":
        return re.search(r"url|expression|@import|position|\\", value, re.IGNORECASE) is not None
    if name == "action":
        return not (forms and re.fullmatch(r"/[a-z-]+(/[0-9]+)?(/[a-z]+)?", value))
    if name == "href":
        local = value.startswith("#") or (script != "" and re.fullmatch(r"/(?![/\\])[!-~]*", value) is not None)
        return not local and (
            urlsplit(value).scheme not in ("http", "https") or re.search(r"[\s\x00-\x1f\"<>\\]", value) is not None
        )
    return False


def _parser_differences(page: str, root: lxml.html.HtmlElement) -> list[str]:
    """Elements of the body that only one of two parsers finds: html5ever and lxml."""
    body = page[page.index("<body") :]
    tags = {str(each.tag).lower() for each in root.iter() if isinstance(each.tag, str)}
    same = nh3.clean(
        body, tags=tags | _ACTIVE_TAGS, clean_content_tags=set(), attributes={}, link_rel=None, strip_comments=False
    )
    seen = Counter(re.findall(r"<([a-z0-9]+)", same.lower()))
    here = Counter(str(each.tag).lower() for each in root.find("body").iter() if isinstance(each.tag, str))
    for tag in ("html", "head", "body", "tbody", "colgroup"):
        del seen[tag], here[tag]
    return [
        f"<{tag}>: {here[tag]} by one parser, {seen[tag]} by the other" for tag in seen | here if seen[tag] != here[tag]
    ]


def text_of(page: str) -> str:
    """Return the text that a page shows."""
    root = lxml.html.document_fromstring(page.encode(), parser=lxml.html.HTMLParser(encoding="utf-8"))
    return str(root.text_content())


def parse_xml(document: str) -> etree._Element:
    """Parse XML strictly and return its root. It must have no document type, instructions or comments."""
    root = etree.fromstring(document.encode(), etree.XMLParser(resolve_entities=False, no_network=True, recover=False))
    assert root.getroottree().docinfo.doctype == ""
    assert root.xpath("//processing-instruction()") == []
    assert root.xpath("//comment()") == []
    return root


def parse_mail(message: bytes) -> EmailMessage:
    """Parse a message strictly: ASCII, short lines, no header twice, no defect in any part."""
    assert message.isascii()
    assert message.replace(b"\r\n", b"").find(b"\r") == message.replace(b"\r\n", b"").find(b"\n") == -1
    assert max(map(len, message.split(b"\r\n"))) <= 998
    found = message_from_bytes(message, policy=policy.SMTP.clone(raise_on_defect=True))
    assert isinstance(found, EmailMessage)
    assert max(Counter(name.lower() for name in found.keys()).values()) == 1  # noqa: SIM118 -- keys repeat, if any does
    for part in found.walk():
        assert part.defects == []
        assert all(value.defects == () for value in part.values())
    return found


def spreadsheet_formulas(table: str) -> list[str]:
    """Cells that a spreadsheet would calculate; negative numbers are allowed."""
    rows = csv.reader(io.StringIO(table, newline=""), strict=True)
    return [cell for row in rows for cell in row if _FORMULA.match(cell) and not _NUMBER.fullmatch(cell)]


def visible_letters(text: str) -> str:
    """Return the characters that no output format has a reason to change: neither blank nor invisible."""
    return "".join(c for c in text if unicodedata.category(c)[0] in "LNPS" and c != "\ufffd")
