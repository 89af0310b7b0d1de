"""Signing in with a provider of OpenID Connect: the authorization code flow with PKCE (OpenID Connect Core 1.0,
section 3.1; RFC 7636).

    authorization_url ─► the browser goes to the provider, and comes back with a code
    identity          ─► code + verifier ─► token endpoint ─► signed id token ─► key, issuer, audience, times, nonce

The provider's addresses come from its discovery document, its keys from where that says. Both are remembered for
``REMEMBERED`` seconds; for a key that is not known they are asked for again, at most once in ``PATIENCE`` seconds.
The provider is one that the operator of this server names, so it may be in a private network.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Any
from urllib.parse import quote_plus, urlencode, urlsplit

from iscore.core.errors import IscoreError
from iscore.services.people.identities import Identities, ProvenIdentity

if TYPE_CHECKING:
    import aiohttp
    from joserfc.jwk import KeySet

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519")
"""With which tokens may be signed: those with a public key."""
KEY_TYPES = ("RSA", "EC", "OKP")
REMEMBERED = timedelta(hours=1)
PATIENCE = timedelta(minutes=1)
SECONDS = 10.0
"""For one request to the provider."""
LARGEST = 500_000
"""Bytes of an answer."""
LEEWAY = 60
"""Seconds by which clocks may differ."""
LONGEST_SUBJECT = 255
"""Characters (OpenID Connect Core 1.0, section 2)."""
NAMES = ("preferred_username", "name", "nickname", "given_name")
"""Claims with the name of an account's owner, the best first."""


class Failure(StrEnum):
    """Why a sign-in did not work."""

    UNREACHABLE = "unreachable"
    """The provider does not answer, or not as one."""
    REFUSED = "refused"
    """The provider says no."""
    INVALID = "invalid"
    """What it answers proves nothing."""


class OpenIdError(IscoreError):
    """A sign-in did not work. The message is for the log: it says what happened, and contains no secret."""

    def __init__(self, failure: Failure, what: str) -> None:
        super().__init__(what)
        self.failure = failure


@dataclass(frozen=True, slots=True)
class OpenIdSettings:
    """What the operator says of the provider."""

    issuer: str
    client_id: str
    secret: str = field(default="", repr=False)
    """Empty for a client that the provider knows without one."""
    name: str = ""
    adds_readers: bool = False
    """Whether anybody whom the provider signs in becomes a reader."""

    @property
    def shown(self) -> str:
        """What pages call the provider."""
        return self.name or urlsplit(self.issuer).hostname or self.issuer


@dataclass(frozen=True, slots=True)
class _Provider:
    """The parts of a discovery document that are needed."""

    authorization: str
    token: str
    keys: str
    methods: tuple[str, ...]
    """How clients may prove themselves at the token endpoint."""
    names_itself: bool
    """Whether the provider adds its address to what it sends by the browser (RFC 9207)."""
    read: datetime


