"""``iscore import``: an export becomes part of a home, which may be new.

    lines ─► read and checked ─► articles measured apart ─► log, feeds.yaml, rules.yaml and settings

Importing the same again changes nothing. Where home and export differ, the later word on a story counts, and the home's
own subscriptions, rules and settings stay.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import IO

from iscore.core import file_permissions
from iscore.core.clock import system_clock
from iscore.core.data_folder import CONFIG, DataFolder
from iscore.core.errors import ConfigError
from iscore.core.settings import load_settings
from iscore.feeds.subscriptions.editing import add_all, load
from iscore.jobs.maintenance.export_format import Export, PortableArticle, read
from iscore.rules import rules_file
from iscore.services.extractor_factory import ExtractorFactory
from iscore.services.ingestion import Ingestion
from iscore.services.user_context import UserContext
from storage import export as log
from storage.articles import site
from storage.database import Database, open_database
from storage.export import Place, Stranger
from storage.records import LOCAL_USER, Article, Features, NewArticle


class Settings(StrEnum):
    """What became of the settings."""

    NONE = "none"
    """The export has none that say anything."""
    TAKEN = "taken"
    KEPT = "kept"
    """The home has its own."""
    REFUSED = "refused"
    """This iScore cannot use them."""


@dataclass(frozen=True, slots=True)
class ImportView:
    """What an import has added."""

    subscriptions: int
    verdicts: int
    known: int
    """Verdicts that were here already."""
    older: int
    """Verdicts on stories of which something later is said here."""
    articles: int
    """Articles that are new here."""
    settings: Settings
    rules: int = 0


def merge(home: DataFolder, file: IO[bytes], name: str) -> ImportView:
    """Read an export and add it to the home, which is made if there is none.

    ``name`` is what messages call the file. Raises ``ExportError`` before anything is changed, ``SubscriptionsError``
    or ``RulesError`` when feeds.yaml or rules.yaml is not in order, ``ConfigError``,
    ``DataFolderError``, ``StorageError``.
    """
    export = read(file, name)
    if not home.database.exists():
        home.path.mkdir(mode=file_permissions.FOLDER, parents=True, exist_ok=True)
        if not home.feeds.exists():
            file_permissions.write(home.feeds, b"feeds: []\n")
        home.make(None)
    load(home.feeds)
    rules_file.read(home.rules)
    settings = _settings(home, export.settings)
    with open_database(home.database, create=True) as database:
        strangers = _strangers(home, database, export)
        with database.write(durable=True) as tx:
            merged = log.merge(tx, LOCAL_USER, strangers, export.verdicts, export.imports)
    followed = add_all(home.feeds, export.subscriptions)
    rules = rules_file.add_all(home.rules, export.rules)
    return ImportView(
        len(followed), merged.added, merged.known, merged.older, len(strangers), settings, rules=len(rules)
    )


def _strangers(home: DataFolder, database: Database, export: Export) -> list[Stranger]:
    """Measure the articles that are new here, as if they arrived now, apart from the stream."""
    ingestion = Ingestion(database, ExtractorFactory(UserContext(home, database, system_clock())))
    ingestion.catch_up()  # what waits, so that every known article has its story
    with database.read() as tx:
        known = log.known(tx, list(export.articles))
    needed = dict.fromkeys(said.place for said in export.verdicts)
    new = [export.articles[place] for place in needed if place not in known]
    rows: Sequence[Features] = ingestion.analyse_apart([_document(article) for article in new]) if new else []
    return [
        Stranger(article.place, article.source, _entry(article), article.arrived, row)
        for article, row in zip(new, rows, strict=True)
    ]


def _document(article: PortableArticle) -> Article:
    return Article(
        seq=0,
        id=_name(article.place),
        feed_id=0,
        source=article.source,
        url=article.url,
        site=site(article.url),
        title=article.title,
        author=article.author,
        categories=article.categories,
        text=article.text,
        language=article.language,
        published=article.published,
        arrived=article.arrived,
        links=article.links,
        pictures=article.pictures,
        story=None,
    )


def _entry(article: PortableArticle) -> NewArticle:
    content = "\0".join((article.place.key, article.title, article.text, article.author, *article.categories))
    return NewArticle(
        key=article.place.key,
        url=article.url,
        title=article.title,
        author=article.author,
        categories=article.categories,
        text=article.text,
        language=article.language,
        published=article.published,
        links=article.links,
        pictures=article.pictures,
        content_hash=hashlib.blake2b(content.encode(), digest_size=16).digest(),
    )


def _name(place: Place) -> str:
    return f"{place.feed} {place.key}"


def _settings(home: DataFolder, text: str | None) -> Settings:
    """Take settings over if the home has none of its own and they can be used."""
    if text is None or not _says_something(text):
        return Settings.NONE
    own = home.config.read_text(encoding="utf-8") if home.config.exists() else CONFIG
    if own != CONFIG and _says_something(own):
        return Settings.KEPT
    unfinished = home.config.with_name(f".config.toml.{os.getpid()}")
    try:
        file_permissions.write(unfinished, text.encode())
        load_settings(unfinished)
        unfinished.replace(home.config)
    except ConfigError:
        return Settings.REFUSED
    finally:
        unfinished.unlink(missing_ok=True)
    return Settings.TAKEN


def _says_something(text: str) -> bool:
    return any(line.strip() and not line.lstrip().startswith("#") for line in text.splitlines())
