"""What client apps cost the server.

    python -m benchmarks.client_apps [--api miniflux] [--articles 30000] [--repeats 60] [--rounds 20]

A data folder has articles of 100 feeds that arrived over 33 days; three people follow all feeds, and each has scores of
their own, marks, and an app with a password.

- Requests: the web app runs in this process, and the three apps ask in turn. The figure is the processor time of the
  process for one request; ids of 10,000 items are to take at most 300 ms.
- Crowd: 200 apps at once, with passwords of their own, on the real command. In each round each signs in, asks for the
  unread ids, the ids of 10,000 items and the contents of 200 of them, and marks these as read. The figure is the mean
  processor time of the server for one request; its memory is that after the round.

By default over the Google Reader API; with ``--api miniflux`` over Miniflux's, whose first request is ``me``.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from urllib.parse import urlencode

from benchmarks import homes
from benchmarks.reader_pages import PEOPLE, Server, fill, processor_time, served
from benchmarks.results import Cell, write
from tests.iscore.web.client import Answer, Client
from tests.iscore.web.in_process import AppClient, Site, site

API = "/reader/api/0/"
ALL, READ = "user/-/state/com.google/reading-list", "user/-/state/com.google/read"
IDS, CONTENTS, EDITED = 10_000, 200, 200
"""Items that apps ask for, and change, at once."""
CROWD = 200
"""Apps at once."""
LISTS: dict[str, list[tuple[str, object]]] = {
    "ids, everything": [("s", ALL)],
    "ids, unread": [("s", ALL), ("xt", READ)],
    "ids, since three days": [("s", ALL), ("ot", int(homes.NOW.timestamp()) - 3 * 86_400)],
    "ids, a folder": [("s", "user/-/label/folder 1")],
    "ids, a feed": [("s", "feed/8")],
    "ids, starred": [("s", "user/-/state/com.google/starred")],
    "ids, hidden": [("s", "user/-/label/iScore/hidden")],
}


Requests = dict[str, Callable[["App", int], Answer]]
"""What is measured: a request by its name, of an app, for the how-manieth time."""


class App:
    """A client app that has signed in."""

    def __init__(self, here: Site, name: str) -> None:
        self.client: AppClient = here.client()
        self.password = password_of(here, name, 0)
        self.name = name
        token = json.loads(self.sign_in().body)["Auth"]
        self.signed = {"Authorization": f"GoogleLogin auth={token}"}
        self.ids = [
            each["id"] for each in json.loads(self.get("stream/items/ids", ("s", ALL), ("n", 1000)).body)["itemRefs"]
        ]

        self.numbers: list[int] = json.loads(self.v1("entries/ids?limit=1000").body)["entry_ids"]
        """The same, as Miniflux's API has them."""

    def sign_in(self) -> Answer:
        form = {"Email": self.name, "Passwd": self.password, "output": "json"}
        return self.client.post("/accounts/ClientLogin", form)

    def get(self, path: str, *pairs: tuple[str, object]) -> Answer:
        return self.client.get(f"{API}{path}?{urlencode(pairs)}", **self.signed)

    def v1(self, path: str, method: str = "GET", body: object = None) -> Answer:
        """Send a request of Miniflux's API."""
        text = "" if body is None else json.dumps(body)
        return self.client.send(method, f"/v1/{path}", text, X_Auth_Token=self.password)

    def post(self, path: str, *pairs: tuple[str, object]) -> Answer:
        return self.client.post(f"{API}{path}", urlencode(pairs), **self.signed)


