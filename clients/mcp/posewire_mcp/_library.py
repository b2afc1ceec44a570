"""What clips look like, and when to use them."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

MOST_DESCRIPTIONS = 1000
LONGEST_DESCRIPTION = 500

# What a clip of each kind is, for a reader who has not seen the documentation.
KINDS = {
    "gesture": "moves the body once, over the posture: play_gesture, or an item of an arrangement",
    "facial_gesture": "moves the face once: play_gesture, or an item of an arrangement",
    "posture": "a whole-body pose that loops; an arrangement plays it once through. For a lasting "
    "posture set the variable posture_state",
    "layer": "a difference that a graph adds to a pose; not for arrangements",
}


@dataclass(frozen=True)
class Library:
    """Descriptions by the name of the clip: those of the built-in clips, and the operator's own."""

    descriptions: Mapping[str, str]
    uses: Mapping[str, str]

    @classmethod
    def load(cls, own: str | os.PathLike[str] | None = None) -> Library:
        """`own` is a JSON file of {name: description}; its entries replace built-in ones. Raises
        ValueError with the entry that is wrong."""
        descriptions = _packaged("descriptions.json")
        uses = _packaged("uses.json")
        if own is not None:
            for name, text in _read(own).items():
                descriptions[name] = text
                uses.pop(name, None)
        return cls(descriptions, uses)

    def about(self, clip: Mapping[str, Any]) -> dict[str, Any]:
        """A row about a clip, from its ClipInfo."""
        name, kind = clip["name"], clip.get("kind", "")
        row: dict[str, Any] = {
            "name": name,
            "kind": kind,
            "length_s": round(clip.get("duration_s", 0.0), 2),
            "description": self.descriptions.get(name, self._of_others(clip)),
        }
        if name in self.uses:
            row["use_for"] = self.uses[name]
        return row

    def _of_others(self, clip: Mapping[str, Any]) -> str:
        origin = {"put": "uploaded", "file": "from a file"}.get(clip.get("origin", ""), "built in")
        joints, shapes = clip.get("joints", 0), clip.get("shapes", 0)
        return f"No description ({origin}; it moves {joints} joints and {shapes} face shapes)."


def _packaged(name: str) -> dict[str, str]:
    text = resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
    table: dict[str, str] = json.loads(text)
    return table


def _read(path: str | os.PathLike[str]) -> dict[str, str]:
    with open(path, encoding="utf-8") as file:
        try:
            table = json.load(file)
        except ValueError as error:
            raise ValueError(f"{os.fspath(path)}: {error}") from None
    if not isinstance(table, dict) or len(table) > MOST_DESCRIPTIONS:
        raise ValueError(
            f"{os.fspath(path)}: it must be an object of at most {MOST_DESCRIPTIONS} entries"
        )
    for name, text in table.items():
        if not isinstance(text, str) or not 0 < len(text) <= LONGEST_DESCRIPTION:
            limit = f"a text of 1 to {LONGEST_DESCRIPTION} characters"
            raise ValueError(f"{os.fspath(path)}: the description of {name!r} must be {limit}")
    return table
