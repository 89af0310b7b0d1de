"""What a command brings along without asking anything of it stays unloaded, and is there for whoever asks."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from iscore.cli.unasked import UNASKED
from iscore.news_filter import NewsFilter

STAND_IN = "import sys; from iscore.cli.unasked import UNASKED, load_when_asked; load_when_asked(*UNASKED)\n"


def said(code: str, *arguments: str) -> str:
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_a_command_that_judges_loads_none_of_it(tmp_path: Path) -> None:
    NewsFilter.create(tmp_path / "home").close()
    code = (
        "import sys; from iscore.cli import main; main();"
        "print('sklearn.base' in sys.modules, [name for name in sys.modules if name.startswith('scipy.stats.')])"
    )
    assert said(code, "--home", str(tmp_path / "home"), "status").splitlines()[-1] == "True []"
    assert UNASKED == ("scipy.stats",)


@pytest.mark.parametrize(
    "asking",
    [
        "import scipy.stats; found = scipy.stats.norm",
        "import scipy; found = scipy.stats.norm",
        "from scipy.stats import norm as found",
        "from scipy import stats; found = stats.norm",
        "from scipy.stats import *; found = norm",
        "from scipy.stats.distributions import norm as found",
        "import sklearn.utils.fixes as fixes; found = fixes.scipy.stats.norm",
        "import sklearn.base; from scipy.stats import norm as found",
    ],
)
def test_whoever_asks_gets_the_module(asking: str) -> None:
    answer = "import scipy.stats\nprint(found.cdf(0.0), found is scipy.stats.norm, scipy.stats.__name__)"
    assert said(f"{STAND_IN}{asking}\n{answer}") == "0.5 True scipy.stats"


def test_what_was_loaded_before_stays() -> None:
    code = f"import scipy.stats as loaded\n{STAND_IN}print(sys.modules['scipy.stats'] is loaded)"
    assert said(code) == "True"
