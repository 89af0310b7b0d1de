"""Recognises pages that services put in front of a site to keep programs out: checks of the browser, captchas.

Such a page comes with any status, mostly 403 or 503 and sometimes 200. A feed is never taken for one, since only pages
in HTML are looked at. The marks are headers, titles and scripts of these pages that the pages behind them do not have.
"""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress

import aiohttp
from multidict import CIMultiDictProxy

from iscore.feeds.http.decompression import Body
from iscore.feeds.http.outcomes import NETWORK_ERRORS

STATUSES = frozenset((202, 401, 403, 405, 406, 429, 503))
"""With these statuses a page in place of the document may be a check."""
_HEAD = 65_536
"""Bytes of a page in which to look."""
_SECONDS = 2.0
"""For reading such a page, which is worth no more."""
_PAGE = re.compile(rb"[\s\xef\xbb\xbf]{0,1000}<(?:!doctype html|html|head|meta|title|script|noscript)\b", re.IGNORECASE)
_HEADERS = {"cf-mitigated": "Cloudflare", "x-amzn-waf-action": "AWS WAF", "x-vercel-mitigated": "Vercel"}
_MARKS = {
    b"_cf_chl_opt": "Cloudflare",
    b"<title>just a moment...</title>": "Cloudflare",
    b"<title>attention required! | cloudflare</title>": "Cloudflare",
    b"<title>ddos-guard</title>": "DDoS-Guard",
    b"/.well-known/ddos-guard/js-challenge": "DDoS-Guard",
    b"/.within.website/x/cmd/anubis/": "Anubis",
    b'id="anubis_challenge"': "Anubis",
    b"captcha-delivery.com/": "DataDome",
    b"incapsula incident id": "Imperva",
    b"window.gokuprops": "AWS WAF",
    b'id="px-captcha"': "HUMAN",
    b"sucuri_cloudproxy_js": "Sucuri",
    b"/.well-known/sgcaptcha/": "SiteGround",
    b"<title>one moment, please...</title>": "Imunify360",
    b"<title>vercel security checkpoint</title>": "Vercel",
    b"<title>client challenge</title>": "Fastly",
    b"<title>checking your browser": "captcha",
    b"<title>captcha": "captcha",
    b"<title>are you a robot?": "captcha",
}


def challenge(headers: CIMultiDictProxy[str], body: bytes) -> str:
    """Return the name of the service whose check an answer is; empty if it is none."""
    if not _PAGE.match(body):
        return ""
    head = body[:_HEAD].lower()
    return next((name for header, name in _HEADERS.items() if header in headers), "") or next(
        (name for mark, name in _MARKS.items() if mark in head), ""
    )


async def challenge_of(response: aiohttp.ClientResponse) -> str:
    """Return the same of a response whose body was not read yet; a body that cannot be read is no check."""
    if response.status not in STATUSES:
        return ""
    found = b""
    with suppress(*NETWORK_ERRORS):
        body = Body(response.headers.get("Content-Encoding", ""), _HEAD)
        try:
            async with asyncio.timeout(_SECONDS):
                async for piece in response.content.iter_any():
                    body.add(piece)
        finally:
            found = body.beginning()
    return challenge(response.headers, found)
