"""Errors that are stored in English, or raised where no language is known, in the language of the reader."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import iscore.feeds
import iscore.services.connections
from iscore.core.translation import use_language
from iscore.presentation.wording.stored_errors import (
    FEED_ERRORS,
    SERVER_ERRORS,
    error_text,
    feed_error_text,
    server_error_text,
)
from storage.engine.errors import DatabaseBusy, DiskFull, LastAdmin, RefusedUserName, TakenUserName, UnknownName

FEEDS = Path(iscore.feeds.__file__).parent
CONNECTIONS = Path(iscore.services.connections.__file__).parent


def test_the_usual_errors_of_feeds_are_translated_with_what_is_in_them() -> None:
    with use_language("de"):
        assert feed_error_text("the server answered 404 Not Found") == "der Server antwortete 404 Not Found"
        assert feed_error_text("no such host") == "diesen Host gibt es nicht"
        offer = "this is a web page, not a feed: “A; b”; follow the feed that it declares: https://a.example/f"
        assert feed_error_text(offer).endswith("„A; b“; folge dem Feed, den sie angibt: https://a.example/f")
        assert feed_error_text("no such thing 100 %(x)s") == "no such thing 100 %(x)s"
    assert feed_error_text("no such host") == "no such host"


def test_the_usual_errors_of_feeds_are_those_of_the_code() -> None:
    """Each literal piece of a message is written somewhere in ``iscore.feeds``."""
    code = "\n".join(path.read_text(encoding="utf-8") for path in FEEDS.rglob("*.py"))
    pieces = {piece for message in FEED_ERRORS for piece in re.split(r"%\(\w+\)s", message)}
    pieces -= {"the document is larger than ", "the feed could not be read within ", " seconds", " MB", ")", ""}
    pieces.remove("the process that read the feed died, probably out of memory")  # these are put together
    assert [piece for piece in sorted(pieces) if piece not in code] == []


def test_the_usual_errors_of_other_servers_are_translated_whole() -> None:
    not_found = "https://a.example: the server answered 404 Not Found; there is no Google Reader API at this address"
    assert server_error_text(not_found) == not_found
    with use_language("de"):
        assert server_error_text(not_found).endswith("unter dieser Adresse gibt es keine Google-Reader-API")
        assert server_error_text("https://a.example: no such host") == "https://a.example: diesen Host gibt es nicht"
        assert server_error_text("no such thing 100 %(x)s") == "no such thing 100 %(x)s"


def test_the_usual_errors_of_other_servers_are_those_of_the_code() -> None:
    files = [*FEEDS.rglob("*.py"), *CONNECTIONS.glob("*.py")]
    code = "\n".join(path.read_text(encoding="utf-8") for path in files)
    texts = [piece for message in SERVER_ERRORS for piece in re.split(r"%\(\w+\)s", message)]
    pieces = {part for text in texts for part in text.split("; ")}
    pieces.remove(" redirects, which is not followed")  # this is put together
    assert [piece for piece in sorted(pieces) if piece not in code] == []


@pytest.mark.parametrize(
    "error",
    [
        LastAdmin(),
        TakenUserName("ada"),
        RefusedUserName("!" * 100),
        UnknownName("feed", "x", "y"),
        UnknownName("tag", "x", ""),
        UnknownName("label", "x", ""),
        DatabaseBusy(Path("iscore.db")),
        DiskFull(Path("iscore.db")),
        ValueError("another"),
    ],
)
def test_errors_of_the_storage_are_the_same_in_english(error: Exception) -> None:
    assert error_text(error) == str(error)
    with use_language("de"):
        assert (error_text(error) == str(error)) == isinstance(error, ValueError)
