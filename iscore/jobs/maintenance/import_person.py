"""``iscore users import``: somebody's own data folder, or an export of it, becomes a person of this data folder.

    their folder ─► export ─► a new person here ─► feeds, rules, verdicts, imported items, settings of their own

The new person has the name ``UNFINISHED`` until all is there: nobody takes half of it for the whole.

What is the server's stays as it is here: settings of polling and of the mail server, and what their filter decided.
"""

from __future__ import annotations

import tempfile
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from iscore.core.clock import Clock
from iscore.core.data_folder import DataFolder
from iscore.core.documents import read
from iscore.core.errors import ConfigError, IscoreError, UnknownUserError
from iscore.core.settings import PERSONAL
from iscore.core.settings_text import parted, readable
from iscore.jobs.maintenance.export import export
from iscore.jobs.maintenance.import_export import ImportView, import_lines, settings_text
from iscore.services.news_filter import NewsFilter
from iscore.services.views.people import AddedPerson
from storage.engine.errors import TakenUserName
from storage.people import users

UNFINISHED = "unfinished import"
"""Somebody whose import was killed. The admin sees and removes them; until then nobody else is imported."""


@dataclass(frozen=True, slots=True)
class ImportedPerson:
    """Who was added, and what came with them."""

    added: AddedPerson
    imported: ImportView
    settings: tuple[str, ...]
    """Names of the settings that were taken over."""
    left_out: tuple[str, ...]
    """Names of the settings that were not: the server's, or all if one of them is not valid."""


def import_person(
    folder: DataFolder, name: str, source: Path, clock: Clock, *, reading_events: bool = False
) -> ImportedPerson:
    """Add a person with what is theirs in another data folder, or in an export; reading events only if asked for.

    Raises ``RefusedUserName``, ``TakenUserName``, ``ExportError``, ``DataFolderError``, ``SubscriptionsError``,
    ``RulesError``, ``ConfigError``, ``StorageError``, ``OSError``, and ``IscoreError`` after an import that was killed;
    then nobody is added.
    """
    with tempfile.TemporaryFile() as lines:
        if source.is_dir():
            export(DataFolder(source), lines, at=clock())
        else:
            with source.open("rb") as file:
                while piece := file.read(1 << 20):
                    lines.write(piece)
        lines.seek(0)
        settings = settings_text(lines, str(source))
        lines.seek(0)
        with NewsFilter.open(folder.path, clock=clock) as news:
            with news.database.read() as tx:
                if users.find(tx, users.checked_name(name)) is not None:
                    raise TakenUserName(name)
            try:
                added = news.people.add(UNFINISHED)
            except TakenUserName as error:
                remedy = f"`iscore users remove {UNFINISHED!r}` unless it is still running, and try again"
                raise IscoreError(f"another import was not finished; {remedy}") from error
        try:
            filled = _filled(folder, added, lines, str(source), settings, reading_events=reading_events)
            with NewsFilter.open(folder.path, clock=clock) as news:
                return replace(filled, added=replace(added, person=news.people.rename(UNFINISHED, name)))
        except BaseException:
            with NewsFilter.open(folder.path, clock=clock) as news, suppress(UnknownUserError):
                news.people.remove(added.person.name)
            raise


def _filled(
    folder: DataFolder, added: AddedPerson, lines: IO[bytes], source: str, settings: str, *, reading_events: bool
) -> ImportedPerson:
    imported = import_lines(folder, lines, source, user=added.person.name, reading_events=reading_events)
    taken, given = [], readable(settings)
    with NewsFilter.open(folder.path, user=added.person.name) as news:
        document = news.context.personal_settings
        try:
            text = parted(settings, PERSONAL)[1]
            document.replace(text, before=read(document).decode())
            _ = news.context.settings  # reads and checks them
            taken = [each for each in given if each in PERSONAL]
        except (ConfigError, ValueError):
            document.replace("", before=read(document).decode())
    return ImportedPerson(added, imported, tuple(taken), tuple(each for each in given if each not in taken))