def main() -> None:
    """Measure and write ``benchmarks/results/client_apps``."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--api", choices=tuple(APIS), default="google_reader")
    parser.add_argument("--articles", type=int, default=30_000)
    parser.add_argument("--repeats", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    rounds = 1 if options.quick else options.rounds
    count, repeats = (2000, 3) if options.quick else (options.articles, options.repeats)
    api = APIS[options.api]
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        fill(home, count)
        with site(home, homes.NOW) as here:
            apps = [App(here, name) for name in PEOPLE]
            rows = [measure(name, work, apps, repeats) for name, work in api.requests().items()]
            crowd = [(name, password_of(here, name, n)) for n in range(CROWD) for name in (PEOPLE[n % len(PEOPLE)],)]
        with served(home) as server:
            rows += [in_round(number + 1, server, crowd, api.synchronise) for number in range(rounds)]
    columns = ("request", "items", "median (ms)", "p99 (ms)", "size (kB)")
    notes = (__doc__ or "").partition("[--rounds 20]")[2].strip()
    write(api.results, f"{api.title} with {count:,} articles and three people", columns, rows, notes)


def requests() -> Requests:
    """Return the requests of the Google Reader API that are measured."""

    def contents(app: App, turn: int) -> Answer:
        first = turn * CONTENTS % (len(app.ids) - CONTENTS)
        return app.post("stream/items/contents", *(("i", each) for each in app.ids[first : first + CONTENTS]))

    def edit(app: App, turn: int) -> Answer:
        ids = [("i", each) for each in app.ids[turn % EDITED : turn % EDITED + EDITED]]
        return app.post("edit-tag", *ids, ("a" if turn // len(PEOPLE) % 2 else "r", READ))

    def star(app: App, turn: int) -> Answer:
        name = "a" if turn // len(PEOPLE) % 2 else "r"
        return app.post("edit-tag", ("i", app.ids[turn]), (name, "user/-/state/com.google/starred"))

    def listed(pairs: list[tuple[str, object]], app: App, _turn: int) -> Answer:
        return app.get("stream/items/ids", *pairs, ("n", IDS))

    found: Requests = {
        "sign in": lambda app, _: app.sign_in(),
        "feeds": lambda app, _: app.get("subscription/list"),
        "folders and labels": lambda app, _: app.get("tag/list"),
        "unread counts": lambda app, _: app.get("unread-count"),
        **{name: partial(listed, pairs) for name, pairs in LISTS.items()},
        "contents": contents,
        "mark as read, or as unread": edit,
        "star, or remove it": star,
    }
    return found


def v1_requests() -> Requests:
    """Return the requests of Miniflux's API that are measured."""

    def entries(app: App, turn: int) -> Answer:
        offset = turn * CONTENTS % (len(app.numbers) - CONTENTS)
        return app.v1(f"entries?order=published_at&direction=desc&limit={CONTENTS}&offset={offset}")

    def edit(app: App, turn: int) -> Answer:
        ids = app.numbers[turn % EDITED : turn % EDITED + EDITED]
        status = "read" if turn // len(PEOPLE) % 2 else "unread"
        return app.v1("entries", "PUT", {"entry_ids": ids, "status": status})

    return {
        "me": lambda app, _: app.v1("me"),
        "feeds": lambda app, _: app.v1("feeds"),
        "categories with counts": lambda app, _: app.v1("categories?counts=true"),
        "unread counts": lambda app, _: app.v1("feeds/counters"),
        "ids, everything": lambda app, _: app.v1(f"entries/ids?limit={IDS}"),
        "ids, unread": lambda app, _: app.v1(f"entries/ids?status=unread&limit={IDS}"),
        "ids, starred": lambda app, _: app.v1(f"entries/ids?starred=true&limit={IDS}"),
        "unread entries": lambda app, _: app.v1(f"entries?status=unread&direction=desc&limit={CONTENTS}"),
        "entries, by publication": entries,
        "entries of a feed": lambda app, _: app.v1(f"feeds/8/entries?limit={CONTENTS}"),
        "an entry": lambda app, turn: app.v1(f"entries/{app.numbers[turn]}"),
        "mark as read, or as unread": edit,
        "star, or remove it": lambda app, turn: app.v1(f"entries/{app.numbers[turn // 2]}/bookmark", "PUT"),
    }


