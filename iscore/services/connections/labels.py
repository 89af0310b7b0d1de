"""What iScore sets on another server: a label for each story's band, and hidden stories as read if the user wants that.

    decisions, rules ─► wanted tags ─► those that differ from what is ours ─► outbox

Bands exclude each other, unlike the labels of iScore's own API: best, else maybe, else hidden. Archive has none.
"""

from __future__ import annotations

from datetime import datetime

from iscore.feeds.remote_server.answers import LABEL, READ
from storage.engine.transaction import Transaction
from storage.exchange import remote_items
from storage.records.connections import Connection, ConnectionOption, ReaderKind, RemoteItem, RemoteTag
from storage.records.stories import Item
from storage.stories import client_items
from storage.stories.client_items import Unread
from storage.stream.visibility import leads

BEST, MAYBE, HIDDEN = f"{LABEL}iScore: best", f"{LABEL}iScore: maybe", f"{LABEL}iScore: hidden"
LABELS = (BEST, MAYBE, HIDDEN)


def wanted_tags(story: Item, there: RemoteItem, connection: Connection) -> set[str]:
    """Return the tags of ours that an item should have. Pure.

    What the user has starred, liked or read there is not marked as read; what iScore has marked so stays so while it is
    hidden, also if the user marks it as unread.
    """
    band = BEST if story.best else MAYBE if story.maybe else HIDDEN if story.hidden else ""
    tags = {band} if band and connection.kind is not ReaderKind.MINIFLUX else set()
    touched = there.starred or there.liked or there.read
    if band == HIDDEN and ConnectionOption.HIDDEN_READ in connection.options and (READ in there.ours or not touched):
        tags.add(READ)
    return tags


def put_into_outbox(tx: Transaction, connection: Connection, since: datetime) -> int:
    """Put the changes of the tags of items that arrived ``since`` into the outbox; return how many.

    The other server's items are known by ``storage.exchange.remote_items``; what waits in the outbox counts as done.
    """
    user = connection.user_id
    there = [each for each in remote_items.since(tx, user, since) if each.seq is not None]
    leading = leads(tx, user, [each.seq for each in there if each.seq is not None])
    stories = {each.seq: each for each in client_items.get(tx, user, Unread(since), list(set(leading.values())))}
    waiting = remote_items.wishes(tx, user)
    changes = []
    for each in there:
        story = stories.get(leading.get(each.seq or 0, 0))
        if story is None:
            continue
        wanted = wanted_tags(story, each, connection)
        now = {tag for tag in each.ours if waiting.get((each.item, tag), True)}
        changes += [RemoteTag(each.item, tag, wanted=True) for tag in sorted(wanted - now)]
        changes += [RemoteTag(each.item, tag, wanted=False) for tag in sorted(now - wanted)]
    remote_items.want(tx, user, changes)
    return len(changes)
