"""Faults and schedules of arrangements, without a server."""

import json
import tempfile
import unittest
from importlib import resources

import jsonschema
from posewire_mcp._faults import MOST_FAULTS, schema_faults
from posewire_mcp._library import Library
from posewire_mcp._schedule import schedule
from posewire_mcp._schema import MOST_ITEMS, SCHEMA

CLIPS = {
    "wave": {"name": "wave", "kind": "gesture", "duration_s": 3.0},
    "nod": {"name": "nod", "kind": "gesture", "duration_s": 1.5},
    "posture_idle": {"name": "posture_idle", "kind": "posture", "duration_s": 10.0, "loop": True},
    "shiver": {"name": "shiver", "kind": "layer", "duration_s": 2.0, "loop": True},
}


def faults(*items, **fields):
    """{field: (value, fault and what is valid)} of an arrangement with these items."""
    found = schema_faults({"name": "test", "items": list(items), **fields})
    return {f["field"]: (f.get("value"), f"{f['fault']}; {f.get('valid', '')}") for f in found}


class SchemaTest(unittest.TestCase):
    def test_the_schema_is_one_and_accepts_the_examples_of_the_resource(self):
        jsonschema.Draft202012Validator.check_schema(SCHEMA)
        page = resources.files("posewire_mcp").joinpath("arrangements.md").read_text()
        examples = [json.loads(block.split("```")[0]) for block in page.split("```json\n")[1:]]
        self.assertEqual(len(examples), 2)
        for example in examples:
            self.assertEqual(schema_faults(example), [])

    def test_a_negative_time_is_named_with_its_field_value_and_limits(self):
        found = faults({"clip": "wave"}, {"pause_s": -1}, {"live": {"wait_s": -0.5}})
        self.assertEqual(found["items[1].pause_s"], (-1, "it is out of range; above 0, up to 600"))
        self.assertEqual(found["items[2].live.wait_s"], (-0.5, "it is out of range; 0 to 600"))
        self.assertEqual(len(found), 2)

    def test_times_of_items_are_refused_since_items_never_overlap(self):
        value, text = faults({"clip": "wave"}, {"clip": "nod", "at_s": 1.5})["items[1].at_s"]
        self.assertEqual(value, 1.5)
        self.assertIn("never overlap", text)
        self.assertIn('{"pause_s": 1}', text)

    def test_an_unknown_field_is_named_with_the_known_ones(self):
        self.assertEqual(
            faults({"clip": "wave"}, {"clip": "wave", "repeat": 2})["items[1].repeat"],
            (2, "there is no such field; clip, live, pause_s, times, speed, weight"),
        )

    def test_an_item_has_exactly_one_content(self):
        found = faults({"clip": "wave", "pause_s": 1}, {"times": 2})
        self.assertIn("clip and pause_s are given together", found["items[0]"][1])
        self.assertIn("none of them is given; exactly one of clip, live, pause_s", found["items[1]"][1])

    def test_wrong_types_and_values_are_all_reported_in_order(self):
        items = [{"clip": "wave"} for _ in range(12)]
        items[2] = {"clip": 7}
        items[10] = {"clip": "nod", "times": 1.5, "speed": "fast"}
        found = faults(*items, order="RANDOM", loop="yes")
        wanted = ["items[2].clip", "items[10].speed", "items[10].times", "loop", "order"]
        self.assertEqual(list(found), wanted)
        self.assertEqual(found["order"], ("RANDOM", "it is no such value; ORDERED, WEIGHTED_RANDOM"))

    def test_what_is_no_arrangement_at_all_is_a_fault(self):
        for wrong in (None, 3, "wave", ["wave"], {}, {"name": "x"}, {"items": [{"clip": "wave"}]}):
            self.assertTrue(schema_faults(wrong), wrong)
        self.assertIn("ends an arrangement", faults({"clip": "wave"}, name="none")["name"][1])

    def test_lists_and_values_in_faults_are_bounded(self):
        self.assertIn("has 201 items", faults(*[{"clip": "wave"}] * (MOST_ITEMS + 1))["items"][1])
        self.assertEqual(len(schema_faults({"name": "x", "items": [{}] * MOST_ITEMS})), MOST_FAULTS)
        value, _ = faults({"clip": "w" * 5000})["items[0].clip"]
        self.assertLess(len(value), 200)


class ScheduleTest(unittest.TestCase):
    def plan(self, *items, **fields):
        return schedule({"name": "test", "items": list(items), **fields}, CLIPS)

    def test_items_follow_one_another(self):
        plan = self.plan(
            {"clip": "wave", "speed": 2}, {"pause_s": 0.5}, {"clip": "nod", "times": 2}, count=3
        )
        self.assertEqual(plan["length_s"], 15.0)
        self.assertEqual(
            plan["plays"],
            ["0.0 s: wave (1.5 s at speed 2)", "1.5 s: pause (0.5 s)", "2.0 s: nod (1.5 s), 2 times"],
        )
        self.assertEqual(plan["notes"], [])

    def test_the_length_is_unknown_with_live_items_chance_other_names_and_loops(self):
        live = self.plan({"clip": "wave"}, {"live": {"wait_s": 5}}, {"clip": "nod"})
        self.assertIsNone(live["length_s"])
        self.assertEqual(live["plays"][1:], ["3.0 s: live sources, waiting up to 5 s for them",
                                             "then: nod (1.5 s)"])  # fmt: skip
        self.assertIsNone(self.plan({"clip": "Bowing_1"})["length_s"])
        self.assertIn("no end", self.plan({"clip": "wave"}, loop=True)["notes"][-1])
        random = self.plan({"clip": "wave"}, {"clip": "nod", "weight": 3}, order="WEIGHTED_RANDOM")
        self.assertEqual(random["plays"][1], "nod (1.5 s), weight 3")
        self.assertIn("no end", random["notes"][-1])

    def test_what_may_not_be_meant_is_noted(self):
        items = [{"clip": "shiver"}, {"clip": "posture_idle"}, {"live": {}}]
        plan = self.plan(*items, {"pause_s": 1, "speed": 2}, {"clip": "nod", "weight": 2})
        for i, words in enumerate(
            ("layer", "posture_state", "without limit", "speed", "WEIGHTED_RANDOM")
        ):
            self.assertTrue(plan["notes"][i].startswith(f"items[{i}]: "), plan["notes"])
            self.assertIn(words, plan["notes"][i])


class LibraryTest(unittest.TestCase):
    def library(self, table):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write(table if isinstance(table, str) else json.dumps(table))
            file.flush()
            return Library.load(file.name)

    def test_clips_are_described_with_their_use(self):
        row = Library.load().about(CLIPS["wave"])
        self.assertIn("swings", row["description"])
        self.assertEqual(row["use_for"], "hello or goodbye")
        other = Library.load().about({"name": "mine", "origin": "put", "joints": 12})
        self.assertEqual(other["description"],
                         "No description (uploaded; it moves 12 joints and 0 face shapes).")  # fmt: skip

    def test_the_operators_descriptions_come_first(self):
        row = self.library({"wave": "Our own wave."}).about(CLIPS["wave"])
        self.assertEqual(row["description"], "Our own wave.")
        self.assertNotIn("use_for", row)
        for wrong in (
            "[]",
            "{",
            {"a": 1},
            {"a": ""},
            {"a": "x" * 501},
            {str(i): "x" for i in range(1001)},
        ):
            with self.assertRaises(ValueError):
                self.library(wrong)


if __name__ == "__main__":
    unittest.main(verbosity=2)
