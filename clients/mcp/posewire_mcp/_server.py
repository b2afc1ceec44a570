"""The MCP server: its tools, and the resource that explains arrangements."""

import contextlib
from collections.abc import AsyncIterator
from importlib import resources
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import ValidationError

from . import __version__
from ._actions import add_actions
from ._compose import add_arrangements
from ._library import Library
from ._lists import add_lists
from ._stage import Stage
from ._tools import Tools

INSTRUCTIONS = """\
Posewire moves 3D avatars in real time. A stream has one avatar or more, which other programs show. \
These tools act on it at once: what you play is seen.

To play one thing: list_gestures, then play_gesture. To speak: say. To compose a sequence: list_clips \
for names and descriptions, write an arrangement (resource posewire://arrangements/format), \
check_arrangement until it reports no faults, put_arrangement, play_arrangement, then watch until \
ARRANGEMENT_ENDED. Moods that last are variables: list_variables, then set_variable. stop ends \
everything. Names must come from the lists; never invent one."""


class Server(MCPServer[Any]):
    """Refuses arguments that a tool does not have, and names each wrong argument with its value and what
    is valid."""

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        tools = {tool.name: tool for tool in await self.list_tools()}
        if name not in tools:
            raise ToolError(f"there is no tool {name!r}; there are {', '.join(tools)}")
        known = tools[name].input_schema.get("properties", {})
        unknown = [argument for argument in arguments if argument not in known]
        if unknown:
            taken = ", ".join(known) or "none"
            raise ToolError(f"{name} has no argument {', '.join(map(repr, unknown))}; it has {taken}")
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if isinstance(error.__cause__, ValidationError):
                raise ToolError(_wrong(name, error.__cause__)) from None
            raise


def _wrong(tool: str, error: ValidationError) -> str:
    lines = [f"{tool} was not called:"]
    for fault in error.errors(include_url=False):
        value = repr(fault["input"])
        given = "" if fault["type"] == "missing" else f" is {value[:100]}{'...' * (len(value) > 100)}"
        lines.append(f"{'.'.join(map(str, fault['loc']))}{given}: {fault['msg']}")
    return "\n".join([*lines, "Next: correct these arguments, as the schema of the tool says."])


def make_server(stage: Stage, library: Library) -> MCPServer[Any]:
    """A server whose tools act on `stage`. It closes the stage when it ends."""

    @contextlib.asynccontextmanager
    async def lifespan(_: Any) -> AsyncIterator[None]:
        try:
            yield
        finally:
            await stage.close()

    server = Server(
        "posewire",
        title="Posewire avatars",
        instructions=INSTRUCTIONS,
        version=__version__,
        lifespan=lifespan,
        # Standard output belongs to the protocol, and a host shows what comes on standard error.
        log_level="WARNING",
    )

    @server.resource(
        "posewire://arrangements/format",
        name="arrangement format",
        description="The fields of an arrangement, with two examples.",
        mime_type="text/markdown",
    )
    def arrangement_format() -> str:
        return resources.files(__package__).joinpath("arrangements.md").read_text(encoding="utf-8")

    tools = Tools(server, stage)
    add_lists(tools, library)
    add_arrangements(tools)
    add_actions(tools)
    return server
