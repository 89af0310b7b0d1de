"""Certificates of an authority of our own: one that is right, and those of row 12."""

from __future__ import annotations

import base64
import hashlib
import shutil
import ssl
import subprocess
from pathlib import Path

import pytest

KINDS = ("right", "self-signed", "wrong-name", "expired")
_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")


class Authority:
    """Signs certificates with openssl. Who trusts ``file`` trusts all of them but the self-signed one."""

    def __init__(self, folder: Path) -> None:
        if shutil.which("openssl") is None:
            pytest.skip("there is no openssl to make certificates with")
        self._folder = folder
        self.file = folder / "authority.pem"
        self._self_signed("authority", "a hostile authority")

    def context(self, kind: str, address: str) -> ssl.SSLContext:
        """Return what a server at an IP address needs that shows such a certificate (one of ``KINDS``)."""
        name = "IP:192.0.2.1" if kind == "wrong-name" else f"IP:{address}"
        if kind == "self-signed":
            self._self_signed(kind, "x", "-addext", f"subjectAltName={name}")
        else:
            self._openssl(
                *("req", *_KEY, "-subj", "/CN=x", "-addext", f"subjectAltName={name}"),
                *("-keyout", self._path(kind, "key"), "-out", self._path(kind, "csr")),
            )
            self._openssl(
                *("x509", "-req", "-in", self._path(kind, "csr"), "-copy_extensions", "copy"),
                *("-CA", str(self.file), "-CAkey", self._path("authority", "key"), "-CAcreateserial"),
                *("-days", "-1" if kind == "expired" else "2", "-out", self._path(kind, "pem")),
            )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self._path(kind, "pem"), self._path(kind, "key"))
        return context

    def key_digest(self, kind: str) -> str:
        """Return the SHA-256 of the public key of a certificate, in base 64, by which Chromium can trust it."""
        key = self._openssl("x509", "-in", self._path(kind, "pem"), "-pubkey", "-noout").decode()
        der = base64.b64decode("".join(key.splitlines()[1:-1]))
        return base64.b64encode(hashlib.sha256(der).digest()).decode()

    def _self_signed(self, name: str, subject: str, *more: str) -> None:
        self._openssl(
            *("req", "-x509", *_KEY, "-days", "2", "-subj", f"/CN={subject}", *more),
            *("-keyout", self._path(name, "key"), "-out", self._path(name, "pem")),
        )

    def _path(self, name: str, ending: str) -> str:
        return str(self._folder / f"{name}.{ending}")

    def _openssl(self, *arguments: str) -> bytes:
        return subprocess.run(["openssl", *arguments], check=True, capture_output=True).stdout