def measure(name: str, work: Callable[[App, int], Answer], apps: list[App], repeats: int) -> tuple[Cell, ...]:
    """Return a request's name, the number of its items, and what it costs."""
    spent = []
    for turn in range(-len(apps), repeats):  # the first of each app is not counted
        before = time.process_time()
        answer = work(apps[turn % len(apps)], max(turn, 0))
        if turn >= 0:
            spent.append(time.process_time() - before)
        if answer.status not in (200, 204):
            raise RuntimeError(f"{name} was answered with {answer.status}: {answer.body[-500:]}")
    items = items_in(answer.body) if name.startswith(("ids", "contents")) or "entries" in name else ""
    worst = quantiles(spent, n=100, method="inclusive")[98]
    size = round(len(answer.body.encode()) / 1000, 1)
    row = (name, items, round(1000 * median(spent), 1), round(1000 * worst, 1), size)
    print(*row, flush=True)
    return row


def items_in(body: str) -> int:
    """Count the items of an answer."""
    found = json.loads(body)
    return next(len(found[name]) for name in ("itemRefs", "items", "entry_ids", "entries") if name in found)


def password_of(here: Site, name: str, number: int) -> str:
    """Return a new password of a person's app."""
    user = next(each.id for each in here.context.accounts.users() if each.name == name)
    return here.context.accounts.make_app_password(user, f"app {number}")


def synchronise(client: Client, name: str, password: str) -> list[int]:
    """Synchronise by the Google Reader API; return the status of each answer."""
    form = {"Email": name, "Passwd": password, "output": "json"}
    answer = client.post("/accounts/ClientLogin", form)
    statuses = [answer.status]
    signed = {"Authorization": f"GoogleLogin auth={json.loads(answer.body)['Auth']}"}
    for pairs in (LISTS["ids, unread"], LISTS["ids, everything"]):
        answer = client.get(f"{API}stream/items/ids?{urlencode([*pairs, ('n', IDS)])}", **signed)
        statuses.append(answer.status)
    ids = [("i", each["id"]) for each in json.loads(answer.body)["itemRefs"][:CONTENTS]]
    statuses.append(client.post(f"{API}stream/items/contents", urlencode(ids), **signed).status)
    statuses.append(client.post(f"{API}edit-tag", urlencode([*ids, ("a", READ)]), **signed).status)
    return statuses


def v1_synchronise(client: Client, name: str, password: str) -> list[int]:  # noqa: ARG001 -- the password says whose it is
    """Synchronise by Miniflux's API; return the status of each answer."""
    signed = {"X_Auth_Token": password}
    answers = [
        client.get(f"/v1/{path}", **signed)
        for path in ("me", f"entries/ids?status=unread&limit={IDS}", f"entries/ids?limit={IDS}")
    ]
    ids = json.loads(answers[-1].body)["entry_ids"]
    answers.append(client.get(f"/v1/entries?order=id&direction=desc&limit={CONTENTS}", **signed))
    body = json.dumps({"entry_ids": ids[:CONTENTS], "status": "read"})
    answers.append(client.send("PUT", "/v1/entries", body, **signed))
    return [each.status for each in answers]


def in_round(
    number: int, server: Server, crowd: list[tuple[str, str]], work: Callable[[Client, str, str], list[int]]
) -> tuple[Cell, ...]:
    """Let all apps synchronise at once; return what it cost, and how much memory the server has then."""

    def errors_of(app: tuple[str, str]) -> int:
        return sum(status not in (200, 204) for status in work(Client(server.address), *app))

    before = processor_time(server.pid)
    with ThreadPoolExecutor(len(crowd)) as apps:
        errors = sum(apps.map(errors_of, crowd))
    spent = (processor_time(server.pid) - before) / (5 * len(crowd))
    memory = int(Path(f"/proc/{server.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    name = f"{len(crowd)} apps at once, round {number}: {errors} errors, memory {memory:.0f} MB"
    row = (name, "", round(1000 * spent, 1), "", "")
    print(*row, flush=True)
    return row


@dataclass(frozen=True, slots=True)
class Api:
    """An API and where its figures go."""

    title: str
    results: str
    requests: Callable[[], Requests]
    synchronise: Callable[[Client, str, str], list[int]]


APIS = {
    "google_reader": Api("Client apps", "client_apps", requests, synchronise),
    "miniflux": Api("Apps of Miniflux", "client_apps_miniflux", v1_requests, v1_synchronise),
}

if __name__ == "__main__":
    main()
