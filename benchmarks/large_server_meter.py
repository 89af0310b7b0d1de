"""Processor time of this process with its children and of a PostgreSQL server, for repeated work."""

from __future__ import annotations

import resource
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median, quantiles
from typing import Any

from benchmarks.results import Cell
from tests.servers.postgresql import PostgresqlServer


def processor_time() -> float:
    """Return the processor seconds of this process and of its children that have ended."""
    used = [resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


@dataclass
class Meter:
    """Processor time of this process and of the server."""

    server: PostgresqlServer
    spent: list[tuple[float, float]] = field(default_factory=list)

    def __call__(self, do: Callable[[], object]) -> Any:
        """Do something, and note what it cost."""
        here, there = processor_time(), self.server.processor_time()
        result = do()
        self.spent.append((processor_time() - here, self.server.processor_time() - there))
        return result

    def row(self, name: str) -> tuple[Cell, ...]:
        """Return medians of process and server, and the p99 of both, in milliseconds."""
        both = [1000 * (here + there) for here, there in self.spent]
        worst = quantiles(both, n=100, method="inclusive")[98] if len(both) > 1 else both[0]
        here, there = (1000 * median(each[part] for each in self.spent) for part in (0, 1))
        row = (name, len(both), round(here, 1), round(there, 1), round(worst, 1))
        print(*row, flush=True)
        return row

    def usual(self) -> float:
        """Return the sum of both medians, in seconds."""
        return sum(median(each[part] for each in self.spent) for part in (0, 1))
