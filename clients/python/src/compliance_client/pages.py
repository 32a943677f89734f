"""Lists of many pages as one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any


def rows_of(member: str, ask: Callable[..., Any], /, **options: Any) -> Iterator[Any]:
    """Rows of `member` over all pages of a generated call, as `list_screenings.sync`, in order;
    the next page is asked for when it is needed."""
    cursor: dict[str, str] = {}
    while True:
        page = ask(**options, **cursor)
        yield from getattr(page, member)
        if not isinstance(page.next_cursor, str):
            return
        cursor = {"cursor": page.next_cursor}
