"""Going through articles: in a real terminal, out of a pipe, and after the worst that can happen in between."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from iscore.cli import main
from iscore.services.news_filter import NewsFilter
from storage.records import Kind
from tests.iscore.cli.conftest import PROGRAM
from tests.iscore.cli.pseudo_terminal import CONTROLLED, Terminal
from tests.iscore.cli.review.polled_home import NOON, make_home
from tests.servers import nursery

SETTINGS = {"ISCORE_NOW": NOON.isoformat(), "TZ": "UTC"}


@pytest.fixture(scope="module")
def polled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home after its first poll, made once."""
    return make_home(tmp_path_factory.mktemp("review") / "home")


@pytest.fixture
def home(polled: Path, tmp_path: Path) -> Path:
    """A copy of that home."""
    return Path(shutil.copytree(polled, tmp_path / "home"))


@pytest.fixture
def news(home: Path) -> Iterator[NewsFilter]:
    """The filter behind it."""
    with NewsFilter.open(home, clock=lambda: NOON) as opened:
        yield opened


def terminal(home: Path, *arguments: str, columns: int = 80, lines: int = 24, **environment: str) -> Terminal:
    """Begin ``iscore review`` in a terminal."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "NUMBA_CACHE_DIR") if name in os.environ}
    return Terminal(
        [sys.executable, "-c", CONTROLLED + PROGRAM, "--home", str(home), "review", *arguments],
        {**kept, **SETTINGS, "TERM": "xterm", "PYTHONWARNINGS": "error", **environment},
        columns=columns,
        lines=lines,
    )


def said(news: NewsFilter) -> tuple[int, int]:
    """Count likes and dislikes on the disk."""
    learning = news.review_queue.outlook().learning
    return learning.likes, learning.dislikes


def test_a_morning_with_single_keys(home: Path, news: NewsFilter, tmp_path: Path) -> None:
    waiting = news.review_queue.inbox().ids
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" >> {tmp_path}/opened\nstty -a > {tmp_path}/modes\n')
    browser.chmod(0o755)
    with terminal(home, BROWSER=str(browser)) as person:
        person.sees(f"1 of {len(waiting)}")
        assert len(person.screen) == 24
        assert [line for line in person.screen if len(line) >= 80] == []
        person.sees(waiting[0])
        assert "\x1b[36mhttp" in person.written  # in colour, unless NO_COLOR is set
        person.types("l")
        person.sees(f"2 of {len(waiting)} · 1 like")
        assert said(news) == (1, 0)  # on the disk before the next article is seen
        person.types("ds")
        person.sees(f"4 of {len(waiting)} · 1 like, 1 dislike, 1 skip")
        person.types("u")
        person.sees("Took back: skip.")
        person.types("n")
        person.sees(waiting[3])
        person.types("\x1b[D")
        person.sees(waiting[2])
        person.types("o")
        person.sees("Opened in the browser.")
        assert (tmp_path / "opened").read_text() == news.show(waiting[2]).url + "\n"
        assert " icanon" in (tmp_path / "modes").read_text()  # the browser had the terminal as it was before
        person.types("t")
        person.sees("q close")
        person.types("q?")
        person.sees("o  open in the browser")
        person.types("\x1b")
        person.sees("n next")
        person.types("a1")
        person.sees("Opened in the browser.")
        assert (tmp_path / "opened").read_text().count("\n") == 2
        person.types("q")
        person.sees(waiting[2])
        person.resize(40, 12)
        person.until(lambda: len(person.screen) == 12)
        assert [line for line in person.screen if len(line) >= 40] == []
        person.types("q")
        assert person.ends() == 0
        assert person.is_as_before
        assert "1 like, 1 dislike; 1 article left for later, which will come last.\r\n" in person.written
    assert said(news) == (1, 1)
    assert news.show(waiting[2]).verdict is None


def test_it_goes_on_after_it_was_killed(home: Path, news: NewsFilter) -> None:
    waiting = news.review_queue.inbox().ids
    with terminal(home) as person:
        person.sees("1 of ")
        person.types("nl")
        person.sees(f"3 of {len(waiting)} · 1 like")
        person.process.kill()
        assert person.ends() == -signal.SIGKILL
    queue = news.review_queue.inbox()
    assert (queue.put_off, queue.ids[-1]) == (1, waiting[0])
    assert set(queue.ids) == set(news.review_queue.inbox().ids) >= set(waiting) - {waiting[1]}
    with terminal(home) as person:
        person.sees("What you put off before comes last: 1.")
        assert waiting[0] not in "\n".join(person.screen)
        person.types("d")
        person.sees("2 of ")
        person.process.send_signal(signal.SIGHUP)  # as when the line to the machine breaks
        assert person.ends() == -signal.SIGHUP
        assert person.is_as_before
    assert said(news) == (1, 1)


def test_whoever_ends_it_gets_the_terminal_back(home: Path, news: NewsFilter) -> None:
    with terminal(home, NO_COLOR="1") as person:
        person.types("lll")  # before there is anything to be liked
        person.sees("1 of ")
        person.types("b")
        person.sees("This is the first.")
        assert not re.search(r"\x1b\[[\d;]*[34][0-7]m", person.written)
        assert not person.is_as_before
        person.process.send_signal(signal.SIGTERM)
        assert person.ends() == -signal.SIGTERM
        assert person.is_as_before
    assert said(news) == (0, 0)


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_it_is_suspended_and_goes_on(home: Path) -> None:
    program = f"{sys.executable} -c '{PROGRAM}' --home {home} review"
    kept = {name: os.environ[name] for name in ("PATH", "NUMBA_CACHE_DIR") if name in os.environ}
    environment = {**kept, **SETTINGS, "TERM": "xterm", "PS1": "$ ", "HOME": str(home)}
    start = [sys.executable, "-c", CONTROLLED + "import os; os.execvp('bash', ['bash', '--norc', '-i'])"]
    with Terminal(start, environment) as person:
        person.reads("$ ")
        # What bash wants of the terminal while it reads is not what programs find.
        person.types("bind 'set enable-bracketed-paste off'; stty -a > before\n".replace("before", f"{home}/before"))
        person.until((home / "before").exists)
        person.types(program + "\n")
        person.sees("1 of ")
        person.types("l")
        person.sees(" · 1 like")
        person.types("\x1a")
        person.reads("Stopped")
        person.types(f"stty -a > {home}/stopped\n")
        person.until((home / "stopped").exists)
        person.until(lambda: (home / "stopped").read_text() == (home / "before").read_text())
        person.types("fg\n")
        person.sees(" · 1 like")
        person.types("d")
        person.sees(" · 1 like, 1 dislike")
        person.types("\x03")
        person.reads("1 like, 1 dislike.\r\n")
        person.types(f"echo ended with $?; stty -a > {home}/after\n")
        person.reads("ended with 130\r\n")
        person.until((home / "after").exists)
        person.until(lambda: (home / "after").read_text() == (home / "before").read_text())
        person.types("exit\n")
        assert person.ends() == 0


def piped(home: Path, answers: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Answer ``iscore review`` out of a pipe."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ISCORE_", "COLUMNS"))}
    settings = {**kept, **SETTINGS, "PYTHONWARNINGS": "error"}
    return nursery.run("--home", str(home), "review", *arguments, env=settings, given=answers)


def answered(
    home: Path, answers: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str
) -> str:
    """Answer line by line in this process, which is faster, and return what was printed."""
    for name, value in SETTINGS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "stdin", io.StringIO(answers))
    assert main(["--home", str(home), *arguments]) == 0
    return capsys.readouterr().out


def test_out_of_a_pipe(home: Path, news: NewsFilter) -> None:
    done = piped(home, "like\nD\nn\n\xe9\n", "--plain")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("[l/d/s/n/b/?/q] ") == 5
    assert "\n1 like, 1 dislike; 1 article left for later, which will come last.\n" in done.stdout
    assert "\x1b" not in done.stdout
    assert said(news) == (1, 1)


def test_line_by_line(
    home: Path, news: NewsFilter, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    waiting = news.review_queue.inbox().ids
    answers = "like\nD\nperhaps\n?\nn\nback\nundo\n\ntext\nwhy\na\nmute\nmute word\nmute word  Zyzzyva\nrefresh\n"
    printed = answered(home, answers, monkeypatch, capsys, "review")
    asked = re.findall(rf"^(\d+) of {len(waiting)}  .*\n.* · ([a-z2-7]{{8}})$", printed, re.MULTILINE)
    assert asked[:4] == [(str(place + 1), waiting[place]) for place in (0, 1, 2, 3)]
    assert printed.count("That is no answer; ? lists them.") == 2
    for text in (
        "m  mute its source, its author or a word",
        "Took back: dislike.",
        "What moved the score",
        "`mute source`, `mute author` or `mute word …` says what.",
        "never: word “Zyzzyva”. 0 fewer to go through; u takes it back.",
        "Learned what you said.",
        "\n1 like; 1 article left for later, which will come last.\n",
    ):
        assert text in printed
    assert said(news) == (1, 0)


def test_what_there_is_to_go_through(
    home: Path, news: NewsFilter, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    waiting, everything = news.review_queue.inbox().ids, news.review_queue.inbox(everything=True).ids
    for arguments, ids in (((), waiting), (("--all",), everything)):
        printed = answered(home, "", monkeypatch, capsys, "review", *arguments, "--json")
        assert [item["id"] for item in json.loads(printed)] == list(ids)
    printed = answered(home, "", monkeypatch, capsys, "review", "--teach")
    assert printed.startswith("\n1 of 15  ")
    assert f"\nNothing said.\n{len(waiting)} articles in your inbox.\n`iscore teach` goes on here.\n" in printed
    assert main(["--home", str(home), "review", "--digest"]) == 1
    assert "there has been no digest yet" in capsys.readouterr().err
    assert main(["--home", str(home), "review", "--all", "--teach"]) == 2
    capsys.readouterr()
    news.digest()
    news.give(Kind.SKIP, news.review_queue.digest().ids)
    printed = answered(home, "", monkeypatch, capsys, "review", "--digest")
    assert printed == "All of the last digest has your verdict. `iscore review` goes through the inbox.\n"
    assert answered(home, "l\n", monkeypatch, capsys, "review").startswith("Nothing waits for you")


def test_the_guide_s_example_can_be_typed(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    guide = (Path(__file__).parents[4] / "docs" / "guide" / "review.md").read_text(encoding="utf-8")
    example = re.search(r"\$ iscore (review[^\n]*)\n(.*?)```", guide, re.DOTALL)
    assert example is not None
    answers = re.findall(r"^(like, .*\] )(.+)$", example[2], re.MULTILINE)
    assert [said for _, said in answers] == ["like", "mute word horoscope", "quit"]
    typed = "".join(f"{said}\n" for _, said in answers)
    printed = answered(home, typed, monkeypatch, capsys, *example[1].split())
    assert printed.count(answers[0][0]) == 3
    assert "\nnever: word “horoscope”. " in printed
    for line in ("1 like.", "Muted: horoscope. `iscore rules list` shows your rules.", example[2].splitlines()[-1]):
        assert f"\n{line}\n" in example[2]
        assert f"\n{line}\n" in printed


def test_without_a_terminal_for_screens_it_asks_line_by_line(home: Path) -> None:
    with terminal(home, TERM="dumb") as person:
        person.reads("[l/d/s/n/b/?/q] ")
        assert "\x1b" not in person.written
        person.types("q\n")
        assert person.ends() == 0
        assert person.is_as_before
