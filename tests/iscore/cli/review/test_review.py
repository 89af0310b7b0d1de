"""``iscore review``: in a real terminal, from a pipe, and after interruptions."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest

from iscore.cli import main
from iscore.services.news_filter import NewsFilter
from storage.records.users import Kind
from tests.iscore.cli.conftest import PROGRAM
from tests.iscore.cli.pseudo_terminal import CONTROLLED, Terminal
from tests.iscore.cli.review.polled_home import NOON
from tests.servers import fork_server

SETTINGS = {"ISCORE_NOW": NOON.isoformat(), "TZ": "UTC"}


def review(home: Path, *arguments: str, columns: int = 80, lines: int = 24, **environment: str) -> Terminal:
    """Start ``iscore review`` in a terminal."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "NUMBA_CACHE_DIR") if name in os.environ}
    return Terminal(
        [sys.executable, "-c", CONTROLLED + PROGRAM, "--home", str(home), "review", *arguments],
        {**kept, **SETTINGS, "TERM": "xterm", "PYTHONWARNINGS": "error", **environment},
        columns=columns,
        lines=lines,
    )


def counts(news: NewsFilter) -> tuple[int, int]:
    """Count the likes and dislikes in the database."""
    learning = news.review_queue.outlook().learning
    return learning.likes, learning.dislikes


def test_review_with_single_keys(home: Path, news: NewsFilter, tmp_path: Path) -> None:
    waiting = news.review_queue.inbox().ids
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" >> {tmp_path}/opened\nstty -a > {tmp_path}/modes\n')
    browser.chmod(0o755)
    with review(home, BROWSER=str(browser)) as terminal:
        terminal.sees(f"1 of {len(waiting)}")
        assert len(terminal.screen) == 24
        assert [line for line in terminal.screen if len(line) >= 80] == []
        terminal.sees(waiting[0])
        assert re.search(r"\x1b\[[\d;]*36mhttp", terminal.written)  # in colour, unless NO_COLOR is set
        terminal.types("l")
        terminal.sees(f"2 of {len(waiting)} · 1 like")
        assert counts(news) == (1, 0)  # saved before the next article appears
        terminal.types("ds")
        terminal.sees(f"4 of {len(waiting)} · 1 like, 1 dislike, 1 skip")
        terminal.types("u")
        terminal.sees("Undid skip.")
        terminal.types("n")
        terminal.sees(waiting[3])
        terminal.types("\x1b[D")
        terminal.sees(waiting[2])
        terminal.types("o")
        terminal.sees("Opened in the browser.")
        assert (tmp_path / "opened").read_text() == news.show(waiting[2]).url + "\n"
        assert " icanon" in (tmp_path / "modes").read_text()  # the browser had the terminal as it was before
        terminal.types("t")
        terminal.sees("q close")
        terminal.types("q?")
        terminal.sees("o  open in the browser")
        terminal.types("\x1b")
        terminal.sees("n next")
        terminal.types("a1")
        terminal.sees("Opened in the browser.")
        assert (tmp_path / "opened").read_text().count("\n") == 2
        terminal.types("q")
        terminal.sees(waiting[2])
        terminal.resize(40, 12)
        terminal.until(lambda: terminal.screen[-1] and max(map(len, terminal.screen)) < 40)
        terminal.types("q")
        assert terminal.ends() == 0
        assert terminal.is_as_before
        assert "1 like, 1 dislike; 1 article postponed.\r\n" in terminal.written
    assert counts(news) == (1, 1)
    assert news.show(waiting[2]).verdict is None


