"""Tools that check, store and play arrangements."""

import asyncio
from typing import Any

import posewire
from mcp.server.mcpserver.exceptions import ToolError

from ._faults import schema_faults, server_faults
from ._schedule import schedule
from ._stage import Stage
from ._tools import (
    PLAYS,
    READS,
    REMOVES,
    SETS,
    Arrangement,
    Name,
    Stream,
    Target,
    Tools,
    avatars,
    record,
    summary,
)

# How often, and how far apart, avatars are asked to play an arrangement that they may not know yet.
PATIENCE = 20
RETRY_S = 0.1


def add_arrangements(tools: Tools) -> None:
    stage = tools.stage

    async def check(arrangement: Any) -> dict[str, Any]:
        faults = schema_faults(arrangement)
        if not faults:
            faults = await server_faults(stage.control, arrangement)
        if faults:
            step = "Correct each field as its `valid` says, then check again."
            if any(".clip" in fault["field"] for fault in faults):
                step += " list_clips has the names of clips."
            return {"ok": False, "faults": faults, "next": step}
        clips = {clip["name"]: clip for clip in await stage.clips()}
        answer = {"ok": True, "faults": [], **schedule(arrangement, clips)}
        if any(known["name"] == arrangement["name"] for known in await stage.arrangements()):
            answer["notes"].append(f"put_arrangement replaces the arrangement {arrangement['name']!r}")
        return {**answer, "next": "put_arrangement stores it, so that play_arrangement can play it."}

    @tools.add("Check an arrangement", READS, "correct the arrangement, then check again.")
    async def check_arrangement(arrangement: Arrangement) -> dict[str, Any]:
        """Checks an arrangement without storing or playing it. Reports every fault with its field,
        its value and what is valid; or, if there is none, when each item plays and the length of all.
        Call it before put_arrangement."""
        return await check(arrangement)

    @tools.add("Store an arrangement", SETS, "correct the arrangement, and use check_arrangement.")
    async def put_arrangement(arrangement: Arrangement) -> dict[str, Any]:
        """Stores an arrangement under its name until the server ends, or replaces the one of that
        name. Does not play it. Is refused with every fault, as check_arrangement reports them."""
        checked = await check(arrangement)
        if not checked["ok"]:
            lines = [_line(fault) for fault in checked["faults"]]
            raise ToolError(
                "\n".join(["The arrangement was not stored:", *lines, f"Next: {checked['next']}"])
            )
        answer = await stage.control.ask("PutArrangement", arrangement=arrangement)
        name = arrangement["name"]
        about = {name: checked[name] for name in ("length_s", "plays", "notes")}
        return {
            "stored": name,
            "replaced": answer.get("replaced", False),
            **about,
            "next": f"play_arrangement {name!r} plays it.",
        }

    @tools.add(
        "Remove an arrangement", REMOVES, "list_arrangements has the names; those from files stay."
    )
    async def remove_arrangement(name: Name) -> dict[str, Any]:
        """Removes an arrangement that put_arrangement stored. If it replaced one from a file, that one
        is back."""
        await stage.control.ask("RemoveArrangement", name=name)
        return {"removed": name}

    @tools.add(
        "Play an arrangement", PLAYS, "list_arrangements has the names; put_arrangement adds one."
    )
    async def play_arrangement(name: Name, stream: Stream = "", target: Target = "") -> dict[str, Any]:
        """Plays an arrangement from its beginning, in place of the one that plays. Returns at once;
        watch reports ARRANGEMENT_ENDED with its name."""
        ids = stage.ids(stream, target)
        await record(stage, ids["stream_id"])
        answer = await _play(stage, ids, name)
        clips = {clip["name"]: clip for clip in await stage.clips()}
        length = [summary(a, clips)["length_s"] for a in await stage.arrangements() if a["name"] == name]
        return {
            "playing": name,
            "length_s": length[0] if length else None,
            **avatars(answer),
            "next": "watch until ARRANGEMENT_ENDED.",
        }


async def _play(stage: Stage, ids: dict[str, Any], name: str) -> dict[str, Any]:
    """Plays an arrangement on all avatars that are meant. An avatar knows a new arrangement from one of
    its next ticks on; until then the server leaves it out, so it is asked again."""
    try:
        meant = await stage.avatars(**ids)
    except posewire.PermissionDenied:
        meant = 0
    answer: dict[str, Any] = {}
    for _ in range(PATIENCE):
        try:
            answer = await stage.control.ask("PlayArrangement", **ids, arrangement=name)
        except posewire.NotFound:
            if not meant:
                raise
        if answer.get("avatars", 0) >= meant:
            break
        await asyncio.sleep(RETRY_S)
    return answer


def _line(fault: dict[str, Any]) -> str:
    value = f" is {fault['value']!r}" if "value" in fault else ""
    valid = f"; valid: {fault['valid']}" if "valid" in fault else ""
    return f"{fault['field']}{value}: {fault['fault']}{valid}".lstrip(": ")
