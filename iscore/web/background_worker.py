"""The thread that has new verdicts learned and explanations computed, by ``model_process``.

Pages wait for its results with a timeout, and show the last ones when it takes longer.
"""

from __future__ import annotations

import os
import queue
import shutil
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path

from iscore.core.errors import IscoreError, ServeError
from iscore.core.translation import language, use_language
from iscore.services.news_filter import NewsFilter
from iscore.services.views.feeds import ExtractorProblem
from iscore.services.views.stories import WhyView
from iscore.web.long_work import LongWork
from iscore.web.model_process import Answer, UserModel
from storage.engine.errors import StorageError

IDLE = 120.0
"""Seconds without a request before the model leaves the memory."""
PAUSE = 0.4
"""Seconds without a verdict or a page load before learning starts, so that fast voting stays fast."""
MAX_DELAY = 5.0
"""Seconds after the first verdict before learning starts anyway."""
PRELOADED = 60
"""Stories explained at start."""
MAX_REASONS = 2000
"""Stories whose reasons are cached."""
MAX_EXPLANATIONS = 200
"""Articles whose explanations are cached."""
MAX_LOGGED = 100
"""Problems of extractors that are not logged again."""


InLanguage = tuple[str, str]
"""A language and the id of an article, which is explained in it."""


class BackgroundWorker:
    """Learns and explains for one user, with ``model``, in the language of who asks.

    ``log`` gets one line for each error.
    """

    def __init__(self, news: NewsFilter, model: UserModel, log: Callable[[str], None]) -> None:
        self._news = news
        self._model = model
        self._log = log
        self._jobs: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._reasons: OrderedDict[InLanguage, tuple[str, ...]] = OrderedDict()
        self._explained: OrderedDict[InLanguage, WhyView] = OrderedDict()
        self._errors: OrderedDict[InLanguage, str] = OrderedDict()
        self._waiting: dict[tuple[str, ...], Future[None]] = {}
        self._logged: OrderedDict[ExtractorProblem, None] = OrderedDict()
        self._learn = threading.Event()
        self.last_import: LongWork[Answer] | None = None
        """The last import since the start; it may be going on."""
        self._since = 0.0
        self._stopped = False
        self._lock = threading.Lock()
        # A daemon thread, so that it never blocks the end of the process; unlearned verdicts are in the log.
        self._thread = threading.Thread(target=self._work, name="background-worker", daemon=True)

    def start(self) -> None:
        """Start, and explain the first stories of the inbox, if there are any."""
        self._thread.start()
        locale = language()
        self._jobs.put(lambda: self._preload(locale))

    def stop(self, seconds: float) -> bool:
        """Stop now; return whether the thread has ended within ``seconds``."""
        self._stopped = True
        self._model.stop()
        self._jobs.put(None)
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def learn(self) -> None:
        """Learn new verdicts soon: after ``PAUSE`` without requests, or after ``MAX_DELAY``."""
        if not self._learn.is_set():
            self._since = time.monotonic()
            self._learn.set()
        self._jobs.put(lambda: None)

    def explain(self, ids: Sequence[str]) -> Future[None]:
        """Compute the reasons of those of these stories that have none; done when that has been tried."""
        locale = language()
        missing = tuple(each for each in ids if (locale, each) not in self._reasons)
        if not missing:
            return _done()
        return self._request((locale, *missing), lambda: self._explain_all(missing, locale))

    def reasons(self, ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Return the last reasons of these stories, where there are any."""
        with self._lock:
            known = ((each, self._reasons.get((language(), each))) for each in ids)
            return {each: found for each, found in known if found is not None}

    def explain_score(self, article_id: str) -> Future[None]:
        """Explain an article's score by what is known now; done when that has been tried."""
        locale = language()
        return self._request((locale, article_id, "score"), lambda: self._explain(article_id, locale))

    def why(self, article_id: str) -> WhyView | None:
        """Return the last explanation of an article's score; None if there is none."""
        with self._lock:
            return self._explained.get((language(), article_id))

    def error(self, article_id: str) -> str:
        """Return why the last explanation of an article failed; empty if it did not."""
        with self._lock:
            return self._errors.get((language(), article_id), "")

    def headlines(self) -> Future[tuple[str, ...]]:
        """Choose the ids of headlines."""
        chosen: Future[tuple[str, ...]] = Future()
        self._jobs.put(lambda: self._choose(chosen))
        return chosen

    def recommendations_a_day(self, betas: Sequence[float]) -> Future[tuple[float, ...]]:
        """Compute how many recommendations a day each beta would give; empty if that is not known."""
        found: Future[tuple[float, ...]] = Future()

        def compute() -> None:
            try:
                found.set_result(self._checked(self._model.recommendations_a_day(betas)).a_day)
            except IscoreError as error:
                found.set_exception(error)

        self._jobs.put(compute)
        return found

    def add_interests(self, texts: Sequence[str]) -> Future[str]:
        """Add an interest for each text, all or none; the result is why that failed, or empty."""
        done: Future[str] = Future()
        locale = language()

        def add() -> None:
            with use_language(locale):
                done.set_result(self._model.add_interests(texts).error)

        self._jobs.put(add)
        return done

    def import_file(self, file: Path) -> LongWork[Answer] | None:
        """Import a file, and delete it with its folder; None, and deleted at once, while another import goes on."""
        begun: LongWork[Answer] = LongWork()
        locale = language()

        def work() -> None:
            with use_language(locale):
                answer = self._model.import_file(file, begun.report)
            shutil.rmtree(file.parent, ignore_errors=True)
            shown = str(file.parent) + os.sep  # nobody needs to know where it was
            problems = tuple(each.replace(shown, "") for each in answer.imported.problems) if answer.imported else ()
            imported = answer.imported and replace(answer.imported, problems=problems)
            begun.result.set_result(replace(answer, error=answer.error.replace(shown, ""), imported=imported))
            self.learn()

        with self._lock:
            if self.last_import is not None and self.last_import.goes_on:
                shutil.rmtree(file.parent, ignore_errors=True)
                return None
            self.last_import = begun
        self._jobs.put(work)
        return begun

    def forget_import(self) -> None:
        """Forget what the last import did."""
        with self._lock:
            if self.last_import is not None and not self.last_import.goes_on:
                self.last_import = None

    def _request(self, key: tuple[str, ...], job: Callable[[], None]) -> Future[None]:
        """Run ``job`` in the thread, once for all who ask before it starts."""
        with self._lock:
            waiting = self._waiting.get(key)
            if waiting is None:
                waiting = self._waiting[key] = Future()
                self._jobs.put(lambda: self._run(key, job))
            return waiting

    def _run(self, key: tuple[str, ...], job: Callable[[], None]) -> None:
        with self._lock:
            waiting = self._waiting.pop(key)
        try:
            job()
        finally:
            waiting.set_result(None)

    def _work(self) -> None:
        while not self._stopped:
            learning = self._learn.is_set()
            try:
                job = self._jobs.get(timeout=PAUSE if learning else IDLE)
            except queue.Empty:
                job = None if learning else self._model.end
            if job is not None:
                self._try(job)
            if self._learn.is_set() and not self._stopped and (job is None or self._overdue()):
                self._learn.clear()
                self._try(self._learn_and_explain)
        self._model.end()

    def _overdue(self) -> bool:
        return time.monotonic() >= self._since + MAX_DELAY

    def _try(self, job: Callable[[], object]) -> None:
        try:
            job()
        except Exception as error:  # the thread must survive
            if not self._stopped:
                expected = isinstance(error, IscoreError | StorageError)
                what = str(error) if expected else f"unexpected {type(error).__name__}: {error}"
                self._log(f"learning: {what}")

    def _checked(self, answer: Answer) -> Answer:
        """Log what is wrong with extractors. Raises ``ServeError`` if the answer is an error."""
        for problem in answer.problems:
            if problem not in self._logged:
                self._logged[problem] = None
                if len(self._logged) > MAX_LOGGED:
                    self._logged.popitem(last=False)
                self._log(f"extractor {problem.name}: {problem.reason}; its features are missing")
        if answer.error:
            raise ServeError(answer.error)
        return answer

    def _preload(self, locale: str) -> None:
        ids = [item.id for item in self._news.inbox(limit=PRELOADED, learn=False).items]
        if ids:
            self._explain_all(ids, locale)

    def _learn_and_explain(self) -> None:
        self._checked(self._model.learn())
        with self._lock:
            known = list(self._reasons)
        for locale in dict.fromkeys(each for each, _ in known):
            self._explain_all([article_id for each, article_id in known if each == locale], locale)

    def _explain_all(self, ids: Sequence[str], locale: str) -> None:
        with use_language(locale):
            reasons = self._checked(self._model.explain(ids)).reasons
        with self._lock:
            for each in ids:
                self._reasons[locale, each] = reasons.get(each, ())
                self._reasons.move_to_end((locale, each))
            while len(self._reasons) > MAX_REASONS:
                self._reasons.popitem(last=False)

    def _explain(self, article_id: str, locale: str) -> None:
        with use_language(locale):
            answer = self._model.why(article_id)
        key = (locale, article_id)
        with self._lock:
            self._errors[key] = answer.error
            if answer.why is not None:
                self._explained[key] = answer.why
            for cached in (self._errors, self._explained):
                if key in cached:
                    cached.move_to_end(key)
                while len(cached) > MAX_EXPLANATIONS:
                    cached.popitem(last=False)
        self._checked(answer)

    def _choose(self, chosen: Future[tuple[str, ...]]) -> None:
        try:
            chosen.set_result(self._checked(self._model.headlines()).headlines)
        except IscoreError as error:  # the page shows it
            chosen.set_exception(error)


def _done() -> Future[None]:
    done: Future[None] = Future()
    done.set_result(None)
    return done
