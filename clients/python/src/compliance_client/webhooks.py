"""Calls of the service to an endpoint of yours."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import time
from collections.abc import Mapping, Sequence
from typing import Any

_AGE_S_MAX = 300
_SIGNATURES_MAX = 8


class ForgedWebhook(Exception):
    """A call that none of the secrets has signed, or that somebody kept."""


def verify_webhook(
    body: bytes, headers: Mapping[str, str], secrets: Sequence[str], now_s: float | None = None
) -> dict[str, Any]:
    """The event of a call that one of the secrets has signed (X-Service-Signature): during a
    rotation give both. `body` is the bytes as they came. Raises ForgedWebhook for every other."""
    header = next((v for k, v in headers.items() if k.lower() == "x-service-signature"), "")
    signed_at, *signatures = header.split(",")
    if not re.fullmatch(r"t=[0-9]{1,12}", signed_at):
        raise ForgedWebhook("no time in X-Service-Signature")
    now = time.time() if now_s is None else now_s
    if abs(now - int(signed_at[2:])) > _AGE_S_MAX:
        raise ForgedWebhook("out of its time")
    for secret in secrets:
        key = base64.b64decode(secret.removeprefix("whsec_"))
        digest = hmac.new(key, signed_at[2:].encode() + b"." + body, hashlib.sha256).hexdigest()
        expected = f"v1={digest}".encode()
        if any(hmac.compare_digest(s.encode(), expected) for s in signatures[:_SIGNATURES_MAX]):
            return json.loads(body)
    raise ForgedWebhook("signed by none of the secrets")
