"""Learning and explaining for the pages, in a process of its own.

Compiled code and the model take some hundred megabytes, and computing would slow the pages down. So they live in a
subprocess, which is started when it is needed and ended when nobody has asked for a while. It gets a line of JSON for
each request, which begins with a user's id, and answers with one, after lines that say how far it is:

    background worker ─► ["en", 1, "why", "k3f9a2x1"] ─► python -m iscore.web.model_process FOLDER ─► Answer
                     ◄── {"progress": [200, 5000, "…"]} ◄──┘
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache
from pathlib import Path

from pydantic import TypeAdapter

from iscore.core import garbage_collection, timings
from iscore.core.clock import system_clock
from iscore.core.data_folder import DataFolder
from iscore.core.errors import IscoreError
from iscore.core.file_access import private
from iscore.core.timings import Progress
from iscore.core.translation import language, use_language
from iscore.services.news_filter import NewsFilter
from iscore.services.views.feeds import ExtractorProblem
from iscore.services.views.interests import ImportedItemsView
from iscore.services.views.stories import WhyView
from storage.engine.errors import StorageError
from storage.opening.database import Database, open_database

_PROGRESS = b'{"progress":'
"""How a line begins that is no answer."""
MODELS = 2
"""Users whose models are in memory at a time."""


class Verb(StrEnum):
    """What can be asked for."""

    LEARN = "learn"
    """Learn new verdicts."""
    EXPLAIN = "explain"
    """Learn new verdicts, and return the reasons of stories."""
    WHY = "why"
    """Explain an article's score."""
    HEADLINES = "headlines"
    """Choose the ids of headlines."""
    RECOMMENDATIONS_A_DAY = "recommendations a day"
    """For each of some betas."""
    ADD_INTERESTS = "add interests"
    """For each of some texts, all or none."""
    IMPORT_FILE = "import file"
    """Learn from a file, and save what is saved there."""
    RELEASE = "release"
    """Drop the user's model from the memory."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a request gave."""

    reasons: dict[str, tuple[str, ...]] = field(default_factory=dict)
    why: WhyView | None = None
    headlines: tuple[str, ...] = ()
    a_day: tuple[float, ...] = ()
    """Recommendations a day, for each beta that was asked for."""
    problems: tuple[ExtractorProblem, ...] = ()
    """Extractors that have failed so far."""
    imported: ImportedItemsView | None = None
    """What an import did."""
    error: str = ""
    """Why it failed; empty if it did not."""
    timings: dict[str, tuple[int, float]] = field(default_factory=dict, compare=False)
    """What the process has done since its last answer: see ``iscore.core.timings``."""


class LocalModels:
    """Learns and explains in this process, for several users. A failing extractor is an answer, too."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._database: Database | None = None
        self._users: OrderedDict[int, NewsFilter] = OrderedDict()

    def stop(self, user_id: int) -> None:
        """Interrupt what is done for a user; there is no way to do that here."""

    def release(self, user_id: int) -> None:
        """Drop a user's model; with the last one the database is closed."""
        self._users.pop(user_id, None)
        if not self._users and self._database is not None:
            self._database.close()
            self._database = None

    def answer(self, user_id: int, verb: Verb, *given: str, progress: Progress | None = None) -> Answer:
        """Do for a user what ``verb`` names, with what is given; an import says to ``progress`` how far it is."""
        try:
            if verb is Verb.RELEASE:
                self.release(user_id)
                return Answer()
            return _answer(self._of(user_id), verb, given, progress)
        except (IscoreError, StorageError) as error:
            return Answer(error=str(error))
        except Exception as error:  # noqa: BLE001, RUF100 -- an extractor may raise anything
            return Answer(error=f"unexpected {type(error).__name__}: {error}")

    def _of(self, user_id: int) -> NewsFilter:
        """Return a user's news filter; that of the user who waited longest goes."""
        folder = DataFolder(self._folder)
        if self._database is None:
            folder.require()
            self._database = open_database(folder.database_place)
        if user_id not in self._users or self._users[user_id].context.has_changed():
            self._users[user_id] = NewsFilter(folder, self._database, system_clock(), user_id)
        self._users.move_to_end(user_id)
        while len(self._users) > MODELS:
            self._users.popitem(last=False)
        return self._users[user_id]


def _answer(news: NewsFilter, verb: Verb, given: Sequence[str], progress: Progress | None) -> Answer:
    answer = Answer()
    match verb:
        case Verb.LEARN:
            news.models.up_to_date()
            answer = Answer(problems=news.extractor_problems())
        case Verb.EXPLAIN:
            answer = Answer(reasons=news.current_inbox.reasons(given), problems=news.extractor_problems())
        case Verb.WHY:
            answer = Answer(why=news.why(given[0]), problems=news.extractor_problems())
        case Verb.HEADLINES:
            answer = Answer(headlines=tuple(news.headlines.choose()))
        case Verb.RECOMMENDATIONS_A_DAY:
            answer = Answer(a_day=tuple(news.recommendations_a_day([float(each) for each in given])))
        case Verb.ADD_INTERESTS:
            news.interests.add(given)
        case Verb.IMPORT_FILE:
            news.context.progress = progress
            try:
                answer = Answer(imported=news.imports.learn(given, save=True))
            finally:
                news.context.progress = None
    return answer