def test_review_continues_after_kill(home: Path, news: NewsFilter) -> None:
    waiting = news.review_queue.inbox().ids
    with review(home) as terminal:
        terminal.sees("1 of ")
        terminal.types("nl")
        terminal.sees(f"3 of {len(waiting)} · 1 like")
        terminal.process.kill()
        assert terminal.ends() == -signal.SIGKILL
    queue = news.review_queue.inbox()
    assert (queue.postponed, queue.ids[-1]) == (1, waiting[0])
    assert set(queue.ids) == set(news.review_queue.inbox().ids) >= set(waiting) - {waiting[1]}
    with review(home) as terminal:
        terminal.sees("Articles you postponed come last: 1.")
        assert waiting[0] not in "\n".join(terminal.screen)
        terminal.types("d")
        terminal.sees("2 of ")
        terminal.process.send_signal(signal.SIGHUP)  # as when an ssh connection breaks
        assert terminal.ends() == -signal.SIGHUP
        assert terminal.is_as_before
    assert counts(news) == (1, 1)


def test_terminal_is_restored_after_sigterm(home: Path, news: NewsFilter) -> None:
    with review(home, NO_COLOR="1") as terminal:
        terminal.types("lll")  # before the first article is on the screen
        terminal.sees("1 of ")
        terminal.types("b")
        terminal.sees("This is the first article.")
        assert not re.search(r"\x1b\[[\d;]*[34][0-7]m", terminal.written)
        assert not terminal.is_as_before
        terminal.process.send_signal(signal.SIGTERM)
        assert terminal.ends() == -signal.SIGTERM
        assert terminal.is_as_before
    assert counts(news) == (0, 0)


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_suspend_and_resume(home: Path) -> None:
    program = f"{sys.executable} -c '{PROGRAM}' --home {home} review"
    kept = {name: os.environ[name] for name in ("PATH", "NUMBA_CACHE_DIR") if name in os.environ}
    environment = {**kept, **SETTINGS, "TERM": "xterm", "PS1": "$ ", "HOME": str(home)}
    start = [sys.executable, "-c", CONTROLLED + "import os; os.execvp('bash', ['bash', '--norc', '-i'])"]
    with Terminal(start, environment) as terminal:
        terminal.reads("$ ")
        # While bash reads a line it sets other modes than programs get.
        terminal.types("bind 'set enable-bracketed-paste off'; stty -a > before\n".replace("before", f"{home}/before"))
        terminal.until((home / "before").exists)
        terminal.types(program + "\n")
        terminal.sees("1 of ")
        terminal.types("l")
        terminal.sees(" · 1 like")
        terminal.types("\x1a")
        terminal.reads("Stopped")
        terminal.types(f"stty -a > {home}/stopped\n")
        terminal.until((home / "stopped").exists)
        terminal.until(lambda: (home / "stopped").read_text() == (home / "before").read_text())
        terminal.types("fg\n")
        terminal.sees(" · 1 like")
        terminal.types("d")
        terminal.sees(" · 1 like, 1 dislike")
        terminal.types("\x03")
        terminal.reads("1 like, 1 dislike.\r\n")
        terminal.types(f"echo ended with $?; stty -a > {home}/after\n")
        terminal.reads("ended with 130\r\n")
        terminal.until((home / "after").exists)
        terminal.until(lambda: (home / "after").read_text() == (home / "before").read_text())
        terminal.types("exit\n")
        assert terminal.ends() == 0


def piped(home: Path, answers: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Answer ``iscore review`` from a pipe."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ISCORE_", "COLUMNS"))}
    settings = {**kept, **SETTINGS, "PYTHONWARNINGS": "error"}
    return fork_server.run("--home", str(home), "review", *arguments, env=settings, given=answers)


def answered(
    home: Path, answers: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str
) -> str:
    """Answer line by line in this process, which is faster, and return the output."""
    for name, value in SETTINGS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "stdin", io.StringIO(answers))
    assert main(["--home", str(home), *arguments]) == 0
    return capsys.readouterr().out


