"""``iscore settings`` and ``iscore edit``, alone and where several share a data folder."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from iscore.cli import main
from iscore.services.news_filter import NewsFilter


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ISCORE_HOME", str(tmp_path / "home"))
    NewsFilter.create(tmp_path / "home").close()
    (tmp_path / "home" / "config.toml").write_text("beta = 0.5 # half\n", encoding="utf-8")
    return tmp_path / "home"


def test_a_setting_is_listed_and_changed(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["settings", "set", "beta", "1"]) == 0
    assert (home / "config.toml").read_text() == "beta = 1.0 # half\n"
    capsys.readouterr()
    assert main(["settings"]) == 0
    assert capsys.readouterr().out.splitlines()[1] == "beta = 1.0"
    assert main(["settings", "set", "--json", "theme", "sepia"]) == 0
    assert json.loads(capsys.readouterr().out)["value"] == "sepia"


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("serve_port", "80", "config.toml: write serve_port = … into this file; `iscore settings set` changes what"),
        ("privat_hosts", "x", "did you mean 'private_hosts'?"),
        ("classifier", "foo", "no classifier 'foo'; there are stacking, "),
        ("mail_to", "foo", "'foo' is not a mail address"),
    ],
)
def test_what_cannot_be_set_says_why(
    name: str, value: str, said: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["settings", "set", name, value]) == 1
    assert said in capsys.readouterr().err
    assert (home / "config.toml").read_text() == "beta = 0.5 # half\n"


def test_the_server_s_settings_are_not_set_by_one_of_several(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["users", "add", "Ben"]) == 0
    assert main(["--user", "Ben", "settings", "set", "serve_port", "80"]) == 1
    assert "the server's" in capsys.readouterr().err


@pytest.mark.parametrize("what", ["feeds", "rules"])
def test_an_empty_text_removes_nothing(
    what: str, home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["rules", "add", "never", "word", "golf"]) == 0
    before = (home / f"{what}.yaml").read_text()
    monkeypatch.setattr("sys.stdin", io.StringIO("\n"))
    assert main(["edit", what]) == 1
    assert f"the new text is empty; `{what}: []` means no {what}" in capsys.readouterr().err
    assert (home / f"{what}.yaml").read_text() == before
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{what}: []\n"))
    assert main(["edit", what]) == 0
    assert (home / f"{what}.yaml").read_text() == f"{what}: []\n"


def test_a_user_s_feeds_are_edited_where_they_are(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["users", "add", "Ben"]) == 0
    text = "# Ben's\nfeeds:\n  - https://ben.example/feed\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    assert main(["--user", "Ben", "edit", "feeds"]) == 0
    monkeypatch.setattr("sys.stdin", io.StringIO("feeds: ["))
    assert main(["--user", "Ben", "edit", "feeds"]) != 0
    assert "not valid YAML" in capsys.readouterr().err
    monkeypatch.setattr("sys.stdin", io.StringIO("rules:\n  - action: never\n    word: golf\n"))
    assert main(["--user", "Ben", "edit", "rules"]) == 0
    with NewsFilter.open(home, user="Ben") as news:
        assert news.subscriptions.text.read() == text
        assert [each.url for each in news.subscriptions.feeds()] == ["https://ben.example/feed"]
        assert [each.words for each in news.rules.list()] == ["never: word “golf”"]


def test_an_editor_gets_the_text_and_its_failure_changes_nothing(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    before = (home / "feeds.yaml").read_text()
    monkeypatch.setenv("VISUAL", "false")
    assert main(["edit", "feeds"]) == 1
    assert (home / "feeds.yaml").read_text() == before
    monkeypatch.setenv("VISUAL", "sed -i s/arstechnica/example/g")
    assert main(["edit", "feeds"]) == 0
    assert (home / "feeds.yaml").read_text() == before.replace("arstechnica", "example")
