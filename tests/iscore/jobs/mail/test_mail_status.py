"""What commands, status and doctor show of mail, and what no export and no output shows."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from iscore.cli import main
from iscore.core.data_folder import DataFolder
from iscore.jobs.maintenance.checks import State
from iscore.jobs.maintenance.doctor import mail_check
from iscore.jobs.maintenance.export import export
from iscore.services.export import settings_line
from iscore.services.news_filter import NewsFilter
from tests.iscore.jobs.mail.conftest import NOON
from tests.servers.mail_server import MailServer, hang_up

SECRET = "correct horse"


class Person:
    """Somebody with a home and a mail server, at the command line."""

    def __init__(self, home: Path, server: MailServer) -> None:
        self.home, self.server, self.now = home, server, NOON
        self.set()
        (home / "feeds.yaml").write_text("feeds: []\n")
        NewsFilter.create(home).close()

    def set(self, **settings: object) -> None:
        values = {"mail_to": "you@example.org", "mail_host": "127.0.0.1", "mail_port": self.server.port}
        values |= {"mail_security": "none", "time_zone": "UTC", "mail_password": SECRET, **settings}
        (self.home / "config.toml").write_text("".join(f"{name} = {value!r}\n" for name, value in values.items()))
        (self.home / "config.toml").chmod(0o600)

    def types(self, *arguments: str) -> tuple[int, str, str]:
        out, err = io.StringIO(), io.StringIO()
        with pytest.MonkeyPatch.context() as environment, contextlib.redirect_stdout(out):
            environment.setenv("ISCORE_NOW", self.now.isoformat())
            environment.setenv("COLUMNS", "200")
            with contextlib.redirect_stderr(err):
                code = main(["--home", str(self.home), *arguments])
        assert SECRET not in out.getvalue() + err.getvalue()
        return code, out.getvalue(), err.getvalue()

    def reads(self, *arguments: str) -> Any:
        code, out, _ = self.types(*arguments, "--json")
        assert code == 0
        return json.loads(out)


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Person]:
    tmp_path.chmod(0o700)
    with MailServer() as server:
        yield Person(tmp_path, server)


def test_the_settings_can_be_tried(person: Person) -> None:
    code, out, err = person.types("mail", "test")
    assert (code, err) == (0, "Asking the server …\n")
    assert f"127.0.0.1:{person.server.port} accepted a test message from you@example.org to you@example.org" in out
    assert person.reads("mail", "test")["answer"] == "kept"
    person.set(mail_port=1)
    code, out, err = person.types("mail", "test")
    assert (code, out) == (1, "")
    assert err.splitlines()[1:] == ["iscore: nothing is listening at 127.0.0.1:1; check mail_host and mail_port"]
    person.set(mail_host="")
    assert "mail is not set up: mail_host is missing" in person.types("mail", "test")[2]


def test_a_digest_is_sent_once_by_command_and_again_if_told_to(person: Person) -> None:
    assert person.types("mail", "list")[1].startswith("No digest mailed yet.")
    assert person.types("mail", "send") == (0, "Sent the digest of 2025-10-06 to you@example.org.\n", "")
    code, out, err = person.types("mail", "send")
    assert (code, out) == (1, "")
    assert err == (
        "iscore: the digest of 2025-10-06 was mailed on 2025-10-06 12:00 UTC; "
        "`iscore mail send --date 2025-10-06 --again` sends it again\n"
    )
    assert person.reads("mail", "send", "--again")["attempts"] == 2
    assert person.types("mail", "send", "--date", "2025-10-09")[0] == 1
    assert [each["digest"] for each in person.reads("mail", "list")] == ["2025-10-06"]
    assert len(person.server.received) == 2


def test_what_is_wrong_is_told_by_list_status_and_doctor_until_it_is_mended(person: Person) -> None:
    home = DataFolder(person.home)
    assert mail_check(home).found == "set up; nothing sent yet"
    person.server.answers["RCPT"].append("550 no such user")
    assert person.types("mail", "send")[0] == 1
    person.now += timedelta(hours=2)
    lines = person.types("mail", "list")[1].splitlines()
    assert lines[0] == "2025-10-06  failed 2 h ago, to you@example.org"
    assert "550 (no such user) to the recipient; check mail_to" in lines[1]
    assert lines[2].strip() == "→ when that is fixed, `iscore mail send --date 2025-10-06`"
    problem = person.reads("status")["mail_problem"]
    assert problem.startswith("the digest of 2025-10-06 has not been mailed: ")
    assert "Mail problem" in person.types("status")[1]
    assert mail_check(home).state is State.ATTENTION

    person.server.answers["DATA"].append(hang_up)
    assert person.types("mail", "send")[0] == 1
    assert "may not have been mailed" in person.reads("status")["mail_problem"]
    assert person.types("mail", "send", "--again")[0] == 0
    assert person.reads("status")["mail_problem"] == ""
    assert mail_check(home).found == "the digest of 2025-10-06: sent by hand"

    (person.home / "config.toml").chmod(0o644)
    assert "chmod 600" in mail_check(home).next
    person.set(mail_from="nobody")
    assert "mail_from: 'nobody' is not a mail address" in person.reads("status")["mail_problem"]
    person.set(mail_to="")
    assert mail_check(home).found == "off: mail_to is empty"
    assert person.reads("status")["mail_problem"] == ""


@pytest.mark.parametrize(
    "line",
    [
        "mail_password = 'correct horse'",
        '  "mail_password"="correct horse" # mine',
        'mail_password = """\ncorrect horse\n"""',
        "mail_password = '''correct horse'''",
        "'mail_password' = 'correct horse'",
    ],
)
def test_an_export_has_no_password(person: Person, line: str) -> None:
    text = f"inbox_days = 3\n{line}\nmail_to = 'a@b.example'\n"
    config = settings_line(text)["config"]
    assert "horse" not in config
    assert config.startswith("inbox_days = 3\n")
    assert config.endswith("mail_to = 'a@b.example'\n")
    (person.home / "config.toml").write_text(text)
    out = io.BytesIO()
    export(DataFolder(person.home), out, at=NOON)
    assert b"horse" not in out.getvalue()


def test_a_password_command_stays_in_an_export() -> None:
    assert settings_line("mail_password_command = 'pass mail'\n")["config"] == "mail_password_command = 'pass mail'\n"
