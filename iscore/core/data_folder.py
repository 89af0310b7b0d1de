"""The data folder: settings, subscriptions and the database, of one user or of several."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from iscore.core import file_access
from iscore.core.errors import DataFolderError, os_problem
from iscore.core.settings_text import readable

DATABASE_VARIABLE = "ISCORE_DATABASE"
"""The environment variable that sets the setting `database`."""
_MAY_SET_DATABASE = re.compile(r"""^[ \t]*["']?database\b""", re.MULTILINE)

CONFIG = """\
# Settings of iScore. Lines without # are active; the user's guide lists all settings.
# poll_interval = 3600             # seconds between polls of a feed
# inbox_days = 7                   # days that articles stay in the inbox
# private_hosts = ""               # hosts with ports of your own network that feeds may be on
# contact = ""                     # a web page or mail address for publishers
# mail_to = ""                     # where the digest goes by mail, at digest_at; see "Digest by mail" in the guide
# mail_host = ""                   # the server that sends your mail
# digest_at = "07:00"
"""


NO_FEEDS = b"feeds: []\n"
"""A list of no subscriptions."""


@dataclass(frozen=True, slots=True)
class DataFolder:
    """Where the user's files are."""

    path: Path

    @property
    def config(self) -> Path:
        """Settings; may be missing."""
        return self.path / "config.toml"

    @property
    def feeds(self) -> Path:
        """Subscriptions."""
        return self.path / "feeds.yaml"

    @property
    def rules(self) -> Path:
        """The user's rules; may be missing."""
        return self.path / "rules.yaml"

    @property
    def database(self) -> Path:
        """Articles, decisions and verdicts, unless they are on a server."""
        return self.path / "iscore.db"

    @property
    def database_address(self) -> str:
        """The address of the database on a server, from ``ISCORE_DATABASE`` or the settings; empty: it is the file.

        The other settings are not read, so that recording a verdict stays fast.
        """
        given = os.environ.get(DATABASE_VARIABLE)
        if given is not None:
            return given
        try:
            text = self.config.read_text("utf-8-sig")
        except (OSError, UnicodeDecodeError):  # reading the settings says so
            return ""
        if not _MAY_SET_DATABASE.search(text):
            return ""
        return str(readable(text).get("database", ""))

    @property
    def database_place(self) -> Path | str:
        """The file of the database, or its address."""
        return self.database_address or self.database

    @property
    def has_database(self) -> bool:
        """Whether there is a database: a file, or an address of one."""
        return bool(self.database_address) or self.database.exists()

    @property
    def postponed(self) -> Path:
        """Articles postponed in `iscore review`; optional."""
        return self.path / "put-off.txt"

    @property
    def pictures(self) -> Path:
        """Pictures of articles; may be missing, and may be deleted."""
        return self.path / "pictures"

    @property
    def extractor_record(self) -> Path:
        """Which extractors of other packages run, and which ended the program; may be missing, and may be deleted."""
        return self.path / "extractors"

    @property
    def is_untouched(self) -> bool:
        """Whether there is nothing at its place yet, but perhaps settings; False where the database is on a server."""
        try:
            found = {each.name for each in self.path.iterdir()}
        except FileNotFoundError:
            found = set()
        except OSError:  # ``require`` says what is wrong
            return False
        return not self.database_address and found <= {self.config.name, "lost+found"}

    def require(self) -> None:
        """Raise ``DataFolderError`` unless this is a data folder."""
        if not self.path.is_dir():
            raise DataFolderError(self.path, "no data folder here; `iscore init` creates one")
        if not self.has_database:
            raise DataFolderError(self.path, "this folder has no iscore.db; `iscore init` creates one")

    def create(self, feeds_file: Path | None, *, empty: bool = False) -> None:
        """Create the folder and its files, except the database. Files that exist stay as they are.

        ``empty``: without ``feeds_file``, follow nothing instead of the selection that comes with iScore.
        Raises ``DataFolderError`` when there is a database already, or the folder cannot be written.
        """
        if not self.database_address and self.database.exists():
            raise DataFolderError(self.path, "already a data folder; nothing changed")
        try:
            self.path.mkdir(mode=file_access.FOLDER, parents=True, exist_ok=True)
            if not self.config.exists():
                file_access.write(self.config, CONFIG.encode())
            if feeds_file is not None or not self.feeds.exists():
                # Read whole before it is written: it may be the same file.
                chosen = NO_FEEDS if empty and feeds_file is None else (feeds_file or default_feeds()).read_bytes()
                file_access.write(self.feeds, chosen)
        except FileExistsError as error:
            raise DataFolderError(self.path, "is not a folder") from error
        except OSError as error:
            raise DataFolderError(self.path, f"cannot be created: {os_problem(error)}") from error


def default_feeds() -> Path:
    """Return the file with the feeds of a new data folder."""
    here = Path(__file__).parents[1]
    installed = here / "default-feeds.yaml"
    return installed if installed.exists() else here.parent / "feeds.yaml"
