"""The mail server on the machine of a simulated worker: it accepts everything, and logs it.

    python -m benchmarks.fleet_mail PORT LOG

prints a line when it listens, then serves until it is ended. Each mail is one line of the log.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from email import message_from_bytes
from functools import partial
from pathlib import Path
from typing import Any, TextIO

from aiosmtpd.smtp import SMTP

SLOW = 0.1
"""Seconds before a mail is logged, and before it is acknowledged, so that faults come in between."""


class Mail:
    """Accepts and logs."""

    def __init__(self, log: TextIO) -> None:
        self._log = log

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:  # noqa: N802 -- aiosmtpd's name
        """Take a mail."""
        await asyncio.sleep(SLOW)
        identity = message_from_bytes(envelope.content)["Message-ID"]
        print(json.dumps({"to": envelope.rcpt_tos, "id": identity, "at": time.time()}), file=self._log, flush=True)
        await asyncio.sleep(SLOW)
        return "250 accepted"


async def _serve(port: int, path: Path) -> None:
    with path.open("a") as log:
        loop = asyncio.get_running_loop()
        made = partial(SMTP, Mail(log), hostname="mail.example", loop=loop)
        server = await loop.create_server(made, "127.0.0.1", port)
        print("ready", flush=True)
        async with server:
            await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1]), Path(sys.argv[2])))
