"""``iscore serve``: read and vote in a browser, while feeds are polled and the digest is mailed."""

from __future__ import annotations

import os
import sys
from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated

import typer

from iscore.cli.as_json import AsJson, print_json
from iscore.cli.context import data_folder, opened
from iscore.cli.terminal.events import LogFormat, LogFormatOption, events_to
from iscore.cli.terminal.output import message, write
from iscore.core.file_access import shell_umask

if TYPE_CHECKING:
    from collections.abc import Callable

    from iscore.core.clock import Clock
    from iscore.core.settings import Settings
    from iscore.jobs.scheduler.log_format import Log
    from iscore.web.metrics import MetricsAccess
    from iscore.web.request_log import HandledRequest
    from iscore.web.security.openid import OpenIdSettings

PLAIN = (
    "iscore: without HTTPS, others in the network can read what you read, and your password. Installing the page on a "
    "phone and reading offline do not work either. Use --tls-cert, or a web server in front (guide: A server)."
)


def serve(
    ctx: typer.Context,
    host: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="The address to listen on. By default the setting serve_host.")
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            min=0, max=65535, metavar="N", help="The port. By default the setting serve_port; 0: any free port."
        ),
    ] = None,
    trusted_proxy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ADDRESS",
            help="A proxy in front, or its network, that names the client (X-Forwarded-For). Can be given more than "
            "once. By default the setting trusted_proxies.",
            show_default=False,
        ),
    ] = None,
    base_url: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="The address in your browser, such as https://example.org/iscore, for links and cookies. By default "
            "the setting serve_address.",
            show_default=False,
        ),
    ] = None,
    tls_cert: Annotated[
        str, typer.Option(metavar="FILE", help="Speak HTTPS with this certificate (PEM).", show_default=False)
    ] = "",
    tls_key: Annotated[
        str,
        typer.Option(metavar="FILE", help="The certificate's key, if it is not in the same file.", show_default=False),
    ] = "",
    pages_only: Annotated[
        bool, typer.Option("--pages-only", help="Do not poll and mail: another program does that.")
    ] = False,
    open_browser: Annotated[bool, typer.Option("--open", help="Open the page in your browser.")] = False,
    log_format: LogFormatOption = LogFormat.TEXT,
    set_password: Annotated[bool, typer.Option("--set-password", help="Ask for a new password and exit.")] = False,
    as_json: AsJson = False,
) -> None:
    """Serve your news for a browser, poll feeds when they are due, and mail the digest at its time of day.

    Without a data folder it makes one, and the pages ask what you want to read. Only this machine can open them unless
    you choose another address. Stop it with Ctrl+C.

        iscore serve --open
    """
    if set_password:
        _set_password(ctx, as_json)
        return
    from iscore.core import garbage_collection
    from iscore.core.clock import system_clock
    from iscore.core.data_folder import DataFolder
    from iscore.core.settings import load_settings
    from iscore.jobs.scheduler.background import BackgroundScheduler
    from iscore.web.config import Certificate, ServerConfig, is_https, is_public
    from iscore.web.security.access import SignOn
    from iscore.web.server import serve as serve_pages

    garbage_collection.set_thresholds(garbage_collection.SERVER)
    garbage_collection.give_back_memory()
    if tls_key and not tls_cert:
        raise typer.BadParameter("--tls-key needs --tls-cert")
    if base_url is not None:
        os.environ["ISCORE_SERVE_ADDRESS"] = base_url  # digests link there, too
    folder, clock, json_log = data_folder(ctx), system_clock(), log_format is LogFormat.JSON
    if DataFolder(folder).is_untouched:
        from iscore.services.news_filter import NewsFilter

        NewsFilter.create(folder, empty=True).close()
        if not json_log:
            message(f"Created {folder}. The pages ask what you want to read.")
    settings = load_settings(DataFolder(folder).config)
    events = events_to(sys.stderr, sys.stderr, as_json=as_json or json_log)
    scheduler = None if pages_only else BackgroundScheduler(folder, clock, events)

    listens_at = host or settings.serve_host

    def ready(address: str, setup: str) -> None:
        if as_json:
            print_json({"address": address, "setup": setup})
            sys.stdout.flush()
        elif json_log:
            events(clock(), "start", address=settings.serve_address or address, setup=setup or None)
        elif setup:
            message(f"Open {setup} to set up your account: once, within 30 minutes (stop with Ctrl+C).")
        else:
            message(f"Your news is at {settings.serve_address or address} (stop with Ctrl+C).")
        if is_public(listens_at, settings.serve_address) and not tls_cert and not is_https(settings.serve_address):
            if json_log:
                events(clock(), "warning", trouble=True, what=PLAIN.removeprefix("iscore: "))
            else:
                message(PLAIN)
        if open_browser:
            _open(setup or address)
        if scheduler is not None:
            scheduler.start()

    with opened(ctx) as news, scheduler or nullcontext():
        serve_pages(
            news,
            ServerConfig(
                listens_at,
                settings.serve_port if port is None else port,
                _logger(clock, events, as_json=json_log),
                address=settings.serve_address,
                hub_address=settings.websub_address,
                trusted_proxies=trusted_proxy or settings.trusted_proxies,
                sign_on=SignOn(settings.sign_on_header, settings.sign_on_adds_readers),
                openid=_openid(settings),
                passwords=settings.password_sign_in,
                tls=Certificate(tls_cert, tls_key) if tls_cert else None,
                metrics=_metrics(settings),
                ready=ready,
                observe=_observer(clock, events) if json_log else lambda _: None,
                wake=scheduler.wake if scheduler is not None else None,
                pause_polls=scheduler.pause_polls if scheduler is not None else None,
            ),
        )


