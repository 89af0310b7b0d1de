"""Settings: every default with its reason.

A setting comes from ``config.toml`` in the data folder, or from an environment variable ``ISCORE_<NAME>``, which wins.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from pydantic.fields import FieldInfo

from iscore.core.documents import Document, read
from iscore.core.errors import ConfigError
from iscore.core.sanitizing import one_line
from iscore.core.settings_text import MAX_SIZE, values_of


class Settings(BaseModel):
    """The user's settings. Unknown names in ``config.toml`` are an error, so that no typing mistake goes unnoticed."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        hide_input_in_errors=True,  # it may be a password
        validate_default=True,
    )

    classifier: str = Field(
        "stacking", description="One of iscore.learners.LEARNERS; its vote is added to the rankers'."
    )
    beta: float = Field(
        0.5,
        ge=0.25,
        le=2,
        description="How much is recommended: fewer and surer articles below 0.5, more above. It is the weight of "
        "recall against precision; 0.5 counts precision twice.",
    )
    inbox_days: int = Field(7, ge=1, le=365, description="Days that articles stay in the inbox.")

    poll_interval: int = Field(
        3600, ge=300, description="Seconds between polls of a feed; publishers expect an hour or more."
    )
    fetch_timeout: float = Field(30.0, gt=0, description="Seconds for one fetch in total, redirects included.")
    fetch_at_once: int = Field(128, ge=1, le=512, description="Feeds fetched at the same time, one per host.")
    host_spacing: float = Field(1.0, ge=0, description="Seconds between two requests to the same host.")
    max_body: int = Field(
        10_000_000, ge=10_000, description="Bytes of a decoded feed; the largest real feeds have 5 MB."
    )
    max_entries: int = Field(1000, ge=1, description="Newest entries kept of one document.")
    parse_timeout: float = Field(20.0, gt=0, description="Seconds of processor time for parsing one feed.")
    parse_processes: int = Field(2, ge=1, le=16, description="Child processes that parse feeds, at most.")
    fulltext_pages: int = Field(
        20, ge=1, le=200, description="Article pages fetched per feed and poll, for feeds with full text."
    )
    fulltext_timeout: float = Field(120.0, gt=0, description="Seconds to fetch all article pages of a feed in a poll.")
    refresh_cooldown: int = Field(60, ge=0, description="Seconds before `poll --force` asks the same feed again.")
    allow_private_networks: bool = Field(
        False,
        description="Whether feeds may be on this machine or your own network.",
    )
    private_hosts: str = Field(
        "",
        description="The only hosts of your own network that feeds may be on, each with its port, separated by blanks, "
        "such as `nas.lan:8080 192.168.1.7:80`.",
    )
    database: str = Field(
        "",
        repr=False,
        description="Address of a database on a PostgreSQL server: `postgresql://USER:PASSWORD@HOST/DATABASE`. Empty: "
        "the file iscore.db.",
    )

    contact: str = Field("", description="Web page or mail address that goes into the User-Agent, for publishers.")

    time_zone: str = Field("", description="Your time zone, such as Europe/Rome. Empty: the machine's own.")
    digest_interests: bool = Field(
        True, description="Whether the digest has a section for each of your interests, if there are stories on two."
    )
    digest_at: str = Field("07:00", description="When `iscore serve` or `iscore run` mails the digest.")
    mail_to: str = Field("", description="Where the digest goes. Empty: no mail is sent.")
    mail_from: str = Field("", description="The sender; most servers require your own address. Empty: `mail_to`.")
    mail_host: str = Field("", description="Your provider's server for outgoing mail.")
    mail_port: int = Field(0, ge=0, le=65535, description="0 means the usual port for `mail_security`: 587, 465 or 25.")
    mail_security: Literal["starttls", "tls", "none"] = Field(
        "starttls", description="How the connection is encrypted. `none` is for a server on this machine only."
    )
    mail_ca_file: str = Field("", description="Certificates to trust beside the system's, for a server of your own.")
    mail_user: str = Field("", description="User name for the mail server. Empty: it needs none.")
    mail_password: str = Field(
        "", repr=False, description="Better set in the environment or by `mail_password_command`."
    )
    mail_password_command: str = Field("", description="A command that prints the password; it runs without a shell.")
    mail_timeout: float = Field(30.0, gt=0, description="Seconds to wait for each answer of the mail server.")
    mail_empty: bool = Field(False, description="Whether a digest without articles is mailed.")

    serve_host: str = Field(
        "127.0.0.1",
        description="Address on which `iscore serve` listens; one that other machines reach needs a password.",
    )
    serve_port: int = Field(8473, ge=1, le=65535, description="The port of `iscore serve`.")
    pictures: bool = Field(
        True,
        description="Whether articles are shown with their pictures, which iScore fetches; without, no publisher is "
        "asked for any.",
    )
    theme: Literal["system", "light", "dark", "sepia"] = Field(
        "system", description="Colours of the pages; `system`: light or dark, as your browser asks for."
    )
    font_size: Literal["small", "normal", "large", "largest"] = Field("normal", description="Text size of the pages.")
    language: Literal["automatic", "en", "de"] = Field(
        "automatic",
        description="Language of the pages, mails and digests; `automatic`: pages in that of your browser, "
        "the others in English.",
    )
    serve_address: str = Field("", description="Address of `iscore serve` for your browser; digests link to it.")
    trusted_proxies: tuple[str, ...] = Field(
        (), description="Proxies in front of `iscore serve` that may name the client: addresses or networks."
    )
    sign_on_header: str = Field(
        "", description="Header in which a trusted proxy names the user whom it has signed in. Empty: off."
    )
    sign_on_adds_readers: bool = Field(
        False, description="Whether a name in `sign_on_header` that is not known becomes a new reader."
    )
    reader_feeds: int = Field(1000, ge=1, description="Feeds that a reader may follow; admins have no limit.")
    reader_interval: int = Field(900, ge=300, description="Seconds: the shortest interval of a feed of a reader.")
    metrics: bool = Field(False, description="Whether `iscore serve` has the page `/metrics`, for Prometheus.")
    metrics_networks: tuple[str, ...] = Field(("127.0.0.0/8", "::1/128"), description="Networks that may ask for it.")
    metrics_user: str = Field("", description="User name for the metrics. Empty: none is asked for.")
    metrics_password: str = Field("", repr=False, description="The password for `metrics_user`.")
    websub_address: str = Field(
        "",
        description="Address at which hubs on the internet reach `iscore serve` to push new articles (WebSub), such as "
        "https://news.example.org. Empty: feeds are only polled.",
    )
    openid_issuer: str = Field(
        "", description="Address of a provider of OpenID Connect with which users may sign in. Empty: none."
    )
    openid_client_id: str = Field("", description="What the provider calls this server.")
    openid_client_secret: str = Field(
        "", repr=False, description="Better set in the environment or by `openid_client_secret_command`."
    )
    openid_client_secret_command: str = Field(
        "", description="A command that prints the secret; it runs without a shell."
    )
    openid_name: str = Field("", description="What the pages call the provider. Empty: its host.")
    openid_adds_readers: bool = Field(
        False, description="Whether anybody whom the provider signs in becomes a reader, without an invitation."
    )
    password_sign_in: bool = Field(
        True, description="Whether users sign in to the pages with passwords. Apps have their own in any case."
    )
    feed_address: str = Field(
        "", description="Where you publish your digests as a feed, if you do: a feed contains its own address."
    )

    @field_validator("serve_address", "feed_address", "websub_address")
    @classmethod
    def _an_address(cls, text: str) -> str:
        if text and not re.fullmatch(r"https?://[!-~]+", text, re.IGNORECASE):
            raise ValueError("write a full address like http://127.0.0.1:8473")
        return text

    @field_validator("openid_issuer")
    @classmethod
    def _a_provider(cls, text: str) -> str:
        if text and not re.fullmatch(r"https://[!-~]+|http://(127\.0\.0\.1|localhost|\[::1\])[:/][!-~]+", text):
            raise ValueError("write the provider's address as it writes it itself, with https://")
        return text

    @field_validator("private_hosts")
    @classmethod
    def _hosts(cls, text: str) -> str:
        if not all(re.fullmatch(r"([a-z0-9_.-]+|\[[0-9a-f:.]+\]):[0-9]{1,5}", each) for each in text.lower().split()):
            raise ValueError("write each host with its port, like nas.lan:8080")
        return text

    @field_validator("digest_at")
    @classmethod
    def _an_hour(cls, text: str) -> str:
        if not re.fullmatch(r"([01][0-9]|2[0-3]):[0-5][0-9]", text, re.ASCII):
            raise ValueError("write hour and minute like 07:00")
        return text


