"""Modules that commands bring along without asking anything of them: they are loaded when something is asked.

scikit-learn's base classes import ``scipy.stats`` for a function that no command calls, and that takes as long as all
else of the learners. So a stand-in takes its place, in the command's own process only; the first question to it loads
the module.
"""

from __future__ import annotations

import importlib
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

UNASKED = ("scipy.stats",)


class _StandIn(ModuleType):
    """A module that has not been loaded."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.__spec__ = ModuleSpec(name, None)

    def __getattr__(self, name: str) -> Any:
        """Called for what is not there: for everything, until the module has been loaded."""
        if name.startswith("__") and name not in ("__all__", "__path__"):  # asked of every module that is imported
            raise AttributeError(name)
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        module = importlib.import_module(self.__name__)
        self.__dict__.update(module.__dict__)
        return getattr(module, name)


def load_when_asked(*names: str) -> None:
    """Let stand-ins take the places of those of the modules that have not been loaded so far."""
    for name in names:
        sys.modules.setdefault(name, _StandIn(name))
