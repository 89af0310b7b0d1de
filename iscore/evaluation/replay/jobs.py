"""What there is to do in a replay, cut into pieces that any process can do by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from iscore.core.errors import ReplayError
from iscore.evaluation.replay.code_digest import sources_of_outcomes
from iscore.evaluation.replay.feature_cache import Measured
from iscore.evaluation.replay.progress_line import Lived
from iscore.evaluation.replay.protocol import Protocol
from iscore.evaluation.replay.protocol_delivered import run_delivered
from iscore.evaluation.replay.protocol_full import run_full


@dataclass(frozen=True, slots=True)
class Job:
    """One reader of one stream, with one or more classifiers."""

    folder: Path
    """Of the measured stream; whoever does the job must be able to read it."""
    reader: str
    classifiers: tuple[str, ...]
    protocol: Protocol
    articles: int
    """To live through, over all classifiers."""
    sources: str
    """The code for which the job is meant."""

    def do(self, advanced: Callable[[int], None] = lambda _: None) -> Lived:
        """Do it. Raises ``ReplayError`` where the code is another one."""
        if sources_of_outcomes() != self.sources:
            raise ReplayError(
                "a worker has another version of iScore, numpy or numba, or the program was changed just now; "
                "install the same everywhere, and run it again"
            )
        measured = Measured.open(self.folder)
        if self.protocol.name == "full":
            return run_full(measured, self.reader, self.classifiers, protocol=self.protocol, advanced=advanced)
        (classifier,) = self.classifiers
        return run_delivered(measured, self.reader, classifier, self.protocol, advanced=advanced)


def jobs_for(measured: Measured, wanted: Iterable[tuple[str, str]], protocol: Protocol) -> list[Job]:
    """Return the jobs for pairs of reader and classifier.

    In the full protocol classifiers share what is learned beside them, so a reader is one job; otherwise each pair.
    """
    of_reader: dict[str, list[str]] = {}
    for reader, classifier in wanted:
        of_reader.setdefault(reader, []).append(classifier)
    groups = [
        (reader, tuple(group))
        for reader, classifiers in of_reader.items()
        for group in ([classifiers] if protocol.name == "full" else [[each] for each in classifiers])
    ]
    return [
        Job(measured.folder, reader, group, protocol, measured.articles * len(group), sources_of_outcomes())
        for reader, group in groups
    ]
