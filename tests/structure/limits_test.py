"""The limits of docs/configuration.md: each budget of the code has its row, and named settings and
tests exist."""

import re
import unittest
from pathlib import Path

from docs_test import section
from reliability_test import written_tests

ROOT = Path(__file__).resolve().parents[2]
PAGE = section((ROOT / "docs/configuration.md").read_text(), "Limits")
# Where budgets and limits are made: {"name", "what", "--setting", ...
MAKERS = ("services/anim_graph/core/engine_parts.h", "libs/service/connection_table.cc")


def made():
    """name: setting"""
    out = {}
    for path in MAKERS:
        out |= dict(re.findall(r'\{"(\w+)",\s*"[\w ]+",\s*"(--[\w-]+)"', (ROOT / path).read_text()))
    return out


class Limits(unittest.TestCase):
    def test_each_budget_of_the_code_has_its_row(self):
        self.assertGreaterEqual(len(made()), 12)
        for name, setting in made().items():
            rows = [line for line in PAGE.splitlines()
                    if line.startswith("|") and f"`{setting}`" in line]
            self.assertEqual(len(rows), 1, f"{name}: {setting}")
            if "per_" not in name:
                self.assertIn(f"| `{name}` |", rows[0])

    def test_each_setting_that_is_named_exists(self):
        flags = "".join((ROOT / path).read_text() for path in
                        ("services/anim_graph/config.cc", "services/renderer_sink/record/record_command.cc",
                         "libs/service/grpc_host.cc"))
        for setting in re.findall(r"`--([\w-]+)`", PAGE):
            if setting != "http":
                self.assertRegex(flags, rf'flags\.Add\(\s*"{setting}"')

    def test_each_test_that_is_named_exists(self):
        named = re.findall(r"`(\w+\.\w+)`", PAGE)
        self.assertGreater(len(named), 15)
        for test in named:
            self.assertIn(test, written_tests())


if __name__ == "__main__":
    unittest.main(verbosity=2)
