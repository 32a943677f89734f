"""Keys for orders, and repeats of what was not done."""

from __future__ import annotations

import random
import time
import uuid
from collections.abc import Callable

import httpx

from .problems import retry_after_of

_KEY = "Idempotency-Key"
_CHANGES = {"DELETE", "PATCH", "POST", "PUT"}
_FIRST_WAIT_S = 0.25
#: A service that asks for more has its answer handed to the caller, who may have better to do.
WAIT_S_MAX = 30.0
_IN_PROGRESS = 409
_NOT_DONE = {429, 503}


class SendingAgain(httpx.BaseTransport):
    """Gives each POST a key of its own, so that sending it again cannot do it twice, and sends
    again what the service has not done, after the time that it asked for. Where that time is longer
    than the bounds, the caller gets the answer and decides."""

    def __init__(
        self,
        transport: httpx.BaseTransport,
        retries: int,
        retry_for_s: float,
        sleep: Callable[[float], None] = time.sleep,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._transport = transport
        self._retries = retries
        self._retry_for_s = retry_for_s
        self._sleep = sleep
        self._now = now

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if request.method == "POST" and _KEY not in request.headers:
            request.headers[_KEY] = str(uuid.uuid4())
        tries = self._retries if _may_repeat(request) else 0
        ends_at = self._now() + self._retry_for_s
        for tried in range(tries):
            try:
                response = self._transport.handle_request(request)
            except httpx.TransportError:
                wait = _wait(tried)
                if self._now() + wait > ends_at:
                    raise
            else:
                asked = _wait_of(response, tried)
                if asked is None or self._now() + asked > ends_at:
                    return response
                wait = asked
                response.close()
            self._sleep(wait)
        return self._transport.handle_request(request)

    def close(self) -> None:
        self._transport.close()


def _may_repeat(request: httpx.Request) -> bool:
    # A stream is gone once it was sent, and a change without a key might be done twice.
    if not isinstance(request.stream, httpx.ByteStream):
        return False
    return request.method not in _CHANGES or _KEY in request.headers


def _wait_of(response: httpx.Response, tried: int) -> float | None:
    """Seconds until the next try; None where there is none."""
    if not _is_to_repeat(response):
        return None
    asked = retry_after_of(response)
    if asked is None:
        return _wait(tried)
    return float(asked) if asked <= WAIT_S_MAX else None


def _is_to_repeat(response: httpx.Response) -> bool:
    # 409 says `idempotency-key-in-progress` by its Retry-After.
    if response.status_code in _NOT_DONE:
        return True
    return response.status_code == _IN_PROGRESS and "Retry-After" in response.headers


def _wait(tried: int) -> float:
    return min(WAIT_S_MAX, _FIRST_WAIT_S * 2**tried) * (0.5 + random.random() / 2)
