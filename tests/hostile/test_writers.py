"""Several processes that write at once, and one that keeps its lock: short locks are waited for, long ones reported."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from storage.opening.database import BUSY_TIMEOUT
from storage.opening.sqlite_database import SqliteDatabase
from tests.hostile.crash_checks import Memory, examine
from tests.hostile.crash_victim import Victim, Work, victim
from tests.iscore.web.conftest import Served, served
from tests.servers import fork_server

pytestmark = pytest.mark.long

WRITER = """
import json, sys
from iscore.cli import main
print("ready", flush=True)
home, *commands = json.loads(sys.stdin.readline())
sys.exit(max(main(["--home", home, *words]) for words in commands))
"""
SECONDS = 3
HASTY = f"""
from storage.opening import database
database.open_database.__kwdefaults__["busy_timeout"] = {SECONDS}
{fork_server.PROGRAM}
"""
"""Waits for so long for a lock, where the program waits twenty seconds."""

LOG = "SELECT kind, articles.id FROM feedback JOIN articles USING (seq) ORDER BY feedback.row"
FRESH = "SELECT id FROM articles WHERE story = seq AND story NOT IN (SELECT story FROM feedback) ORDER BY seq LIMIT 32"


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Victim]:
    with victim(tmp_path_factory.mktemp("writers"), days=3) as made:
        made.work(made.home, [["poll", "--force"], ["inbox"]], inside=True)
        yield made


def at_once(one: Victim, *tasks: list[list[str]], meanwhile: Callable[[], None] = lambda: None) -> list[str]:
    """Let a process do each task, all beginning at the same moment; return what they complained of.

    ``meanwhile`` is done here at the same time.
    """
    environment = {**os.environ, "ISCORE_NOW": one.now.isoformat()}
    writers = [fork_server.start(env=environment, program=WRITER, stdin=subprocess.PIPE) for _ in tasks]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    answers = []
    for writer, task in zip(writers, tasks, strict=True):
        assert writer.stdin is not None
        writer.stdin.write(json.dumps([str(one.home), *task]) + "\n")
        writer.stdin.flush()
    meanwhile()
    for writer in writers:
        _, complaints = writer.communicate(timeout=600)
        answers.append(f"{writer.returncode}: {complaints}")
    return answers


@pytest.mark.parametrize("writers", [2, 4])
def test_writers_at_once_do_not_hear_of_each_other_and_all_that_they_wrote_is_there(one: Victim, writers: int) -> None:
    names = [str(name) for (name,) in one.rows(FRESH)]
    said_before = one.rows(LOG)
    ((known,),) = one.rows("SELECT count(*) FROM articles")
    one.later(hours=12)
    given = [[["like", name] for name in names[:16]], [["dislike", name] for name in names[16:]]]
    polls = [[["poll"]], [["poll"], ["digest"]]]
    answers = at_once(one, *(given + polls if writers == 4 else [given[0], polls[0]]))
    assert [line.partition(":")[0] for line in answers] == ["0"] * writers, answers
    assert "locked" not in "".join(answers)
    assert "Another process" not in "".join(answers)
    log = [(str(kind), str(name)) for kind, name in one.rows(LOG)]
    assert log[: len(said_before)] == said_before
    assert sorted(log[len(said_before) :]) == sorted(
        (kind, name) for task in given[: writers // 2] for kind, name in task
    )
    memory = Memory(verdicts=log)
    assert list(examine(one, memory, Work([], [], killed=False, seconds=0.0, complaints=""))) == []
    assert len(memory.articles) > known
    # The next poll finds nothing that the two have missed.
    assert one.work(one.home, [["poll", "--force"], ["inbox"]]).refused == []
    assert one.rows("SELECT count(*) FROM articles") == [(len(memory.articles),)]
    with one.opened() as news:
        assert news.models.rebuild(check=True).equal is True


def test_a_lock_is_waited_for_and_one_that_stays_is_named(one: Victim) -> None:
    name = str(one.rows(FRESH)[0][0])
    said_before = one.rows(LOG)
    command = ("--home", str(one.home), "like", name)
    with SqliteDatabase(one.home / "iscore.db") as database:
        with database.write():
            done = fork_server.run(*command, env=os.environ, program=HASTY)
            assert done.returncode == 1
            assert "Another process is writing to" in done.stderr
            assert done.stderr.count("\n") == 1
            assert one.work(one.home, [["show", name], ["inbox"]]).refused == []
            waiting = fork_server.start(*command, env=os.environ)
            time.sleep(2)
            assert waiting.poll() is None
        _, complaints = waiting.communicate(timeout=600)
    assert (waiting.returncode, complaints) == (0, "")
    assert one.rows(LOG) == [*said_before, ("like", name)]


def votes_on_the_pages(server: Served, names: list[str], kind: str) -> None:
    """Vote as a browser does, one after the other."""
    client = server.client()
    page = client.get("/")
    for name in names:
        assert client.vote(page, name, kind).status == 303


def test_the_pages_commands_and_pollers_write_at_once(one: Victim, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [str(name) for (name,) in one.rows(FRESH)][:24]
    said_before = one.rows(LOG)
    one.later(hours=30)
    asked: list[str] = []
    lock = threading.Lock()
    document = one.server.news.feed_document

    def counted(source, at):  # type: ignore[no-untyped-def]
        with lock:
            asked.append(source.key)
        return document(source, at)

    monkeypatch.setattr(one.server.news, "feed_document", counted)
    commands = [["like", name] for name in names[16:20]], [["dislike", name] for name in names[20:]]
    with served(one.home, ISCORE_NOW=one.now.isoformat()) as server, ThreadPoolExecutor(2) as browsers:
        voting = []

        def vote() -> None:
            voting.append(browsers.submit(votes_on_the_pages, server, names[:8], "like"))
            voting.append(browsers.submit(votes_on_the_pages, server, names[8:16], "dislike"))
            for each in voting:
                each.result(600)

        answers = at_once(one, *commands, [["poll"]], [["poll"], ["digest"]], meanwhile=vote)
    assert [line.partition(":")[0] for line in answers] == ["0"] * 4, answers
    assert "locked" not in "".join(answers)
    assert "Another process" not in "".join(answers)
    log = [(str(kind), str(name)) for kind, name in one.rows(LOG)]
    assert log[: len(said_before)] == said_before
    given = [("like", name) for name in (*names[:8], *names[16:20])]
    given += [("dislike", name) for name in (*names[8:16], *names[20:])]
    assert sorted(log[len(said_before) :]) == sorted(given)
    assert sorted(asked) == sorted(one.server.urls), "each feed once, by one of the two"
    memory = Memory(verdicts=log)
    assert list(examine(one, memory, Work([], [], killed=False, seconds=0.0, complaints=""))) == []
    assert one.work(one.home, [["poll", "--force"], ["inbox"]]).refused == []
    with one.opened() as news:
        assert news.models.rebuild(check=True).equal is True


def test_pages_and_commands_wait_for_a_lock_and_report_one_that_stays(one: Victim) -> None:
    """All at the same time, with less patience than the program has."""
    assert BUSY_TIMEOUT == 20.0
    name, other, third = (str(row[0]) for row in one.rows(FRESH)[:3])
    said_before = one.rows(LOG)
    environment = {**os.environ, "ISCORE_NOW": one.now.isoformat()}
    commands = [["like", name], ["poll", "--force"], ["prune", "--keep-days", "400"]]
    started: list[float] = []

    def run(words: list[str]) -> tuple[int, str, float]:
        began = time.monotonic()
        done = fork_server.run("--home", str(one.home), *words, env=environment, program=HASTY)
        return done.returncode, done.stderr, time.monotonic() - began

    complaints = ("Another process is writing",)
    with served(one.home, program=HASTY, ISCORE_NOW=one.now.isoformat(), complaints=complaints) as server:
        client = server.client()
        page = client.get("/")
        with SqliteDatabase(one.home / "iscore.db") as database, ThreadPoolExecutor(4) as victims, database.write():
            voting = victims.submit(client.vote, page, other)
            running = [victims.submit(run, words) for words in commands]
            started.append(time.monotonic())
            # Who reads does not wait.
            assert server.client().get("/").status == 200
            assert one.work(one.home, [["show", third]]).refused == []
            answer = voting.result(600)
            waited = time.monotonic() - started[0]
            answers = [each.result(600) for each in running]
        assert answer.status == 503
        assert "Another process is writing" in answer.body
        assert waited > SECONDS - 1
        for words, (code, complaints, seconds) in zip(commands, answers, strict=True):
            assert (code, seconds > SECONDS - 1) == (1, True), (words, complaints)
            assert "Another process is writing to" in complaints
            assert "Traceback" not in complaints
            assert complaints.count("\n") == 1
        assert one.rows(LOG) == said_before
        # It has passed: what was refused is taken now.
        assert client.vote(client.get("/"), other).status == 303
        assert one.work(one.home, [["like", name], ["poll", "--force"]]).refused == []
    assert one.rows(LOG) == [*said_before, ("like", other), ("like", name)]
