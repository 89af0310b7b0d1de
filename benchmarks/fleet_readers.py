"""Readers of the simulated fleet: apps that sign in over HTTP, and give verdicts until they are acknowledged."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from http.client import HTTPConnection, HTTPException
from urllib.parse import urlencode

from storage.records.users import Kind

API = "/reader/api/0/"
LABELS = {Kind.LIKE: "user/-/label/like", Kind.DISLIKE: "user/-/label/iScore/dislike"}
PATIENCE = 10.0
"""Seconds that an app waits for an answer."""
PAUSE = 1.0
"""Seconds between two verdicts of those who ask one web process."""


class Readers:
    """Threads of readers, one for each web process; after an error they try again at the other."""

    def __init__(
        self, addresses: Sequence[tuple[str, int]], known: Mapping[str, tuple[int, str]], clock: Callable[[], datetime]
    ) -> None:
        self.acknowledged: dict[tuple[int, str], tuple[Kind, datetime]] = {}
        """Verdict and time, by user and item."""
        self.errors = 0
        """Requests without the answer that was wanted."""
        self.resting = threading.Event()
        """While it is set, nobody gives verdicts."""
        self._addresses = addresses
        self._known = dict(known)
        self._clock = clock
        self._over = threading.Event()
        self._threads = [threading.Thread(target=self._read, args=(number,)) for number in range(len(addresses))]

    def start(self) -> None:
        """Start to read."""
        for each in self._threads:
            each.start()

    def end(self) -> None:
        """Stop reading."""
        self._over.set()
        for each in self._threads:
            each.join()

    def _read(self, number: int) -> None:
        chance, at = random.Random(number), number
        names = sorted(self._known)[number :: len(self._addresses)]
        tokens: dict[str, str] = {}
        wanted: tuple[str, str, Kind] | None = None  # was asked for, and not acknowledged
        while not self._over.wait(PAUSE):
            if self.resting.is_set():
                continue
            name, item, kind = wanted or (chance.choice(names), "", chance.choice((Kind.LIKE, Kind.DISLIKE)))
            user, password = self._known[name]
            try:
                if name not in tokens:
                    form = {"Email": name, "Passwd": password, "output": "json"}
                    tokens[name] = json.loads(self._ask(at, "/accounts/ClientLogin", form))["Auth"]
                if not item:
                    query = {"s": "user/-/state/com.google/reading-list", "n": "100", "output": "json"}
                    said = self._ask(at, f"{API}stream/items/ids?{urlencode(query)}", None, tokens[name])
                    found = [each["id"] for each in json.loads(said)["itemRefs"]]
                    new = [each for each in found if (user, each) not in self.acknowledged]
                    if not new:
                        continue
                    item = chance.choice(new)
                    wanted = (name, item, kind)
                self._ask(at, f"{API}edit-tag", {"i": item, "a": LABELS[kind]}, tokens[name])
                self.acknowledged[user, item] = (kind, self._clock())
                wanted = None
            except (OSError, HTTPException, ValueError):
                self.errors += 1
                at = (at + 1) % len(self._addresses)

    def _ask(self, at: int, path: str, form: Mapping[str, str] | None, token: str = "") -> str:
        """Ask a web process; return a good answer. Raises ``OSError`` or ``HTTPException`` without one."""
        host, port = self._addresses[at]
        connection = HTTPConnection(host, port, timeout=PATIENCE)
        headers = {"Authorization": f"GoogleLogin auth={token}"} if token else {}
        try:
            if form is None:
                connection.request("GET", path, headers=headers)
            else:
                headers["Content-Type"] = "application/x-www-form-urlencoded"
                connection.request("POST", path, urlencode(form), headers)
            answer = connection.getresponse()
            said = answer.read().decode()
        finally:
            connection.close()
        if answer.status != 200:
            raise OSError(f"{answer.status} {said[:100]}")
        return said
