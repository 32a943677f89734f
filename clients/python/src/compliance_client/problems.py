"""What the service refused, and why (RFC 9457)."""

from __future__ import annotations

from typing import Any

import httpx


class Problem(Exception):
    """A refusal. `code` is stable and meant for programs; the text is for people."""

    def __init__(self, document: dict[str, Any], retry_after: int | None) -> None:
        super().__init__(f"{document['code']}: {document.get('detail') or document.get('title')}")
        self.code: str = document["code"]
        self.document = document
        self.errors: list[dict[str, Any]] = document.get("errors") or []
        self.request_id: str | None = document.get("request_id")
        #: Seconds, where the service said when to come back.
        self.retry_after = retry_after
        self.status: int = document["status"]


class InvalidRequest(Problem):
    """4xx without a class of its own: the request must be corrected; `errors` says where."""


class Unauthenticated(Problem):
    """401: the credential is missing, wrong or expired."""


class Forbidden(Problem):
    """403: the credential is good, and may not do this."""


class NotFound(Problem):
    """404, 410: there is no such thing, or it is gone."""


class Conflict(Problem):
    """409, 412: the state is another one than the request supposes."""


class Locked(Problem):
    """423, and any `…-altered`: what is stored is not what was signed, which no repeat mends."""


class TryLater(Problem):
    """408, 429, 503, and 409 `idempotency-key-in-progress`: the same request may be sent again
    under the same key, after `retry_after`."""


class ServiceFailed(Problem):
    """500, 502, 507: the service could not; its operator finds out by `request_id`."""


_BY_CODE: dict[str, type[Problem]] = {"idempotency-key-in-progress": TryLater}

_BY_STATUS: dict[int, type[Problem]] = {
    401: Unauthenticated,
    403: Forbidden,
    404: NotFound,
    408: TryLater,
    409: Conflict,
    410: NotFound,
    412: Conflict,
    423: Locked,
    429: TryLater,
    503: TryLater,
}


def _class_of(code: str, status: int) -> type[Problem]:
    if code.endswith("-altered"):
        return Locked
    other = InvalidRequest if status < 500 else ServiceFailed
    return _BY_CODE.get(code) or _BY_STATUS.get(status, other)


def retry_after_of(response: httpx.Response) -> int | None:
    """Seconds of Retry-After (RFC 9110 10.2.3), which the service gives as a number."""
    text = response.headers.get("Retry-After", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 6 else None


def raise_for_problem(response: httpx.Response) -> None:
    """Raises what an answer of 400 and above says; one that is no problem keeps its status."""
    if response.status_code < 400:
        return
    response.read()
    try:
        document = response.json()
    except ValueError:
        document = None
    if not (isinstance(document, dict) and isinstance(document.get("code"), str)):
        raise httpx.HTTPStatusError(
            f"HTTP {response.status_code}", request=response.request, response=response
        )
    document.setdefault("status", response.status_code)
    raise _class_of(document["code"], response.status_code)(document, retry_after_of(response))
