"""Checks of mail: its settings, and the last digests. Sends nothing."""

from __future__ import annotations

import os
import stat

from iscore.core.data_folder import DataFolder
from iscore.core.errors import IscoreError
from iscore.jobs.mail.sender import MailSender
from iscore.jobs.maintenance.check import Check, attention, ok
from iscore.services.news_filter import NewsFilter
from storage.engine.errors import StorageError


def mail(folder: DataFolder, user: str = "") -> Check:
    """Check that mail to a user, or the first, is set up and the last digest was sent. The settings must be valid."""
    try:
        with NewsFilter.open(folder.path, user=user) as news:
            sender = MailSender.of(news)
            if not sender.is_wanted():
                return ok("mail", "off: mail_to is empty")
            problem = sender.problem()
            last = next(iter(sender.mailings(1)), None)
    except (IscoreError, StorageError) as error:
        return attention("mail", str(error), "see the lines above")
    if problem:
        return attention("mail", problem, "iscore mail list shows details, iscore mail test tests the settings")
    if os.name == "posix" and _has_password(folder) and stat.S_IMODE(folder.config.stat().st_mode) & 0o077:
        return attention("mail", "other users can read config.toml, which has a password", f"chmod 600 {folder.config}")
    return ok("mail", f"the digest of {last.digest}: {last.state}" if last else "set up; nothing sent yet")


def _has_password(folder: DataFolder) -> bool:
    return folder.config.exists() and "mail_password " in folder.config.read_text("utf-8").replace("=", " ")
