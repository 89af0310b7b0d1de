"""Deprecated: import ``Pipeline`` from ``iscore``. This module goes with the next version."""

import warnings

from iscore.filtering.pipeline import Pipeline

__all__ = ["Pipeline"]

warnings.warn("iscore.pipeline is deprecated: use `from iscore import Pipeline`", DeprecationWarning, stacklevel=2)
