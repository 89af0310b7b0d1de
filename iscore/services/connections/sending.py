"""Sends the outbox to another server: one tag a request, for many items, until it is empty or the server cannot."""

from __future__ import annotations

from itertools import groupby

from iscore.core.timings import Progress
from iscore.feeds.errors import RequestRefusedError
from iscore.feeds.remote.answers import LABEL
from iscore.feeds.remote.client import EDITED, ReaderClient
from iscore.services.connections.labels import LABELS
from storage.exchange import remote_items
from storage.opening.database import Database
from storage.records.connections import RemoteTag


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
