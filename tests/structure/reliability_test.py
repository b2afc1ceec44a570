"""docs/evidence/reliability.md: each case has its row, and each test that is named exists."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CASES = 72
STANDS = ("holds", "partly", "not tried", "open")


def rows():
    """number: (grade, stands, tests)"""
    out = {}
    for line in (ROOT / "docs/evidence/reliability.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 6 and cells[0].isdigit():
            assert int(cells[0]) not in out, f"case {cells[0]} comes twice"
            out[int(cells[0])] = (cells[3], cells[4], re.findall(r"`([\w.]+)`", cells[5]))
    return out


def written_tests():
    """Each test of the tree, as the table names them."""
    out = set()
    for path in (ROOT / "tests").rglob("*_test.py"):
        out |= {f"{path.stem}.{name}"
                for name in re.findall(r"^    def (test_\w+)", path.read_text(), re.M)}
    for path in [path for room in ("unit", "fuzz")
                 for path in (ROOT / "tests" / room).rglob("*_test.cc")]:
        out |= {f"{suite}.{name}" for suite, name in
                re.findall(r"^(?:TYPED_)?TEST(?:_F|_P)?\((\w+),\s*(\w+)", path.read_text(), re.M)}
    return out


class Reliability(unittest.TestCase):
    def test_each_case_has_its_row(self):
        table = rows()
        self.assertEqual(sorted(table), list(range(1, CASES + 1)))
        for number, (grade, stands, tests) in table.items():
            self.assertRegex(grade, "^P[012]$", number)
            self.assertTrue(stands.startswith(STANDS), f"case {number}: {stands}")
            if stands.startswith(("holds", "partly")):
                self.assertTrue(tests, f"case {number} names no test")

    def test_each_test_that_is_named_exists(self):
        written = written_tests()
        self.assertGreater(len(written), 1000)
        for number, (_, _, tests) in rows().items():
            for test in tests:
                self.assertIn(test, written, f"case {number}")

    def test_each_test_of_a_case_is_named_in_its_row(self):
        table = rows()
        for test in written_tests():
            if found := re.search(r"\.test_case_(\d+)_", test):
                self.assertIn(test, table[int(found[1])][2])


if __name__ == "__main__":
    unittest.main(verbosity=2)
