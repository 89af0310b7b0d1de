"""The thread that learns what is said on the pages, and explains; the only one that loads numbers and models.

Whoever reads never waits for it longer than they say. What it found last stays in force until it finds anew.
"""

from __future__ import annotations

import queue
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import TypeVar

from iscore.core.errors import IscoreError
from iscore.services.news_filter import NewsFilter
from iscore.services.views.articles import WhyView
from iscore.services.views.feeds import ExtractorProblem
from storage.errors import StorageError

T = TypeVar("T")

PAUSE = 0.4
"""Seconds without a verdict or a page before learning begins: who votes fast is not to be slowed down by it."""
LONGEST = 5.0
"""Seconds after the first of them in which it begins all the same."""
FIRST = 60
"""Stories that are explained before anybody asks."""
REMEMBERED = 2000
"""Stories whose reasons are kept."""
EXPLAINED = 200
"""Articles whose explanations are kept."""


class Study:
    """Learns and explains. ``tell`` is called with one line for each thing that went wrong."""

    def __init__(self, news: NewsFilter, tell: Callable[[str], None]) -> None:
        self._news = news
        self._tell = tell
        self._jobs: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._reasons: OrderedDict[str, tuple[str, ...]] = OrderedDict()
        self._explained: OrderedDict[str, WhyView] = OrderedDict()
        self._unexplained: OrderedDict[str, str] = OrderedDict()
        self._told: set[ExtractorProblem] = set()
        self._learn = threading.Event()
        self._since = 0.0
        self._stopped = False
        self._lock = threading.Lock()
        # A daemon: a process that is told to end must not wait for it. What it was learning is in the log.
        self._thread = threading.Thread(target=self._work, name="study", daemon=True)

    def start(self) -> None:
        """Begin with what will be asked first; who follows no feeds yet needs no model."""
        self._thread.start()
        self._jobs.put(self._begin)

    def stop(self, seconds: float) -> bool:
        """End after what is being done, and tell whether that came to an end within so many seconds."""
        self._stopped = True
        self._jobs.put(None)
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def learn(self) -> None:
        """Note that something was said; it is learned after a moment of quiet, or when that does not come."""
        if not self._learn.is_set():
            self._since = time.monotonic()
            self._learn.set()
        self._jobs.put(lambda: None)

    def reasons(self, ids: Sequence[str], *, seconds: float) -> dict[str, tuple[str, ...]]:
        """Return the reasons of these stories; what was never explained is explained if that takes no longer."""
        unknown = [each for each in ids if each not in self._reasons]
        if unknown:
            self._wait(lambda: self._explain_all(ids), seconds)
        with self._lock:
            return {each: self._reasons[each] for each in ids if each in self._reasons}

    def why(self, article_id: str, *, seconds: float) -> WhyView | None:
        """Explain an article's score as of now; after so many seconds as of before, or, None, not at all."""
        found = self._wait(lambda: self._explain(article_id), seconds)
        with self._lock:
            return found or self._explained.get(article_id)

    def why_not(self, article_id: str) -> str:
        """Say why an article could not be explained when that was last tried; empty if it could, or is being tried."""
        with self._lock:
            return self._unexplained.get(article_id, "")

    def _wait(self, job: Callable[[], T], seconds: float) -> T | None:
        """Have something done in the thread, and return what it gives, or None when that takes longer."""
        promised: Future[T] = Future()

        def do() -> None:
            try:
                promised.set_result(job())
            except BaseException as error:
                promised.set_exception(error)
                raise

        self._jobs.put(do)
        with suppress(Exception):  # late, or told already
            return promised.result(seconds)
        return None

    def _work(self) -> None:
        while not self._stopped:
            with suppress(queue.Empty):
                job = self._jobs.get(timeout=PAUSE if self._learn.is_set() else None)
                if job is not None:
                    self._try(job)
                if self._stopped or not self._overdue():
                    continue
            self._learn.clear()
            self._try(self._explain_known)

    def _overdue(self) -> bool:
        return self._learn.is_set() and time.monotonic() >= self._since + LONGEST

    def _try(self, job: Callable[[], object]) -> None:
        try:
            job()
        except Exception as error:  # the thread must go on, whatever an extractor does
            self._tell(f"learning: {_words(error)}")
        for problem in self._news.extractor_problems():
            if problem not in self._told:
                self._told.add(problem)
                self._tell(f"extractor {problem.name}: {problem.reason}; its features are missing")

    def _begin(self) -> None:
        ids = [item.id for item in self._news.current_inbox.view(limit=FIRST).items]
        if ids:
            self._explain_all(ids)

    def _explain_known(self) -> None:
        with self._lock:
            ids = list(self._reasons)
        self._explain_all(ids)

    def _explain_all(self, ids: Sequence[str]) -> None:
        told = self._news.current_inbox.reasons(ids)
        with self._lock:
            for each in ids:
                self._reasons[each] = told.get(each, ())
                self._reasons.move_to_end(each)
            while len(self._reasons) > REMEMBERED:
                self._reasons.popitem(last=False)

    def _explain(self, article_id: str) -> WhyView:
        try:
            view = self._news.why(article_id)
        except Exception as error:
            with self._lock:
                self._unexplained[article_id] = _words(error)
                while len(self._unexplained) > EXPLAINED:
                    self._unexplained.popitem(last=False)
            raise
        with self._lock:
            self._unexplained.pop(article_id, None)
            self._explained[article_id] = view
            self._explained.move_to_end(article_id)
            while len(self._explained) > EXPLAINED:
                self._explained.popitem(last=False)
        return view


def _words(error: Exception) -> str:
    expected = isinstance(error, IscoreError | StorageError)
    return str(error) if expected else f"unexpected {type(error).__name__}: {error}"