def test_learning_before_a_list_has_a_bar_from_the_loading_on(
    home: Path, news: NewsFilter, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []
    bar = nullcontext(lambda _done, _total, what: steps.append(what))
    for module in ("teaching.review", "teaching.rules"):
        monkeypatch.setattr(f"iscore.cli.{module}.progress_bar", lambda: bar)
    rule = ["rules", "add", "never", "word", "celebrity"]
    for command in (["review"], ["review", "--teach"], rule):
        news.give(Kind.LIKE, [news.review_queue.inbox().ids[0]])
        assert main(["--home", str(home), *command, "--json"]) == 0
        assert steps[0] == "loading the model"
        assert "learning your verdicts" in steps
        steps.clear()


def test_answers_from_a_pipe(home: Path, news: NewsFilter) -> None:
    done = piped(home, "like\nD\nn\n\xe9\n", "--plain")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("[l/d/s/n/b/?/q] ") == 5
    assert "\n1 like, 1 dislike; 1 article postponed.\n" in done.stdout
    assert "\x1b" not in done.stdout
    assert counts(news) == (1, 1)


def test_review_line_by_line(
    home: Path, news: NewsFilter, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    waiting = news.review_queue.inbox().ids
    answers = "like\nD\nperhaps\n?\nn\nback\nundo\n\ntext\nwhy\na\nmute\nmute word\nmute word  Zyzzyva\nrefresh\n"
    printed = answered(home, answers, monkeypatch, capsys, "review")
    asked = re.findall(rf"^(\d+) of {len(waiting)}  .*\n.* · ([a-z2-7]{{8}})$", printed, re.MULTILINE)
    assert asked[:4] == [(str(place + 1), waiting[place]) for place in (0, 1, 2, 3)]
    assert printed.count("Unknown answer; ? lists the keys.") == 2
    for text in (
        "m  mute its source, its author or a word",
        "Undid dislike.",
        "So far, only words and topics that you liked",
        "Type `mute source`, `mute author` or `mute word …`.",
        "never: word “Zyzzyva”. 0 fewer to review; u undoes it.",
        "Learned from your verdicts.",
        "\n1 like; 1 article postponed.\n",
    ):
        assert text in printed
    assert counts(news) == (1, 0)


def test_queues_and_empty_queues(
    home: Path, news: NewsFilter, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    waiting, everything = news.review_queue.inbox().ids, news.review_queue.inbox(everything=True).ids
    for arguments, ids in (((), waiting), (("--all",), everything)):
        printed = answered(home, "", monkeypatch, capsys, "review", *arguments, "--json")
        assert [item["id"] for item in json.loads(printed)] == list(ids)
    printed = answered(home, "", monkeypatch, capsys, "review", "--teach")
    assert printed.startswith("\n1 of 15  ")
    assert (
        f"\nNo verdicts.\n{len(waiting)} articles in your inbox.\n`iscore review --teach` continues the review.\n"
        in printed
    )
    assert main(["--home", str(home), "review", "--digest"]) == 1
    assert "no digest yet" in capsys.readouterr().err
    assert main(["--home", str(home), "review", "--all", "--teach"]) == 2
    capsys.readouterr()
    news.digest()
    news.give(Kind.SKIP, news.review_queue.digest().ids)
    printed = answered(home, "", monkeypatch, capsys, "review", "--digest")
    assert printed == "You have rated every article of the last digest. `iscore review` reviews the inbox.\n"
    assert answered(home, "l\n", monkeypatch, capsys, "review").startswith("Your inbox is empty")


def test_example_of_the_guide(home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    pages = sorted((Path(__file__).parents[4] / "docs").rglob("*.md"))
    guide = "".join(page.read_text(encoding="utf-8") for page in pages)
    example = re.search(r"\$ iscore (review --plain)\n(.*?)```", guide, re.DOTALL)
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


def test_dumb_terminal_reviews_line_by_line(home: Path) -> None:
    with review(home, TERM="dumb") as terminal:
        terminal.reads("[l/d/s/n/b/?/q] ")
        assert "\x1b" not in terminal.written
        terminal.types("q\n")
        assert terminal.ends() == 0
        assert terminal.is_as_before
