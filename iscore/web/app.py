"""The ASGI app: routes, middleware, error pages."""

from __future__ import annotations

import os
import traceback
from functools import partial

from starlette.applications import Starlette
from starlette.convertors import PathConvertor, register_url_convertor
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from iscore.core.errors import IscoreError
from iscore.core.translation import LANGUAGES, SOURCE, gettext, gettext_noop, use_language
from iscore.presentation.wording.stored_errors import error_text
from iscore.services.insight.status import ServerOverview
from iscore.services.news_filter import NewsFilter
from iscore.services.people.accounts import Accounts, LoginAttempts
from iscore.services.people.identities import Identities
from iscore.services.reading.icons import with_key
from iscore.services.reading.pictures import PictureCache, Pictures
from iscore.web.api.app import ClientRequests, make_api
from iscore.web.api.health import HealthRequests, Readiness
from iscore.web.api.hubs import HubCallbacks, HubRequests
from iscore.web.api.personal_feeds import shown
from iscore.web.assets import static
from iscore.web.base_path import BasePath, base_path
from iscore.web.config import ServerConfig
from iscore.web.context import AppContext, notice
from iscore.web.metrics import Metrics, MetricsRequests
from iscore.web.model_process import LocalModels
from iscore.web.pages.account import AccountRoutes
from iscore.web.pages.article import ArticleRoutes
from iscore.web.pages.connect import CONNECT_PATH, ConnectRoutes
from iscore.web.pages.feeds import UPLOAD_PATHS, FeedRoutes
from iscore.web.pages.for_you_and_hidden import ForYouAndHiddenRoutes
from iscore.web.pages.headlines import HeadlineRoutes
from iscore.web.pages.icons import IconRoutes
from iscore.web.pages.imports import IMPORTS_PATH, ImportRoutes
from iscore.web.pages.join import JoinRoutes
from iscore.web.pages.lists import ListRoutes
from iscore.web.pages.login import LoginRoutes
from iscore.web.pages.openid import CALLBACK, START, OpenIdRoutes
from iscore.web.pages.people import PeopleRoutes
from iscore.web.pages.pictures import PictureRoutes
from iscore.web.pages.reading_events import ReadingEventRoutes
from iscore.web.pages.rules import RuleRoutes
from iscore.web.pages.server import ServerRoutes
from iscore.web.pages.settings import SettingsRoutes
from iscore.web.pages.start import IMPORT_PATH, StartRoutes
from iscore.web.pages.verdicts import VerdictRoutes
from iscore.web.request_log import HandledRequest, RequestObserver, Route
from iscore.web.security.access import Access, SetupLink
from iscore.web.security.bodies import LARGEST_IMPORT, LARGEST_UPLOAD, RequestRefusedError
from iscore.web.security.client_address import ClientAddress
from iscore.web.security.credentials import CredentialStore
from iscore.web.security.headers_and_hosts import AllowedHosts, SecurityHeaders
from iscore.web.security.openid import OpenId
from iscore.web.security.passwords import OF_APPS, LoginLimits
from iscore.web.security.sessions_and_csrf import SessionMiddleware
from iscore.web.user_pool import UserPool
from storage.engine.errors import StorageError

LISTS = ("/maybe", "/all", "/saved", "/search", "/feed/{number}", "/folder/{name:text}", "/label/{name:text}")
"""The paths of the reader's lists."""
MESSAGES = {
    404: gettext_noop("This page does not exist."),
    405: gettext_noop("This page does not support that request."),
}
FAILED = gettext_noop("The request failed.")
MOST_WANTED = 20
"""Languages of a header that are read."""


class _TextConvertor(PathConvertor):
    """A name of a folder or label: any text, with slashes and line breaks."""

    regex = r"[\s\S]+"


register_url_convertor("text", _TextConvertor())


def make_context(config: ServerConfig, news: NewsFilter, models: LocalModels) -> AppContext:
    """Return what the routes share; ``news`` is that of any user, for what all have in common."""
    folder, database, clock = news.context.folder, news.database, news.context.clock
    credentials, attempts = CredentialStore(folder.path), LoginAttempts(database, clock)
    secret, known = credentials.read().secret, attempts.list()
    return AppContext(
        UserPool(folder, database, clock, models, config.log),
        Accounts(database, clock),
        credentials,
        clock,
        Pictures(PictureCache(folder.pictures), news.context.poll_settings),
        SetupLink(clock()),
        partial(with_key, database),
        clients=ClientAddress(config.trusted_proxies),
        logins=LoginLimits(secret, known, attempts.save),
        app_logins=LoginLimits(secret, known, attempts.save, prefix=OF_APPS),
        openid=None if config.openid is None else OpenId(config.openid, Identities(database, clock), clock),
        passwords=config.passwords,
        wake=config.wake,
        pause_polls=config.pause_polls,
    )


