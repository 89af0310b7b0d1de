"""Deprecated: import ``NewsFilter`` from ``iscore``. This module goes with the next version."""

import warnings

from iscore.services.news_filter import NewsFilter

__all__ = ["NewsFilter"]

warnings.warn("iscore.news_filter is deprecated: use `from iscore import NewsFilter`", DeprecationWarning, stacklevel=2)
