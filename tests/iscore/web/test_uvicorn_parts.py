"""The undocumented parts of uvicorn that ``iscore.web`` overrides; ``pyproject.toml`` limits its version."""

from __future__ import annotations

import inspect

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle


def test_the_parts_that_the_server_overrides_exist() -> None:
    assert list(inspect.signature(uvicorn.Server.startup).parameters) == ["self", "sockets"]
    assert list(inspect.signature(uvicorn.Server.handle_exit).parameters) == ["self", "sig", "frame"]
    assert callable(uvicorn.Server.capture_signals)
    for name in ("connection_made", "connection_lost", "data_received"):
        assert callable(getattr(H11Protocol, name))
    attributes = inspect.getsource(H11Protocol.__init__) + inspect.getsource(H11Protocol.connection_made)
    for name in (
        "self.loop",
        "self.cycle",
        "self.transport",
        "self.conn",
        "self.client",
        "self.connections",
        "self.headers",
    ):
        assert name in attributes
    assert "self.response_complete" in inspect.getsource(RequestResponseCycle.__init__)
