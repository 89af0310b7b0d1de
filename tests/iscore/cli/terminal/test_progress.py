"""The bar, on a real pseudo-terminal."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import pytest

PROGRAM = """
from iscore.cli.terminal.progress import progress_bar
with progress_bar() as progress:
    print("bar" if progress else "none")
    if progress:
        for done in range(4):
            progress(done, 3, "Energy [/x] \\x1b]52;c;QQ==\\x07Wire " * 9)
"""


def _on_terminal(program: str) -> tuple[str, str]:
    """Run a program with standard error on a terminal; return the output of both streams."""
    ours, theirs = pty.openpty()
    try:
        with subprocess.Popen(
            [sys.executable, "-c", program],
            stdout=subprocess.PIPE,
            stderr=theirs,
            env={**os.environ, "TERM": "xterm", "COLUMNS": "80"},
        ) as process:
            os.close(theirs)
            seen = b""
            while True:
                try:
                    part = os.read(ours, 65536)
                except OSError:  # the terminal closes when the last process that holds it ends
                    break
                if not part:
                    break
                seen += part
            assert process.stdout is not None
            out = process.stdout.read().decode()
            assert process.wait(timeout=600) == 0
    finally:
        os.close(ours)
    return out, seen.decode()


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_a_terminal_gets_a_bar_with_clean_text() -> None:
    out, seen = _on_terminal(PROGRAM)
    assert out == "bar\n"
    assert "Energy [/x] Wire" in seen
    assert "3/3" in seen
    assert "\x1b]" not in seen


def test_a_pipe_gets_none() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("none\n", "")


def test_a_bar_within_a_bar_is_the_same() -> None:
    out, seen = _on_terminal("""
from iscore.cli.terminal.progress import progress_bar
with progress_bar() as outer, progress_bar() as inner:
    print(inner is outer)
    outer(1, 2, "compiling")
    inner(3, 4, "scoring")
""")
    assert out == "True\n"
    assert "scoring" in seen
    assert "3/4" in seen
