"""Deprecated: import ``AdaptiveThreshold`` from ``iscore``. This module goes with the next version."""

import warnings

from iscore.filtering.paper import AdaptiveThreshold

__all__ = ["AdaptiveThreshold"]

warnings.warn(
    "iscore.decision is deprecated: use `from iscore import AdaptiveThreshold`", DeprecationWarning, stacklevel=2
)
