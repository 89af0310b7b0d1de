"""A browser without a screen: it speaks HTTP, keeps cookies and reads forms."""

from __future__ import annotations

import html
import http.client
import re
from contextlib import closing
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: dict[str, str]
    """Names in lower case; of several with one name the last."""
    body: str

    @property
    def place(self) -> str:
        """Where it sends."""
        return self.headers["location"]

    def hidden(self, name: str) -> str:
        """Return the value of the first hidden field of that name."""
        found = re.search(rf'name="{name}" value="([^"]*)"', self.body)
        assert found is not None, self.body[:2000]
        return found[1]

    @property
    def ids(self) -> list[str]:
        """The stories that wait, in order."""
        return re.findall(r'<article id="a-([a-z0-9]+)"', self.body)


class Client:
    """One browser without a screen."""

    def __init__(self, address: str) -> None:
        self.address = address
        parts = urlsplit(address)
        self.host, self.port = parts.hostname or "", parts.port or 0
        self.cookies: dict[str, str] = {}

    def get(self, path: str, *, method: str = "GET", **headers: str) -> Answer:
        """Ask for a page. Header names with underscores for hyphens."""
        return self._ask(method, path, headers, None)

    def post(self, path: str, form: dict[str, str] | str, **headers: str) -> Answer:
        """Send a form."""
        body = form if isinstance(form, str) else urlencode(form)
        return self._ask("POST", path, {"Content-Type": "application/x-www-form-urlencoded", **headers}, body)

    def send(self, method: str, path: str, body: str, **headers: str) -> Answer:
        """Send a body that is no form."""
        return self._ask(method, path, headers, body)

    def upload(self, path: str, form: dict[str, str], file: str, *, name: str = "list.opml", **headers: str) -> Answer:
        """Send a form with a file in the field ``file``."""
        parts = [f'Content-Disposition: form-data; name="{field}"\r\n\r\n{value}' for field, value in form.items()]
        named = f'Content-Disposition: form-data; name="file"; filename="{name}"\r\nContent-Type: text/x-opml'
        parts.append(f"{named}\r\n\r\n{file}")
        body = "".join(f"--edge\r\n{part}\r\n" for part in parts) + "--edge--\r\n"
        return self._ask("POST", path, {"Content-Type": "multipart/form-data; boundary=edge", **headers}, body)

    def vote(self, page: Answer, story: str, kind: str = "like", *, at: str = "for_you", **changed: str) -> Answer:
        """Press a button of a page; ``changed`` are fields of its form."""
        if at in ("for_you", "hidden"):
            do = f"{changed.pop('kind', kind)}:{changed.pop('article', story)}"
            form = {name: html.unescape(page.hidden(name)) for name in ("token", "nonce", "list")}
            return self.post("/mark", form | {"do": do} | changed)
        form = {"token": page.hidden("token"), "nonce": page.hidden("nonce"), "article": story, "page": at}
        return self.post("/verdict", form | {"kind": kind} | changed)

    def _ask(self, method: str, path: str, headers: dict[str, str], body: str | None) -> Answer:
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.cookies and "Cookie" not in fields:
            fields["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        connection = http.client.HTTPConnection(self.host, self.port, timeout=600)
        with closing(connection):
            connection.request(method, path, body, fields)
            response = connection.getresponse()
            text = response.read().decode()
        for name, value in response.getheaders():
            if name.lower() == "set-cookie":
                pair = value.partition(";")[0]
                self.cookies[pair.partition("=")[0]] = pair.partition("=")[2]
        return Answer(response.status, {name.lower(): value for name, value in response.getheaders()}, text)
