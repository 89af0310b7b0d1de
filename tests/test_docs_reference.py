"""The guide has every command, option, setting and JSON key of the program, and no other."""

from __future__ import annotations

import dataclasses
import json
import re
from typing import Any

import annotated_types

from iscore.core.settings import Settings
from iscore.evaluation import demo
from iscore.evaluation.replay.run import ReplayResult
from iscore.jobs.maintenance.backup import BackupView
from iscore.jobs.maintenance.checks import CheckupView
from iscore.jobs.maintenance.export import ExportView
from iscore.jobs.maintenance.import_export import ImportView
from iscore.jobs.maintenance.migrate_database import MigrationView
from iscore.jobs.maintenance.prune import PruneView
from iscore.jobs.maintenance.restore import RestoreView
from iscore.learners import LEARNERS
from iscore.services.views import (
    digests,
    feeds,
    interests,
    other_programs,
    people,
    rules,
    status,
    stories,
    story_json,
)
from iscore.services.views.history import HistoryView
from tests.documentation import (
    COMMANDS,
    GUIDE,
    PROGRAM,
    ROOT,
    code_spans,
    options_of,
    section_of,
    table_rows,
)
from tests.iscore.presentation.made_views import ITEM

# Commands, options, settings, keys

PAGES = GUIDE["commands"] + "\n" + GUIDE["more-commands"]
REFERENCE = {
    path: section
    for heading in re.findall(r"^### .+$", PAGES, re.MULTILINE)
    for section in [section_of(PAGES, heading)]
    for path in code_spans(heading)
}


def test_the_reference_has_every_command_and_no_other() -> None:
    assert set(REFERENCE) == set(COMMANDS)


def test_the_reference_has_every_option() -> None:
    for path, command in COMMANDS.items():
        named = {word for code in code_spans(REFERENCE[path]) for word in code.split() if word.startswith("-")}
        assert named - {"--json"} == options_of(command) - {"--json"}, path


def test_the_reference_has_the_options_of_the_program() -> None:
    named = {word for row in table_rows(GUIDE["commands"]) for word in code_spans(row[0])}
    assert named == options_of(PROGRAM)


def test_the_guide_has_every_setting_with_its_default_and_bounds() -> None:
    rows = table_rows(GUIDE["settings"].partition("\n## ")[0])
    assert [code_spans(row[0])[0] for row in rows] == list(Settings.model_fields)
    for row, (name, setting) in zip(rows, Settings.model_fields.items(), strict=True):
        assert code_spans(row[1]) == [json.dumps(setting.default)], name
        assert row[2] == _allowed(setting, row[2]), name
        assert len(row[3]) > 20, name


def _allowed(setting: Any, stated: str) -> str:
    """Return a setting's bounds in the guide's words; ``stated`` if it has none."""
    bounds = {type(bound): bound for bound in setting.metadata}
    low, high = bounds.get(annotated_types.Ge), bounds.get(annotated_types.Le)
    if low is not None and high is not None:
        return f"{low.ge:g} to {high.le:g}"
    if low is not None:
        return f"{low.ge} or more"
    if annotated_types.Gt in bounds:
        return f"above {bounds[annotated_types.Gt].gt}"
    return stated


def test_the_guide_names_every_learner() -> None:
    rows = table_rows(section_of(GUIDE["settings"], "## Classifiers"))
    assert {name for row in rows for name in code_spans(row[0])} == set(LEARNERS)


def test_every_environment_variable_is_documented() -> None:
    sources = [file for package in ("iscore", "extractors", "storage") for file in (ROOT / package).rglob("*.py")]
    text = "".join(file.read_text(encoding="utf-8") for file in sources)
    read = set(re.findall(r"[\"'](ISCORE_[A-Z_]*[A-Z])[\"']", text))
    assert {"ISCORE_HOME", "ISCORE_NOW", "ISCORE_DEBUG"} <= read
    guide = "".join(GUIDE.values())
    assert [name for name in sorted(read) if name not in guide] == []


VIEWS = {
    "iscore feeds add": feeds.AddedFeeds,
    "iscore feeds import": feeds.ImportedFeeds,
    "iscore feeds export": feeds.ExportedFeeds,
    **dict.fromkeys(("iscore feeds list", "iscore feeds check"), feeds.FeedView),
    "iscore poll": feeds.PollView,
    "iscore why": stories.WhyView,
    **dict.fromkeys(("iscore settings list", "iscore settings set"), people.SettingView),
    **dict.fromkeys(("iscore like", "iscore dislike", "iscore skip", "iscore undo"), stories.VerdictView),
    "iscore interests learn-from": interests.ImportedItemsView,
    "iscore interests list": interests.InterestView,
    **dict.fromkeys(
        [f"iscore interests {each}" for each in ("add", "weaken", "remove", "undo")], interests.InterestChangeView
    ),
    **dict.fromkeys(("iscore interests headlines", "iscore interests check"), interests.HeadlineView),
    "iscore interests imported list": interests.ImportView,
    "iscore interests imported show": interests.ImportedItemView,
    **dict.fromkeys(("iscore rules add", "iscore rules list", "iscore rules remove"), rules.RuleView),
    "iscore rules test": rules.RuleTrial,
    **dict.fromkeys(
        [f"iscore users {each}" for each in ("list", "password", "role", "rename", "remove")], people.PersonView
    ),
    "iscore users add": people.AddedPerson,
    "iscore connect status": other_programs.ConnectionView,
    **dict.fromkeys(
        [f"iscore connect {each}" for each in ("sync", "freshrss", "miniflux", "greader")], other_programs.SyncView
    ),
    "iscore connect remove": other_programs.RemovedView,
    "iscore digest": digests.DigestView,
    **dict.fromkeys(("iscore mail send", "iscore mail list"), digests.MailingView),
    "iscore mail test": digests.TrialMailView,
    "iscore status": status.StatusView,
    "iscore stats": HistoryView,
    "iscore stats --feeds": feeds.FeedStatistics,
    "iscore model rebuild": status.RebuildView,
    "iscore replay": ReplayResult,
    "iscore doctor": CheckupView,
    "iscore backup": BackupView,
    "iscore restore": RestoreView,
    "iscore prune": PruneView,
    "iscore migrate-database": MigrationView,
    "iscore export": ExportView,
    "iscore import": ImportView,
    "iscore demo": demo.DemoResult,
}
STORIES = {
    **dict.fromkeys(("iscore inbox", "iscore review"), story_json.listed),
    "iscore search": story_json.found,
    "iscore show": story_json.article,
}


def test_the_guide_has_the_keys_of_every_json_document() -> None:
    rows = table_rows(GUIDE["json"])
    keys = {command: code_spans(row[2]) for row in rows for command in code_spans(row[0])}
    documented = {name.partition(" --")[0] for name in keys}
    assert documented == {path for path, command in COMMANDS.items() if "--json" in options_of(command)}
    for command, view in VIEWS.items():
        assert keys[command] == [field.name for field in dataclasses.fields(view)], command
    for command, document in STORIES.items():
        assert keys[command] == list(document(ITEM)), command
