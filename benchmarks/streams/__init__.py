"""Real data as labelled streams, one source a file, in order of arrival. The data lies where ``ISCORE_DATA`` says.

    python -m benchmarks.streams [NAME …] --to FOLDER

writes them for ``iscore replay``; without arguments it lists them.
"""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.streams.data import data_folder, rows
from benchmarks.streams.hn import hacker_news
from benchmarks.streams.italian_rss import italian_reader
from benchmarks.streams.newsgroups import newsgroups
from benchmarks.streams.reuters21578 import TOPICS, TOPICS_AND_PLACES, every_reuters, other_reuters, reuters
from benchmarks.streams.spamassassin import spamassassin
from benchmarks.streams.yow import yow
from iscore.evaluation.replay.stream_format import LabelledArticle

STREAMS: dict[str, Callable[[], list[LabelledArticle]]] = {
    "reuters": every_reuters,
    "reuters-development": reuters,
    "reuters-others": other_reuters,
    "hacker-news": hacker_news,
    "italian-reader": italian_reader,
    "yow": yow,
    "newsgroups": newsgroups,
    "spamassassin": spamassassin,
}
"""Name → what reads it; the first line of its docstring says what it is."""

__all__ = [
    "STREAMS",
    "TOPICS",
    "TOPICS_AND_PLACES",
    "LabelledArticle",
    "data_folder",
    "every_reuters",
    "hacker_news",
    "italian_reader",
    "newsgroups",
    "other_reuters",
    "reuters",
    "rows",
    "spamassassin",
    "yow",
]
