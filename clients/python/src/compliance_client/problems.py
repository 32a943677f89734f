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
    """400, 413, 415, 422: the request must be corrected; `errors` names every violation."""


class Unauthenticated(Problem):
    """401: the credential is missing, wrong or expired."""


class Forbidden(Problem):
    """403: the credential is good, and may not do this."""


class NotFound(Problem):
    """404, 410: there is no such thing, or it is gone."""


class Conflict(Problem):
    """409, 412: the state is another one than the request supposes."""


class Locked(Problem):
    """423: the tenant's evidence does not verify, and changes are locked."""


class TryLater(Problem):
    """429, 503: nothing was done; the same request may be sent again after `retry_after`."""


_CLASSES: dict[int, type[Problem]] = {
    400: InvalidRequest,
    401: Unauthenticated,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    410: NotFound,
    412: Conflict,
    413: InvalidRequest,
    415: InvalidRequest,
    422: InvalidRequest,
    423: Locked,
    429: TryLater,
    503: TryLater,
}


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
    raise _CLASSES.get(response.status_code, Problem)(document, retry_after_of(response))
