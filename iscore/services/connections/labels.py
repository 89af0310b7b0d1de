"""What iScore sets on another server: a label for each story's band, and hidden stories as read if the user wants that.

    decisions, rules ─► wanted tags ─► those that differ from what is ours ─► outbox ─► the other server

Bands exclude each other, unlike the labels of iScore's own API: best, else maybe, else hidden. Archive has none. A
request sets or removes one tag of many items.
"""

from __future__ import annotations

from datetime import datetime
from itertools import groupby

from iscore.core.timings import Progress
from iscore.feeds.errors import RequestRefusedError
from iscore.feeds.remote.answers import LABEL, READ
from iscore.feeds.remote.client import EDITED, ReaderClient
from storage.engine.transaction import Transaction
from storage.exchange import remote_items
from storage.opening.database import Database
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


async def send_outbox(database: Database, user_id: int, client: ReaderClient, progress: Progress | None = None) -> int:
    """Send all that waits; return how many tags were set or removed.

    What was sent leaves the outbox after the answer: a process that dies in between sends it again, which changes
    nothing there. Raises ``ReaderServerError`` with the rest still waiting.
    """
    with database.read() as tx:
        waiting = remote_items.waiting(tx, user_id)
    done = sent = refused = 0
    batches = _batches(waiting)[::-1]
    while batches and refused < EDITED:  # a server may refuse everything: the rest waits for the next time
        batch = batches.pop()
        if progress is not None:
            progress(done, len(waiting), "labelling")
        try:
            await client.set_tag([each.item for each in batch], batch[0].tag, wanted=batch[0].wanted)
        except RequestRefusedError:
            if len(batch) > 1:  # maybe because of one of them
                batches += [batch[len(batch) // 2 :], batch[: len(batch) // 2]]
                continue
            with database.write(user_id) as tx:
                remote_items.refuse(tx, user_id, batch)
            refused += 1
        else:
            with database.write(user_id) as tx:
                remote_items.sent(tx, user_id, batch)
            sent += len(batch)
        done += len(batch)
    return sent


def _batches(waiting: list[RemoteTag]) -> list[list[RemoteTag]]:
    """Return the rows of the outbox by tag, removals before what should be set, at most ``EDITED`` together.

    Those that were refused before are apart, at the end.
    """
    rows = sorted(waiting, key=lambda each: (each.refused > 0, each.wanted, each.tag, each.item))
    batches = []
    for _, group in groupby(rows, key=lambda each: (each.refused > 0, each.wanted, each.tag)):
        same = list(group)
        batches += [same[start : start + EDITED] for start in range(0, len(same), EDITED)]
    return batches


async def delete_labels(client: ReaderClient) -> None:
    """Delete our labels from a FreshRSS if no item has them any more. A category of the same name is left alone."""
    folders = {folder for each in await client.feeds() for folder in each.folders}
    there = set(await client.labels()) - folders
    for name in (each.removeprefix(LABEL) for each in LABELS):
        if name in there and not await client.label(name):
            await client.delete_label(name)
