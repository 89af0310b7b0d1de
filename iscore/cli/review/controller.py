"""Runs a review with the news filter: takes keys and runs their effects.

A new session becomes current only after its effects succeeded, so the next article appears when the verdict is on
disk. When an effect fails, the session stays as it was and shows the error as its notice.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from iscore.cli.review.keys import press
from iscore.cli.review.queues import Queue
from iscore.cli.review.session import (
    Effect,
    Give,
    Mute,
    Muted,
    Open,
    Postpone,
    Quit,
    Refresh,
    Session,
    Unmute,
    start,
)
from iscore.core.errors import IscoreError
from iscore.services.news_filter import NewsFilter
from iscore.services.views.stories import Outlook, StoryView
from storage.engine.errors import StorageError
from storage.records.users import Kind


@dataclass(frozen=True, slots=True)
class Summary:
    """The result of a session."""

    likes: int
    dislikes: int
    skips: int
    postponed: int
    muted: tuple[str, ...]
    before: Outlook
    after: Outlook


class Controller:
    """One session. ``browse`` opens a web address and returns a message about the outcome."""

    def __init__(self, news: NewsFilter, queue: Queue, browse: Callable[[str], str]) -> None:
        self._news = news
        self._queue = queue
        self._browse = browse
        self._before = news.review_queue.outlook()
        self.session = start((), {})
        self.story: StoryView | None = None
        """The current article; None at the end."""
        self.had_articles = False
        """Whether the session had any article when it began."""

    def begin(self) -> bool:
        """Learn from earlier verdicts and load the first article; return whether there is one."""
        self.session, self.story = self._load(self._queue.begin())
        self._before = self._news.review_queue.outlook()  # learning may have moved articles into the inbox
        self.had_articles = self.story is not None
        return self.had_articles

    def press(self, key: str, *, height: int = 20) -> bool:
        """Handle a key; return whether the session goes on. ``height`` is the page's height in lines."""
        session, effects = press(self.session, key, height=height)
        if any(isinstance(effect, Quit) for effect in effects):
            return False
        try:
            for effect in effects:
                session = self._run(effect, session)
            moved = effects or session.here != self.session.here
            self.session, self.story = self._load(session) if moved else (session, self.story)
        except (IscoreError, StorageError, OSError) as error:
            self.session = replace(self.session, notice=str(error))
        return True

    def clamp(self, last_top: int) -> None:
        """Do not scroll past the last screenful, which starts at line ``last_top``."""
        self.session = self.session.clamped(last_top)

    def summary(self) -> Summary:
        """Return what the session did so far."""
        counts, after = self.session.counts(), self._news.review_queue.outlook()
        return Summary(
            likes=counts.get(Kind.LIKE, 0),
            dislikes=counts.get(Kind.DISLIKE, 0),
            skips=counts.get(Kind.SKIP, 0),
            postponed=self.session.postponed_count(),
            muted=tuple(action.text for action in self.session.actions if isinstance(action, Muted)),
            before=self._before,
            after=after,
        )

    def _load(self, session: Session) -> tuple[Session, StoryView | None]:
        """Load the session's current article; pass over what was deleted, or got a verdict elsewhere, since."""
        while True:
            if session.missing:
                session = session.extended(self._queue.more(session))
            here = session.here
            if here is None:
                return session, None
            found = self._news.current_inbox.stories([here])
            if not found:
                session = session.with_hidden(session.hidden | {here})
            elif found[0].verdict is not None and session.is_undecided(here):
                session = session.with_verdict(here, found[0].verdict)
                session = session.at(session.next_position(), session.notice)
            else:
                known = session.verdicts.get(here) is found[0].verdict
                return session if known else session.with_verdict(here, found[0].verdict), found[0]

    def _run(self, effect: Effect, session: Session) -> Session:
        match effect:
            case Give(article_id, kind):
                self._news.give(kind, [article_id])
            case Postpone(article_id):
                self._news.review_queue.postpone(article_id)
            case Open(article_id, number):
                return replace(session, notice=self._open(article_id, number))
            case Mute(article_id, field, text):
                return self._mute(session, article_id, field, text)
            case Unmute(field, text):
                return self._unmute(session, field, text)
            case Refresh():
                fresh = self._queue.begin()
                remaining = sum(1 for _ in fresh.undecided)
                return session.restarted(fresh, f"Learned from your verdicts. {remaining:,} to review.")
        return session

    def _open(self, article_id: str, number: int) -> str:
        """Open an article, or one source of its story, in the browser."""
        (story,) = self._news.current_inbox.stories([article_id])
        if number > len(story.sources):
            return f"There are only {len(story.sources)} sources."
        url = story.sources[number - 1].url if number else story.url
        # A feed could name a local file, or an option of the browser.
        if not re.match("https?://[^/]", url, re.IGNORECASE):
            return "This article has no web address."
        return self._browse(url)

    def _mute(self, session: Session, article_id: str, field: str, text: str) -> Session:
        (story,) = self._news.current_inbox.stories([article_id])
        text = text or (story.source if field == "source" else story.author)
        if not text:
            return replace(session, notice=f"This article has no {field}.")
        before = self._news.review_queue.hidden_by_rules()
        rule = self._news.rules.add("never", "phrase" if field == "word" and " " in text else field, text)
        hidden = (self._news.review_queue.hidden_by_rules() - before).intersection(session.undecided)
        session = session.with_action(Muted(article_id, rule.field, rule.text)).with_hidden(session.hidden | hidden)
        return replace(session, notice=f"{rule.words}. {len(hidden):,} fewer to review; u undoes it.")

    def _unmute(self, session: Session, field: str, text: str) -> Session:
        numbers = [
            rule.number
            for rule in self._news.rules.list()
            if (rule.action, rule.field, rule.text) == ("never", field, text)
        ]
        if numbers:
            self._news.rules.remove(numbers[-1])
        return session.with_hidden(session.hidden & self._news.review_queue.hidden_by_rules())
