"""What a search shows of an article: the hit, as the index understands words."""

from __future__ import annotations

import pytest

from iscore.services.reading.search import excerpt
from storage.stories.search import parse

REST = "and more of the same " * 40


@pytest.mark.parametrize(
    ("query", "hit"),
    [
        ("storage", "storage"),
        ("cafe", "Café"),
        ("STRASSE", "Straße"),
        ("wind", "wind"),  # not the first window
        ("windo*", "windows"),
        ('"sea level"', "sea-level"),
        ("東京", "東京"),
    ],
)
def test_an_excerpt_shows_the_hit(query: str, hit: str) -> None:
    text = f"{REST}ééé windows {REST if hit == 'wind' else ''}wind, storage, Café, Straße, sea-level 私は東京に {REST}"
    found = excerpt(text, parse(query))
    assert hit in found
    assert found.startswith("…")
    assert found.endswith("…")
    assert len(found) <= 250


def test_an_article_without_the_words_shows_its_beginning() -> None:
    assert excerpt("One  two\nthree.", parse("absent")) == "One two three."
