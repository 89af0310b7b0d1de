"""When verdicts from the web app are learned."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from iscore.core import timings
from iscore.services.news_filter import NewsFilter
from iscore.services.views.feeds import ExtractorProblem
from iscore.web import background_worker
from iscore.web.background_worker import BackgroundWorker
from iscore.web.model_process import Answer, LocalModels, ModelProcess, UserModel
from storage.records.users import LOCAL_USER, Kind
from tests.iscore.web.conftest import BEHIND, NOW


def behind(home: Path) -> bool:
    with closing(sqlite3.connect(home / "iscore.db")) as database:
        return database.execute(BEHIND).fetchone() == (1,)


@pytest.fixture
def home(made_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the data folder, at its time for every process."""
    monkeypatch.setenv("ISCORE_NOW", NOW.isoformat())
    shutil.copytree(made_home, tmp_path / "home")
    return tmp_path / "home"


def test_it_learns_though_requests_never_pause(home: Path) -> None:
    logged: list[str] = []
    with NewsFilter.open(home, clock=lambda: NOW) as news:
        worker = BackgroundWorker(news, UserModel(LocalModels(home), LOCAL_USER), logged.append)
        worker.start()
        first = [news.inbox().items[0].id]
        worker.explain(first).result(600)  # loads everything
        assert worker.reasons(first)
        news.give(Kind.LIKE, [news.inbox().items[0].id])
        assert behind(home)
        ends = time.monotonic() + 600
        while behind(home) and time.monotonic() < ends:
            worker.learn()
            time.sleep(background_worker.PAUSE / 20)
        assert not behind(home)
        assert worker.stop(600)
    assert logged == []


def test_the_process_answers_as_this_one_does_and_its_memory_is_its_own(home: Path) -> None:
    """Reasons, an explanation, an error, an import; and a new process after one that was killed."""
    (home / "links.txt").write_text("https://a.example/1 Tides\nhttps://a.example/2 Locks\n")
    here, there = (UserModel(models(home), LOCAL_USER) for models in (LocalModels, ModelProcess))
    with NewsFilter.open(home, clock=lambda: NOW) as news:
        ids = [item.id for item in news.inbox().items]
    assert len(there.reasons(ids).reasons) > 3
    assert there.reasons(ids) == here.reasons(ids)
    assert there.why(ids[0]) == here.why(ids[0])
    seen: list[tuple[int, int, str]] = []
    imported = there.import_file(home / "links.txt", lambda *far: seen.append(far)).imported
    assert imported is not None
    assert imported.learned == 2
    assert (0, 2, "analysing imported items") in seen
    process = there.models._process
    assert process is not None
    process.terminate()
    assert "has ended" in there.why(ids[0]).error
    assert there.why("none") == here.why("none")
    there.end()
    here.end()


@pytest.mark.long
def test_the_process_ends_quietly_with_a_server_that_was_killed(home: Path) -> None:
    """It finds that out when it answers."""
    nobody, answers = os.pipe()
    os.close(nobody)
    command = [sys.executable, "-m", "iscore.web.model_process", str(home)]
    ended = subprocess.run(
        command, input=b'[1, "why", "none"]\n', stdout=answers, stderr=subprocess.PIPE, check=False, timeout=600
    )
    os.close(answers)
    assert (ended.returncode, ended.stderr) == (0, b"")


@pytest.mark.long
def test_the_model_leaves_the_memory_when_nobody_asks(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background_worker, "IDLE", 0.1)
    logged: list[str] = []
    with NewsFilter.open(home, clock=lambda: NOW) as news:
        model = ModelProcess(home)
        worker = BackgroundWorker(news, UserModel(model, LOCAL_USER), logged.append)
        timings.taken()
        worker.start()
        ids = [item.id for item in news.inbox(learn=False).items]
        worker.explain(ids).result(600)
        assert set(worker.reasons(ids)) == set(ids)
        assert timings.totals()[timings.LOAD].count > 0  # in the other process
        ends = time.monotonic() + 600
        while model._process is not None and time.monotonic() < ends:
            time.sleep(0.05)
        assert model._process is None
        worker.explain_score(ids[0]).result(600)
        assert worker.why(ids[0]) is not None
        assert worker.stop(600)
    assert logged == []


def test_what_was_logged_of_extractors_is_bounded(home: Path) -> None:
    """A failure whose text is another each time must not fill the memory."""
    logged: list[str] = []

    class Failing(UserModel):
        def add_interests(self, texts: Sequence[str]) -> Answer:
            return Answer(problems=tuple(ExtractorProblem("odd", text) for text in texts))

    with NewsFilter.open(home, clock=lambda: NOW) as news:
        worker = BackgroundWorker(news, Failing(LocalModels(home), LOCAL_USER), logged.append)
        many = [str(number) for number in range(3 * background_worker.MAX_LOGGED)]
        for texts in (many, many[-1:], many[:1]):
            worker._checked(worker._model.add_interests(texts))
    assert len(worker._logged) == background_worker.MAX_LOGGED
    assert len(logged) == len(many) + 1  # the last is not logged again, the first is
