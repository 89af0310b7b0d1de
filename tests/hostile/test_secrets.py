"""Nobody sees a password but whom it is for.

Real commands that log everything, servers that fail and repeat the password, and a thread that lists the processes of
the machine all the time.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import ssl
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

from iscore.services.news_filter import NewsFilter
from tests.hostile.watcher import Watcher
from tests.servers import fork_server
from tests.servers.mail_server import USER, MailServer, certificate, tls_context

FEED = f"feed-{secrets.token_hex(12)}"
"""The password; another one in each run."""
NEWS = """<rss version="2.0"><channel><title>PasswordFeeds only</title><item><title>A story</title><guid>1</guid>
<link>https://news.example/1</link><description>Some words about it.</description></item></channel></rss>"""


class PasswordFeeds(BaseHTTPRequestHandler):
    """Serves a feed to clients that know the password; other paths fail, redirect or quote the password."""

    def do_GET(self) -> None:
        login = b64decode(self.headers.get("authorization", "Basic ").partition(" ")[2]).decode()
        if login != f"reader:{FEED}":
            self._answer(401, "who are you?")
        elif self.path.startswith("/fails"):
            self._answer(500, f"no, {login}")
        elif self.path.startswith("/moves"):
            self.send_response(302, f"to http://{login}@127.0.0.1:9/")
            self.send_header("Location", f"http://{login}@127.0.0.1:9/{FEED}x")
            self.end_headers()
        elif self.path.startswith("/page"):
            links = "".join(f'<link rel="alternate" type="application/rss+xml" href="/{each}">' for each in "ab")
            self._answer(200, f"<!DOCTYPE html><html><head>{links}</head><body>{login}</body></html>")
        elif self.path.startswith("/nonsense"):
            self._answer(200, f"what {login} wants")
        else:
            self._answer(200, NEWS)

    def _answer(self, status: int, text: str) -> None:
        self.send_response(status, f"for {self.headers.get('authorization')}")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: object) -> None:
        pass


pytestmark = pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="needs /proc")

LOG_EVERYTHING = """
import logging
logging.basicConfig(level=1)
logging.captureWarnings(True)
logging.getLogger("numba").setLevel("INFO")  # else it logs every step of its compiler, for minutes
"""
"""Python runs it as ``sitecustomize`` at the start of every process; those that begin with everything loaded run it
themselves, and then the command."""
MAIL, WEB = (f"{kind}-{secrets.token_hex(12)}" for kind in ("mail", "webpage"))
SECRETS = {"feed": FEED, "mail": MAIL, "web": WEB}


class EchoingMailServer(MailServer):
    """Refuses a wrong password and repeats it, plain and encoded."""

    def __init__(self, tls: ssl.SSLContext, password: str) -> None:
        super().__init__("starttls", tls)
        self.password = password

    def _login(self, _server: SMTP, session: Session, _envelope: Envelope, _way: str, said: Any) -> AuthResult:
        assert isinstance(said, LoginPassword)
        right = said == LoginPassword(USER.encode(), self.password.encode())
        session.login = USER if right else ""  # type: ignore[attr-defined]
        plain = said.password.decode()
        again = b64encode(b"\0" + said.login + b"\0" + said.password).decode()
        return AuthResult(success=right, handled=False, message=None if right else f"535 5.7.8 {plain} ({again})? No.")


class ProcessWatcher(Watcher):
    """Lists all processes of the machine, and the environment of the parsers."""

    def __init__(self) -> None:
        super().__init__()
        self.processes: set[str] = set()

    def check(self) -> None:
        for process in Path("/proc").glob("[0-9]*"):
            try:
                command = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
                visible = command
                if "iscore.feeds.parsing.worker" in command:
                    visible += (process / "environ").read_bytes().decode("utf-8", "replace")
            except OSError:
                continue
            if "iscore" in command:
                self.processes.add(command.strip())
            self.found |= {name: command for name, secret in SECRETS.items() if secret in visible}


