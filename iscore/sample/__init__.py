"""Sample news of our own making and its simulated reader, for the demo and for tests.

Every word of it is ours. It shows that the program works; how well it filters must be shown on real readers.
"""

from iscore.sample.article import Article
from iscore.sample.news import News
from iscore.sample.reader import Reader
from iscore.sample.server import NewsServer
from iscore.sample.sources import Source

__all__ = ["Article", "News", "NewsServer", "Reader", "Source"]
