"""Several processes that write at once, and one that does not let go: nobody hears of a lock that passes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from storage.database import Database
from tests.hostile.crash_checks import Memory, examine
from tests.hostile.crash_victim import Victim, Work, victim

PROGRAM = "import sys; from iscore.cli import main; sys.exit(main())"
WRITER = """
import json, sys
from iscore.cli import main
print("ready", flush=True)
home, *commands = json.loads(sys.stdin.readline())
sys.exit(max(main(["--home", home, *words]) for words in commands))
"""
HASTY = f"""
from storage import database
database.open_database.__kwdefaults__["busy_timeout"] = 0.5
{PROGRAM}
"""
"""Waits half a second where the program waits twenty."""

LOG = "SELECT kind, articles.id FROM feedback JOIN articles USING (seq) ORDER BY feedback.row"
FRESH = "SELECT id FROM articles WHERE story = seq AND story NOT IN (SELECT story FROM feedback) ORDER BY seq LIMIT 32"


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Victim]:
    with victim(tmp_path_factory.mktemp("writers"), days=3) as made:
        made.work(made.home, [["poll", "--force"], ["inbox"]], inside=True)
        yield made


def at_once(one: Victim, *tasks: list[list[str]]) -> list[str]:
    """Let a process do each task, all beginning at the same moment; return what they complained of."""
    environment = {**os.environ, "ISCORE_NOW": one.now.isoformat()}
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        for _ in tasks
    ]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    said = []
    for writer, task in zip(writers, tasks, strict=True):
        assert writer.stdin is not None
        writer.stdin.write(json.dumps([str(one.home), *task]) + "\n")
        writer.stdin.flush()
    for writer in writers:
        _, complaints = writer.communicate(timeout=120)
        said.append(f"{writer.returncode}: {complaints}")
    return said


@pytest.mark.parametrize("writers", [2, 4])
def test_writers_at_once_do_not_hear_of_each_other_and_all_that_they_wrote_is_there(one: Victim, writers: int) -> None:
    names = [str(name) for (name,) in one.rows(FRESH)]
    said_before = one.rows(LOG)
    ((known,),) = one.rows("SELECT count(*) FROM articles")
    one.later(hours=12)
    given = [[["like", name] for name in names[:16]], [["dislike", name] for name in names[16:]]]
    polls = [[["poll"]], [["poll"], ["digest"]]]
    said = at_once(one, *(given + polls if writers == 4 else [given[0], polls[0]]))
    assert [line.partition(":")[0] for line in said] == ["0"] * writers, said
    assert "locked" not in "".join(said)
    assert "Another process" not in "".join(said)
    log = [(str(kind), str(name)) for kind, name in one.rows(LOG)]
    assert log[: len(said_before)] == said_before
    assert sorted(log[len(said_before) :]) == sorted(
        (kind, name) for task in given[: writers // 2] for kind, name in task
    )
    memory = Memory(verdicts=log)
    assert list(examine(one, memory, Work([], [], killed=False, seconds=0.0, complaints=""))) == []
    assert len(memory.articles) > known
    # Whoever polls now finds nothing that the two have missed.
    assert one.work(one.home, [["poll", "--force"], ["inbox"]]).refused == []
    assert one.rows("SELECT count(*) FROM articles") == [(len(memory.articles),)]
    with one.opened() as news:
        assert news.rebuild(check=True).equal is True


def test_a_lock_is_waited_for_and_one_that_stays_is_named(one: Victim) -> None:
    name = str(one.rows(FRESH)[0][0])
    said_before = one.rows(LOG)
    command = [sys.executable, "-c", PROGRAM, "--home", str(one.home), "like", name]
    hasty = [sys.executable, "-c", HASTY, *command[3:]]
    with Database(one.home / "iscore.db") as database:
        with database.write():
            done = subprocess.run(hasty, capture_output=True, text=True, check=False, timeout=60)
            assert done.returncode == 1
            assert "Another process is writing to" in done.stderr
            assert done.stderr.count("\n") == 1
            assert one.work(one.home, [["show", name], ["inbox"]]).refused == []
            waiting = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            time.sleep(2)
            assert waiting.poll() is None
        _, complaints = waiting.communicate(timeout=60)
    assert (waiting.returncode, complaints) == (0, "")
    assert one.rows(LOG) == [*said_before, ("like", name)]
