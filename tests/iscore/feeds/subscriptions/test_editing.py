from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from iscore.core.yaml_list import MAX_SIZE
from iscore.feeds.errors import SubscriptionsError, UrlError
from iscore.feeds.subscriptions.editing import add, change, load, remove
from storage.records.feeds import Priority, Subscription

KEPT = """\
# What I read.

feeds:
  # --- science ---
  - url: https://one.example/feed.xml   # the first
    title: 'One: a title'
    tags: [science, daily]
    interval: 2h

  # --- politics ---
  - https://two.example/rss?a=1&b=2
  - title: Three
    url: "https://three.example/atom"
    tags:
      - a
      - b
    enabled: no

# the end
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "feeds.yaml"
    path.write_text(text, encoding="utf-8", newline="")
    return path


def test_reads_all_fields_of_a_feed(tmp_path: Path) -> None:
    assert load(written(tmp_path, KEPT)) == [
        Subscription("https://one.example/feed.xml", "One: a title", ("science", "daily"), 7200),
        Subscription("https://two.example/rss?a=1&b=2"),
        Subscription("https://three.example/atom", "Three", ("a", "b"), enabled=False),
    ]


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "feeds:\n", "feeds: []\n"])
def test_an_empty_list_is_no_mistake_and_can_be_added_to(tmp_path: Path, text: str) -> None:
    path = written(tmp_path, text)
    assert load(path) == []
    assert add(path, ["https://one.example/", "https://two.example/"]) == [
        "https://one.example/",
        "https://two.example/",
    ]
    assert [feed.url for feed in load(path)] == ["https://one.example/", "https://two.example/"]
    assert path.read_text().startswith(text[:5])


@pytest.mark.parametrize(
    ("spelling", "seconds"), [("30", 1800), ("30m", 1800), ("2h", 7200), ("1d", 86_400), ("5 m", 300), ("", None)]
)
def test_intervals_are_minutes_or_have_a_unit(tmp_path: Path, spelling: str, seconds: int | None) -> None:
    (feed,) = load(written(tmp_path, f"feeds:\n- url: http://a.example\n  interval: {spelling}\n"))
    assert feed.interval == seconds


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("feeds: [", 1, "not valid YAML"),
        ("feeds:\n\t- a", 2, "not valid YAML"),
        ("just words", 1, "list named `feeds:`"),
        ("- https://a.example", 1, "list named `feeds:`"),
        ("feed:\n- https://a.example", 1, "only `feeds:` is"),
        ("feeds: https://a.example", 1, "must be a list"),
        ("feeds:\n- https://a.example\nfeeds: []", 3, "appears twice"),
        ("feeds:\n- title: A", 2, "no `url:`"),
        ("feeds:\n-\n", 2, "no address"),
        ("feeds:\n- [https://a.example]", 2, "no address"),
        ("feeds:\n- url: https://a.example\n  titel: A", 3, "did you mean `title`?"),
        ("feeds:\n- url: https://a.example\n  <<: {title: A}", 3, "'<<' is not known"),
        ("feeds:\n- url: https://a.example\n  url: https://b.example", 3, "appears twice"),
        ("feeds:\n- url: https://a.example\n  interval: soon", 3, "between 5m and 31d"),
        ("feeds:\n- url: https://a.example\n  interval: 1m", 3, "between 5m and 31d"),
        ("feeds:\n- url: https://a.example\n  enabled: maybe", 3, "true or false"),
        ("feeds:\n- url: https://a.example\n  tags: {a: b}", 3, "list of words"),
        ("feeds:\n- url: [a]", 2, "must be a text"),
        ("feeds:\n- ftp://a.example", 2, "only http and https"),
        ("feeds:\n- feed", 2, "begin it with https://"),
        ("feeds:\n- file:///etc/passwd", 2, "only http and https"),
        ("feeds:\n- 'https://a.example/a b'", 2, "contains spaces"),
    ],
)
def test_a_mistake_is_named_with_its_line_and_changes_nothing(
    tmp_path: Path, text: str, line: int, message: str
) -> None:
    path = written(tmp_path, text)
    with pytest.raises(SubscriptionsError) as caught:
        load(path)
    assert caught.value.line == line
    assert message in str(caught.value)
    assert str(caught.value).startswith(f"{path}, line {line}: ")
    assert "\n" not in str(caught.value)
    with pytest.raises(SubscriptionsError):
        add(path, ["https://new.example"])
    assert path.read_text() == text


def test_a_missing_file_other_bytes_and_a_huge_file_are_named(tmp_path: Path) -> None:
    with pytest.raises(SubscriptionsError, match="no such file"):
        load(tmp_path / "feeds.yaml")
    path = tmp_path / "latin.yaml"
    path.write_bytes(b"feeds:\n- url: https://a.example\n  title: caf\xe9\n")
    with pytest.raises(SubscriptionsError, match="line 3: is not written in UTF-8"):
        load(path)
    path.write_bytes(b"#" * (MAX_SIZE + 1))
    with pytest.raises(SubscriptionsError, match="larger than 5 MB"):
        load(path)


@pytest.mark.long
def test_bombs_of_aliases_and_depth_end_in_an_error(tmp_path: Path) -> None:
    layers = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    layers += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30)]
    with pytest.raises(SubscriptionsError, match="is not known here"):
        load(written(tmp_path, "\n".join(layers)))
    with pytest.raises(SubscriptionsError, match="nested too deeply"):
        load(written(tmp_path, "feeds: " + "[" * 20_000))


def test_adding_keeps_every_byte_that_was_there(tmp_path: Path) -> None:
    path = written(tmp_path, KEPT)
    assert add(path, ["https://four.example/x", "https://ONE.example/feed.xml"]) == ["https://four.example/x"]
    before, _, after = KEPT.partition("\n# the end")
    assert path.read_text() == before + "  - url: https://four.example/x\n" + "\n# the end" + after


def test_removing_takes_the_feeds_own_lines_and_leaves_the_comments(tmp_path: Path) -> None:
    path = written(tmp_path, KEPT)
    assert remove(path, ["https://one.example/feed.xml", "https://nobody.example/"]) == ["https://one.example/feed.xml"]
    text = path.read_text()
    assert "one.example" not in text
    assert "# --- science ---\n\n  # --- politics ---\n  - https://two.example" in text
    assert remove(path, ["https://two.example/rss?a=1&b=2", "https://three.example/atom"]) == [
        "https://two.example/rss?a=1&b=2",
        "https://three.example/atom",
    ]
    assert load(path) == []
    assert path.read_text().endswith("\n# the end\n")
    assert add(path, ["https://one.example/feed.xml"]) == ["https://one.example/feed.xml"]
    assert [feed.url for feed in load(path)] == ["https://one.example/feed.xml"]


@pytest.mark.parametrize(
    "text",
    [
        "feeds: [https://one.example/, {url: https://two.example/, title: 'T'}]  # both\n",
        "feeds:\r\n- url: https://one.example/\r\n- url: https://two.example/",
        "feeds:\n  -\n    url: https://one.example/\n    title: >\n      folded\n      text\n  - https://two.example/\n",
        "feeds:\n- {url: https://one.example/,\n   title: T}\n- https://two.example/",
        "feeds:\n- url: https://one.example/\n  title:\n- url: https://two.example/\n  tags:\n",
    ],
)
def test_every_way_of_writing_the_list_can_be_edited(tmp_path: Path, text: str) -> None:
    path = written(tmp_path, text)
    add(path, ["https://three.example/?q=it's"])
    assert [f.url for f in load(path)] == [
        "https://one.example/",
        "https://two.example/",
        "https://three.example/?q=it's",
    ]
    assert remove(path, ["https://one.example"]) == ["https://one.example/"]
    assert [feed.url for feed in load(path)] == ["https://two.example/", "https://three.example/?q=it's"]
    assert ("\r\n" in text) == (b"\r\n" in path.read_bytes())


def test_one_bad_address_adds_none(tmp_path: Path) -> None:
    path = written(tmp_path, KEPT)
    with pytest.raises(UrlError):
        add(path, ["https://good.example/", "gopher://bad.example/"])
    assert path.read_text() == KEPT


def test_editing_follows_a_link_and_keeps_the_mode(tmp_path: Path) -> None:
    real = written(tmp_path, KEPT)
    real.chmod(0o640)
    link = tmp_path / "link.yaml"
    link.symlink_to(real)
    add(link, ["https://four.example/"])
    assert link.is_symlink()
    assert "four.example" in real.read_text()
    assert real.stat().st_mode & 0o777 == 0o640
    assert sorted(p.name for p in tmp_path.iterdir()) == ["feeds.yaml", "link.yaml"]


def test_messages_do_not_show_passwords(tmp_path: Path) -> None:
    with pytest.raises(SubscriptionsError) as caught:
        load(written(tmp_path, "feeds:\n- ftp://me:secret@a.example/\n"))
    assert "secret" not in str(caught.value)


def test_a_change_of_a_feed_leaves_comments_and_everything_else(tmp_path: Path) -> None:
    path = written(tmp_path, KEPT)
    new = {"title": "Two", "tags": ("b c", "d"), "fulltext": True, "enabled": False}
    assert change(path, "https://two.example/rss?a=1&b=2", lambda feed: replace(feed, **new)) == Subscription(
        "https://two.example/rss?a=1&b=2"
    )
    change(
        path,
        "https://one.example/feed.xml",
        lambda feed: replace(feed, title="1", tags=("world",), priority=Priority.BEST),
    )
    change(path, "https://three.example/atom", lambda feed: replace(feed, tags=(), enabled=True))
    assert (
        path.read_text()
        == """\
