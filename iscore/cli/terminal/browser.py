"""Opens an address in a browser, where there is one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager

from iscore.core.file_permissions import as_outside

Lend = Callable[[], AbstractContextManager[object]]


def has_browser() -> bool:
    """Tell whether a browser can be expected: on a machine's own screen, or one that the person has named."""
    if os.environ.get("BROWSER") or sys.platform in ("darwin", "win32"):
        return True
    # Over ssh there is no screen; what is found there would be a browser for text, which nobody has asked for.
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def browse(url: str, lend: Lend) -> str:
    """Open an address of the web, and say what came of that. ``lend`` gives the terminal away meanwhile.

    A browser named by ``BROWSER`` may be one for text, which needs the terminal.
    """
    import webbrowser

    if not has_browser():
        return "There is no browser here, but you see the address. BROWSER can name one."
    try:
        with lend(), as_outside():
            opened = webbrowser.open(url)
    except (webbrowser.Error, OSError, subprocess.SubprocessError) as error:
        return f"The browser cannot be started: {error}"
    return "Opened in the browser." if opened else f"The browser did not open it: {url}"
