"""Learning and explaining for the pages, in a process of its own.

Compiled code and the model take some hundred megabytes, and computing would slow the pages down. So they live in a
subprocess, which is started when it is needed and ended when nobody has asked for a while. It gets a line of JSON for
each request, and answers with one:

    background worker ─► ["why", "k3f9a2x1"] ─► python -m iscore.web.model_process FOLDER ─► Answer
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from pydantic import TypeAdapter

from iscore.core.errors import IscoreError
from iscore.core.file_permissions import private
from iscore.services.news_filter import NewsFilter
from iscore.services.views.articles import WhyView
from iscore.services.views.feeds import ExtractorProblem
from storage.errors import StorageError


@dataclass(frozen=True, slots=True)
class Answer:
    """What a request gave."""

    reasons: dict[str, tuple[str, ...]] = field(default_factory=dict)
    why: WhyView | None = None
    headlines: tuple[str, ...] = ()
    problems: tuple[ExtractorProblem, ...] = ()
    """Extractors that have failed so far."""
    error: str = ""
    """Why it failed; empty if it did not."""


class LocalModel:
    """Learns and explains in this process. A failing extractor is an answer, too."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._news: NewsFilter | None = None

    def reasons(self, ids: Sequence[str]) -> Answer:
        """Learn new verdicts, and return the reasons of these stories."""
        return self.answer("reasons", *ids)

    def why(self, article_id: str) -> Answer:
        """Explain an article's score."""
        return self.answer("why", article_id)

    def headlines(self) -> Answer:
        """Choose the ids of headlines."""
        return self.answer("headlines")

    def stop(self) -> None:
        """Interrupt a request; there is no way to do that here."""

    def end(self) -> None:
        """Close the database."""
        if self._news is not None:
            self._news.close()
            self._news = None

    def answer(self, what: str, *ids: str) -> Answer:
        """Do what ``what`` names."""
        try:
            news = self._news = self._news or NewsFilter.open(self._folder)
            if what == "why":
                return Answer(why=news.why(ids[0]), problems=news.extractor_problems())
            if what == "headlines":
                return Answer(headlines=tuple(news.headlines.choose()))
            return Answer(reasons=news.current_inbox.reasons(ids), problems=news.extractor_problems())
        except (IscoreError, StorageError) as error:
            return Answer(error=str(error))
        except Exception as error:  # noqa: BLE001, RUF100 -- an extractor may raise anything
            return Answer(error=f"unexpected {type(error).__name__}: {error}")


class ModelProcess(LocalModel):
    """The same in a subprocess. ``stop`` may be called from another thread, everything else from one only."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._process: subprocess.Popen[bytes] | None = None

    def stop(self) -> None:
        """End the subprocess at once. A verdict that it was learning is in the log, and is learned the next time."""
        if self._process is not None:
            self._process.terminate()

    def end(self) -> None:
        """End the subprocess and wait for that; the next request starts another one."""
        process, self._process = self._process, None
        if process is not None:
            process.terminate()
            with process, suppress(OSError):
                process.wait()

    def answer(self, what: str, *ids: str) -> Answer:
        """Have it done by the subprocess."""
        if self._process is None:
            self._process = _started(self._folder)
        process = self._process
        assert process.stdin is not None  # noqa: S101 -- a pipe
        assert process.stdout is not None  # noqa: S101 -- a pipe
        line = b""
        with suppress(OSError):  # it has ended
            process.stdin.write(json.dumps([what, *ids]).encode() + b"\n")
            process.stdin.flush()
            line = process.stdout.readline()
        if not line:
            self.end()
            return Answer(error=f"the process that learns has ended with {process.returncode}")
        return _form().validate_json(line)


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
    gc.set_threshold(100_000, 50, 50)  # as for commands: thousands of articles in memory are not garbage
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no answer
    model = LocalModel(Path(folder))
    with suppress(BrokenPipeError), private(), answers:
        for line in sys.stdin.buffer:
            what, *ids = json.loads(line)
            answers.write(_form().dump_json(model.answer(what, *ids)) + b"\n")
            answers.flush()


if __name__ == "__main__":
    main(sys.argv[1])
