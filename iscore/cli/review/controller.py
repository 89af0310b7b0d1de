"""A session with the news filter behind it: takes keys, and carries out what they ask for.

A new session is adopted when everything has been carried out, so that the next article appears when the verdict is on
disk. What fails becomes a notice, and the session stays where it was.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from iscore.cli.review.effects import Effect, Give, Mute, Open, PutOff, Quit, Refresh, Unmute
from iscore.cli.review.key_bindings import step
from iscore.cli.review.queues import Queue
from iscore.cli.review.session import Muted, Session, begun
from iscore.core.errors import IscoreError
from iscore.services.news_filter import NewsFilter
from iscore.services.views.inbox import ListedStory
from iscore.services.views.review import Outlook
from storage.errors import StorageError
from storage.records import Kind


@dataclass(frozen=True, slots=True)
class Summary:
    """What a session has come to."""

    likes: int
    dislikes: int
    skips: int
    put_off: int
    muted: tuple[str, ...]
    before: Outlook
    after: Outlook


class Desk:
    """One session. ``browse`` opens an address, which is of the web, and says in words what came of that."""

    def __init__(self, news: NewsFilter, queue: Queue, browse: Callable[[str], str]) -> None:
        self._news = news
        self._queue = queue
        self._browse = browse
        self._before = news.review_queue.outlook()
        self.session = begun((), {})
        self.story: ListedStory | None = None
        """What is looked at; None at the end."""
        self.had_any = False
        """Whether there was anything to go through when the session began."""

    def begin(self) -> bool:
        """Learn what was said before, and look at the first article; return whether there is any."""
        self.session, self.story = self._looked(self._queue.begin())
        self._before = self._news.review_queue.outlook()  # learning may have let some more in
        self.had_any = self.story is not None
        return self.had_any

    def press(self, key: str, *, height: int = 20) -> bool:
        """Take a key; return whether the session goes on. ``height`` is that of the screen's page, in lines."""
        session, effects = step(self.session, key, height=height)
        if any(isinstance(effect, Quit) for effect in effects):
            return False
        try:
            for effect in effects:
                session = self._carried_out(effect, session)
            moved = effects or session.here != self.session.here
            self.session, self.story = self._looked(session) if moved else (session, self.story)
        except (IscoreError, StorageError, OSError) as error:
            self.session = replace(self.session, notice=str(error))
        return True

    def clamp(self, lowest: int) -> None:
        """Tell the session that its page's last screenful begins at this line."""
        self.session = self.session.clamped(lowest)

    def summary(self) -> Summary:
        """Tell what this session has come to."""
        tally, after = self.session.tally(), self._news.review_queue.outlook()
        return Summary(
            likes=tally.get(Kind.LIKE, 0),
            dislikes=tally.get(Kind.DISLIKE, 0),
            skips=tally.get(Kind.SKIP, 0),
            put_off=self.session.passed(),
            muted=tuple(deed.text for deed in self.session.deeds if isinstance(deed, Muted)),
            before=self._before,
            after=after,
        )

    def _looked(self, session: Session) -> tuple[Session, ListedStory | None]:
        """Read the article that the session is at; pass by what has left, or was judged elsewhere meanwhile."""
        while True:
            if session.lacks:
                session = session.extended(self._queue.more(session))
            here = session.here
            if here is None:
                return session, None
            found = self._news.reading.listed([here])
            if not found:
                session = session.hiding(session.hidden | {here})
            elif found[0].verdict is not None and session.waits(here):
                session = session.noting(here, found[0].verdict)
                session = session.at(session.after(), session.notice)
            else:
                known = session.said.get(here) is found[0].verdict
                return session if known else session.noting(here, found[0].verdict), found[0]

    def _carried_out(self, effect: Effect, session: Session) -> Session:
        match effect:
            case Give(article_id, kind):
                self._news.give(kind, [article_id])
            case PutOff(article_id):
                self._news.review_queue.put_off(article_id)
            case Open(article_id, number):
                return replace(session, notice=self._opened(article_id, number))
            case Mute(article_id, field, text):
                return self._muted(session, article_id, field, text)
            case Unmute(field, text):
                return self._unmuted(session, field, text)
            case Refresh():
                fresh = self._queue.begin()
                waiting = sum(1 for _ in fresh.waiting)
                return session.anew(fresh, f"Learned what you said. {waiting:,} to go through.")
        return session

    def _opened(self, article_id: str, number: int) -> str:
        """Open an article, or one of its story's, and say what came of that."""
        (story,) = self._news.reading.listed([article_id])
        if number > len(story.carriers):
            return f"There are only {len(story.carriers)}."
        url = story.carriers[number - 1].url if number else story.item.url
        # What stands in a feed could be the path of a file, or an option of the browser.
        if not re.match("https?://[^/]", url, re.IGNORECASE):
            return "This article has no address on the web."
        return self._browse(url)

    def _muted(self, session: Session, article_id: str, field: str, text: str) -> Session:
        (story,) = self._news.reading.listed([article_id])
        text = text or (story.item.source if field == "source" else story.item.author)
        if not text:
            return replace(session, notice=f"This article names no {field}.")
        before = self._news.review_queue.ruled_out()
        rule = self._news.rules.add("never", "phrase" if field == "word" and " " in text else field, text)
        now = (self._news.review_queue.ruled_out() - before).intersection(session.waiting)
        done = session.doing(Muted(article_id, rule.field, rule.text)).hiding(session.hidden | now)
        return replace(done, notice=f"{rule.words}. {len(now):,} fewer to go through; u takes it back.")

    def _unmuted(self, session: Session, field: str, text: str) -> Session:
        numbers = [
            rule.number
            for rule in self._news.rules.list()
            if (rule.action, rule.field, rule.text) == ("never", field, text)
        ]
        if numbers:
            self._news.rules.remove(numbers[-1])
        return session.hiding(session.hidden & self._news.review_queue.ruled_out())
