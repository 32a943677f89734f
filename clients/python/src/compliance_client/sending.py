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
_WAIT_S_MAX = 30.0
_IN_PROGRESS = 409
_NOT_DONE = {429, 503}


class SendingAgain(httpx.BaseTransport):
    """Gives each POST a key of its own, so that sending it again cannot do it twice, and sends
    again what the service has not done, after the time that it asked for."""

    def __init__(
        self,
        transport: httpx.BaseTransport,
        retries: int,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._transport = transport
        self._retries = retries
        self._sleep = sleep

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if request.method == "POST" and _KEY not in request.headers:
            request.headers[_KEY] = str(uuid.uuid4())
        tries = self._retries if _may_repeat(request) else 0
        for tried in range(tries):
            try:
                response = self._transport.handle_request(request)
            except httpx.TransportError:
                self._sleep(_wait(None, tried))
                continue
            if not _is_to_repeat(response):
                return response
            response.close()
            self._sleep(_wait(response, tried))
        return self._transport.handle_request(request)

    def close(self) -> None:
        self._transport.close()


def _may_repeat(request: httpx.Request) -> bool:
    # A stream is gone once it was sent, and a change without a key might be done twice.
    if not isinstance(request.stream, httpx.ByteStream):
        return False
    return request.method not in _CHANGES or _KEY in request.headers


def _is_to_repeat(response: httpx.Response) -> bool:
    # 409 says `idempotency-key-in-progress` by its Retry-After.
    if response.status_code in _NOT_DONE:
        return True
    return response.status_code == _IN_PROGRESS and "Retry-After" in response.headers


def _wait(response: httpx.Response | None, tried: int) -> float:
    asked = None if response is None else retry_after_of(response)
    if asked is not None:
        return float(asked)
    return min(_WAIT_S_MAX, _FIRST_WAIT_S * 2**tried) * (0.5 + random.random() / 2)
