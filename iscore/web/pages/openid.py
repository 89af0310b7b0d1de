"""Signing in with a provider of OpenID Connect: to the provider, and back.

/openid/start     for a sign-in, an invitation, or to link one's account ─► the provider
/openid/callback  state, code ─► proven identity ─► sign in, join or link
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from iscore.core.translation import gettext, gettext_noop
from iscore.services.people.accounts import AccountError
from iscore.services.people.identities import ProvenIdentity
from iscore.web.base_path import base_of
from iscore.web.context import AppContext, notice, visit_of
from iscore.web.pages.join import NOT_VALID
from iscore.web.pages.login import local, login_page, start_session
from iscore.web.security.openid import Failure, OpenId, OpenIdError
from iscore.web.security.openid_state import OpenIdState, OpenIdStates, Purpose
from iscore.web.security.sessions import new_session, token_matches
from storage.records.users import User

START, CALLBACK = "/openid/start", "/openid/callback"
PROBLEMS = {
    Failure.UNREACHABLE: gettext_noop("%(provider)s does not answer as it should. Try again later."),
    Failure.REFUSED: gettext_noop("%(provider)s did not sign you in."),
    Failure.INVALID: gettext_noop("The answer of %(provider)s is not valid, so nobody was signed in."),
}
OUT_OF_DATE = gettext_noop("This sign-in is out of date, or was begun in another browser. Try again.")
UNKNOWN = gettext_noop(
    "Nobody here signs in with this account of %(provider)s. Link it on the page Account after you have signed in with "
    "your password, or ask for an invitation."
)


class OpenIdRoutes:
    """The routes. ``address``: the public URL of the server, or empty; ``log`` gets a line for each that fails."""

    def __init__(self, app: AppContext, openid: OpenId, *, address: str, log: Callable[[str], None]) -> None:
        self._app = app
        self._openid = openid
        self._address = address.rstrip("/")
        self._log = log

    async def start(self, request: Request) -> Response:
        """Send the browser to the provider."""
        app, visit, query = self._app, visit_of(request), request.query_params
        wanted = OpenIdState(Purpose.SIGN_IN, local(query.get("next", "")))
        if "link" in query:
            # Only a page of ours knows the token; or another site could have its own account linked.
            if visit.user is None or not token_matches(query["link"], visit.session, visit.secret):
                return notice(request, 403, gettext(OUT_OF_DATE))
            wanted = OpenIdState(Purpose.LINK)
        elif visit.user is not None:
            return RedirectResponse(wanted.target, 303)
        elif "invitation" in query:
            found = await app.threads.session(app.accounts.invitation, query["invitation"])
            if found is None:
                return notice(request, 403, gettext(NOT_VALID))
            wanted = OpenIdState(Purpose.JOIN, found.key)
        states = OpenIdStates(visit.secret, visit.session.id)
        state = states.make(wanted, app.clock())
        try:
            target = await self._openid.authorization_url(
                redirect=self._redirect(request),
                state=state,
                nonce=states.nonce(state),
                verifier=states.verifier(state),
            )
        except OpenIdError as error:
            return await self._failed(request, error)
        return RedirectResponse(target, 303)

    async def callback(self, request: Request) -> Response:
        """Go on with what the provider has answered."""
        app, visit, answer = self._app, visit_of(request), dict(request.query_params)
        states, state = OpenIdStates(visit.secret, visit.session.id), answer.get("state", "")
        wanted = states.read(state, app.clock())
        if wanted is None or (wanted.purpose is Purpose.LINK) != (visit.user is not None):
            return await self._refused(request, 403, gettext(OUT_OF_DATE))
        if visit.user is None:  # no state of this browser counts any more
            request.state.session = new_session(app.clock(), signed_in=False)
            request.state.visit = replace(visit, session=request.state.session)
        try:
            proven = await self._openid.identity(
                answer, redirect=self._redirect(request), nonce=states.nonce(state), verifier=states.verifier(state)
            )
            if visit.user is not None:
                await app.threads.verdict(self._openid.identities.link, visit.user.id, proven)
                return RedirectResponse("/account#openid-heading", 303)
            user = await app.threads.verdict(self._user, proven, wanted)
        except OpenIdError as error:
            return await self._failed(request, error)
        except AccountError as error:
            return await self._refused(request, 403, str(error))
        if user is None:
            return await self._refused(request, 403, gettext(UNKNOWN, provider=self._openid.settings.shown))
        await start_session(app, request, user)
        return RedirectResponse("/start" if wanted.purpose is Purpose.JOIN else local(wanted.target), 303)

    def _user(self, proven: ProvenIdentity, wanted: OpenIdState) -> User | None:
        """Return who signs in with an account, perhaps from now on; None if nobody may."""
        identities = self._openid.identities
        if wanted.purpose is Purpose.JOIN:
            return identities.accept(wanted.target, proven)
        return identities.add_reader(proven) if self._openid.settings.adds_readers else identities.user_of(proven)

    async def _failed(self, request: Request, error: OpenIdError) -> Response:
        shown = self._openid.settings.shown
        self._log(f"signing in with {shown}: {error}")
        status = 503 if error.failure is Failure.UNREACHABLE else 403
        return await self._refused(request, status, gettext(PROBLEMS[error.failure], provider=shown))

    async def _refused(self, request: Request, status: int, words: str) -> Response:
        if visit_of(request).user is not None:
            return notice(request, status, words)
        return await login_page(self._app, request, "/", words, status)

    def _redirect(self, request: Request) -> str:
        root = self._address or f"{request.url.scheme}://{request.headers['host']}{base_of(request)}"
        return root + CALLBACK
