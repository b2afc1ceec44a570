"""Tools that act on an avatar, and the one that reports what happened."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Literal

import posewire
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from ._schema import LONGEST_NAME
from ._tools import PLAYS, READS, SETS, Name, Stream, Target, Tools, Value, avatars, record

LONGEST_TEXT = 4000
LONGEST_WATCH_S = 60


def add_actions(tools: Tools) -> None:
    stage = tools.stage

    @tools.add("Say a text", PLAYS, "list_voices has the voices.")
    async def say(
        text: Annotated[
            str,
            Field(
                min_length=1, max_length=LONGEST_TEXT, description="What the avatar says, as plain text."
            ),
        ],
        voice: Annotated[
            str, Field(max_length=128, description="A name from list_voices. Empty: the default.")
        ] = "",
        language: Annotated[
            str, Field(max_length=35, description='BCP 47, such as "es". Empty: the default.')
        ] = "",
        interrupt: Annotated[
            bool, Field(description="Replaces what is being said. false: waits for its end.")
        ] = False,
        stream: Stream = "",
        target: Target = "",
    ) -> dict[str, Any]:
        """Makes the avatar speak, with lips, face and small gestures. Returns at once with the expected
        duration; watch reports REQUEST_ENDED with the request_id."""
        ids = stage.ids(stream, target)
        await record(stage, ids["stream_id"])
        policy = "interrupt" if interrupt else "queue"
        answer = await stage.source.ask(
            "Say", **ids, text=text, voice=voice, language=language, policy=policy
        )
        return {
            "request_id": answer["request_id"],
            "duration_s": round(answer.get("duration_s", 0.0), 2),
            "texts_ahead": answer.get("ahead", 0),
            "notes": answer.get("notes", []),
        }

    @tools.add("Play a gesture", PLAYS, "list_gestures has the names.")
    async def play_gesture(name: Name, stream: Stream = "", target: Target = "") -> dict[str, Any]:
        """Plays a gesture of the body or the face once, in place of the one that plays. Returns at
        once; watch reports GESTURE_ENDED with its name."""
        ids = stage.ids(stream, target)
        clips = {clip["name"].lower(): clip for clip in await stage.clips()}
        await record(stage, ids["stream_id"])
        clip = clips.get(name.lower(), {})
        if clip.get("kind") == "facial_gesture":
            answer = await stage.control.ask(
                "SetVariable", **ids, name="facial_gesture_state", value=name
            )
        else:
            answer = await stage.control.ask("SetGesture", **ids, gesture=name)
        return {
            "playing": name,
            "length_s": round(clip.get("duration_s", 0.0), 2) or None,
            **avatars(answer),
        }

    @tools.add("Stop", SETS, "list_streams has the streams that exist.")
    async def stop(
        what: Annotated[
            Literal["all", "speech", "gesture", "arrangement"],
            Field(description="What to end; gesture means those of body and face."),
        ] = "all",
        stream: Stream = "",
        target: Target = "",
    ) -> dict[str, Any]:
        """Ends speech, gestures and arrangements with a short blend. What is not playing stays as it
        is."""
        ids = stage.ids(stream, target)

        async def end(variable: str) -> Any:
            return await stage.control.ask("SetVariable", **ids, name=variable, value="none")

        parts: dict[str, list[Callable[[], Awaitable[Any]]]] = {
            "speech": [lambda: stage.source.ask("Stop", **ids)],
            "gesture": [lambda: end("gesture_state"), lambda: end("facial_gesture_state")],
            "arrangement": [lambda: stage.control.ask("PlayArrangement", **ids, arrangement="none")],
        }
        stopped: list[str] = []
        failed: dict[str, str] = {}
        last: posewire.Error | None = None
        for part, calls in parts.items():
            if what not in ("all", part):
                continue
            try:
                for call in calls:
                    await call()
                stopped.append(part)
            except posewire.Error as error:
                failed[part], last = error.message, error
        if not stopped and last is not None:
            raise last
        return {"stopped": stopped, **({"failed": failed} if failed else {})}

    @tools.add("Set a variable", SETS, "list_variables has the names and their values.")
    async def set_variable(
        name: Name, value: Value, stream: Stream = "", target: Target = ""
    ) -> dict[str, Any]:
        """Sets a variable of the stream, which lasts: posture_state, shot_state, look_state and what
        else list_variables lists. The answer has the value as it was understood."""
        text = str(value).lower() if isinstance(value, bool) else str(value)
        if len(text) > LONGEST_NAME:
            raise ToolError(f"value has {len(text)} characters; at most {LONGEST_NAME}")
        ids = stage.ids(stream, target)
        answer = await stage.control.ask("SetVariable", **ids, name=name, value=text)
        return {"name": name, "value": answer.get("value", ""), **avatars(answer)}

    @tools.add("Fire an event", PLAYS, "list_variables has the events of the graph.")
    async def fire_event(event: Name, stream: Stream = "", target: Target = "") -> dict[str, Any]:
        """Fires an event of the graph, which its state machines wait for."""
        answer = await stage.control.ask("FireEvent", **stage.ids(stream, target), event=event)
        return {"fired": event, **avatars(answer)}

    @tools.add("Watch events", READS, "try again.")
    async def watch(
        seconds: Annotated[
            float, Field(ge=0, le=LONGEST_WATCH_S, description="How long to wait for events.")
        ] = 10,
        until: Annotated[
            str,
            Field(
                max_length=LONGEST_NAME,
                pattern=r"^[A-Z_]*$",
                description="Returns early with the first event of this type: GESTURE_ENDED, "
                "ARRANGEMENT_ENDED, REQUEST_ENDED, REQUEST_INTERRUPTED, USER_ACTED and others.",
            ),
        ] = "",
        stream: Stream = "",
    ) -> dict[str, Any]:
        """Returns what has happened on a stream since the last call of watch (or since the first call
        that played something), and what happens in the next seconds: each event with its type, name
        and Unix time. `missed` counts events that were dropped."""
        log = await stage.events.of(stage.ids(stream, "")["stream_id"])
        events, missed = await log.take(seconds, until)
        wanted = ("type", "name", "target_object_id", "request_id", "detail", "time_s")
        shown = [{name: event[name] for name in wanted if event.get(name)} for event in events]
        answer: dict[str, Any] = {"events": shown, "missed": missed}
        if until:
            answer["seen"] = any(event["type"] == until for event in events)
        return answer
