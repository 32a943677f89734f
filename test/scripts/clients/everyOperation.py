"""Calls every operation of the list on standard input once, and prints what each was refused with.

    python everyOperation.py URL < [{"id": …, "parameters": {…}, "body": …, "any": …, "raw": …}]
"""

import importlib
import inspect
import io
import json
import pkgutil
import re
import sys
import typing

import attrs
import compliance_client
from compliance_client import Problem, connect
from compliance_client.generated import api, types

FILE = types.File(payload=io.BytesIO(b"{}"), file_name="a.json", mime_type="application/json")


def module_of(operation: str, modules: dict[str, str]) -> typing.Any:
    name = re.sub(r"[A-Z]", lambda letter: f"_{letter[0].lower()}", operation)
    return importlib.import_module(modules[name])


def body_of(annotation: typing.Any, example: typing.Any) -> typing.Any:
    """The example as the first model that takes it."""
    for kind in typing.get_args(annotation) or (annotation,):
        if kind is types.File:
            return FILE
        if hasattr(kind, "from_dict"):
            # A form has no example: each of its parts is a small file.
            if example is None:
                parts = [f.name for f in attrs.fields(kind) if f.default is attrs.NOTHING]
                return kind(**dict.fromkeys(parts, FILE))
            try:
                return kind.from_dict(example)
            except (KeyError, TypeError, ValueError):  # The next one of the union.
                continue
    return example


def send_raw(client: typing.Any, raw: dict[str, str]) -> None:
    headers = {"Content-Type": raw["type"]}
    client.get_httpx_client().post(raw["path"], content=raw["body"], headers=headers)


def refusal_of(ask: typing.Callable[[], typing.Any]) -> list[str] | None:
    try:
        ask()
        return None
    except Problem as problem:
        return [type(problem).__name__, problem.code]


def main() -> None:
    found = pkgutil.walk_packages(api.__path__, f"{api.__name__}.")
    modules = {module.name.rpartition(".")[2]: module.name for module in found}
    refused = {}
    with connect(sys.argv[1], api_key="csk_test", retries=0) as client:
        for order in json.load(sys.stdin):
            if order["raw"] is not None:
                refused[order["id"]] = refusal_of(lambda: send_raw(client, order["raw"]))
                continue
            call = module_of(order["id"], modules).sync_detailed
            given = {}
            for name, parameter in inspect.signature(call).parameters.items():
                if name == "body":
                    given[name] = body_of(parameter.annotation, order["body"])
                elif name != "client" and parameter.default is inspect.Parameter.empty:
                    given[name] = order["parameters"].get(name.rstrip("_"), order["any"])
            refused[order["id"]] = refusal_of(lambda: call(client=client, **given))
    print(json.dumps(refused))


assert compliance_client.verify_webhook
main()
