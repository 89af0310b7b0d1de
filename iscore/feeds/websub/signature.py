"""The signature of what a hub pushes (W3C WebSub, section 7.1)."""

from __future__ import annotations

import hashlib
import hmac

METHODS = {"sha1": hashlib.sha1, "sha256": hashlib.sha256, "sha384": hashlib.sha384, "sha512": hashlib.sha512}


def is_signed(body: bytes, header: str, secret: str) -> bool:
    """Whether ``header``, that of ``X-Hub-Signature``, is the body's HMAC with the secret; compared in constant time.

    >>> is_signed(b"news", "sha256=" + hmac.new(b"secret", b"news", "sha256").hexdigest(), "secret")
    True
    """
    name, _, given = header.strip().partition("=")
    method = METHODS.get(name.lower())
    if method is None:
        return False
    return hmac.compare_digest(hmac.new(secret.encode(), body, method).hexdigest().encode(), given.lower().encode())
