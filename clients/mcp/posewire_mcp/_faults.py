"""Faults of an arrangement: each names the field, its value, what is wrong and what is valid."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Mapping
from typing import Any

import jsonschema
import posewire

from ._schema import SCHEMA

MOST_FAULTS = 20
# Keys with which somebody would place items on a time axis.
_TIMES = {
    "at",
    "at_s",
    "start",
    "start_s",
    "begin",
    "begin_s",
    "time",
    "time_s",
    "end",
    "end_s",
    "offset_s",
}
_ONE_OF = ("clip", "live", "pause_s")

_TYPES = {
    "object": "an object",
    "array": "an array",
    "string": "a string",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
}


def schema_faults(arrangement: Any) -> list[dict[str, Any]]:
    """What of an arrangement is not as SCHEMA says. Each fault names the field, its value, what is
    wrong and what is valid."""
    validator = jsonschema.Draft202012Validator(SCHEMA)
    faults: list[dict[str, Any]] = []
    for error in validator.iter_errors(arrangement):
        faults += _faults_of(error)
    items = arrangement.get("items") if isinstance(arrangement, dict) else None
    for i, item in enumerate(items if isinstance(items, list) else []):
        if isinstance(item, dict):
            given = [name for name in _ONE_OF if name in item]
            if len(given) != 1:
                what = f"{' and '.join(given)} are given together" if given else "none of them is given"
                valid = f"exactly one of {', '.join(_ONE_OF)}"
                faults.append(_fault(f"items[{i}]", item, what, valid))
    if isinstance(arrangement, dict) and arrangement.get("name") == "none":
        faults.append(
            _fault("name", "none", "it ends an arrangement, so it cannot name one", "another name")
        )
    return sorted(faults, key=lambda fault: _numbers(fault["field"]))[:MOST_FAULTS]


def _numbers(field: str) -> list[tuple[int, str]]:
    """Orders items[2] before items[10]."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", field)]


def _fault(field: str, value: Any, what: str, valid: str) -> dict[str, Any]:
    fault = {"field": field or "arrangement", "value": _cut(value), "fault": what}
    return {**fault, "valid": valid} if valid else fault


def _cut(value: Any) -> Any:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return value if len(text) <= 100 else text[:100] + "..."


def _faults_of(error: Any) -> list[dict[str, Any]]:
    field, value, rule, schema = (
        _path(error.absolute_path),
        error.instance,
        error.validator_value,
        error.schema,
    )
    if error.validator == "additionalProperties":
        valid = ", ".join(schema["properties"])
        return [
            _fault(
                f"{field}.{name}".lstrip("."),
                value[name],
                "items follow one another and never overlap, so they have no times"
                if str(name) in _TIMES
                else "there is no such field",
                f'{valid}; to wait, put an item {{"pause_s": 1}} before'
                if str(name) in _TIMES
                else valid,
            )
            for name in value
            if name not in schema["properties"]
        ]
    if error.validator == "required":
        missing = [name for name in rule if name not in value]
        # jsonschema reports each missing one by itself.
        name = next(name for name in missing if repr(name) in error.message)
        about = schema["properties"][name].get("description", "a list of items")
        return [{"field": f"{field}.{name}".lstrip("."), "fault": "it must be given", "valid": about}]
    if error.validator == "type":
        return [_fault(field, value, f"it must be {_TYPES[rule]}", schema.get("description", ""))]
    if error.validator == "enum":
        return [_fault(field, value, "it is no such value", ", ".join(rule))]
    if error.validator == "pattern":
        return [_fault(field, value, "it has other characters", schema["description"])]
    low = schema.get("minimum", schema.get("minLength", schema.get("minItems")))
    high = schema.get("maximum", schema.get("maxLength", schema.get("maxItems")))
    valid = (
        f"{low} to {high}"
        if low is not None
        else f"above {schema.get('exclusiveMinimum')}, up to {high}"
    )
    if error.validator in ("minItems", "maxItems"):
        return [_fault(field, value, f"it has {len(value)} items", valid)]
    if error.validator in ("minLength", "maxLength"):
        return [_fault(field, value, f"it has {len(value)} characters", f"{valid} characters")]
    return [_fault(field, value, "it is out of range", valid)]


def _path(parts: Any) -> str:
    """
    >>> _path(["items", 2, "live", "wait_s"])
    'items[2].live.wait_s'
    """
    text = ""
    for part in parts:
        text += f"[{part}]" if isinstance(part, int) else f".{part}"
    return text.lstrip(".")


async def server_faults(control: posewire.Calls, arrangement: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What the server refuses of an arrangement that SCHEMA accepts, in the server's words.

    Nothing is stored: the arrangement is put under another name with an empty item at its end, which
    the server always refuses, together with all other faults. Raises posewire.Error if the server
    cannot be asked, or has no room for another arrangement.
    """
    name = f"check {uuid.uuid4()}"
    items = [*arrangement["items"], {}]
    try:
        await control.ask("PutArrangement", arrangement={**arrangement, "name": name, "items": items})
    except posewire.InvalidArgument as error:
        return _read_faults(error.message, name, arrangement)
    await control.ask("RemoveArrangement", name=name)
    raise posewire.Error(
        "UNIMPLEMENTED", "the server accepts items without content, so this version cannot check with it"
    )


def _read_faults(message: str, name: str, arrangement: Mapping[str, Any]) -> list[dict[str, Any]]:
    empty = f"items[{len(arrangement['items'])}]"
    faults = []
    for line in message.splitlines():
        found = re.search(rf'arrangement "{re.escape(name)}", field (\S+): (.*)', line)
        if found is None:
            faults.append({"field": "", "fault": line})
        elif found[1] != empty:
            fault, _, valid = found[2].partition("; ")
            faults.append(_fault(found[1], _value(arrangement, found[1]), fault, valid))
    return faults[:MOST_FAULTS]


def _value(arrangement: Mapping[str, Any], field: str) -> Any:
    """The value of a field that is named as in `items[2].live.wait_s`; None if there is none."""
    value: Any = arrangement
    for part in re.findall(r"\w+", field):
        try:
            value = value[int(part)] if part.isdigit() else value[part]
        except (KeyError, IndexError, TypeError):
            return None
    return value
