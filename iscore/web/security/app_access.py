"""Which client app sends a request: it has a password that its user made for it, or a token that it got for that."""

from __future__ import annotations

import hashlib
import hmac

from itsdangerous import Signer
from starlette.requests import Request

from iscore.core.clock import Clock
from iscore.services.people.accounts import TOUCH, Accounts
from iscore.web.security.client_address import ClientAddress
from iscore.web.security.credentials import CredentialStore
from iscore.web.security.passwords import LoginLimits
from iscore.web.threads import Threads
from storage.records.users import AppPassword


class AppAccess:
    """Signs in client apps. Wrong passwords are limited as on the web, and counted apart from those, by ``limits``."""

    def __init__(
        self,
        accounts: Accounts,
        credentials: CredentialStore,
        threads: Threads,
        clients: ClientAddress,
        clock: Clock,
        limits: LoginLimits,
    ) -> None:
        self._accounts = accounts
        self._credentials = credentials
        self._threads = threads
        self._clients = clients
        self._clock = clock
        self._limits = limits

    async def sign_in(self, request: Request, name: str, password: str) -> tuple[int, str]:
        """Return the seconds to wait after too many wrong passwords, and the app's token; empty for a wrong one."""
        wait, app = await self._checked(request, name, password)
        return wait, self._tokens().make(app) if app else ""

    async def app_of_basic(self, request: Request, name: str, password: str) -> AppPassword | None:
        """Return the app of a name and a password that come with each request; None after too many wrong ones, too."""
        return self._used((await self._checked(request, name, password))[1])

    async def app_of_password(self, password: str) -> AppPassword | None:
        """Return the app of a password that comes with each request. It has 192 bits: attempts need no limit."""
        return self._used(await self._threads.session(self._accounts.app_of_password, password) if password else None)

    async def _checked(self, request: Request, name: str, password: str) -> tuple[int, AppPassword | None]:
        address, account, now = self._clients.of(request), " ".join(name.split()).casefold(), self._clock()
        wait = self._limits.wait(address, account, now)
        if wait:
            return wait, None

        def check() -> AppPassword | None:
            found = self._accounts.app(name, password)
            if found is None or not self._limits.is_usual(address, account):
                self._limits.note(address, account, now, right=found is not None)
            return found

        return 0, await self._threads.password(check)

    def token_of(self, app: AppPassword) -> str:
        """Return the token of an app."""
        return self._tokens().make(app)

    async def app_of(self, token: str) -> AppPassword | None:
        """Return the app of a token; None if it is not or no longer valid."""
        user_id = user_of(token)
        if not user_id:
            return None
        tokens = self._tokens()
        apps = await self._threads.session(self._accounts.app_passwords, user_id)
        return self._used(next((each for each in apps if tokens.matches(token, each)), None))

    async def app_of_fever_key(self, key: str) -> AppPassword | None:
        """Return the app of a key of the Fever API; None if it is not or no longer valid."""
        return self._used(await self._threads.session(self._accounts.app_of_fever_key, key) if key else None)

    def _used(self, found: AppPassword | None) -> AppPassword | None:
        """Record that an app was used, unless that was done a moment ago."""
        if found is not None and (found.used is None or self._clock() - found.used >= TOUCH):
            self._threads.later(self._accounts.touch_app, found)
        return found

    def _tokens(self) -> AppTokens:
        return AppTokens(self._credentials.read().secret)


class AppTokens:
    """Makes and checks tokens. ``secret`` is that of ``serve.json``."""

    def __init__(self, secret: str) -> None:
        self._signer = Signer(secret, salt="iscore app", key_derivation="hmac", digest_method=hashlib.sha256)

    def make(self, app: AppPassword) -> str:
        """Return the token of an app."""
        return f"{app.user_id}/{self._signer.get_signature(f'{app.user_id}/{app.key}').decode()}"

    def matches(self, token: str, app: AppPassword) -> bool:
        """Whether a token is that of an app."""
        return hmac.compare_digest(token.encode(), self.make(app).encode())


def user_of(token: str) -> int:
    """Return the number of the user whom a token names; 0 for what is no token.

    >>> user_of("12/c2lnbmF0dXJl"), user_of("twelve")
    (12, 0)
    """
    number = token.partition("/")[0]
    return int(number) if number.isascii() and number.isdigit() and len(number) < 12 else 0
