"""docs/mcp.md: the conversation on the page is replayed, and its table has every tool."""

import json
import math
import os
import re
import unittest
from pathlib import Path

from services import Services

PAGE = Path(
    os.environ.get("POSEWIRE_MCP_PAGE") or Path(__file__).resolve().parents[3] / "docs" / "mcp.md"
)
SOME = "..."


def exchanges():
    """The calls of the page in their order: tool, arguments, and what the page shows of the answer,
    which is JSON, or the text of an error."""
    text = PAGE.read_text().split("\n## A conversation\n")[1].split("\n## ")[0]
    blocks = re.findall(r"^```text\n(.*?)^```", text, re.M | re.S)
    lines = re.sub(r"\n +", " ", "".join(blocks)).splitlines()
    for call, answer in zip(lines[::2], lines[1::2], strict=True):
        _, tool, arguments = call.split(" ", 2)
        assert call.startswith("-> ") and answer.startswith("<- "), (call, answer)
        shown = answer.removeprefix("<- ")
        is_error = shown.startswith("error: ")
        yield tool, json.loads(arguments), shown[7:] if is_error else json.loads(shown)


def shows(shown, found):
    """Whether a page shows what was found: "..." is any value, at the beginning or end of a list any
    number of them, and objects may have more fields."""
    if shown == SOME:
        return True
    if isinstance(shown, dict):
        return isinstance(found, dict) and all(
            name in found and shows(shown[name], found[name]) for name in shown
        )
    if isinstance(shown, list):
        if shown[:1] == [SOME]:
            return shows(shown[:0:-1], found[: -len(shown) : -1])
        if shown[-1:] == [SOME]:
            return len(found) >= len(shown) - 1 and shows(shown[:-1], found[: len(shown) - 1])
        return len(found) == len(shown) and all(map(shows, shown, found))
    if isinstance(shown, float):
        return isinstance(found, (int, float)) and math.isclose(shown, found, abs_tol=0.011)
    return shown == found


class MatchTest(unittest.TestCase):
    def test_what_is_not_shown_is_found(self):
        self.assertTrue(shows({"a": [1, SOME]}, {"a": [1, 2], "b": 3}))
        self.assertTrue(shows([SOME, 2, 3], [1, 2, 3]))
        self.assertTrue(shows([SOME, 2, 3], [2, 3]))
        self.assertFalse(shows([SOME, 2, 3], [3]))
        self.assertFalse(shows([SOME, 2, 3], [2, 3, 4]))
        for shown in ({"c": 1}, {"a": [1]}, {"a": [2, SOME]}, {"a": [1, 2, 3, SOME]}, {"a": "1"}, []):
            self.assertFalse(shows(shown, {"a": [1, 2], "b": 3}), shown)


class ConversationTest(Services):
    async def test_the_conversation_of_the_page(self):
        await self.viewer()
        calls = list(exchanges())
        self.assertGreaterEqual(len(calls), 8)
        self.assertIn("put_arrangement", [tool for tool, _, _ in calls])
        async with self.client() as session:
            for number, (tool, arguments, shown) in enumerate(calls, 1):
                with self.subTest(number, tool=tool):
                    if isinstance(shown, str):
                        message = await self.refused(session, tool, **arguments)
                        self.assertIn(shown, " ".join(message.split()))
                    else:
                        found = await self.ask(session, tool, **arguments)
                        self.assertTrue(shows(shown, found), json.dumps(found, indent=1))

    async def test_the_table_of_the_page_has_every_tool(self):
        async with self.client() as session:
            tools = {tool.name for tool in (await session.list_tools()).tools}
        table = PAGE.read_text().split("\n## Tools\n")[1].split("\n## ")[0]
        firsts = [row.split("|")[1] for row in table.splitlines() if row.startswith("| `")]
        listed = [name for first in firsts for name in re.findall(r"`(\w+)`", first)]
        self.assertEqual(sorted(listed), sorted(tools))


if __name__ == "__main__":
    unittest.main(verbosity=2)
