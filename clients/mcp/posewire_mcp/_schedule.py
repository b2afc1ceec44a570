"""When the items of an arrangement play."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def schedule(arrangement: Mapping[str, Any], clips: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """How a correct arrangement plays: `plays`, a line for each item, `length_s` of all rounds, or None
    if it depends on speech or chance, and `notes` on what may not be meant."""
    random = arrangement.get("order") == "WEIGHTED_RANDOM"
    lines, notes = [], []
    at: float | None = None if random else 0.0
    for i, item in enumerate(arrangement["items"]):
        what, length = _describe(item, clips)
        times = max(item.get("times", 1), 1)
        if times > 1:
            what += f", {times} times"
            length = None if length is None else length * times
        if random:
            lines.append(f"{what}, weight {item.get('weight') or 1:g}")
        else:
            lines.append(f"{'then' if at is None else f'{at:.1f} s'}: {what}")
        at = None if at is None or length is None else at + length
        notes += [f"items[{i}]: {note}" for note in _notes_on(item, clips, random)]
    rounds, loop = arrangement.get("count", 0), arrangement.get("loop", False)
    if loop or (random and not rounds):
        at = None
        notes.append("it has no end: stop or another arrangement ends it")
    if loop and rounds:
        notes.append("count has no effect with loop")
    length_s = None if at is None else round(at * max(rounds, 1), 2)
    return {"length_s": length_s, "plays": lines, "notes": notes}


def _describe(
    item: Mapping[str, Any], clips: Mapping[str, Mapping[str, Any]]
) -> tuple[str, float | None]:
    if "clip" in item:
        clip = clips.get(item["clip"])
        if clip is None:
            return f"{item['clip']} (another name of a clip)", None
        speed = item.get("speed") or 1
        length = clip.get("duration_s", 0.0) / speed
        return f"{item['clip']} ({length:.1f} s{'' if speed == 1 else f' at speed {speed:g}'})", length
    if "live" in item:
        wait_s = item["live"].get("wait_s", 0)
        return "live sources" + (f", waiting up to {wait_s:g} s for them" if wait_s else ""), None
    return f"pause ({item['pause_s']:g} s)", item["pause_s"]


def _notes_on(
    item: Mapping[str, Any], clips: Mapping[str, Mapping[str, Any]], random: bool
) -> list[str]:
    notes = []
    kind = clips.get(item.get("clip", ""), {}).get("kind")
    if kind == "layer":
        notes.append("a layer is a difference from a pose, so it looks wrong by itself")
    if kind == "posture":
        notes.append("a posture plays once through; for a lasting one set the variable posture_state")
    if "live" in item and not item["live"].get("wait_s"):
        notes.append("without wait_s it waits without limit until something speaks")
    if "speed" in item and "clip" not in item:
        notes.append("speed has an effect on clips alone")
    if "weight" in item and not random:
        notes.append("weight has an effect with order WEIGHTED_RANDOM alone")
    return notes
