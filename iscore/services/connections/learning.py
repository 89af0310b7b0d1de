"""What the user has done on another server, before the connection and since it was asked last, learned once.

    stars and likes from before ─► one import, which can be listed and undone
    stars and labels there ─► differ from those seen last? ─► what the same marks of a client app mean (``StoryEdit``)
    read there, and not by us ─► read here, and a reading event each, unless there are many at once

The state seen last changes in the same transaction as the log, so that nothing is learned twice whatever is killed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from iscore.feeds.remote.answers import READ, FoundItem
from iscore.services.apps.story_edits import StoryEdit
from iscore.services.interests import import_store as store
from iscore.services.interests.formats.builder import item_of
from iscore.services.interests.import_store import Measure
from iscore.services.learning.verdicts import record
from storage.engine.base_database import Transaction
from storage.exchange import remote_items
from storage.log import feedback
from storage.opening.database import Database
from storage.records.connections import Connection, ConnectionOption, RemoteItem
from storage.records.stories import Item
from storage.records.users import AppOption, Kind
from storage.stories import client_items
from storage.stories.client_items import State, Stream, Unread
from storage.stream.visibility import leads

MOST_OPENED = 20
"""More stories that were read between two synchronisations were marked as read together: nobody opened them."""
_STATES = {"starred": State.STARRED, "liked": State.LIKE, "disliked": State.DISLIKE}


@dataclass(frozen=True, slots=True)
class Learned:
    """What was learned."""

    verdicts: int
    """Rows of the log."""
    read: int
    """Stories that were read there."""


def learn(
    tx: Transaction,
    connection: Connection,
    found: Iterable[FoundItem],
    gone: Collection[int],
    unread: Collection[int],
    *,
    since: datetime,
    at: datetime,
) -> Learned:
    """Learn from items as they are there now.

    Parameters
    ----------
    found
        Items that are new, or whose stars or labels differ from those seen last.
    gone
        Items that are not there any more: nothing is learned from that.
    unread
        The unread items there.
    since
        Items whose articles arrived earlier are not asked whether they were read.
    """
    user = connection.user_id
    now = {each.item: each for each in found}
    known = remote_items.get(tx, user, [*now, *gone])
    for item in gone:
        if item in known:
            remote_items.change(tx, user, RemoteItem(item, None, read=known[item].read))
    changed = {item: each for item, each in known.items() if item in now and _differs(each, now[item])}
    recent = [each for each in remote_items.since(tx, user, since) if not each.read and READ not in each.ours]
    read = [each for each in recent if each.item not in unread]
    stories = _stories(tx, user, [*changed.values(), *read], since)
    options = _options(connection)
    before = feedback.last_row(tx, user)
    for item, each in changed.items():
        if each.seq in stories:
            edit = StoryEdit(tx, user, at, [stories[each.seq]], options, unstarred_at=connection.synced)
            _edit(edit, each, now[item])
        _undo_import(tx, connection, each, now[item], at)
        flags = {name: getattr(now[item], name) for name in _STATES}
        remote_items.change(tx, user, replace(each, **flags))
    verdicts = feedback.last_row(tx, user) - before
    items = [stories[each.seq] for each in read if each.seq in stories]
    together = [items] if len(items) > MOST_OPENED and connection.synced is not None else [[each] for each in items]
    for group in together:
        StoryEdit(tx, user, at, group, options).add(Stream(State.READ))
    for each in remote_items.get(tx, user, [each.item for each in read]).values():
        remote_items.change(tx, user, replace(each, read=True))
    return Learned(verdicts, len(items))


def _differs(each: RemoteItem, now: FoundItem) -> bool:
    return any(getattr(each, name) != getattr(now, name) for name in _STATES)


def _edit(edit: StoryEdit, before: RemoteItem, now: FoundItem) -> None:
    for name, state in _STATES.items():
        if getattr(before, name) and not getattr(now, name):
            edit.remove(Stream(state))
    for name, state in _STATES.items():
        if getattr(now, name) and not getattr(before, name):
            edit.add(Stream(state))


def _undo_import(tx: Transaction, connection: Connection, before: RemoteItem, now: FoundItem, at: datetime) -> None:
    """Undo what was learned of a star or like from before the connection, when it is gone there.

    Such a star is older than any change of mind, so it is undone only if the user wants that however old it is.
    """
    undone = before.liked or ConnectionOption.UNSTAR_UNDOES in connection.options
    if before.seq is None or not undone or now.liked or now.starred:
        return
    story = feedback.story(tx, connection.user_id, before.seq)
    if feedback.verdict(tx, connection.user_id, story) is Kind.IMPORTED:
        record(tx, connection.user_id, [(Kind.UNDO, before.seq)], at, marks_read=False)


def _stories(tx: Transaction, user_id: int, items: Sequence[RemoteItem], since: datetime) -> Mapping[int | None, Item]:
    """Return the stories of items, by article."""
    leading = leads(tx, user_id, [each.seq for each in items if each.seq is not None])
    found = client_items.get(tx, user_id, Unread(since), list(dict.fromkeys(leading.values())))
    by_lead = {each.seq: each for each in found}
    return {seq: by_lead[lead] for seq, lead in leading.items() if lead in by_lead}


def _options(connection: Connection) -> set[AppOption]:
    chosen = {
        ConnectionOption.STAR_ONLY_SAVES: AppOption.STAR_ONLY_SAVES,
        ConnectionOption.UNSTAR_UNDOES: AppOption.UNSTAR_UNDOES,
    }
    given = {meaning for option, meaning in chosen.items() if option in connection.options}
    return {AppOption.LEARN_READING, *given}  # recorded only if the user agreed to learning from reading


def import_history(
    database: Database, connection: Connection, found: Sequence[FoundItem], measure: Measure, at: datetime
) -> int:
    """Learn from items, and remember them; return how many were learned. What is known already is not learned again."""
    made = [
        item_of(
            each.url,
            each.title,
            each.markup,
            author=each.author,
            categories=each.tags,
            added=each.arrived,
            saved=each.starred,
        )
        for each in found
    ]
    items = list({item.key: item for item in made if item is not None}.values())
    user = connection.user_id
    unliked = set()
    if ConnectionOption.STAR_ONLY_SAVES in connection.options:
        unliked = {item.key for each, item in zip(found, made, strict=True) if item and not each.liked}
    sorted_ = store.classify(database, user, [item for item in items if item.key not in unliked])
    name = f"{connection.kind}, starred before {connection.connected:%Y-%m-%d}"
    saved = [item for item in items if item.saved]
    learned = store.store(database, user, name, sorted_, measure, at=at, save=saved).learned
    numbers = store.numbers(database, user, items)
    remembered = [
        RemoteItem(
            each.item, numbers.get(item.key) if item else None, each.starred, each.liked, each.disliked, read=True
        )
        for each, item in zip(found, made, strict=True)
    ]
    with database.write(user) as tx:
        remote_items.add(tx, user, remembered)
    return learned
