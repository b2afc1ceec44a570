"""What the tools share: types of their arguments, annotations, and parts of their answers."""

import contextlib
import functools
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, TypeVar

import posewire
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import Field, WithJsonSchema

from ._schedule import schedule
from ._schema import LONGEST_NAME, SCHEMA
from ._stage import Stage

MOST_ROWS = 300

Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
Stream = Annotated[
    str, Field(max_length=128, description="A stream from list_streams. Empty: the default stream.")
]
Target = Annotated[
    str,
    Field(
        max_length=128,
        description="The target_object_id of one avatar of the stream. Empty: all of its avatars, or "
        "the one that this server was set up for.",
    ),
]
Search = Annotated[
    str,
    Field(
        max_length=LONGEST_NAME,
        description="Only rows with this text in their name, description or use. Empty: all.",
    ),
]
Arrangement = Annotated[Any, WithJsonSchema(SCHEMA)]
Value = Annotated[
    str | bool | float,
    Field(description='A number, true or false, a choice by its name, or a vector as "0,1.6,1".'),
]

READS = ToolAnnotations(read_only_hint=True, destructive_hint=False, open_world_hint=False)
PLAYS = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)
SETS = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
REMOVES = ToolAnnotations(
    read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False
)

Tool = TypeVar("Tool", bound=Callable[..., Awaitable[dict[str, Any]]])


class Tools:
    """Registers tools with a server. The failure of one is the server's message and what to do next."""

    def __init__(self, server: MCPServer[Any], stage: Stage) -> None:
        self._server = server
        self.stage = stage

    def add(self, title: str, annotations: ToolAnnotations, next_step: str) -> Callable[[Tool], Tool]:
        """`next_step` follows the message of an error that the arguments caused."""

        def register(function: Tool) -> Tool:
            @functools.wraps(function)
            async def call(**arguments: Any) -> dict[str, Any]:
                try:
                    return await function(**arguments)
                except posewire.Error as error:
                    step = _next(error, next_step)
                    raise ToolError(f"{error.message} [{error.code}]\nNext: {step}") from None

            self._server.tool(title=title, annotations=annotations)(call)
            return function

        return register


def _next(error: posewire.Error, step: str) -> str:
    if isinstance(error, posewire.Unavailable):
        return "ask the user to start it, or try again later; nothing was changed."
    if isinstance(error, posewire.PermissionDenied):
        return "ask the user for a token that permits this; nothing was changed."
    if isinstance(error, posewire.ResourceExhausted):
        return "a limit of the server is reached. Remove what is not needed, or wait."
    return step


def summary(arrangement: dict[str, Any], clips: dict[str, Any]) -> dict[str, Any]:
    try:
        found = schedule(arrangement, clips)
    except (KeyError, TypeError):  # an item without content, of a newer server
        return {"length_s": None, "plays": [], "notes": ["it has items that this version does not know"]}
    return {name: value for name, value in found.items() if name != "notes" or value}


def avatars(answer: dict[str, Any]) -> dict[str, Any]:
    count = answer.get("avatars", 0)
    found: dict[str, Any] = {"avatars": count}
    if answer.get("note"):
        found["note"] = answer["note"]
    elif not count:
        found["note"] = (
            "The stream has no avatar yet, so nothing is seen; list_streams has those that have."
        )
    return found


async def record(stage: Stage, stream_id: str) -> None:
    """Has events recorded from now on, so that watch misses none. A token may forbid that."""
    with contextlib.suppress(posewire.Error):
        await stage.events.of(stream_id)
