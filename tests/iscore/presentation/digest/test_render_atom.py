"""The feed for other readers: RFC 4287's grammar, the rules that its grammar cannot say, and no markup but ours."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from urllib.parse import urlsplit

from lxml import etree

from iscore.presentation.atom import NAMESPACE
from iscore.presentation.digest.feed_items import feed_of, render_atom
from iscore.services.views.digests import DigestListView, DigestView
from tests.iscore.presentation.html_page import Page

GRAMMAR = etree.RelaxNG(etree.parse(Path(__file__).parent / "formats" / "rfc4287.rng"))
ATOM = {"a": NAMESPACE}
MARKUP = {"p", "strong", "ul", "li", "a"}


def parsed(document: str) -> etree._Element:
    """Read a document strictly, as UTF-8, and hold it to all rules."""
    root = etree.fromstring(document.encode("utf-8"), etree.XMLParser(resolve_entities=False, recover=False))
    GRAMMAR.assertValid(root.getroottree())
    follows_the_rules(root)
    return root


def texts(node: etree._Element, path: str) -> list[str]:
    return [str(found) for found in node.xpath(path, namespaces=ATOM)]


def follows_the_rules(root: etree._Element) -> None:
    """Check what the feed validator checks beside the grammar, warnings included."""
    ids = texts(root, "//a:id/text()")
    assert len(ids) == len(set(ids))
    assert all(urlsplit(name).scheme == "urn" for name in ids)
    updated = [datetime.fromisoformat(moment) for moment in texts(root, "a:entry/a:updated/text()")]
    assert len(updated) == len(set(updated))
    (feed_updated,) = texts(root, "a:updated/text()")
    assert all(moment <= datetime.fromisoformat(feed_updated) for moment in updated)
    assert all(moment.endswith("Z") and "." not in moment for moment in texts(root, "//a:updated/text()"))
    addresses = texts(root, "//a:link/@href")
    assert all(urlsplit(url).scheme in ("http", "https") and urlsplit(url).netloc for url in addresses)
    assert not [url for url in addresses if set(url) & set(' <>"{}|\\^`')]
    # The rules that the grammar has in Schematron.
    for entry in root.findall("a:entry", ATOM):
        assert texts(entry, "a:author/a:name/text()")
        assert texts(entry, "a:content/text()") or texts(entry, "a:link[@rel='alternate']/@href")
        assert len(texts(entry, "a:link[@rel='alternate']/@href")) <= 1
        page = Page(entry.findtext("a:content", namespaces=ATOM))
        assert page.open == []
        assert {tag for tag, _ in page.tags} <= MARKUP
        assert all(set(attributes) <= {"href", "lang"} for _, attributes in page.tags)
    assert all(title.strip() for title in texts(root, "//a:title/text()"))


def test_the_feed_has_what_is_recommended_newest_digest_first(digests: DigestListView) -> None:
    root = parsed(render_atom(feed_of(digests)))
    assert texts(root, "a:entry/a:title/text()") == [
        "AT&T <wins> in court",
        "Grid operators warn of a winter shortfall",
        "Of several",
        "Of seldom",
    ]
    assert texts(root, "a:updated/text()") == ["2025-10-07T05:30:00Z"]
    assert texts(root, "a:entry/a:category/@term") == ["Top stories", "Top stories", "In several feeds", "Rare sources"]


def test_an_entry_has_its_times_author_sources_and_reasons(digests: DigestListView) -> None:
    _, _, several, _ = parsed(render_atom(feed_of(digests))).findall("a:entry", ATOM)
    assert texts(several, "a:published/text()") == ["2025-10-06T11:00:00Z"]
    assert texts(several, "a:author/a:name/text()") == ["Ines Halloran (Energy Wire)"]
    assert texts(several, "a:link[@rel='alternate']/@href") == ["https://wire.example/several"]
    assert texts(several, "a:link[@rel='related']/@title") == ["Harbour Post", "Il Lago"]
    assert texts(several, "a:title/@xml:lang") == ["it"]
    page = Page(several.findtext("a:content", namespaces=ATOM))
    assert "words you like: several" in page.text
    assert "A strong match (5 of 5)" in page.text
    assert [link["href"] for link in page.named("a")] == ["https://harbour.example/7", "https://lago.example/7"]


def test_identities_outlast_every_writing(digests: DigestListView) -> None:
    def identities(view: DigestListView) -> dict[str, str]:
        root = parsed(render_atom(feed_of(view)))
        return dict(zip(texts(root, "a:entry/a:title/text()"), texts(root, "a:entry/a:id/text()"), strict=True))

    first = identities(replace(digests, digests=digests.digests[1:]))
    again = identities(replace(digests, at=digests.at + timedelta(days=3)))
    assert first.items() <= again.items()
    other = identities(replace(digests, identity="5ddb935c-055d-534c-9719-8b70abc3bc5a"))
    assert not set(other.values()) & set(again.values())


def test_the_feed_knows_its_own_address_when_it_is_told(digests: DigestListView) -> None:
    assert texts(parsed(render_atom(feed_of(digests))), "a:link/@href") == []
    digest = replace(digests, feed_address="https://me.example/recommended.atom")
    root = parsed(render_atom(feed_of(digest)))
    assert texts(root, "a:link[@rel='self']/@href") == ["https://me.example/recommended.atom"]


def test_an_entry_links_to_where_one_answers(digests: DigestListView) -> None:
    served = tuple(replace(each, serve_address="http://127.0.0.1:8473") for each in digests.digests)
    root = parsed(render_atom(feed_of(replace(digests, digests=served))))
    links = texts(root, "a:entry/a:link[@title='Like or dislike']/@href")
    assert links[0] == "http://127.0.0.1:8473/article/newer"
    assert len(links) == 4


def test_a_feed_without_digests_is_valid(digests: DigestListView) -> None:
    root = parsed(render_atom(feed_of(replace(digests, digests=()))))
    assert texts(root, "a:updated/text()") == ["2025-10-07T09:00:00Z"]


def test_hostile_texts_stay_texts(hostile: DigestView, digests: DigestListView) -> None:
    root = parsed(render_atom(feed_of(replace(digests, digests=(hostile,)))))
    shown = "".join(root.itertext())
    assert not [character for character in "\x00\x07\x1b\x85\x9b\u202e\u2066\u200f\ud800\ufffe" if character in shown]
    assert len(root.findall("a:entry", ATOM)) == 3