# What I read.

feeds:
  # --- science ---
  - url: https://one.example/feed.xml   # the first
    title: '1'
    tags: [world]
    interval: 2h
    priority: best

  # --- politics ---
  - url: https://two.example/rss?a=1&b=2
    title: Two
    tags: ["b c", d]
    fulltext: true
    enabled: false
  - title: Three
    url: "https://three.example/atom"

# the end
"""
    )


def test_a_change_keeps_the_comment_of_the_line_and_never_loses_another(tmp_path: Path) -> None:
    path = written(tmp_path, "feeds:\n  - https://a.example/ # mine\n  # below\n  - url: https://b.example/\n")
    change(path, "https://a.example/", lambda feed: replace(feed, title="A"))
    assert path.read_text() == (
        "feeds:\n  - url: https://a.example/ # mine\n    title: A\n  # below\n  - url: https://b.example/\n"
    )
    text = "feeds:\n  - url: https://a.example/\n    enabled: false # until May\n"
    path = written(tmp_path, text)
    with pytest.raises(SubscriptionsError, match="edit it by hand"):
        change(path, "https://a.example/", lambda feed: replace(feed, enabled=True))
    assert path.read_text() == text


def test_a_feed_moves_to_an_address_that_is_not_followed_yet(tmp_path: Path) -> None:
    path = written(tmp_path, KEPT)
    with pytest.raises(SubscriptionsError, match="already"):
        change(path, "https://one.example/feed.xml", lambda feed: replace(feed, url="https://three.example/atom"))
    change(path, "https://one.example/feed.xml", lambda feed: replace(feed, url="https://six.example/feed.xml"))
    assert path.read_text() == KEPT.replace("one.example", "six.example")
    assert change(path, "https://unknown.example/", lambda feed: feed) is None