class Person:
    """A data folder, and commands that log everything."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        (folder / "loud").mkdir()
        (folder / "loud" / "sitecustomize.py").write_text(LOG_EVERYTHING)
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("ISCORE_", "COV_CORE"))}
        path = os.pathsep.join(filter(None, [str(folder / "loud"), os.environ.get("PYTHONPATH", "")]))
        self.loud = {**kept, "PYTHONPATH": path, "PYTHONASYNCIODEBUG": "1", "ISCORE_DEBUG": "1"}
        self.output: list[str] = []

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "iscore", "--home", str(self.home), *words]

    def run_forked(self, *words: str, typed: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
        given = ("--home", str(self.home), *words)
        loud = LOG_EVERYTHING + fork_server.PROGRAM
        return self.record(fork_server.run(*given, env=self.loud | environment, program=loud, given=typed, timeout=600))

    def run_process(self, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run it as users do, so that the arguments are in the list of processes."""
        loud = self.loud | environment
        done = subprocess.run(self.command(*words), capture_output=True, text=True, env=loud, check=False, timeout=600)
        return self.record(done)

    def record(self, done: subprocess.CompletedProcess[str]) -> subprocess.CompletedProcess[str]:
        self.output += [done.stdout, done.stderr]
        return done


def harmless(texts: Sequence[str]) -> None:
    """No secret, and none in the forms in which they travel."""
    for secret in SECRETS.values():
        forms = [secret, *(b64encode(each.encode()).decode().rstrip("=") for each in (f"reader:{secret}", secret))]
        forms.append(b64encode(f"\0{USER}\0{secret}".encode()).decode().rstrip("="))
        for text in texts:
            assert not [form for form in forms if form in text]


@pytest.fixture(scope="module")
def tls_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return certificate(tmp_path_factory.mktemp("certificate"))


@pytest.fixture
def members() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), PasswordFeeds)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def settings(**values: object) -> str:
    return "".join(f"{name} = {json.dumps(value)}\n" for name, value in values.items())


@pytest.mark.long
def test_no_secret_is_seen_by_anybody_else(members: str, tls_file: Path, tmp_path: Path) -> None:
    person = Person(tmp_path)
    out = tmp_path / "out"
    out.mkdir()
    paths = ("", "fails", "moves", "nonsense")
    addresses = [f"http://reader:{FEED}@{members}/{path}" for path in paths]
    with ProcessWatcher() as watcher, EchoingMailServer(tls_context(tls_file), "another") as mail:
        NewsFilter.create(person.home).close()
        (person.home / "feeds.yaml").write_text("feeds: []\n")
        (person.home / "config.toml").write_text(
            settings(allow_private_networks=True, host_spacing=0, refresh_cooldown=0, mail_to=USER, mail_user=USER)
            + settings(mail_host="localhost", mail_port=mail.port, mail_ca_file=str(tls_file), mail_empty=True)
        )
        added = person.run_forked(
            "feeds", "add", "-", "--no-discovery", typed="\n".join(addresses), ISCORE_MAIL_PASSWORD=MAIL
        )
        assert added.returncode == 0, added.stderr
        assert added.stdout.count("Following http://127.0.0.1") == len(paths)
        choice = person.run_forked("feeds", "add", "-", typed=f"http://reader:{FEED}@{members}/page")
        assert "iscore feeds add http://127.0.0.1" in choice.stdout
        polled = person.run_process("poll", "--force", ISCORE_MAIL_PASSWORD=MAIL)
        assert "fails: the server answered 500 Internal Server Error" in polled.stdout + polled.stderr
        assert person.run_forked("mail", "send", ISCORE_MAIL_PASSWORD=MAIL).returncode == 1
        assert person.run_forked("run", "--once", ISCORE_MAIL_PASSWORD=MAIL).returncode == 0
        mail.password = MAIL
        with (person.home / "config.toml").open("a") as file:
            file.write(f"mail_password = {json.dumps(MAIL)}\n")
        assert person.run_forked("mail", "send").returncode == 0
        assert person.run_forked("serve", "--set-password", typed=f"{WEB}\n").returncode == 0
        pages = served(person)
        for words in (["feeds", "list", "--json"], ["status"]):
            assert person.run_forked(*words).returncode == 0
        assert person.run_forked("digest", "--output", str(out / "digest.html")).returncode == 0
        assert person.run_forked("stats", "--html", str(out / "report.html")).returncode == 0
        assert person.run_forked("feeds", "export", str(out / "feeds.opml")).returncode == 0
        again = person.run_forked("feeds", "import", "-", "--json", typed=(out / "feeds.opml").read_text())
        assert again.returncode == 0, again.stderr
        removed = person.run_forked("feeds", "remove", "-", typed=addresses[1])
        assert removed.returncode == 0, removed.stderr
    assert watcher.found == {}
    assert any("iscore.feeds.parsing.worker" in each for each in watcher.processes)
    assert any(" poll" in each for each in watcher.processes)
    assert any(" serve" in each for each in watcher.processes)
    output = "".join(person.output)
    assert "DEBUG" in output  # it did log everything
    assert "Traceback" in output
    assert len(mail.received) == 1
    kept = {path.name: path.read_bytes().decode("utf-8", "replace") for path in person.home.iterdir()}
    secret_ones = {"feeds.yaml", "config.toml", "iscore.db", "iscore.db-wal"}
    harmless([*person.output, *pages, *(text for name, text in kept.items() if name not in secret_ones)])
    harmless([path.read_text() for path in out.iterdir()])
    harmless([message.content.decode() for message in mail.received])
    assert FEED in kept["feeds.yaml"]
    assert WEB not in "".join(kept.values())
    session = json.loads(kept["serve.json"])["secret"]
    assert len(session) > 30
    assert session not in "".join([output, *pages, *(text for name, text in kept.items() if name != "serve.json")])


