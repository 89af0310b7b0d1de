"""What every command has in common."""

from __future__ import annotations

import pytest
from typer.main import get_command

from iscore.cli.app import app, name_of, with_only


def _commands() -> dict[str, object]:
    found: dict[str, object] = {}

    def collect(prefix: str, command: object) -> None:
        inner = getattr(command, "commands", None)
        if inner is None:
            found[prefix.strip()] = command
            return
        for name, each in inner.items():
            collect(f"{prefix} {name}", each)

    collect("", get_command(app))
    return found


COMMANDS = _commands()


def test_the_commands_are_those_of_the_guide() -> None:
    assert set(COMMANDS) == {
        *(
            "init",
            "feeds add",
            "feeds remove",
            "feeds list",
            "poll",
            "inbox",
            "show",
            "why",
            "digest",
            "status",
            "search",
        ),
        *("like", "dislike", "skip", "undo", "model rebuild", "demo", "replay", "stats"),
        *("interests add", "interests list", "interests weaken", "interests remove", "interests undo"),
        *("interests learn-from", "interests headlines", "interests check"),
        *("interests imported list", "interests imported show", "interests imported undo"),
        *("review", "serve"),
        *("rules add", "rules list", "rules remove", "rules test"),
        *(
            "connect freshrss",
            "connect miniflux",
            "connect greader",
            "connect status",
            "connect sync",
            "connect remove",
            "users invite",
            "users list",
            "users add",
            "users password",
            "users role",
            "users rename",
            "users remove",
            "users import",
        ),
        *("settings list", "settings set", "edit", "reading"),
        *("feeds import", "feeds export", "feeds check"),
        *("run", "mail send", "mail test", "mail list", "schedule", "worker"),
        *("doctor", "backup", "restore", "prune", "migrate-database", "export", "import"),
    }


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_answers_programs_and_says_what_it_does(name: str) -> None:
    command = COMMANDS[name]
    options = {option for each in command.params for option in each.opts}  # type: ignore[attr-defined]
    assert "--json" in options
    assert f"iscore {name}" in command.help  # type: ignore[attr-defined]
    described = [getattr(each, "help", None) for each in command.params]  # type: ignore[attr-defined]
    assert all(described), name


def test_shells_can_complete_commands(run) -> None:
    done = run(
        program="import sys; sys.argv[0] = 'iscore'; from iscore.cli import main; sys.exit(main())",
        _ISCORE_COMPLETE="complete_bash",
        COMP_WORDS="iscore di",
        COMP_CWORD="1",
    )
    assert done.returncode == 0
    assert done.stdout.split() == ["digest", "dislike"]


def test_a_command_is_built_alone_and_all_of_them_for_an_unknown_name() -> None:
    names = {*map(name_of, app.registered_commands), *(str(group.name) for group in app.registered_groups)}
    assert names == {name.split()[0] for name in COMMANDS}
    for name in sorted(names):
        (only,) = get_command(with_only(app, name)).commands.items()  # type: ignore[attr-defined]
        assert only[0] == name
    assert with_only(app, "inbocks") is app