HARMLESS = frozenset(
    (
        "classifier", "beta", "inbox_days", "poll_interval", "fulltext_pages",
        "refresh_cooldown", "time_zone", "digest_interests", "digest_at", "mail_empty", "theme",
        "font_size", "language",
    )
)  # fmt: skip
"""Settings that a restored backup may change without asking: they run nothing, send nothing to anybody, open nothing,
and lift no limit that protects from strangers."""

PERSONAL = frozenset(
    (
        "classifier", "beta", "inbox_days", "time_zone", "digest_at", "mail_to",
        "mail_empty", "feed_address", "digest_interests", "pictures", "theme", "font_size",
        "language",
    )
)  # fmt: skip
"""Settings that each user has of their own where several share a data folder. The others are the server's."""


def load_settings(config: Path, personal: Document | None = None, **overrides: Any) -> Settings:
    """Read ``config`` (which may be missing) and the environment.

    With ``personal``, a text of one of several users, their own settings come from there only: neither ``config`` nor
    the environment speaks for all of them.

    Raises ``ConfigError`` naming the file or variable and what is wrong with it.
    """
    mine = {} if personal is None else _defaults() | _personal(personal)
    try:
        return Settings(**{**_of_file(config), **_of_environment(), **mine, **overrides})
    except ValidationError as error:
        raise mistake(config, error, Settings.model_fields, _place(personal)) from error
    except ValueError as error:
        line = re.search(r" \(at line (\d+), column \d+\)", str(error))
        place = f"{config}, line {line[1]}" if line else str(config)
        raise ConfigError(place, f"is not valid TOML: {str(error).partition(' (at ')[0]}") from error


