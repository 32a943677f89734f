"""The stream of alerts (WHATWG, server-sent events)."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import httpx

from .problems import TryLater, raise_for_problem
from .sending import WAIT_S_MAX

_WAIT_S = 1.0
#: What a proxy says while the service behind it starts again.
_AWAY = {502, 503, 504}


@dataclass(frozen=True)
class StreamedEvent:
    data: Any
    event: str
    #: What a later call goes on behind, as `last_event_id`.
    id: str | None


def follow(
    client: httpx.Client,
    path: str,
    last_event_id: str | None,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[StreamedEvent]:
    """Events without end: a stream that ends, as each does after five minutes, is opened again
    behind its last event, and so is one whose service is away. A refusal, as of an expired
    credential, is raised."""
    while True:
        wait = _WAIT_S
        headers = {"Accept": "text/event-stream"}
        if last_event_id is not None:
            headers["Last-Event-ID"] = last_event_id
        try:
            with client.stream("GET", path, headers=headers, timeout=60) as response:
                raise_for_problem(response)
                for event in _blocks(response.iter_lines()):
                    last_event_id = event.id or last_event_id
                    # A block without data is none of the events: it tells where the stream is.
                    if event.data is not None:
                        yield event
        except httpx.TransportError:
            # A network that is away comes back.
            pass
        except TryLater as busy:
            # Nobody waits for one answer of a stream, so it is asked for again within the bound.
            wait = min(WAIT_S_MAX, max(_WAIT_S, float(busy.retry_after or 0)))
        except httpx.HTTPStatusError as refused:
            if refused.response.status_code not in _AWAY:
                raise
        sleep(wait)


def _blocks(lines: Iterator[str]) -> Iterator[StreamedEvent]:
    fields: dict[str, str] = {}
    for line in lines:
        if line:
            name, colon, value = line.partition(":")
            if name and colon:
                value = value.removeprefix(" ")
                former = fields.get(name) if name == "data" else None
                fields[name] = value if former is None else f"{former}\n{value}"
        elif fields:
            data = fields.get("data")
            event = fields.get("event", "message")
            yield StreamedEvent(json.loads(data) if data else None, event, fields.get("id"))
            fields = {}
