"""A user's own settings: what they are, and changing them. ``config.toml``, or a text in the database, is the truth."""

from __future__ import annotations

from collections.abc import Mapping

from iscore.core.documents import again_if_changed
from iscore.core.errors import ConfigError
from iscore.services.session.user_session import UserSession
from iscore.services.views.people import SettingView
from storage.people import users


class PersonalSettings:
    """One user's settings."""

    def __init__(self, session: UserSession) -> None:
        self._database = session.database
        self._context = session.context
        self._document = session.context.personal_settings

    def list(self) -> list[SettingView]:
        """List them in the order of the guide. Raises ``ConfigError``."""
        from iscore.core.settings import PERSONAL, Settings, variable_of

        settings, alone = self._context.settings, not self._document.is_stored
        return [
            SettingView(
                name,
                self._context.user.time_zone or settings.time_zone if name == "time_zone" else getattr(settings, name),
                field.default,
                (field.description or "").replace("`", ""),
                variable_of(name) if alone else "",
            )
            for name, field in Settings.model_fields.items()
            if name in PERSONAL
        ]

    def change(self, values: Mapping[str, str]) -> None:
        """Change some of them, given as texts; comments stay.

        Raises ``ConfigError`` for an unknown name and a value that is not allowed, ``DocumentChangedError`` and
        ``OSError``; then nothing changes.
        """
        from iscore.core.clock import zone_named
        from iscore.core.sanitizing import plain_address
        from iscore.core.settings import PERSONAL, Settings, typed
        from iscore.core.settings_text import with_values

        if not self._document.is_stored:
            for name in sorted(Settings.model_fields.keys() & values.keys() - PERSONAL):
                problem = f"write {name} = … into this file; `iscore settings set` changes what `settings list` shows"
                raise ConfigError(str(self._document), problem)
        given = typed(values, self._document)
        try:
            zone_named(given.get("time_zone", ""))
            if given.get("mail_to"):
                plain_address(given["mail_to"])
            if "classifier" in given:
                self._check_classifier(given["classifier"])

            def edit() -> None:
                before = self._document.read_or_empty().decode("utf-8-sig")
                after = with_values(before, given)
                if after != before:
                    self._document.replace(after, before=before)

            again_if_changed(edit)
        except ValueError as error:
            raise ConfigError(str(self._document), str(error)) from error
        if "time_zone" in given and self._context.user.time_zone:
            # That of the user's record would come before this one.
            with self._database.write(self._context.user_id) as tx:
                users.set_time_zone(tx, self._context.user_id, "")
        self._context.forget_settings()

    @staticmethod
    def _check_classifier(name: str) -> None:
        """Raise ``ValueError`` for an unknown one."""
        from iscore.learners import LEARNERS

        if name not in LEARNERS:
            raise ValueError(f"no classifier {name!r}; there are {', '.join(LEARNERS)}")
