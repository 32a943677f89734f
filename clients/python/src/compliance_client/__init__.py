"""Client of the compliance platform.

    from compliance_client import connect
    from compliance_client.generated.api.sanctions import screen_name
    from compliance_client.generated.models import ScreenNameRequest

    with connect("http://127.0.0.1:8080", api_key=KEY) as api:
        answer = screen_name.sync(client=api, body=ScreenNameBody(name="Viktor Bout"))

Each operation of the description is a module of `generated.api`; a refusal is raised as a Problem.
"""

from __future__ import annotations

from collections.abc import Iterator

import httpx

from .event_stream import StreamedEvent, follow
from .generated import AuthenticatedClient
from .pages import rows_of
from .problems import (
    Conflict,
    Forbidden,
    InvalidRequest,
    Locked,
    NotFound,
    Problem,
    ServiceFailed,
    TryLater,
    Unauthenticated,
    raise_for_problem,
)
from .sending import SendingAgain
from .uploading import upload
from .webhooks import ForgedWebhook, verify_webhook

__all__ = [
    "Conflict",
    "Forbidden",
    "ForgedWebhook",
    "InvalidRequest",
    "Locked",
    "NotFound",
    "Problem",
    "ServiceFailed",
    "StreamedEvent",
    "TryLater",
    "Unauthenticated",
    "alerts",
    "connect",
    "rows_of",
    "upload",
    "verify_webhook",
]


def connect(
    base_url: str,
    *,
    api_key: str | None = None,
    token: str | None = None,
    retries: int = 3,
    retry_for_s: float = 120.0,
    timeout_s: float = 30.0,
    transport: httpx.BaseTransport | None = None,
) -> AuthenticatedClient:
    """A client for the calls of `generated.api`, by an API key or a token of the identity
    provider. What was not done (429, 503) or whose answer was lost is sent again, `retries` times
    at most, and no later than `retry_for_s` after it was first sent."""
    if (api_key is None) == (token is None):
        raise TypeError("expected either api_key or token")
    return AuthenticatedClient(
        base_url=base_url,
        token=token if api_key is None else api_key,
        prefix="Bearer" if api_key is None else "",
        auth_header_name="Authorization" if api_key is None else "X-API-Key",
        timeout=httpx.Timeout(timeout_s),
        httpx_args={
            "event_hooks": {"response": [raise_for_problem]},
            "transport": SendingAgain(transport or httpx.HTTPTransport(), retries, retry_for_s),
        },
    )


def alerts(
    client: AuthenticatedClient, last_event_id: str | None = None
) -> Iterator[StreamedEvent]:
    """Alerts as they are raised and worked on, without end; goes on behind `last_event_id`."""
    return follow(client.get_httpx_client(), "/v1/aml/alerts/stream", last_event_id)
