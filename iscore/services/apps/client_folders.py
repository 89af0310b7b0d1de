"""Folders of feeds, as client apps see and change them.

    tags of feeds ─► the first is the folder ─► its number, which stays

Some apps know folders by numbers, and put each feed into one. A feed without tags is in the folder ``NO_FOLDER``.
Numbers are given when an app lists folders; one that only feeds had is forgotten when none has it any more, and one
that an app has made stays.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from iscore.core.errors import IscoreError
from iscore.core.sanitizing import line
from iscore.services.apps.client_apps import ClientApps
from iscore.services.reading.reader import written_label
from iscore.services.session.user_session import UserSession
from iscore.services.subscriptions.subscriptions import Subscriptions
from iscore.services.views.other_programs import ClientFeed, ClientFolder
from storage.people import folders
from storage.records.feeds import Folder, Subscription

NO_FOLDER = 1
"""The number of the folder of feeds that are in none."""


class FolderExistsError(IscoreError):
    """There is a folder of this name."""


class ClientFolders:
    """One user's folders."""

    def __init__(self, session: UserSession) -> None:
        self._database = session.database
        self._context = session.context
        self._apps = session.service(ClientApps)
        self._subscriptions = session.service(Subscriptions)

    def all(self) -> list[ClientFolder]:
        """List the folders in the order of their numbers, first that of feeds without any."""
        members: dict[str, list[ClientFeed]] = {"": []}
        names: dict[str, str] = {}
        for feed in self._apps.feeds():
            name = feed.folders[0] if feed.folders else ""
            names.setdefault(name.casefold(), name)
            members.setdefault(name.casefold(), []).append(feed)
        numbered = self._numbered([name for name in names.values() if name])
        rest = [
            ClientFolder(each.number, names.get(each.name.casefold(), each.name), tuple(members.get(key, ())))
            for each in numbered
            for key in (each.name.casefold(),)
        ]
        return [ClientFolder(NO_FOLDER, "", tuple(members[""])), *rest]

    def names(self) -> list[str]:
        """List all tags of feeds, and the folders that an app has made, in alphabetical order."""
        tags = {tag for feed in self._apps.feeds() for tag in feed.folders}
        known = set(map(str.casefold, tags))
        with self._database.read() as tx:
            made = [each.name for each in folders.list_folders(tx, self._context.user_id) if each.made]
        return sorted((*tags, *(each for each in made if each.casefold() not in known)), key=str.casefold)

    def make(self, name: str) -> None:
        """Make an empty folder, if there is none of this name. An empty name makes none. Raises ``LabelError``."""
        if not name:
            return
        with self._database.read() as tx:
            wanted = written_label(tx, self._context.user_id, name)
        with suppress(FolderExistsError):
            self.create(wanted)

    def create(self, name: str) -> int:
        """Make an empty folder and return its number. Raises ``FolderExistsError``."""
        wanted = self._free(name)
        with self._database.write(self._context.user_id) as tx:
            return folders.add(tx, self._context.user_id, wanted, made=True)

    def rename(self, number: int, name: str) -> None:
        """Give a folder another name; its number stays. Raises ``FolderExistsError``, ``SubscriptionsError``."""
        old = self._name(number)
        wanted = self._free(name, but=number)
        if old and wanted != old:
            with self._database.write(self._context.user_id) as tx:
                folders.rename(tx, self._context.user_id, number, wanted)
            self._subscriptions.rename_folder(old, wanted)

    def remove(self, number: int) -> None:
        """Remove a folder; its feeds stay, without it. Raises ``SubscriptionsError``."""
        name = self._name(number)
        if name:
            self._subscriptions.rename_folder(name)
            with self._database.write(self._context.user_id) as tx:
                folders.remove(tx, self._context.user_id, [number])

    def relabel(self, old: str, new: str) -> bool:
        """Give a folder another name, which may be that of another folder, or with an empty one remove it.

        Return whether there was one. Its feeds stay. Raises ``SubscriptionsError``.
        """
        user, changed = self._context.user_id, self._subscriptions.rename_folder(old, new)
        with self._database.write(user) as tx:
            known = {each.name.casefold(): each.number for each in folders.list_folders(tx, user)}
            number = known.pop(old.casefold(), 0)
            if number and new and new.casefold() not in known:
                folders.rename(tx, user, number, new)
            elif number:
                folders.remove(tx, user, [number])
        return bool(changed or number)

    def put(self, feed: int, number: int) -> None:
        """Put a feed into a folder in place of the one that it is in. Raises ``UnknownFeedError``,
        ``SubscriptionsError``.
        """
        name = self._name(number)

        def changed(mine: Subscription) -> Subscription:
            rest = [tag for tag in mine.tags[1:] if tag.casefold() != name.casefold()]
            return replace(mine, tags=(name, *rest) if name else ())

        self._subscriptions.change(feed, changed)

    def _name(self, number: int) -> str:
        return next((each.name for each in self.all() if each.number == number), "")

    def _free(self, name: str, but: int = 0) -> str:
        wanted = line(name)
        others = {each.name.casefold() for each in self.all() if each.number != but}
        if wanted.casefold() in others:
            raise FolderExistsError(wanted)
        return wanted

    def _numbered(self, names: list[str]) -> list[Folder]:
        """Return the folders of some names, and those that apps have made; give numbers where there are none."""
        user = self._context.user_id
        used = {name.casefold() for name in names}
        with self._database.read() as tx:
            known = folders.list_folders(tx, user)
        have = {each.name.casefold() for each in known}
        if used <= have and all(each.made or each.name.casefold() in used for each in known):
            return known
        with self._database.write(user) as tx:
            known = folders.list_folders(tx, user)
            have = {each.name.casefold() for each in known}
            folders.remove(
                tx, user, [each.number for each in known if not each.made and each.name.casefold() not in used]
            )
            for name in names:
                if name.casefold() not in have:
                    folders.add(tx, user, name, made=False)
            return folders.list_folders(tx, user)