def served(person: Person) -> list[str]:
    """What the pages say to somebody with a wrong password, and with the right one."""
    with subprocess.Popen(
        person.command("serve", "--port", "0"), stderr=subprocess.PIPE, text=True, env=person.loud
    ) as process:
        assert process.stderr is not None
        printed = ""
        try:
            while not (found := re.search(r"http://127\.0\.0\.1:\d+", printed)):
                line = process.stderr.readline()
                assert line, printed
                printed += line
            pages = [asked(found[0], wrong) for wrong in (f"{WEB}x", WEB)]
        finally:
            process.terminate()
            printed += process.stderr.read()
    person.output.append(printed)
    return pages


def asked(address: str, password: str) -> str:
    """Sign in, and read all pages."""
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    page = browser.open(f"{address}/login").read().decode()
    token = re.search(r'name="token" value="([^"]+)"', page)
    assert token is not None, page
    form = urllib.parse.urlencode({"token": token[1], "password": password, "next": "/"}).encode()
    texts = [page]
    request = urllib.request.Request(f"{address}/login", form, {"Origin": address})
    try:
        texts.append(browser.open(request).read().decode())
    except urllib.error.HTTPError as error:
        texts.append(error.read().decode())
        return "".join(texts)
    assert "A story" in texts[-1] or "Nothing" in texts[-1] or "news" in texts[-1]
    texts += [browser.open(address + path).read().decode() for path in ("/hidden", "/verdicts")]
    return "".join(texts)


MISTAKES: Mapping[str, str] = {
    "misspelt": f'mail_pasword = "{MAIL}"\n',
    "no text": f'mail_password = ["{MAIL}"]\n',
    "no end": f'mail_password = "{MAIL}\n',
    "twice": f'mail_password = "{MAIL}"\nmail_password = "{MAIL}"\n',
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_in_the_settings_is_named_without_the_password(mistake: str, tmp_path: Path) -> None:
    person = Person(tmp_path)
    NewsFilter.create(person.home).close()
    (person.home / "config.toml").write_text(MISTAKES[mistake])
    done = person.run_forked("inbox")
    assert done.returncode == 1
    assert "config.toml" in done.stderr
    assert "Traceback" in done.stderr
    harmless(person.output)


def test_an_address_that_cannot_be_followed_is_named_without_its_password(tmp_path: Path) -> None:
    person = Person(tmp_path)
    NewsFilter.create(person.home).close()
    (person.home / "feeds.yaml").write_text("feeds: []\n")
    opml = "".join(
        f'<outline xmlUrl="{scheme}://reader:{FEED}@h.example/{path}"/>'
        for scheme, path in (("ftp", ""), ("http", " x"))
    )
    assert person.run_forked("feeds", "import", "-", typed=f"<opml><body>{opml}</body></opml>").returncode == 0
    assert person.run_forked("feeds", "add", "-", typed=f"ftp://reader:{FEED}@h.example/").returncode == 1
    (person.home / "feeds.yaml").write_text(f"feeds:\n  - url: gopher://reader:{FEED}@h.example/\n")
    assert person.run_forked("poll").returncode == 1
    harmless(person.output)


def test_a_password_in_an_argument_is_warned_of(tmp_path: Path) -> None:
    person = Person(tmp_path)
    NewsFilter.create(person.home).close()
    (person.home / "feeds.yaml").write_text("feeds: []\n")
    done = person.run_forked("feeds", "add", "--no-discovery", "http://reader:shown@h.example/feed")
    assert done.returncode == 0
    assert "list of processes" in done.stderr
    assert done.stdout == "Following http://h.example/feed\n"
    assert "feeds add -" not in person.run_forked("feeds", "add", "--no-discovery", "http://h.example/@other").stderr