class ModelProcess(LocalModels):
    """The same in a subprocess, for one request after the other; ``stop`` waits for none."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._process: subprocess.Popen[bytes] | None = None
        self._known: set[int] = set()
        """Users whose models may be in the memory of the process."""
        self._served = 0
        """The user whose request is being answered; 0: none."""
        self._lock = threading.Lock()

    def stop(self, user_id: int) -> None:
        """End the subprocess at once if it works for this user.

        A verdict that it was learning is in the log, and is learned the next time.
        """
        if self._process is not None and self._served == user_id:
            self._process.terminate()

    def release(self, user_id: int) -> None:
        """Drop a user's model; with the last one the subprocess ends, and the next request starts another one."""
        with self._lock:
            if user_id in self._known and self._known != {user_id}:
                self._ask(user_id, Verb.RELEASE)
            self._known.discard(user_id)
            if not self._known:
                self._end()

    def answer(self, user_id: int, verb: Verb, *given: str, progress: Progress | None = None) -> Answer:
        """Have it done by the subprocess."""
        with self._lock:
            self._known.add(user_id)
            self._served = user_id
            try:
                return self._ask(user_id, verb, *given, progress=progress)
            finally:
                self._served = 0

    def _ask(self, user_id: int, verb: Verb, *given: str, progress: Progress | None = None) -> Answer:
        if self._process is None:
            self._process = _started(self._folder)
        process = self._process
        assert process.stdin is not None  # noqa: S101 -- a pipe
        assert process.stdout is not None  # noqa: S101 -- a pipe
        line = b""
        with suppress(OSError):  # it has ended
            process.stdin.write(json.dumps([language(), user_id, verb, *given]).encode() + b"\n")
            process.stdin.flush()
            while (line := process.stdout.readline()).startswith(_PROGRESS):
                if progress is not None:
                    progress(*json.loads(line)["progress"])
        if not line:
            self._end()
            return Answer(error=f"the process that learns has ended with {process.returncode}")
        answer = _form().validate_json(line)
        timings.merge(answer.timings)
        return answer

    def _end(self) -> None:
        """End the subprocess and wait for that."""
        process, self._process = self._process, None
        if process is not None:
            process.terminate()
            with process, suppress(OSError):
                process.wait()


@dataclass(frozen=True, slots=True)
class UserModel:
    """The model of one user, among those of several."""

    models: LocalModels
    user_id: int

    def learn(self) -> Answer:
        """Learn new verdicts."""
        return self.models.answer(self.user_id, Verb.LEARN)

    def explain(self, ids: Sequence[str]) -> Answer:
        """Learn new verdicts, and return the reasons of these stories."""
        return self.models.answer(self.user_id, Verb.EXPLAIN, *ids)

    def why(self, article_id: str) -> Answer:
        """Explain an article's score."""
        return self.models.answer(self.user_id, Verb.WHY, article_id)

    def headlines(self) -> Answer:
        """Choose the ids of headlines."""
        return self.models.answer(self.user_id, Verb.HEADLINES)

    def recommendations_a_day(self, betas: Sequence[float]) -> Answer:
        """Return how many recommendations a day each beta would give."""
        return self.models.answer(self.user_id, Verb.RECOMMENDATIONS_A_DAY, *map(str, betas))

    def add_interests(self, texts: Sequence[str]) -> Answer:
        """Add an interest for each text, all or none."""
        return self.models.answer(self.user_id, Verb.ADD_INTERESTS, *texts)

    def import_file(self, file: Path, progress: Progress) -> Answer:
        """Import a file: learn from it, and save what is saved there."""
        return self.models.answer(self.user_id, Verb.IMPORT_FILE, str(file), progress=progress)

    def stop(self) -> None:
        """Interrupt a request. May be called from another thread than the others."""
        self.models.stop(self.user_id)

    def end(self) -> None:
        """Drop the model from the memory."""
        self.models.release(self.user_id)


def _started(folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603 -- this program
        [sys.executable, "-P", "-m", __name__, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        # A group of its own: Ctrl-C in the terminal is for the server, which then ends it.
        process_group=0 if os.name == "posix" else None,
    )


@cache
def _form() -> TypeAdapter[Answer]:
    return TypeAdapter(Answer)


def main(folder: str) -> None:
    """Answer requests from standard input until it ends, as it does with the server, which may want no answer then."""
    garbage_collection.set_thresholds(garbage_collection.SERVICE)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no answer
    models = LocalModels(Path(folder))

    def report(done: int, total: int, what: str) -> None:
        answers.write(json.dumps({"progress": (done, total, what)}).encode() + b"\n")
        answers.flush()

    with suppress(BrokenPipeError), private(), answers:
        for line in sys.stdin.buffer:
            locale, user_id, verb, *given = json.loads(line)
            with use_language(locale):
                answer = replace(models.answer(user_id, Verb(verb), *given, progress=report), timings=timings.taken())
            answers.write(_form().dump_json(answer) + b"\n")
            answers.flush()


if __name__ == "__main__":
    main(sys.argv[1])
