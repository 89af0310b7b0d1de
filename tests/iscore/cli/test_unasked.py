"""What a command brings along without asking anything of it stays unloaded, and is there for whoever asks."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from iscore.cli.unasked import UNASKED
from iscore.services.news_filter import NewsFilter

WAYS = (
    "import scipy.stats; found = scipy.stats.norm",
    "import scipy; found = scipy.stats.norm",
    "from scipy.stats import norm as found",
    "from scipy import stats; found = stats.norm",
    "from scipy.stats import *; found = norm",
    "from scipy.stats.distributions import norm as found",
    "import sklearn.utils.fixes as fixes; found = fixes.scipy.stats.norm",
    "import sklearn.base; from scipy.stats import norm as found",
)
ASKING = """
import json, os, sys
from iscore.cli.unasked import UNASKED, load_when_asked
load_when_asked(*UNASKED)
for way in json.loads(sys.argv[1]):
    if not os.fork():  # each asks a stand-in that nobody has asked yet
        names = {}
        exec(way, names)
        import scipy.stats
        found = names["found"]
        load_when_asked(*UNASKED)
        kind = type(sys.modules["scipy.stats"]).__name__
        print(found.cdf(0.0), found is scipy.stats.norm, scipy.stats.__name__, kind, flush=True)
        os._exit(0)
    os.wait()
"""


def said(code: str, *arguments: str) -> list[str]:
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def test_a_command_that_judges_loads_none_of_it(tmp_path: Path) -> None:
    NewsFilter.create(tmp_path / "home").close()
    code = (
        "import sys; from iscore.cli import main; main();"
        "print('sklearn.base' in sys.modules, [name for name in sys.modules if name.startswith('scipy.stats.')])"
    )
    assert said(code, "--home", str(tmp_path / "home"), "status")[-1] == "True []"
    assert UNASKED == ("scipy.stats",)


def test_whoever_asks_gets_the_module_and_what_was_loaded_stays() -> None:
    # What all ways need, loaded once: the forks have it.
    before = "import numpy, scipy.special, scipy.linalg, scipy.optimize, scipy.spatial, scipy.ndimage, scipy.sparse"
    assert said(before + ASKING, json.dumps(WAYS)) == ["0.5 True scipy.stats module"] * len(WAYS)
