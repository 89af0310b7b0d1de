"""A database on a server gives the same answers as a file, to the bit."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shlex
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from benchmarks.sample_news.news import News
from benchmarks.sample_news.server import NewsServer
from iscore.cli import main
from tests.servers.postgresql import PASSWORD, PostgresqlServer, server_program

START = datetime(2025, 3, 3, tzinfo=UTC)
NOON = START + timedelta(days=1, hours=12)
NEXT_DAY = NOON + timedelta(days=1)
RIGHTS = "GRANT ALL ON ALL TABLES IN SCHEMA public TO ann; GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO ann"


@pytest.fixture(scope="session")
def server(postgresql_server: PostgresqlServer) -> PostgresqlServer:
    """A server of PostgreSQL."""
    return postgresql_server


class Person:
    """A user with a data folder, and perhaps a database on a server."""

    def __init__(self, home: Path, address: str = "") -> None:
        self.home = home
        self.address = address
        self.messages = ""

    def types(self, *arguments: str, at: datetime = NOON) -> tuple[int, str]:
        """Run a command; return its exit code and output."""
        out, messages = io.StringIO(), io.StringIO()
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("ISCORE_NOW", at.isoformat())
            patch.setenv("ISCORE_ALLOW_PRIVATE_NETWORKS", "1")
            patch.setenv("ISCORE_HOST_SPACING", "0")
            patch.setenv("ISCORE_PARSE_PROCESSES", "1")
            patch.setenv("ISCORE_DATABASE", self.address)  # `--database` sets it, and the patch undoes that
            if not self.address:
                patch.delenv("ISCORE_DATABASE")
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(messages):
                code = main(["--home", str(self.home), *arguments])
        self.messages += messages.getvalue()
        return code, out.getvalue() + messages.getvalue()

    def reads(self, *arguments: str, at: datetime = NOON) -> Any:
        """Run a command with ``--json``, which must succeed, and return its document."""
        code, said = self.types(*arguments, "--json", at=at)
        assert code == 0, said
        return json.loads(said)


def life(person: Person, news: NewsServer) -> dict[str, Any]:
    """Use iScore for two days and return what each command printed."""
    news.at = NOON
    person.reads("feeds", "add", next(iter(news.urls.values())))  # of several, the fastest would come first
    person.reads("poll")
    first = [each["id"] for each in person.reads("inbox", "--limit", "100")]
    for verdict, ids in (("like", first[0:12:2]), ("dislike", first[1:12:2]), ("skip", first[12:14])):
        person.reads(verdict, *ids)
    person.reads("undo", first[12])
    person.reads("interests", "add", "harbour ferry")
    news.at = NEXT_DAY
    assert person.reads("poll", at=NEXT_DAY)["new_articles"]
    return answers(person)


def answers(person: Person) -> dict[str, Any]:
    """Return what commands print the next day."""
    seen: dict[str, Any] = {}
    seen["inbox"] = person.reads("inbox", "--limit", "100", at=NEXT_DAY)
    seen["all"] = person.reads("inbox", "--all", "--limit", "1000", at=NEXT_DAY)
    seen["why"] = person.reads("why", seen["inbox"][0]["id"], at=NEXT_DAY)
    seen["search"] = person.reads("search", "the", at=NEXT_DAY)
    seen["phrase"] = person.reads("search", f'"{seen["inbox"][0]["title"]}"', at=NEXT_DAY)
    seen["digest"] = person.reads("digest", at=NEXT_DAY)
    seen["status"] = person.reads("status", at=NEXT_DAY)
    seen["stats"] = person.reads("stats", at=NEXT_DAY)
    seen["rebuild"] = {**person.reads("model", "rebuild", "--check", at=NEXT_DAY), "seconds": 0}
    return seen


@pytest.mark.long
def test_the_same_life_gives_the_same_answers(server: PostgresqlServer, tmp_path: Path) -> None:
    empty = tmp_path / "empty.yaml"
    empty.write_text("feeds: []\n")
    people = Person(tmp_path / "file"), Person(tmp_path / "server", server.loopback_address(server.create()))
    seen = []
    with NewsServer(News(seed=7, start=START, days=3), at=NOON) as news:
        for person in people:
            person.reads("init", "--feeds", str(empty))
            seen.append(life(person, news))
    in_file, on_server = seen
    assert len(in_file["inbox"]) > 3
    assert len(in_file["search"]["items"] if isinstance(in_file["search"], dict) else in_file["search"]) > 5
    for name, answer in in_file.items():
        assert on_server[name] == answer, name
    assert not (people[1].home / "iscore.db").exists()
    code, said = people[1].types("doctor", at=NEXT_DAY)
    assert (code, "equals a replay of the log" in " ".join(said.split())) == (0, True), said
    assert PASSWORD not in people[1].messages + said


@pytest.mark.long
def test_who_moves_to_a_server_and_back_sees_the_same(server: PostgresqlServer, tmp_path: Path) -> None:
    """``test_migrate_database.py`` compares the moved rows one by one."""
    person, empty = Person(tmp_path / "file"), tmp_path / "empty.yaml"
    empty.write_text("feeds: []\n")
    with NewsServer(News(seed=7, start=START, days=3), at=NOON) as news:
        person.reads("init", "--feeds", str(empty))
        before = life(person, news)
    name = server.create()
    address = server.loopback_address(name)
    files = {path.name: path.read_bytes() for path in person.home.iterdir() if path.suffix in (".toml", ".yaml")}
    moved = person.reads("migrate-database", "--to", address, at=NEXT_DAY)
    assert (moved["users"], moved["learned"]) == (1, before["rebuild"]["verdicts"])
    assert Path(moved["kept"]).name == "iscore.db.before-migration-20250305-120000"
    assert not (person.home / "iscore.db").exists()
    assert answers(person) == before
    first = before["inbox"][0]["id"]
    person.reads("like", first, at=NEXT_DAY)
    code, said = person.types("migrate-database", "--to", address, at=NEXT_DAY)
    assert (code, "on a server already" in said) == (1, True)
    code, said = person.types("migrate-database", "--to", "file", at=NEXT_DAY)
    assert (code, "Drop it when you no longer need it" in said) == (0, True), said
    assert server.execute("SELECT count(*) FROM feedback", name) == [(moved["verdicts"] + 1,)]
    assert {path: (person.home / path).read_bytes() for path in files} == files
    person.reads("undo", first, at=NEXT_DAY)
    person.reads("like", before["inbox"][1]["id"], at=NEXT_DAY)
    assert person.reads("model", "rebuild", "--check", at=NEXT_DAY)["equal"]
    assert PASSWORD not in person.messages


@pytest.mark.parametrize("way", ["option", "settings"])
def test_an_address_comes_from_an_option_or_the_settings(server: PostgresqlServer, tmp_path: Path, way: str) -> None:
    """The address also comes from the environment, as in all other tests here."""
    address = server.loopback_address(server.create())
    person = Person(tmp_path)
    if way == "settings":
        (tmp_path / "config.toml").write_text(f'database = "{address}"\n')
    before = ("--database", address) if way == "option" else ()
    assert person.types(*before, "init")[0] == 0
    assert person.types("status", *before)[0] == 0
    code, said = person.types("init", *before)
    assert (code, "already a data folder" in said) == (1, True)


def test_without_a_server_nothing_is_made_and_one_line_says_why(server: PostgresqlServer, tmp_path: Path) -> None:
    person = Person(tmp_path / "home", "postgresql://ann:secret@127.0.0.1:1/news")
    code, said = person.types("init")
    expected = "iscore: The database postgresql://127.0.0.1:1/news cannot be opened: Connection refused.\n"
    assert (code, said, person.home.exists()) == (1, expected, False)


def test_backups_are_the_servers_and_their_commands_work(server: PostgresqlServer, tmp_path: Path) -> None:
    name = server.create()
    person = Person(tmp_path / "home", server.loopback_address(name))
    assert person.types("init")[0] == 0
    before = sorted(person.home.iterdir())
    saved = commanded(person, "backup", tmp_path / "news.dump")
    assert "keep config.toml, feeds.yaml of" in saved
    server.execute("UPDATE users SET name = 'changed'", name)
    commanded(person, "restore", tmp_path / "news.dump")
    assert server.execute("SELECT name FROM users", name) == [("local",)]
    assert person.types("doctor", "--quick")[0] == 0
    assert sorted(person.home.iterdir()) == before


def commanded(person: Person, command: str, file: Path) -> str:
    """Run the server's own command that iScore names in its message."""
    code, said = person.types(command, str(file))
    assert (code, said.count("\n"), PASSWORD in said) == (1, 1, False)
    program, *arguments = shlex.split(said.split("`")[1])
    arguments = [argument.replace("FILE", str(file)) for argument in arguments]
    subprocess.run([server_program(program), *arguments], check=True, env=os.environ | {"PGPASSWORD": PASSWORD})
    return said


