"""Sample news of our own making and its simulated reader, for the demo and for tests.

Every word of it is ours. It shows that the program works; how well it filters must be shown on real readers.
"""

from benchmarks.sample_news.article import Article
from benchmarks.sample_news.news import News
from benchmarks.sample_news.reader import Reader
from benchmarks.sample_news.server import NewsServer
from benchmarks.sample_news.sources import Source

__all__ = ["Article", "News", "NewsServer", "Reader", "Source"]
