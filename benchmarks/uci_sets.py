"""The five tables of Carvalho and Cohen's experiments that can be had, coded as the paper's numbers of features say.

A value out of a list is a feature of its own, 0 or 1; numbers stay as they are, in their own scale.
"""

from __future__ import annotations

import csv
import lzma
from collections.abc import Collection, Sequence

import numpy as np
from scipy.sparse import csr_matrix

from benchmarks.streams import data_folder
from benchmarks.text_sets import TextSet

Table = list[list[str]]


def _table(name: str) -> Table:
    path = data_folder() / "uci" / name
    content = path.read_bytes()
    lines = (lzma.decompress(content) if path.suffix == ".xz" else content).decode("ascii").splitlines()
    return [row for row in csv.reader(lines, skipinitialspace=True) if row]


def _complete(table: Table) -> Table:
    return [row for row in table if not {"?", "N/A"} & set(row)]


def _coded(name: str, table: Table, y: Sequence[bool], columns: Collection[int], numeric: Collection[int]) -> TextSet:
    """Return the columns, those of numbers as numbers and all others one-hot."""
    parts = []
    for column in columns:
        values = np.array([row[column] for row in table])
        if column in numeric:
            parts.append(values.astype(np.float64)[:, np.newaxis])
        else:
            parts.append((values[:, np.newaxis] == np.unique(values)).astype(np.float64))
    return TextSet(name, csr_matrix(np.hstack(parts)), np.array(y))


def adult() -> TextSet:
    """Read Adult: complete rows, who earns more than 50,000 against the others."""
    table = _complete(_table("adult.data.xz"))
    return _coded("Adult", table, [row[14].startswith(">50K") for row in table], range(14), (0, 2, 4, 10, 11, 12))


def congressional() -> TextSet:
    """Read the votes of Congress, democrats against republicans: yes is 1, no is 0, unknown is a half."""
    table = _table("house-votes-84.data")
    votes = np.array([[{"y": 1.0, "n": 0.0, "?": 0.5}[vote] for vote in row[1:]] for row in table])
    return TextSet("Congressional", csr_matrix(votes), np.array([row[0] == "democrat" for row in table]))


def credit() -> TextSet:
    """Read Credit: complete rows, approved against refused."""
    table = _complete(_table("crx.data"))
    return _coded("Credit", table, [row[15] == "+" for row in table], range(15), (1, 2, 7, 10, 13, 14))


def wisconsin() -> TextSet:
    """Read the Wisconsin breast cancer table: complete rows, benign against malignant, every value a feature."""
    table = _complete(_table("breast-cancer-wisconsin.data"))
    return _coded("WiscBreast", table, [row[10] == "2" for row in table], range(1, 10), ())


def nursery() -> TextSet:
    """Read Nursery: "priority" against the others."""
    table = _table("nursery.data.xz")
    return _coded("Nursery", table, [row[8] == "priority" for row in table], range(8), ())