def test_the_doctor_says_what_is_wrong(server: PostgresqlServer, tmp_path: Path) -> None:
    def examined() -> tuple[int, str]:
        code, said = person.types("doctor", "--quick")
        assert "secret" not in said
        return code, " ".join(said.split())

    name = server.create()
    address = server.loopback_address(name)
    person = Person(tmp_path, address)
    assert person.types("init")[0] == 0
    ((version,),) = server.execute("SELECT version_num FROM alembic_version", name)
    server.execute(f"CREATE ROLE ann LOGIN PASSWORD 'secret'; {RIGHTS}", name)
    person.address = f"postgresql://ann:secret@{address.rpartition('@')[2]}"
    try:
        for trouble, found, mended in (
            ("REVOKE UPDATE ON feeds FROM ann", "refuses: no right to UPDATE feeds;", RIGHTS),
            (
                "REVOKE USAGE ON ALL SEQUENCES IN SCHEMA public FROM ann",
                "no right to USAGE articles_seq_seq, USAGE bases",
                RIGHTS,
            ),
            (
                "ALTER ROLE ann SET default_transaction_read_only = on",
                "cannot be written",
                "ALTER ROLE ann RESET default_transaction_read_only",
            ),
            (
                "UPDATE alembic_version SET version_num = '9999'",
                "does not know; update iScore",
                f"UPDATE alembic_version SET version_num = '{version}'",
            ),
            (
                "ALTER ROLE ann PASSWORD 'another'",
                "password authentication failed",
                "ALTER ROLE ann PASSWORD 'secret'",
            ),
        ):
            server.execute(trouble, name)
            code, said = examined()
            assert (code, found in said) == (1, True), said
            server.execute(mended, name)
        code, said = examined()
        assert (code, " MB" in said) == (0, True), said
        server.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public AUTHORIZATION ann", name)
        code, said = examined()
        assert (code, "is empty" in said) == (1, True), said
    finally:
        server.execute("DROP OWNED BY ann; DROP ROLE ann", name)
