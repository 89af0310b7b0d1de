"""An entry keeps its identity from poll to poll and shares it with no other."""

from __future__ import annotations

from datetime import UTC, datetime

from iscore.feeds.parsing.identity import MAX_KEY, Draft, with_keys, without_duplicates
from storage.records.articles import NewArticle


def draft(guid: str = "", url: str = "", title: str = "", text: str = "") -> Draft:
    return Draft(guid, NewArticle("", url, title, "", (), text, "", None, 0, 0, b""))


def keys(*drafts: Draft) -> list[str]:
    return [article.key for article in with_keys(drafts)]


def test_a_guid_of_its_own_is_the_identity() -> None:
    assert keys(draft("a", "https://x.org/1"), draft("b", "https://x.org/1")) == ["id:a", "id:b"]


def test_one_guid_for_all_identifies_none() -> None:
    assert keys(draft("a", "https://x.org/1"), draft("a", "https://www.x.org/2/")) == ["page:x.org/1", "page:x.org/2"]


def test_one_guid_and_one_page_for_all_leave_the_text() -> None:
    found = keys(draft("a", "https://x.org/", "One"), draft("a", "https://x.org/", "Two"))
    assert len(set(found)) == 2
    assert all(key.startswith("text:") for key in found)


def test_the_key_of_an_entry_does_not_depend_on_its_neighbours() -> None:
    assert keys(draft("a"), draft("b"), draft(url="https://x.org/1"))[1:] == keys(
        draft("b"), draft(url="https://x.org/1")
    )


def test_entries_alike_in_everything_are_one() -> None:
    articles = with_keys([draft("a", "https://x.org/", "One"), draft("a", "https://x.org/", "One"), draft("b")])
    assert [article.key for article in without_duplicates(articles)] == [articles[0].key, "id:b"]


def test_long_guids_have_short_keys() -> None:
    (key,) = keys(draft("x" * 5000))
    assert len(key) <= MAX_KEY
    assert key != keys(draft("x" * 5001))[0]


def test_every_field_counts_for_the_content_hash() -> None:
    base = {"key": "", "url": "u", "title": "t", "author": "a", "categories": ("c",), "text": "x", "language": "en"}
    base |= {"published": datetime(2026, 1, 1, tzinfo=UTC), "links": 1, "pictures": 2, "content_hash": b""}
    other = {"url": "U", "title": "T", "author": "A", "categories": ("c", ""), "text": "X", "language": "de"}
    other |= {"published": None, "links": 2, "pictures": 1}

    def content_hash(**fields: object) -> bytes:
        (article,) = with_keys([Draft("g", NewArticle(**(base | fields)))])  # type: ignore[arg-type]
        return article.content_hash

    hashes = {content_hash(), *(content_hash(**{name: value}) for name, value in other.items())}
    assert len(hashes) == 1 + len(other)
    assert len(content_hash()) == 16
    assert content_hash() == content_hash()