def _openid(settings: Settings) -> OpenIdSettings | None:
    """Return the provider of the settings. Raises ``ConfigError``."""
    from iscore.core.errors import ConfigError
    from iscore.core.passwords import PasswordCommandError, printed_password
    from iscore.web.security.openid import OpenIdSettings

    if not settings.openid_issuer:
        return None
    if not settings.openid_client_id:
        raise ConfigError("config.toml", "openid_issuer is set, but not openid_client_id")
    secret = settings.openid_client_secret
    if not secret and settings.openid_client_secret_command:
        try:
            secret = printed_password(settings.openid_client_secret_command)
        except PasswordCommandError as error:
            raise ConfigError("config.toml", f"openid_client_secret_command {error}") from error
    return OpenIdSettings(
        settings.openid_issuer, settings.openid_client_id, secret, settings.openid_name, settings.openid_adds_readers
    )


def _observer(clock: Clock, events: Log) -> Callable[[HandledRequest], None]:
    """Return what logs each request."""

    def observe(request: HandledRequest) -> None:
        events(
            clock(),
            "request",
            request=request.id,
            method=request.method,
            route=request.route,
            status=request.status,
            seconds=round(request.seconds, 4),
        )

    return observe


def _logger(clock: Clock, events: Log, *, as_json: bool) -> Callable[[str], None]:
    """Return what logs a line of the server, in JSON with the id of the request that it is about."""
    from iscore.web.request_log import current_request

    def log(text: str) -> None:
        if as_json:
            events(clock(), "trouble", trouble=True, during="serve", request=current_request() or None, what=text)
        else:
            message(f"iscore: {text}")

    return log


def _metrics(settings: Settings) -> MetricsAccess | None:
    from iscore.web.metrics import MetricsAccess

    if not settings.metrics:
        return None
    return MetricsAccess(settings.metrics_networks, settings.metrics_user, settings.metrics_password)


def _open(address: str) -> None:
    """Open a page in the browser without waiting for it."""
    import threading
    import webbrowser

    def open_it() -> None:
        with shell_umask():
            found = webbrowser.open(address)
        if not found:
            message(f"iscore: no browser found; open {address} yourself")

    threading.Thread(target=open_it, daemon=True).start()


def _set_password(ctx: typer.Context, as_json: bool) -> None:
    from iscore.cli.operating.users import ask_password
    from iscore.core.passwords import hash_password
    from iscore.services.people.accounts import Accounts
    from iscore.web.security.credentials import CredentialStore

    with opened(ctx) as news:
        accounts = Accounts(news.database, news.context.clock)
        accounts.set_password(news.context.user_id, hash_password(ask_password()))
        CredentialStore(news.context.folder.path).mark_set_up()
        name = accounts.get(news.context.user_id).name
    if as_json:
        print_json({"password": "set"})
    else:
        write(f"Password of {name} set. All browsers of {name} have been signed out.")
