"""Files of any size, sent as they are read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import IO, Any

import httpx

from .generated import AuthenticatedClient

_PIECE_BYTES = 256 * 1024


def upload(
    client: AuthenticatedClient,
    path: str,
    body: IO[bytes] | Iterable[bytes],
    content_type: str,
    *,
    idempotency_key: str | None = None,
    method: str = "POST",
) -> Any:
    """Sends a file, or pieces of one, without holding it, and returns what the operation answers.
    `path` has its query, as `/v1/aml/transactions/ingest?format=csv_service`. It is sent once: what was
    read is gone. To send it again, give the key of the first time."""
    headers = {"Content-Type": content_type}
    if idempotency_key is not None:
        headers["Idempotency-Key"] = idempotency_key
    pieces = _pieces_of(body) if hasattr(body, "read") else body
    response: httpx.Response = client.get_httpx_client().request(
        method, path, content=pieces, headers=headers
    )
    return response.json()


def _pieces_of(file: Any) -> Iterable[bytes]:
    while piece := file.read(_PIECE_BYTES):
        yield piece
