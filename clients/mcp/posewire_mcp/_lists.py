"""Tools that list and describe."""

import difflib
from typing import Annotated, Any, Literal

import posewire
from pydantic import Field

from ._library import KINDS, Library
from ._tools import MOST_ROWS, READS, Name, Search, Stream, Target, Tools, summary

# Values of a variable that are listed; gesture_state has hundreds.
MOST_VALUES = 30


def add_lists(tools: Tools, library: Library) -> None:
    stage = tools.stage

    async def rows(kinds: tuple[str, ...], search: str) -> dict[str, Any]:
        found = [
            library.about(clip) for clip in await stage.clips() if not kinds or clip["kind"] in kinds
        ]
        wanted = search.lower()
        shown = [row for row in found if wanted in " ".join(map(str, row.values())).lower()]
        answer: dict[str, Any] = {"count": len(shown), "clips": shown[:MOST_ROWS]}
        if not shown and found:
            answer["note"] = f"None of the {len(found)} has {search!r}; search for less, or for nothing."
        return answer

    @tools.add("List streams", READS, "try again.")
    async def list_streams() -> dict[str, Any]:
        """Lists the streams with their avatars, what speaks on them, and the default stream. An avatar
        with pulls 0 is shown by no program."""
        answer = await stage.control.ask("ListStreams")
        streams = []
        for stream in answer.get("streams", [])[:MOST_ROWS]:
            avatars = [
                {
                    "target_object_id": avatar.get("target_object_id", ""),
                    "pulls": avatar.get("pulls", 0),
                    "requests": [
                        {name: request.get(name, "") for name in ("request_id", "state")}
                        for request in avatar.get("requests", [])
                    ],
                }
                for avatar in stream.get("avatars", [])
            ]
            streams.append({"stream_id": stream["stream_id"], "avatars": avatars})
        return {"default_stream": stage.stream, "streams": streams, "missing": answer.get("missing", [])}

    @tools.add("List gestures", READS, "try again.")
    async def list_gestures(search: Search = "") -> dict[str, Any]:
        """Lists what play_gesture plays: gestures of the body (kind gesture) and of the face
        (facial_gesture), each with what it looks like, when to use it, and its length in seconds."""
        return await rows(("gesture", "facial_gesture"), search)

    @tools.add("List clips", READS, "try again.")
    async def list_clips(
        kind: Annotated[
            Literal["", "gesture", "facial_gesture", "posture", "layer"],
            Field(description="Only this kind. Empty: all."),
        ] = "",
        search: Search = "",
    ) -> dict[str, Any]:
        """Lists the clips that items of an arrangement may name, each with what it looks like, when to
        use it, and its length in seconds at speed 1."""
        answer = await rows((kind,) if kind else (), search)
        return {**answer, "kinds": {kind: KINDS[kind]} if kind else KINDS}

    @tools.add("List arrangements", READS, "try again.")
    async def list_arrangements() -> dict[str, Any]:
        """Lists the arrangements that play_arrangement plays, with the order in which their items
        play, and their lengths in seconds (null: it depends on speech or chance, or has no end)."""
        clips = {clip["name"]: clip for clip in await stage.clips()}
        found = await stage.arrangements()
        shown = [{"name": a["name"], **summary(a, clips)} for a in found[:MOST_ROWS]]
        return {"count": len(found), "arrangements": shown}

    @tools.add("Describe by name", READS, "list_clips and list_arrangements have all names.")
    async def describe(name: Name) -> dict[str, Any]:
        """Describes one gesture, clip or arrangement: what it looks like, when to use it, its length,
        and which tool plays it."""
        clips = {clip["name"]: clip for clip in await stage.clips()}
        answers = []
        if name in clips:
            row = library.about(clips[name])
            answers.append({**row, "how": KINDS.get(row["kind"], "")})
        for arrangement in await stage.arrangements():
            if arrangement["name"] == name:
                how = "a sequence: play_arrangement"
                about = {"name": name, "kind": "arrangement", "how": how, **summary(arrangement, clips)}
                answers.append({**about, "arrangement": arrangement})
        if not answers:
            near = _nearest(name, [*clips, *(a["name"] for a in await stage.arrangements())])
            raise posewire.NotFound("NOT_FOUND", f"there is no clip or arrangement {name!r}{near}")
        return {"found": answers}

    @tools.add("List voices", READS, "ask the user whether a2f_source is meant to run.")
    async def list_voices() -> dict[str, Any]:
        """Lists the voices that say takes, and the default one."""
        answer = await stage.source.ask("ListVoices")
        return {
            "default_voice": answer.get("default_voice", ""),
            "voices": answer.get("details", [])[:MOST_ROWS] or answer.get("voices", []),
            "notes": answer.get("notes", []),
        }

    @tools.add("List variables and events", READS, "list_streams has the streams that exist.")
    async def list_variables(stream: Stream = "", target: Target = "") -> dict[str, Any]:
        """Lists what set_variable sets, with types, limits and current values: posture, camera shot,
        gaze, looks and others. Also lists the events that fire_event fires."""
        try:
            answer = await stage.control.ask("ListVariables", **stage.ids(stream, target))
        except posewire.NotFound:
            if stream or target:
                raise
            answer = await stage.control.ask("ListVariables")
        variables = answer.get("variables", [])[:MOST_ROWS]
        for variable in variables:
            values = variable.get("values", [])
            if len(values) > MOST_VALUES:
                variable["values"] = [*values[:MOST_VALUES], f"and {len(values) - MOST_VALUES} more"]
        graphs = (await stage.control.ask("ListGraphs")).get("graphs", [])
        events = [event for graph in graphs for event in graph.get("events", [])]
        return {"variables": variables, "events": events[:MOST_ROWS]}


def _nearest(name: str, names: list[str]) -> str:
    near = difflib.get_close_matches(name.lower(), names, n=3, cutoff=0.6)
    return f"; did you mean {', '.join(near)}?" if near else f"; there are {len(names)}"