def _of_file(config: Path) -> dict[str, Any]:
    """Return what the file sets; nothing without one. Raises ``ValueError`` if it is no TOML."""
    if not config.is_file():
        return {}
    with config.open("rb") as file:
        return tomllib.load(file)


def _of_environment() -> dict[str, Any]:
    """Return what variables set: texts, and what a list says in JSON."""
    found: dict[str, Any] = {}
    for variable, text in os.environ.items():
        name = variable.lower().removeprefix("iscore_")
        if name == variable.lower() or name not in Settings.model_fields:
            continue
        found[name] = text
        if Settings.model_fields[name].annotation == tuple[str, ...]:
            with suppress(ValueError):  # the text that is no list is refused with all other mistakes
                found[name] = json.loads(text)
    return found


def typed(values: Mapping[str, str], document: Document) -> dict[str, Any]:
    """Return settings of a user that are given as texts, as what they are.

    Raises ``ConfigError``, which names ``document``, for one that is not personal or not valid.
    """

    _check_personal(values, document)
    lines: dict[str, Any] = {name: one_line(value) for name, value in values.items()}
    try:
        given = Settings(**lines)
    except ValidationError as error:
        raise mistake(Path(str(document)), error, Settings.model_fields, _place(document)) from error
    return {name: getattr(given, name) for name in values}


def _place(personal: Document | None) -> dict[str, str]:
    """Return where settings are that a user has of their own, by name."""
    return {} if personal is None else dict.fromkeys(PERSONAL, str(personal))


def _defaults() -> dict[str, Any]:
    return {name: Settings.model_fields[name].default for name in PERSONAL}


def _personal(document: Document) -> dict[str, Any]:
    """Return what a user has set. Raises ``ConfigError``, also for a setting that is the server's."""
    try:
        found = values_of(read(document, MAX_SIZE + 1).decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ConfigError(str(document), "is not written in UTF-8") from error
    except ValueError as error:
        raise ConfigError(str(document), str(error)) from error
    _check_personal(found, document)
    return found


def _check_personal(values: Mapping[str, Any], document: Document) -> None:
    """Raise ``ConfigError`` for a setting that is the server's, or none at all."""
    for name in sorted(values.keys() - PERSONAL):
        if name in Settings.model_fields:
            raise ConfigError(str(document), f"setting {name!r} is the server's, in the config.toml of the data folder")
        near = get_close_matches(name, Settings.model_fields, 1)
        meant = f"; did you mean {near[0]!r}?" if near else ""
        raise ConfigError(str(document), f"there is no setting {name!r}{meant}")


def variable_of(name: str) -> str:
    """Return the environment variable that sets a setting; empty if none does."""
    return next((each for each in os.environ if each.upper() == f"ISCORE_{name.upper()}"), "")


def mistake(
    config: Path, error: ValidationError, fields: Mapping[str, FieldInfo], places: Mapping[str, str]
) -> ConfigError:
    """Name the place of the first mistake, and what is allowed there.

    ``fields``: all settings, by name. ``places``: where those are that are not in ``config``.
    """
    first = error.errors()[0]
    name = str(first["loc"][0])
    place = variable_of(name) or f"{config}{_line(config, name)}"
    place = places.get(name, place)
    if first["type"] == "extra_forbidden":
        near = get_close_matches(name, fields, 1)
        meant = f"did you mean {near[0]!r}?" if near else "the guide lists the settings"
        return ConfigError(place, f"there is no setting {name!r}; {meant}")
    if first["type"] == "value_error":  # a check of ours
        return ConfigError(place, f"setting {name!r}: {first['msg'].removeprefix('Value error, ')}")
    return ConfigError(place, f"setting {name!r}: {_allowed(fields[name])}")


def _line(config: Path, name: str) -> str:
    """Return ``, line 7``: where the file has a setting; empty when it is not at the beginning of a line."""
    try:
        lines = config.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return ""
    begins = re.compile(rf"[\s\['\"]*{re.escape(name)}\b")
    return next((f", line {number}" for number, line in enumerate(lines, 1) if begins.match(line)), "")


def _allowed(field: FieldInfo) -> str:
    """Say what a setting may be: its words, or its kind and bounds."""
    if get_origin(field.annotation) is Literal:
        return f"write one of {', '.join(map(repr, get_args(field.annotation)))}"
    kinds: dict[Any, str] = {bool: "true or false", int: "a whole number", float: "a number", str: "a text in quotes"}
    if field.annotation not in kinds:
        return 'write a list of texts in quotes, such as ["a", "b"]'
    words = {"ge": "at least", "gt": "more than", "le": "at most"}
    bounds = [
        f"{word} {getattr(each, key)}" for each in field.metadata for key, word in words.items() if hasattr(each, key)
    ]
    return f"write {kinds[field.annotation]}" + (f", {' and '.join(bounds)}" if bounds else "")
