"""Hostile texts for any field of a feed, by row of docs/reliability.md and by name."""

from __future__ import annotations

SCRIPTS = {
    "plain-script": "<script>document.title='owned'</script>",
    "img-onerror": "<img src=x onerror=alert(1)>",
    "svg-onload": "<svg onload=alert(1)><circle/></svg>",
    "math-style": "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)></style></mglyph></table></math>",
    "noscript": '<noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript>',
    "template": "<template><script>alert(1)</script></template>",
    "iframe-srcdoc": '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
    "formaction": "<form><button formaction=javascript:alert(1)>press</button></form>",
    "svg-animate": "<svg><animate onbegin=alert(1) attributeName=x dur=1s></svg>",
    "style-import": "<style>@import 'http://127.0.0.1:{canary}/'</style>",
    "select-mutation": "<select><style></select><img src=x onerror=alert(1)></style>",
    "quote-breaker": "\"><script>alert(1)</script><a b=\"' onmouseover='alert(1)",
    "comment-breaker": "<!--><img src=x onerror=alert(1)>-->",
    "cdata-breaker": "]]]]><![CDATA[><script>alert(1)</script>",
    "jinja": "{{ 7*7 }}{% raw %}",
}
"""Rows 24 and 25."""

ADDRESSES = {
    "javascript": "javascript:alert(1)",
    "case": "JaVaScRiPt:alert(1)",
    "tab": "java\tscript:alert(1)",
    "line": "java\nscript:alert(1)",
    "entity": "javascript&#58;alert(1)",
    "control": "\x01javascript:alert(1)",
    "data": "data:text/html,<script>alert(1)</script>",
    "vbscript": "vbscript:msgbox(1)",
    "file": "file:///etc/passwd",
    "view-source": "view-source:http://a.example/",
    "blank": " javascript:alert(1)",
}
"""Row 26."""

TERMINAL = {
    "markup-of-rich": "[/red][bold]text[/x]",
    "colour": "\x1b[31mred",
    "clear": "\x1b[2J\x1b[H",
    "clipboard": "\x1b]52;c;b3duZWQ=\x07",
    "link": "\x1b]8;;http://evil.example\x1b\\here\x1b]8;;\x1b\\",
    "c1": "\x9b31m\x9d52;c;AAAA\x9c",
    "bell": "\x07\x07",
    "title": "\x1b]0;owned\x07",
    "backspaces": "good\x08\x08\x08\x08evil",
    "carriage-return": "real\rfake",
    "right-to-left": "\u202egnp.exe\u202c",
    "isolates": "\u2066a\u2069\u2067b\u2069",
}
"""Rows 23 and 28; what XML cannot hold is written as a reference."""

LINES = {
    "carriage-return-line-feed": "Subject\r\nBcc: victim@example.org",
    "line-separator": "one\u2028two\u2029three",
    "next-line": "one\x85two",
    "ten-thousand": "x" * 10_000,
    "dots": ".\n.\r\n..\n",
    "formula": "=cmd|'/C calc'!A0",
    "plus": "+1+cmd",
    "at": "@SUM(1+1)",
}
"""Rows 29, 30 and 31."""

TITLES = {
    "empty": "",
    "megabyte": "long " * 200_000,
    "right-to-left": "שלום עולם مرحبا بالعالم",
    "cjk": "汉字漢字かな交じり文한국어",
    "emoji": "👩‍👩‍👧‍👦🏳️‍🌈👍🏽 ok",
    "combining": "Z" + "͑ͫ̓ͪ̂" * 50,
}
"""Row 38."""
