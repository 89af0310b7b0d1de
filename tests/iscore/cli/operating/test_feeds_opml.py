"""``iscore feeds import`` and ``export``: OPML from and for other readers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.iscore.cli.person import FEEDS, Person

OPML = """<?xml version="1.0"?>
<opml version="1.1"><head/><body>
<outline text="Science"><outline text="Space">
  <outline type="rss" text="Stars" xmlUrl="https://stars.example/feed"/>
</outline></outline>
<outline type="rss" text="Mine, under another name" xmlUrl="https://MINE.example/feed"/>
<outline type="rss" text="Query" xmlUrl="query:unread"/>
<outline type="rss" text="Plain" xmlUrl="https://plain.example/feed?a=1&b=2"/>
</body></opml>"""


def test_an_opml_is_taken_over_and_a_second_time_changes_nothing(person: Person, tmp_path: Path) -> None:
    file = tmp_path / "other.opml"
    file.write_text(OPML, encoding="utf-8")
    done = person.types("feeds", "import", str(file))
    assert (done.code, done.out) == (0, "2 feeds added, 1 already there, 1 refused.\n")
    assert "iscore: Query: the address is not a web address: only http and https" in done.messages
    after = person.feeds()
    assert after == FEEDS.replace(
        "[kept]\n",
        "[kept]\n"
        "  - url: https://stars.example/feed\n    title: Stars\n    tags: [Science, Space]\n"
        "  - url: https://plain.example/feed?a=1&b=2\n    title: Plain\n",
    )
    again = person.types("feeds", "import", "-", "--json", stdin=OPML.encode()).document()
    assert (again["added"], again["already_there"], len(again["refused"])) == ([], 3, 1)
    assert person.feeds() == after
    assert [feed["title"] for feed in person.types("feeds", "list", "--json").document()] == ["", "Stars", "Plain"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<rss/>", "is not OPML but <rss>"),
        ('<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><opml/>', "has a document type"),
        ("<opml>\n<body>", "line 2 is not well-formed XML"),
        (None, "No such file or directory"),
    ],
)
def test_a_file_that_cannot_be_taken_over_is_one_line_and_changes_nothing(
    person: Person, tmp_path: Path, text: str | None, said: str
) -> None:
    file = tmp_path / "bad.opml"
    if text is not None:
        file.write_text(text, encoding="utf-8")
    done = person.types("feeds", "import", str(file))
    assert (done.code, done.out, len(done.messages.splitlines())) == (1, "", 1)
    assert str(file) in done.messages
    assert said in done.messages
    assert person.feeds() == FEEDS


def test_an_export_is_what_another_home_imports(person: Person, tmp_path: Path) -> None:
    person.types("feeds", "import", "-", stdin=OPML.encode())
    file = tmp_path / "out.opml"
    assert person.types("feeds", "export", str(file)).out == f"Wrote 3 feeds to {file}.\n"
    assert person.types("feeds", "export").out == file.read_text(encoding="utf-8")
    other = Person(tmp_path / "other", "feeds: []\n")
    other.types("feeds", "import", str(file))
    keys = ("url", "tags", "enabled")
    here, there = (each.types("feeds", "list", "--json").document() for each in (person, other))
    assert [[feed[key] for key in keys] for feed in there] == [[feed[key] for key in keys] for feed in here]


def test_passwords_are_exported_only_when_asked_for(tmp_path: Path) -> None:
    person = Person(tmp_path / "home", "feeds: ['https://me:secret@mine.example/feed']\n")
    done = person.types("feeds", "export")
    assert "secret" not in done.out + done.messages
    assert "1 address exported without user name and password" in done.messages
    assert "https://me:secret@mine.example/feed" in person.types("feeds", "export", "--with-passwords").out
    assert person.types("feeds", "remove", "https://mine.example/feed").code == 0
