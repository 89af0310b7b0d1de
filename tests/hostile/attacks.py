"""Everybody who attacks ``iscore serve``, all at once, beside a user who reads pages and gives verdicts.

    python -m tests.hostile.attacks <seconds> < target.json

runs the attackers of ``ATTACKS`` against a server until the time is over, and prints how they were answered as JSON.
They have a process of their own with a low priority: in life they have their own machines. Each attack is made again
as soon as it is answered, by each of its attackers.
"""

from __future__ import annotations

import http.client
import json
import os
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import IO
from urllib.parse import urlencode

from iscore.core.passwords import hash_password
from iscore.services.news_filter import NewsFilter
from iscore.services.people.accounts import Accounts
from iscore.web.security.credentials import CredentialStore
from tests.iscore.web.client import Answer, Client

USER, ATTACKERS, PASSWORD = "Anna", ("Mallory", "Trudy"), "a walk by the harbour"
NAMES = 2000
"""Names that nobody has."""
EXPRESSIONS = (
    *("(?x)(a{ 9999 }){ 9999 }", "(a{999}){999}", "(((a{99}){99}){99}){99}", "((?:a|b|c){1,999}){1,999}"),
    *(
        "[a-z]{1,999}" * 40,
        "(" * 2000 + "a" + ")" * 2000,
        "(?i)(?:(?:é{500}){500}){500}",
        "(a+)+$",
        "(?<=a{999})b{9999}",
    ),
)
PAGES = ("/", "/all", "/hidden", "/feeds", "/feeds/export", "/rules")
UPLOAD = "multipart/form-data; boundary=edge"
FORM = "application/x-www-form-urlencoded"
PART = b'--edge\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n'
APIS = ("/v1/feeds", "/v1/entries", "/fever/?api", "/reader/api/0/edit-tag", "/accounts/ClientLogin")


@dataclass
class Target:
    """A server, and what an attacker knows: accounts of their own, a browser of the victim that visits their site."""

    address: str
    cookies: list[dict[str, str]]
    """Of the two users who attack."""
    token: str
    """Of the first one's forms."""
    strangers_cookies: dict[str, str]
    strangers_token: str
    victims_cookies: dict[str, str]
    app_password: str
    silent: int = 0
    """A port that accepts and never answers."""
    numbers: Iterator[int] = field(default_factory=count)

    def ask(
        self, method: str, path: str, body: bytes = b"", *, cookies: dict[str, str] | None = None, **headers: str
    ) -> str:
        """Send a request from one of many addresses of this machine, and return the status of the answer."""
        client, number = Client(self.address), next(self.numbers)
        source = f"127.1.{number // 250 % 250}.{number % 250 + 1}", 0
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        if cookies:
            fields["Cookie"] = "; ".join(f"{name}={value}" for name, value in cookies.items())
        with closing(
            http.client.HTTPConnection(client.host, client.port, timeout=120, source_address=source)
        ) as asking:
            asking.request(method, path, body, fields)
            return str(asking.getresponse().status)

    def form(self, path: str, **values: str) -> str:
        """Send a form of the attacker's account."""
        body = urlencode({"token": self.token, **values}).encode()
        return self.ask("POST", path, body, cookies=self.cookies[0], Content_Type=FORM)


def hostile_rule(target: Target) -> str:
    number = next(target.numbers)
    text, action = EXPRESSIONS[number % len(EXPRESSIONS)], ("preview", "add")[number % 2]
    return target.form("/rules", does="never", field="regex", text=text, action=action)


def slow_previews(target: Target) -> str:
    """Have an expression tried that takes long with each article, and is never found."""
    text = f"[^0-9]*?[^0-9]*?[0-9]{{{3 + next(target.numbers) % 200}}}"
    return target.form("/rules", does="never", field="regex", text=text, action="preview")


def silent_strangers(target: Target) -> str:
    return _silent(target, {})


def silent_user(target: Target) -> str:
    return _silent(target, target.cookies[0])


def _silent(target: Target, cookies: dict[str, str]) -> str:
    """Announce an upload and send nothing of it."""
    client = Client(target.address)
    lines = ["POST /feeds/import HTTP/1.1", "Host: localhost", f"Content-Type: {UPLOAD}", "Content-Length: 3000000"]
    lines += [f"Cookie: {name}={value}" for name, value in cookies.items()]
    with socket.create_connection((client.host, client.port), timeout=120) as asking:
        asking.sendall("\r\n".join([*lines, "", ""]).encode())
        return asking.recv(20).decode("latin-1")[9:12] or "closed"