class OpenId:
    """Signs users in with one provider."""

    def __init__(self, settings: OpenIdSettings, identities: Identities, clock: Callable[[], datetime]) -> None:
        self.settings = settings
        self.identities = identities
        """The accounts there with which users sign in here."""
        self._clock = clock
        self._provider: _Provider | None = None
        self._keys: KeySet | None = None
        self._keys_read: datetime | None = None

    async def authorization_url(self, *, redirect: str, state: str, nonce: str, verifier: str) -> str:
        """Return where to send the browser. Raises ``OpenIdError``."""
        async with _session() as session:
            provider = await self._discovered(session)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
        query = {
            "response_type": "code",
            "client_id": self.settings.client_id,
            "redirect_uri": redirect,
            "scope": "openid profile",
            "state": state,
            "nonce": nonce,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        separator = "&" if "?" in provider.authorization else "?"
        return f"{provider.authorization}{separator}{urlencode(query)}"

    async def identity(self, answer: Mapping[str, str], *, redirect: str, nonce: str, verifier: str) -> ProvenIdentity:
        """Return whose account an answer of the provider proves; ``answer`` is the query that the browser brings back.

        Raises ``OpenIdError``.
        """
        async with _session() as session:
            provider = await self._discovered(session)
            named = answer.get("iss", "")
            if named != self.settings.issuer and (named or provider.names_itself):
                raise OpenIdError(Failure.INVALID, "the answer is another provider's")
            if "error" in answer:
                raise OpenIdError(Failure.REFUSED, f"it answers {_printable(answer['error'])!r}")
            token = await self._token(session, provider, answer.get("code", ""), redirect, verifier)
            claims = await self._claims(session, provider, token)
        return self._proven(claims, nonce)

    async def _discovered(self, session: aiohttp.ClientSession) -> _Provider:
        """Return the provider's addresses; those that were read in the last hour, if there are any."""
        known, now = self._provider, self._clock()
        if known is not None and timedelta(0) <= now - known.read < REMEMBERED:
            return known
        issuer = self.settings.issuer
        document = await _get(session, f"{issuer.rstrip('/')}/.well-known/openid-configuration")
        if document.get("issuer") != issuer:
            raise OpenIdError(Failure.UNREACHABLE, f"it calls itself {_printable(document.get('issuer'))!r}")
        addresses = [document.get(name) for name in ("authorization_endpoint", "token_endpoint", "jwks_uri")]
        if not all(isinstance(each, str) and _is_safe(each, issuer) for each in addresses):
            raise OpenIdError(Failure.UNREACHABLE, "its discovery document lacks an address, or one has no HTTPS")
        methods = document.get("token_endpoint_auth_methods_supported")
        self._provider = _Provider(
            authorization=str(addresses[0]),
            token=str(addresses[1]),
            keys=str(addresses[2]),
            methods=tuple(map(str, methods)) if isinstance(methods, list) else ("client_secret_basic",),
            names_itself=document.get("authorization_response_iss_parameter_supported") is True,
            read=now,
        )
        return self._provider

    async def _token(
        self, session: aiohttp.ClientSession, provider: _Provider, code: str, redirect: str, verifier: str
    ) -> str:
        """Exchange a code for an id token."""
        form = {"grant_type": "authorization_code", "code": code, "redirect_uri": redirect, "code_verifier": verifier}
        client, secret, headers = self.settings.client_id, self.settings.secret, {}
        if secret and "client_secret_basic" in provider.methods:
            login = f"{quote_plus(client)}:{quote_plus(secret)}"  # RFC 6749, section 2.3.1
            headers["Authorization"] = f"Basic {base64.b64encode(login.encode()).decode()}"
        else:
            form |= {"client_id": client} | ({"client_secret": secret} if secret else {})
        status, answer = await _answer(session, "POST", provider.token, form, headers)
        if status in (400, 401, 403):
            raise OpenIdError(Failure.REFUSED, f"its token endpoint answers {_printable(answer.get('error'))!r}")
        token = answer.get("id_token")
        if status != 200 or not isinstance(token, str):
            raise OpenIdError(Failure.UNREACHABLE, f"its token endpoint answers {status} without an id token")
        return token

    async def _claims(self, session: aiohttp.ClientSession, provider: _Provider, token: str) -> dict[str, Any]:
        """Return what a token says if its signature is the provider's."""
        from joserfc import jwt
        from joserfc.errors import JoseError

        for fresh in (False, True):
            keys = await self._key_set(session, provider, fresh=fresh)
            try:
                claims: dict[str, Any] = jwt.decode(token, keys, algorithms=ALGORITHMS).claims
                return claims
            except (JoseError, ValueError) as error:
                problem = type(error).__name__
        raise OpenIdError(Failure.INVALID, f"the signature of its token is not valid ({problem})")

    async def _key_set(self, session: aiohttp.ClientSession, provider: _Provider, *, fresh: bool) -> KeySet:
        """Return the provider's keys; ``fresh``: those of now, if it was not asked a moment ago."""
        from joserfc.errors import JoseError
        from joserfc.jwk import KeySet, import_key

        now = self._clock()
        age = None if self._keys_read is None else now - self._keys_read
        if self._keys is not None and age is not None and timedelta(0) <= age < (PATIENCE if fresh else REMEMBERED):
            return self._keys
        listed = (await _get(session, provider.keys)).get("keys")
        keys = []
        for each in listed if isinstance(listed, list) else ():
            if isinstance(each, dict) and each.get("kty") in KEY_TYPES and each.get("use", "sig") == "sig":
                try:
                    keys.append(import_key(each))
                except (JoseError, ValueError, TypeError):  # one that this version does not know
                    continue
        self._keys, self._keys_read = KeySet(keys), now
        return self._keys

    def _proven(self, claims: dict[str, Any], nonce: str) -> ProvenIdentity:
        """Check what a token says (section 3.1.3.7)."""
        from joserfc.errors import JoseError
        from joserfc.jwt import JWTClaimsRegistry

        settings, client = self.settings, self.settings.client_id
        registry = JWTClaimsRegistry(
            int(self._clock().timestamp()),
            LEEWAY,
            iss={"essential": True, "value": settings.issuer},
            aud={"essential": True, "value": client},
            exp={"essential": True},
            iat={"essential": True},
            sub={"essential": True},
            nonce={"essential": True},
        )
        try:
            registry.validate(claims)
        except JoseError as error:
            raise OpenIdError(Failure.INVALID, f"its token is not valid ({error})") from error
        audience, party = claims["aud"], claims.get("azp")
        if party != client and (party is not None or (isinstance(audience, list) and len(audience) > 1)):
            raise OpenIdError(Failure.INVALID, "its token is for another client (azp)")
        if not hmac.compare_digest(str(claims["nonce"]).encode(), nonce.encode()):
            raise OpenIdError(Failure.INVALID, "its token is not for this sign-in (nonce)")
        subject = claims["sub"]
        if len(subject) > LONGEST_SUBJECT:
            raise OpenIdError(Failure.INVALID, "its token has no valid subject")
        names = (claims.get(name) for name in NAMES)
        return ProvenIdentity(settings.issuer, subject, tuple(each for each in names if isinstance(each, str)))


def is_installed() -> bool:
    """Whether the library is installed that checks tokens: the extra ``openid``."""
    from importlib.util import find_spec

    return find_spec("joserfc") is not None


def _session() -> aiohttp.ClientSession:
    import aiohttp

    return aiohttp.ClientSession(
        timeout=aiohttp.ClientTimeout(total=SECONDS),
        cookie_jar=aiohttp.DummyCookieJar(),
        headers={"Accept": "application/json", "Accept-Encoding": "identity"},
        auto_decompress=False,
    )


async def _get(session: aiohttp.ClientSession, url: str) -> dict[str, Any]:
    status, document = await _answer(session, "GET", url, None, {})
    if status != 200:
        raise OpenIdError(Failure.UNREACHABLE, f"{url} answers {status}")
    return document


async def _answer(
    session: aiohttp.ClientSession, method: str, url: str, form: dict[str, str] | None, headers: dict[str, str]
) -> tuple[int, dict[str, Any]]:
    """Return status and document of an answer; an empty document if it is none."""
    import aiohttp

    try:
        async with session.request(method, url, data=form, headers=headers, allow_redirects=False) as response:
            body = await response.content.read(LARGEST + 1)
            while len(body) <= LARGEST and (more := await response.content.read(LARGEST + 1)):
                body += more
    except TimeoutError as error:
        raise OpenIdError(Failure.UNREACHABLE, f"no answer within {SECONDS:g} seconds") from error
    except (aiohttp.ClientError, OSError, ValueError) as error:
        raise OpenIdError(Failure.UNREACHABLE, f"{url}: {type(error).__name__}") from error
    try:
        document = json.loads(body) if len(body) <= LARGEST else None
    except (ValueError, RecursionError):
        document = None
    return response.status, document if isinstance(document, dict) else {}


def _is_safe(address: str, issuer: str) -> bool:
    """Whether codes and secrets may go to an address: by HTTPS, unless the provider itself has none."""
    parts = urlsplit(address)
    return bool(parts.hostname) and parts.scheme in ("https", urlsplit(issuer).scheme)


def _printable(foreign: object) -> str:
    return "".join(each for each in str(foreign)[:80] if each.isprintable())
