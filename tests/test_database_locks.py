"""A transaction that does not say whose rows it writes waits for all others, and empties all caches."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parents[1]

OF_SEVERAL = {
    "users are compared with one another: their names, roles, invitations, and who is the only one": (
        "iscore/services/people/accounts.py: accept, add_reader, invite, set_role, set_up, withdraw",
        "iscore/services/people/identities.py: accept, add_reader, link",
        "iscore/services/people/people.py: add, move_documents, remove, rename, set_password, set_role, set_time_zone",
    ),
    "an address gets few mails with codes, from all users together": ("iscore/services/people/mail_address.py: ask",),
    "articles get numbers, and rows of the user refer to them": (
        "iscore/services/interests/import_store.py: save",
        "iscore/services/interests/import_store.py: store",
        "iscore/services/interests/interests.py: add",
        "iscore/jobs/maintenance/import_export.py: import_lines",
    ),
    "maintenance changes rows of all users": (
        "iscore/jobs/maintenance/doctor.py: _writable",
        "iscore/jobs/maintenance/prune.py: _prune",
        "iscore/jobs/maintenance/restore.py: _add_mail_log, _sign_everybody_out",
    ),
    "nobody else uses the database": ("iscore/services/compile_kernels.py: _arrive",),
}
"""Functions that begin such transactions, by the reason."""


def test_only_what_concerns_several_users_writes_without_saying_whose_rows() -> None:
    found = {place for path in sorted((ROOT / "iscore").rglob("*.py")) for place in _writes_of_any(path)}
    expected = {
        f"{file}: {function}"
        for places in OF_SEVERAL.values()
        for file, _, functions in (place.partition(": ") for place in places)
        for function in functions.split(", ")
    }
    assert found == expected


def _writes_of_any(path: Path) -> list[str]:
    """Name the functions of a file that call ``write`` of a database without an argument by position."""
    functions = [
        each
        for each in ast.walk(ast.parse(path.read_text()))
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    return [
        f"{path.relative_to(ROOT).as_posix()}: {function.name}"
        for function in functions
        for call in ast.walk(function)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "write"
        and ast.unparse(call.func.value).endswith("database")
        and not call.args
    ]
