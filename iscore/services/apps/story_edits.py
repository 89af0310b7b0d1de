"""What marks from outside the pages mean: stars, labels, read and unread, from client apps and other servers.

Each is the state that is wanted, not a change: the same again does nothing more, and no verdict is recorded twice.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

from iscore.services.learning.reading_events import AN_HOUR
from iscore.services.learning.reading_events import record as record_reading
from iscore.services.learning.verdicts import record
from iscore.services.reading.reader import written_label
from storage.engine.base_database import Transaction
from storage.log import feedback, marks, reading_events
from storage.records.reading_events import Act
from storage.records.stories import Item
from storage.records.users import AppOption, Kind
from storage.stories.client_items import State, Stream

Options = Collection[AppOption]

CHANGED_MIND = timedelta(minutes=10)
"""Removing a star so soon undoes the like that it gave."""
STAR = "star-"
"""The ids of likes that stars gave begin with this."""
VERDICTS = {State.LIKE: Kind.LIKE, State.DISLIKE: Kind.DISLIKE}


class StoryEdit:
    """One change of some items, within a transaction."""

    def __init__(
        self,
        tx: Transaction,
        user_id: int,
        at: datetime,
        items: Sequence[Item],
        options: Options,
        *,
        unstarred_at: datetime | None = None,
    ) -> None:
        """``unstarred_at`` is when a star was removed, if that was not now."""
        self._tx, self._user_id, self._at, self._options = tx, user_id, at, options
        self._unstarred_at = unstarred_at or at
        self._seqs, self._stories = [each.seq for each in items], [each.story for each in items]
        self.recorded = False
        """Whether a verdict was recorded."""

    def add(self, stream: Stream) -> None:
        """Put the items into a stream."""
        tx, user, stories = self._tx, self._user_id, self._stories
        if stream.label:
            marks.add_label(tx, user, written_label(tx, user, stream.label), stories)
        elif stream.state is State.READ:
            marks.read(tx, user, stories, self._at)
            if len(stories) == 1:  # several at once are "mark all as read": nobody has opened those
                self._record_reading(Act.OPENED, visit=f"{self._at:%Y-%m-%d}")
        elif stream.state is State.KEPT_UNREAD:
            marks.keep_unread(tx, user, stories)
        elif stream.state is State.STARRED:
            marks.save(tx, user, stories, self._at)
            self._record_reading(Act.SAVED)
            if AppOption.STAR_ONLY_SAVES not in self._options:
                self._rate(Kind.LIKE, STAR)
        elif stream.state in VERDICTS:
            self._rate(VERDICTS[stream.state])

    def remove(self, stream: Stream) -> None:
        """Take the items out of a stream."""
        tx, user, stories = self._tx, self._user_id, self._stories
        if stream.label:
            marks.remove_label(tx, user, written_label(tx, user, stream.label), stories)
        elif stream.state is State.READ:
            marks.keep_unread(tx, user, stories)
        elif stream.state is State.STARRED:
            marks.unsave(tx, user, stories)
            self._record_reading(Act.UNSAVED)
            self._undo_stars()
        elif stream.state in VERDICTS:
            kind = VERDICTS[stream.state]
            given = feedback.verdicts(tx, user, self._seqs)
            self._append([seq for seq in self._seqs if given.get(seq) is kind], Kind.UNDO)

    def _rate(self, kind: Kind, origin: str = "") -> None:
        given = feedback.verdicts(self._tx, self._user_id, self._seqs)
        self._append([seq for seq in self._seqs if given.get(seq) is not kind], kind, origin)

    def _undo_stars(self) -> None:
        given = feedback.current(self._tx, self._user_id, self._seqs)
        since = None if AppOption.UNSTAR_UNDOES in self._options else self._unstarred_at - CHANGED_MIND
        starred = [seq for seq, each in given.items() if each.kind is Kind.LIKE and each.id.startswith(STAR)]
        self._append([seq for seq in starred if since is None or given[seq].at >= since], Kind.UNDO)

    def _append(self, seqs: Sequence[int], kind: Kind, origin: str = "") -> None:
        """Record verdicts. Unlike one on a page, none marks as read: apps send that themselves."""
        wanted = [(kind, seq) for seq in seqs]
        record(self._tx, self._user_id, wanted, self._at, origin=origin, marks_read=False)
        self.recorded = self.recorded or bool(wanted)

    def _record_reading(self, act: Act, visit: str = "") -> None:
        if AppOption.LEARN_READING not in self._options:
            return
        recent = reading_events.count_since(self._tx, self._user_id, self._at - timedelta(hours=1))
        if recent + len(self._seqs) <= AN_HOUR:
            record_reading(self._tx, self._user_id, act, self._seqs, self._at, visit=visit)