def large_body_to_api(target: Target) -> str:
    number = next(target.numbers)
    body = (b"[" * 1_000_000, b"i=1&" * 250_000, b'{"a":' * 200_000, PART * 17_000)[number % 4]
    kind = (FORM, FORM, "application/json", UPLOAD)[number % 4]
    return target.ask("POST", APIS[number % len(APIS)], body, Content_Type=kind)


def addresses_that_never_answer(target: Target) -> str:
    number = next(target.numbers)
    named = " ".join(f"http://127.2.{number % 250}.{each + 1}:{target.silent}/feed" for each in range(20))
    return target.form("/feeds", address=named, action="add")


def very_many_parts(target: Target) -> str:
    body, cookies = PART * 62_000 + b"--edge--", target.cookies[1]
    return target.ask("POST", "/feeds/import", body, cookies=cookies, Content_Type=UPLOAD)


def brackets_of_an_app(target: Target) -> str:
    return target.ask(
        "PUT", "/v1/entries", b"[" * 900_000, X_Auth_Token=target.app_password, Content_Type="application/json"
    )


def cross_site(target: Target) -> str:
    body = urlencode({"article": "x", "kind": "like", "token": target.token}).encode()
    evil = "https://evil.example"
    return target.ask("POST", "/verdict", body, cookies=target.victims_cookies, Origin=evil, Content_Type=FORM)


def made_up_names(target: Target) -> str:
    number = next(target.numbers)
    name, password = f"reader {number % NAMES}", "not a walk"
    if number % 2:
        return target.ask("POST", "/accounts/ClientLogin", urlencode({"Email": name, "Passwd": password}).encode())
    form = {"token": target.strangers_token, "name": name, "password": password, "next": ""}
    body = urlencode(form).encode()
    return target.ask("POST", "/login", body, cookies=target.strangers_cookies, Content_Type=FORM)


ATTACKS: dict[Callable[[Target], str], int] = {
    hostile_rule: 3,
    slow_previews: 20,
    silent_strangers: 40,
    silent_user: 4,
    large_body_to_api: 4,
    addresses_that_never_answer: 2,
    very_many_parts: 2,
    brackets_of_an_app: 1,
    cross_site: 1,
    made_up_names: 4,
}
"""Attack → how many attackers make it at a time."""


@dataclass
class Stay:
    """What a user saw while they read and judged."""

    seconds: list[float] = field(default_factory=list)
    """Of each page and verdict, until it was there."""
    slowest: tuple[float, str] = (0.0, "")
    wrong: list[str] = field(default_factory=list)
    """Pages that did not come as they should."""
    given: list[tuple[str, str]] = field(default_factory=list)
    """Verdicts that were acknowledged: story and kind."""


def stay(client: Client, seconds: float, pause: float = 0.1) -> Stay:
    """Read pages and give verdicts for some time, as a user does who has signed in."""
    seen, until = Stay(), time.monotonic() + seconds

    def timed(what: str, wanted: int, work: Callable[..., Answer], *given: object) -> Answer:
        began = time.monotonic()
        answer = work(*given)
        seen.seconds.append(time.monotonic() - began)
        seen.slowest = max(seen.slowest, (seen.seconds[-1], what))
        if answer.status != wanted:
            seen.wrong.append(f"{what}: {answer.status}")
        time.sleep(pause)
        return answer

    number = 0
    while time.monotonic() < until:
        for path in PAGES:
            timed(path, 200, client.get, path)
        page = timed("/all", 200, client.get, "/all")
        for kind in ("like", "dislike", "skip"):
            story, number = page.ids[number % len(page.ids)], number + 1
            if timed("verdict", 303, client.vote, page, story, kind).status == 303:
                seen.given.append((story, kind))
        timed("an article", 200, client.get, f"/article/{page.ids[number % len(page.ids)]}")
    return seen