def make_app(context: AppContext, config: ServerConfig, news: NewsFilter) -> ASGIApp:
    """Build the ASGI app. ``config.port`` is the one that it is served at."""
    address, log, is_ours = config.address, config.log, config.is_ours
    database, clock, max_body = news.database, context.clock, news.context.poll_settings.max_body
    stories = ForYouAndHiddenRoutes(context)
    headlines, check = HeadlineRoutes(context, "/headlines"), HeadlineRoutes(context, "/check", check=True)
    articles, verdicts, login = ArticleRoutes(context), VerdictRoutes(context), LoginRoutes(context)
    join, account = JoinRoutes(context, public=config.is_public), AccountRoutes(context, address=address)
    people, server = PeopleRoutes(context, address=address), ServerRoutes(context, ServerOverview(database, clock))
    access = Access(context.accounts, context.threads, context.clients, public=config.is_public, sign_on=config.sign_on)
    lists, start = ListRoutes(context), StartRoutes(context)
    openid = []
    if context.openid is not None:
        sign_in = OpenIdRoutes(context, context.openid, address=address, log=log)
        openid = [Route(START, sign_in.start), Route(CALLBACK, sign_in.callback)]
    feeds, rules, settings = FeedRoutes(context), RuleRoutes(context), SettingsRoutes(context)
    imports, connect, pictures = ImportRoutes(context), ConnectRoutes(context), PictureRoutes(context)
    icons = IconRoutes(context)

    def unavailable(request: Request, error: Exception) -> Response:
        log(f"{request.method} {shown(request.url.path)}: {error}")
        headers = {"retry-after": "20"} if isinstance(error, StorageError) else None
        return notice(request, 503, error_text(error), headers)

    def http_error(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 400
        return notice(request, status, gettext(MESSAGES.get(status, FAILED)))

    def unexpected(request: Request, error: Exception) -> Response:
        # Middleware is outside the handlers below.
        if isinstance(error, RequestRefusedError):
            return notice(request, error.status, str(error))
        if isinstance(error, StorageError):
            return unavailable(request, error)
        if os.environ.get("ISCORE_DEBUG") == "1":
            traceback.print_exception(error)
        if isinstance(error, IscoreError):
            log(f"{request.method} {shown(request.url.path)}: {error}")
            return notice(request, 500, str(error))
        log(f"{request.method} {shown(request.url.path)}: unexpected {type(error).__name__}: {error}")
        return notice(request, 500, gettext("Something went wrong in iScore. See the log of `iscore serve`."))

    measured: list[Middleware] = []
    metrics: Metrics | None = None
    if config.metrics is not None:
        metrics, clients = Metrics(database, clock), context.clients
        measured = [
            Middleware(MetricsRequests, metrics=metrics, access=config.metrics, clients=clients, is_ours=is_ours)
        ]
    application = Starlette(
        routes=[
            Route("/", stories.for_you),
            Route("/hidden", stories.hidden),
            Route("/headlines", headlines.ask),
            Route("/headlines", headlines.answer, methods=["POST"]),
            Route("/check", check.ask),
            Route("/check", check.answer, methods=["POST"]),
            Route("/verdicts", verdicts.verdicts),
            Route("/verdict", verdicts.verdict, methods=["POST"]),
            Route("/article/{article_id}", articles.article),
            Route("/rule", articles.rule, methods=["POST"]),
            Route("/full-text", articles.full_text, methods=["POST"]),
            Route("/picture/{signature}/{article_id}/{name}", pictures.picture),
            Route("/icons/{name}.css", icons.style),
            Route("/icons/{name}-{number:int}.png", icons.sheet),
            *(Route(path, lists.list) for path in LISTS),
            Route("/lists", lists.lists),
            Route("/digest", lists.digest),
            Route("/digest/{day}", lists.digest),
            Route("/mark", lists.mark, methods=["POST"]),
            Route("/feeds", feeds.feeds),
            Route("/feeds", feeds.add, methods=["POST"]),
            Route("/feeds/import", feeds.import_, methods=["POST"]),
            Route("/feeds/export", feeds.export),
            Route("/feeds/{number}", feeds.feed),
            Route("/feeds/{number}", feeds.change, methods=["POST"]),
            Route("/rules", rules.rules),
            Route("/rules", rules.add, methods=["POST"]),
            Route("/rules/{number}", rules.rule),
            Route("/rules/{number}", rules.change, methods=["POST"]),
            Route("/settings", settings.settings),
            Route("/settings", settings.change, methods=["POST"]),
            Route("/settings/confirm", settings.confirm, methods=["POST"]),
            Route("/settings/export", settings.export),
            Route(IMPORTS_PATH, imports.imports),
            Route(IMPORTS_PATH, imports.change, methods=["POST"]),
            Route(CONNECT_PATH, connect.connection),
            Route(CONNECT_PATH, connect.change, methods=["POST"]),
            Route(f"{CONNECT_PATH}/remove", connect.ask_removal),
            Route(f"{CONNECT_PATH}/remove", connect.remove, methods=["POST"]),
            Route("/settings/delete", settings.ask_removal),
            Route("/settings/delete", settings.remove, methods=["POST"]),
            Route("/reading", ReadingEventRoutes(context).report, methods=["POST"]),
            Route("/start", start.feeds),
            Route("/start", start.choose, methods=["POST"]),
            Route(IMPORT_PATH, start.import_, methods=["POST"]),
            Route("/start/interests", start.interests),
            Route("/start/interests", start.add_interests, methods=["POST"]),
            Route("/start/first", start.first),
            Route("/login", login.ask),
            Route("/login", login.sign_in, methods=["POST"]),
            Route("/logout", login.sign_out, methods=["POST"]),
            *openid,
            Route("/setup", join.ask_set_up),
            Route("/setup", join.set_up, methods=["POST"]),
            Route("/join", join.ask_join),
            Route("/join", join.join, methods=["POST"]),
            Route("/account", account.account),
            Route("/account", account.change, methods=["POST"]),
            Route("/server", server.server),
            Route("/server", server.try_again, methods=["POST"]),
            Route("/people", people.people),
            Route("/people", people.change, methods=["POST"]),
            Route("/people/{user_id}/remove", people.ask_removal),
            Route("/people/{user_id}/remove", people.remove, methods=["POST"]),
            Route("/static/{name}", static),
        ],
        middleware=[
            Middleware(HealthRequests, readiness=Readiness(database, log)),
            *measured,
            Middleware(AllowedHosts, allowed=is_ours),
            Middleware(
                HubRequests,
                callbacks=HubCallbacks(database, clock, address=config.hub_address, max_body=max_body),
            ),
            Middleware(ClientRequests, api=make_api(context, log, address)),
            Middleware(
                SessionMiddleware,
                access=access,
                acting=context.users.acting,
                credentials=context.credentials.read,
                clock=context.clock,
                refuse=notice,
                secure=config.is_secure,
                bodies=context.bodies,
                uploads={
                    **dict.fromkeys((*UPLOAD_PATHS, IMPORT_PATH), LARGEST_UPLOAD),
                    IMPORTS_PATH: LARGEST_IMPORT,
                },
                # Cookies ignore ports: two servers on one machine need two names.
                cookie=f"iscore-{config.port}",
            ),
        ],
        exception_handlers={
            HTTPException: http_error,
            StorageError: unavailable,
            IscoreError: unavailable,
            Exception: unexpected,
        },
    )
    application.router.redirect_slashes = False
    pages = SecurityHeaders(BrowserLanguage(BasePath(application, base_path(address))))

    def observed(request: HandledRequest) -> None:
        config.observe(request)
        if metrics is not None:
            metrics.observe(request)

    return RequestObserver(pages, context.clients, observed)


class BrowserLanguage:
    """Lets each request speak the language that the browser prefers, until it is known whose the request is."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        wanted = Headers(scope=scope).get("accept-language", "") if scope["type"] == "http" else ""
        with use_language(preferred(wanted)):
            await self._app(scope, receive, send)


def preferred(accept_language: str) -> str:
    """Return the language that a header ``Accept-Language`` prefers among ``LANGUAGES``, English if there is none.

    >>> preferred("fr;q=0.9, de-AT, en;q=0.8")
    'de'
    """
    found: list[tuple[float, str]] = []
    for each in accept_language.split(",")[:MOST_WANTED]:
        tag, _, weight = each.replace(" ", "").partition(";q=")
        name = tag.partition("-")[0].lower()
        if name in LANGUAGES:
            found.append((_weight(weight), name))
    best = max(found, key=lambda each: each[0], default=(0.0, SOURCE))
    return best[1] if best[0] > 0.0 else SOURCE


def _weight(text: str) -> float:
    """Return a weight from 0 to 1; 1 without one, 0 if it is invalid."""
    digits = text.replace(".", "", 1)
    return min(1.0, float(text)) if digits.isascii() and digits.isdigit() else float(not text)
