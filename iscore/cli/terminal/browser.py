"""Open an address in a browser."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager

from iscore.core.file_access import shell_umask

Suspend = Callable[[], AbstractContextManager[object]]


def has_browser() -> bool:
    """Whether there is likely a browser: on a graphical desktop, or named by ``BROWSER``."""
    if os.environ.get("BROWSER") or sys.platform in ("darwin", "win32"):
        return True
    # Without a display, `webbrowser` would start a text browser that nobody asked for.
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def browse(url: str, suspend: Suspend) -> str:
    """Open a web address and return a message about the outcome.

    ``suspend`` gives the terminal to the browser: ``BROWSER`` may name a text browser.
    """
    import webbrowser

    if not has_browser():
        return "No browser found. Open the address above, or set BROWSER."
    try:
        with suspend(), shell_umask():
            opened = webbrowser.open(url)
    except (webbrowser.Error, OSError, subprocess.SubprocessError) as error:
        return f"Cannot start the browser: {error}"
    return "Opened in the browser." if opened else f"The browser did not open {url}"