@dataclass
class Attacked:
    """A server with its users, and the attackers' target."""

    target: Target
    user: Client
    peak: int = 0
    """Bytes of memory of the server and its children: the most that was seen."""

    @contextmanager
    def watched(self, pid: int) -> Iterator[None]:
        """Look at the memory of the server ten times a second."""
        over = threading.Event()

        def look() -> None:
            while not over.wait(0.1):
                self.peak = max(self.peak, memory_of(pid))

        watcher = threading.Thread(target=look)
        watcher.start()
        try:
            yield
        finally:
            over.set()
            watcher.join()

    @contextmanager
    def attacks(self, seconds: float) -> Iterator[IO[str]]:
        """Have everybody attack; yields where they tell afterwards how they were answered, as JSON."""
        command = [sys.executable, "-m", "tests.hostile.attacks", str(seconds)]
        root = Path(__file__).parents[2]
        with (
            socket.create_server(("0.0.0.0", 0), backlog=4096) as silent,  # the kernel accepts, nobody answers
            subprocess.Popen(command, cwd=root, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process,
        ):
            assert process.stdin is not None
            assert process.stdout is not None
            target = {name: value for name, value in vars(self.target).items() if name != "numbers"}
            process.stdin.write(json.dumps(target | {"silent": silent.getsockname()[1]}))
            process.stdin.close()
            assert process.stdout.readline() == "begun\n"
            yield process.stdout


def people(home: Path) -> str:
    """Give a data folder ``USER`` and ``ATTACKERS``; return the password of an app of the last one."""
    with NewsFilter.open(home) as news:
        accounts, secret = Accounts(news.database, news.context.clock), hash_password(PASSWORD)
        accounts.set_up(USER, secret)
        for name in ATTACKERS:
            news.people.add(name)
        numbers = {name: number for number, name in news.people.names().items()}
        for name in ATTACKERS:
            accounts.set_password(numbers[name], secret)
        CredentialStore(home).mark_set_up()
        return accounts.make_app_password(numbers[ATTACKERS[1]], "reader")


def arrived(address: str, app_password: str) -> Attacked:
    """Sign all users in at a server."""
    user, *attackers = (signed_in(address, name) for name in (USER, *ATTACKERS))
    stranger, token = Client(address), attackers[0].get("/rules").hidden("token")
    strangers_token = stranger.get("/login").hidden("token")
    cookies = dict(user.cookies)
    return Attacked(
        Target(
            address,
            [each.cookies for each in attackers],
            token,
            stranger.cookies,
            strangers_token,
            cookies,
            app_password,
        ),
        user,
    )


def signed_in(address: str, name: str) -> Client:
    """Sign a user in in a new browser."""
    client = Client(address)
    token = client.get("/login").hidden("token")
    assert client.post("/login", {"token": token, "name": name, "password": PASSWORD, "next": ""}).status == 303
    return client


def kept(home: Path, given: list[tuple[str, str]]) -> list[str]:
    """Tell which of the verdicts that ``USER`` gave in the end are not the last ones of the log."""
    query = (
        "SELECT articles.id, kind FROM feedback JOIN articles USING (seq) WHERE feedback.user_id = 1"
        " ORDER BY feedback.row DESC LIMIT ?"
    )
    with closing(sqlite3.connect(home / "iscore.db")) as database:
        log = [(str(story), str(kind)) for story, kind in database.execute(query, [len(given)])][::-1]
    return [f"{one} is lost, there is {other}" for one, other in zip(given, log, strict=True) if one != other]


def memory_of(pid: int) -> int:
    """Return the bytes in the memory of a process and of all its children."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:  # it has ended just now
        return 0
    own = next((int(line.split()[1]) << 10 for line in status.splitlines() if line.startswith("VmRSS")), 0)
    return own + sum(memory_of(int(child)) for child in children)


def attack(target: Target, seconds: float) -> dict[str, Counter[str]]:
    """Make all attacks until the time is over; return for each how it was answered, and how often."""
    answers: dict[str, Counter[str]] = {each.__name__: Counter() for each in ATTACKS}
    until = time.monotonic() + seconds

    def attacker(each: Callable[[Target], str]) -> None:
        while time.monotonic() < until:
            try:
                answer = each(target)
            except (OSError, http.client.HTTPException) as error:
                answer = "no answer within 120 s" if isinstance(error, TimeoutError) else "closed"
            answers[each.__name__][answer] += 1

    attackers = [
        threading.Thread(target=attacker, args=(each,), name=each.__name__, daemon=True)
        for each, number in ATTACKS.items()
        for _ in range(number)
    ]
    for thread in attackers:
        thread.start()
    for thread in attackers:
        thread.join(max(until - time.monotonic(), 0.0))
    for thread in attackers:
        if thread.is_alive():
            answers[thread.name]["waiting at the end"] += 1
    return answers


if __name__ == "__main__":
    os.nice(10)
    attacked = Target(**json.load(sys.stdin))
    print("begun", flush=True)
    print(json.dumps(attack(attacked, float(sys.argv[1]))), flush=True)
    os._exit(0)  # some attackers still wait for an answer
