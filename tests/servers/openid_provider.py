"""A small provider of OpenID Connect in a process of its own, on the loopback.

It signs every user in at once, and checks what a provider checks: client, redirect address, code, PKCE. ``behave``
tells it whom to sign in, by which clock, and what to do wrong.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

CLIENT, SECRET = "iscore", "s:ecret/"
"""The secret has characters that have to be quoted."""


@dataclass
class Provider:
    """A running provider."""

    issuer: str
    process: subprocess.Popen[str]

    def behave(self, **how: Any) -> None:
        """Set the behaviour; what is not named is as usual. ``claims`` are added to tokens; None leaves one out."""
        ask(f"{self.issuer}/behave", json.dumps(how).encode())

    def sign_in(self, url: str) -> str:
        """Follow a link to the provider as a browser does; return where it sends the browser."""
        status, headers, body = ask(url)
        assert status == 303, (status, body)
        return headers["location"]


def ask(url: str, body: bytes | None = None) -> tuple[int, dict[str, str], str]:
    """Send a request; return status, headers and body."""
    parts = urlsplit(url)
    connection = HTTPConnection(parts.hostname or "", parts.port or 80, timeout=60)
    try:
        connection.request("GET" if body is None else "POST", f"{parts.path}?{parts.query}", body)
        response = connection.getresponse()
        return response.status, {k.lower(): v for k, v in response.getheaders()}, response.read().decode()
    finally:
        connection.close()


@contextmanager
def running_provider(host: str = "127.0.0.1") -> Iterator[Provider]:
    """Run a provider."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.servers.openid_provider", host], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        yield Provider(process.stdout.readline().strip(), process)
    finally:
        process.terminate()
        process.communicate(timeout=60)


def _encoded(part: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=")


def main(host: str) -> None:
    """Serve until the process is ended."""
    from joserfc import jwt
    from joserfc.jwk import ECKey, RSAKey

    keys = {"one": RSAKey.generate_key(2048, {"kid": "one"}), "two": ECKey.generate_key("P-256", {"kid": "two"})}
    strange = RSAKey.generate_key(2048, {"kid": "one"})  # the name of another key
    state: dict[str, Any] = {"key": "one"}
    codes: dict[str, dict[str, str]] = {}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path, query = urlsplit(self.path).path, self._pairs(urlsplit(self.path).query)
            if path == "/.well-known/openid-configuration":
                named = state.get("issuer", issuer)
                document = {"issuer": named, "jwks_uri": f"{issuer}/keys", "token_endpoint": f"{issuer}/token"}
                document |= {"authorization_endpoint": f"{issuer}/authorize?tenant=1"}
                document |= {"authorization_response_iss_parameter_supported": True}
                document |= {"token_endpoint_auth_methods_supported": [state.get("method", "client_secret_basic")]}
                self._json(state.get("status", 200), document)
            elif path == "/keys":
                shown = [keys[name].as_dict(private=False) for name in state.get("shown", ["one"])]
                self._json(200, {"keys": [{"kty": "new", "kid": "x"}, *shown]})
            elif path == "/authorize":
                self._authorize(query)

        def _authorize(self, query: dict[str, str]) -> None:
            right = query["client_id"] == CLIENT and query["response_type"] == "code" and query["tenant"] == "1"
            right = right and "openid" in query["scope"].split() and query["code_challenge_method"] == "S256"
            if not right:
                self._json(400, {"error": "invalid_request"})
                return
            answer = {"state": query["state"], "iss": state.get("iss", issuer)}
            if state.get("error"):
                answer["error"] = state["error"]
            else:
                answer["code"] = secrets.token_urlsafe(16)
                codes[answer["code"]] = query
            self.send_response(303)
            self.send_header("Location", f"{query['redirect_uri']}?{urlencode(answer)}")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            if urlsplit(self.path).path == "/behave":
                state.clear()
                state.update({"key": "one"} | json.loads(body))
                self._json(200, {})
                return
            form = self._pairs(body)
            asked = codes.pop(form["code"], None)
            login = f"{CLIENT}:s%3Aecret%2F"
            by_header = self.headers.get("Authorization") == f"Basic {base64.b64encode(login.encode()).decode()}"
            by_form = (form.get("client_id"), form.get("client_secret")) == (CLIENT, SECRET)
            if not (by_form if state.get("method") == "client_secret_post" else by_header):
                self._json(401, {"error": "invalid_client"})
                return
            challenge = base64.urlsafe_b64encode(hashlib.sha256(form["code_verifier"].encode()).digest()).decode()
            right = asked is not None and challenge.rstrip("=") == asked["code_challenge"]
            if asked is None or not right or form["redirect_uri"] != asked["redirect_uri"]:
                self._json(400, {"error": "invalid_grant"})
                return
            self._json(200, {"access_token": "x", "token_type": "Bearer", "id_token": self._token(asked["nonce"])})

        def _token(self, nonce: str) -> str:
            now = int(state["now"])
            claims = {"iss": issuer, "aud": CLIENT, "sub": "anna-1", "iat": now, "exp": now + 300, "nonce": nonce}
            claims |= {"preferred_username": "Anna"}
            claims |= state.get("claims", {})
            claims = {name: value for name, value in claims.items() if value is not None}
            if state.get("unsigned"):
                return f"{_encoded({'alg': 'none'})}.{_encoded(claims)}."
            if state.get("symmetric"):  # signed with the public key as if it were a secret
                text = f"{_encoded({'alg': 'HS256', 'kid': 'one'})}.{_encoded(claims)}"
                signature = hmac.new(keys["one"].as_pem(private=False), text.encode(), "sha256").digest()
                return f"{text}.{base64.urlsafe_b64encode(signature).decode().rstrip('=')}"
            name = state["key"]
            key = strange if name == "strange" else keys[name]
            algorithm = "ES256" if name == "two" else "RS256"
            return jwt.encode({"alg": algorithm, "kid": key.kid}, claims, key, [algorithm])

        def _pairs(self, text: str) -> dict[str, str]:
            return {name: values[0] for name, values in parse_qs(text).items()}

        def _json(self, status: int, document: Any) -> None:
            body = json.dumps(document).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 -- its name there
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        issuer = f"http://{host}:{server.server_port}"
        print(issuer, flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])
