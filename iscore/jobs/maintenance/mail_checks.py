"""Whether the digest is being mailed, by what became of the last ones; nothing is sent to find out."""

from __future__ import annotations

import os
import stat

from iscore.core.data_folder import DataFolder
from iscore.core.errors import IscoreError
from iscore.jobs.mail.sender import MailSender
from iscore.jobs.maintenance.check import Check, attention, ok
from iscore.services.news_filter import NewsFilter
from storage.errors import StorageError


def mail(home: DataFolder) -> Check:
    """Whether mail is set up, and the last digest was sent. Its settings can be used."""
    try:
        with NewsFilter.open(home.path) as news:
            sender = MailSender.of(news)
            if not sender.is_wanted():
                return ok("mail", "not wanted: mail_to is empty")
            problem = sender.problem()
            last = next(iter(sender.mailings(1)), None)
    except (IscoreError, StorageError) as error:
        return attention("mail", str(error), "see the lines above")
    if problem:
        return attention("mail", problem, "iscore mail list tells more, iscore mail test tries the settings")
    if os.name == "posix" and _has_password(home) and stat.S_IMODE(home.config.stat().st_mode) & 0o077:
        return attention("mail", "others may read config.toml, which holds a password", f"chmod 600 {home.config}")
    return ok("mail", f"the digest of {last.edition}: {last.state}" if last else "set up; nothing was sent yet")


def _has_password(home: DataFolder) -> bool:
    return home.config.exists() and "mail_password " in home.config.read_text("utf-8").replace("=", " ")
