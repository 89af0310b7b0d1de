"""A package whose extractors hang, beside one that does not, in the life of a home: commands, the doctor, the pages."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hostile.crash_victim import Victim, victim
from tests.iscore.plugins.hanging import publish
from tests.iscore.web.conftest import BEHIND, served
from tests.servers.fork_server import PROGRAM

STOPPED = "took longer than 1 s and was stopped"
HANGING = ("absent_1", "document_extract_compiled", "reader_extract_searching", "reader_learn_for_ever")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("package")
    publish(folder, *HANGING, "document_well", "reader_well")
    return folder


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory, folder: Path) -> Iterator[Victim]:
    given = {"PYTHONPATH": str(folder), "ISCORE_EXTRACTOR_TIMEOUT": "1"}
    with victim(tmp_path_factory.mktemp("hanging"), days=2, **given) as made:
        yield made


def test_commands_go_on_and_name_what_hung_once_a_command(one: Victim) -> None:
    began = time.monotonic()
    polled = one.work(one.home, [["poll", "--force"]])
    assert (polled.refused, time.monotonic() - began < 60) == ([], True)
    for name in ("absent_1", "document_extract_compiled", "reader_extract_searching"):
        assert f"iscore: extractor {name}: {STOPPED}; its features are missing" in polled.complaints
    assert "_well" not in polled.complaints
    ((judged, whole),) = one.rows(
        "SELECT count(*), (SELECT count(*) FROM articles WHERE story = seq) FROM decisions WHERE score IS NOT NULL"
    )
    assert judged == whole > 20
    names = [str(name) for (name,) in one.rows("SELECT id FROM articles WHERE story = seq ORDER BY seq LIMIT 3")]
    learned = one.work(one.home, [["like", *names[:2]], ["dislike", names[2]], ["inbox"], ["why", names[0]]])
    assert learned.refused == []
    assert f"iscore: extractor reader_learn_for_ever: {STOPPED}" in learned.complaints
    assert "Traceback" not in polled.complaints + learned.complaints
    examined = one.work(one.home, [["doctor"]])
    told = " ".join(examined.complaints.partition("attention  extractors")[2].split())  # its lines are broken
    assert [name for name in (*HANGING, "document_well", "reader_well") if f"{name}: {STOPPED}" in told] == [*HANGING]


def test_the_pages_answer_while_an_extractor_hangs_with_the_lock_of_python(one: Victim, folder: Path) -> None:
    program = f"import sys; sys.path.insert(0, {str(folder)!r})\n{PROGRAM}"
    complaints = [f"extractor {name}: {STOPPED}" for name in HANGING]
    limit = {"ISCORE_EXTRACTOR_TIMEOUT": "1", "ISCORE_NOW": one.now.isoformat()}
    with served(one.home, program=program, complaints=complaints, **limit) as running:
        client = running.client()
        page = client.get("/")
        assert client.vote(page, page.ids[0]).status == 303
        until = time.monotonic() + 60
        while running.rows(BEHIND) != [(0,)] and time.monotonic() < until:
            assert client.get("/").status == 200
            time.sleep(0.1)
        assert running.rows(BEHIND) == [(0,)]
        code, said = running.end()
    assert code == 0
    for name in ("absent_1", "reader_extract_searching"):
        # When it happens, and at the end as every command does; not once a page or an article.
        assert said.count(f"extractor {name}: {STOPPED}; its features are missing") == 2
