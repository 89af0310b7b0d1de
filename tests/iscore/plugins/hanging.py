"""A package that is published in a folder, and whose extractors hang in every way there is."""

from __future__ import annotations

from pathlib import Path

CODE = '''
import ctypes, os, re, signal, sys, time
from extractors.extractor import DocumentExtractor, ReaderExtractor, StreamExtractor

def for_ever(*_):
    while True:
        pass

def asleep(*_):
    time.sleep(10**6)

def searching(*_):
    re.match("(a+)+$", "a" * 100 + "b")

def compiled(*_):
    ctypes.PyDLL(None).sleep(10**6)  # with Python's global lock

def deaf(*_):
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    for_ever()

def stubborn(*_):
    while True:
        try:
            for_ever()
        except BaseException:
            pass

def dead(*_):
    os._exit(3)

class Document(DocumentExtractor):
    def extract(self, document, text):
        return [float(len(document.title) + text.words)]

class Counting:
    def __init__(self):
        self.count = 0.0
    def evidence(self, terms):
        return [self.count] * len(terms)
    def state(self):
        return {"count": self.count}
    def restore(self, state):
        self.count = state["count"]

class Stream(Counting, StreamExtractor):
    def extract(self, document, text):
        return [self.count]
    def observe(self, document, text):
        self.count += 1

class Reader(Counting, ReaderExtractor):
    def extract(self, article):
        return [self.count + article.value("length") * 0]
    def learn(self, article, interesting, weight):
        self.count += weight

SCOPES = {"document": Document, "stream": Stream, "reader": Reader}

def __getattr__(name):
    """scope_verb_way, as document_extract_asleep; reader_well does what it should."""
    scope, verb, *way = name.split("_", 2)
    if scope not in SCOPES:
        raise AttributeError(name)
    about = {"features": (name,), "meanings": {name: "hanging"}}
    if way:
        about[verb] = globals()[way[0]]
    kind = type(name, (SCOPES[scope],), about)
    return lambda context: kind()
'''
WAYS = ("for_ever", "asleep", "searching", "compiled", "deaf", "stubborn", "dead")


def publish(folder: Path, *names: str) -> None:
    """Make a folder that, once modules are looked for there, publishes these; ``absent_…`` hangs when imported."""
    information = folder / "night_shift-1.0.dist-info"
    information.mkdir(parents=True)
    (folder / "night_shift.py").write_text(CODE)
    (folder / "absent_shift.py").write_text("import time\ntime.sleep(10**6)\n")
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: night-shift\nVersion: 1.0\n")
    lines = [f"{name} = {'absent' if name.startswith('absent') else 'night'}_shift:{name}\n" for name in names]
    (information / "entry_points.txt").write_text("[iscore.extractors]\n" + "".join(lines))
