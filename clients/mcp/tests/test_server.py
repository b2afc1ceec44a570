"""posewire-mcp with the official SDK's client over stdio, and with the real services."""

import hashlib
import os
import re
import subprocess
import sys
import tempfile
import unittest

from services import BIN, PATIENCE_S, Services, client, start

# The tools that only read, and those that act.
READ = (
    "list_streams list_gestures list_clips list_arrangements describe list_voices list_variables "
    "check_arrangement watch"
).split()
ACT = (
    "put_arrangement remove_arrangement play_arrangement say play_gesture stop set_variable fire_event"
).split()
SHORT = {"name": "short", "items": [{"clip": "wave", "speed": 2}, {"pause_s": 0.2}, {"clip": "nod"}]}


class ServerTest(Services):
    async def test_every_tool_says_what_it_does_and_bounds_its_arguments(self):
        async with self.client() as session:
            self.assertIn("check_arrangement", session.instructions)
            tools = (await session.list_tools()).tools
            resources = (await session.list_resources()).resources
            text = (await session.read_resource(resources[0].uri)).contents[0].text
        reads = {tool.name: tool.annotations.read_only_hint for tool in tools}
        self.assertEqual(reads, {**dict.fromkeys(READ, True), **dict.fromkeys(ACT, False)})
        for tool in tools:
            self.assertGreater(len(tool.description), 40, tool.name)
            self.assertTrue(tool.title, tool.name)
            for name, schema in tool.input_schema["properties"].items():
                with self.subTest(f"{tool.name}.{name}"):
                    limits = {"maxLength", "maximum", "enum", "additionalProperties", "anyOf"}
                    self.assertTrue(limits & set(schema) or schema["type"] == "boolean", schema)
        self.assertIn("never overlap", text)

    async def test_lists_describe_what_there_is(self):
        await self.viewer()
        # As a host does that knows the protocol of 2025 alone.
        async with self.client(mode="legacy") as session:
            streams = await self.ask(session, "list_streams")
            self.assertEqual(streams["default_stream"], "demo")
            pulls = {s["stream_id"]: a["pulls"] for s in streams["streams"] for a in s["avatars"]}
            self.assertGreaterEqual(pulls["demo"], 1)

            gestures = (await self.ask(session, "list_gestures"))["clips"]
            self.assertEqual({g["kind"] for g in gestures}, {"gesture", "facial_gesture"})
            clips = (await self.ask(session, "list_clips"))["clips"]
            self.assertLess(len(gestures), len(clips))
            for clip in clips:
                self.assertNotIn("No description", clip["description"], clip["name"])
                self.assertIn("use_for", clip)
                self.assertGreater(clip["length_s"], 0)
            found = await self.ask(session, "list_clips", search="goodbye", kind="gesture")
            self.assertEqual([c["name"] for c in found["clips"]], ["goodbye", "wave"])
            self.assertIn("None of the", (await self.ask(session, "list_clips", search="qqq"))["note"])

            arrangements = (await self.ask(session, "list_arrangements"))["arrangements"]
            greet = next(a for a in arrangements if a["name"] == "greet_and_speak")
            self.assertIsNone(greet["length_s"])
            self.assertIn("waiting up to 5 s", greet["plays"][1])
            voices = await self.ask(session, "list_voices")
            self.assertEqual(voices["default_voice"], voices["voices"][0]["name"])
            variables = (await self.ask(session, "list_variables"))["variables"]
            by_name = {v["name"]: v for v in variables}
            self.assertEqual(by_name["posture_state"]["default_value"], "Attentive")
            self.assertLess(len(by_name["gesture_state"]["values"]), 40)

            wave = (await self.ask(session, "describe", name="wave"))["found"][0]
            self.assertIn("play_gesture", wave["how"])
            found = (await self.ask(session, "describe", name="greet_and_speak"))["found"][0]
            self.assertEqual(found["arrangement"]["items"][2], {"clip": "nod"})
            message = await self.refused(session, "describe", name="wvae")
            self.assertIn("did you mean wave", message)

    async def test_an_arrangement_is_composed_checked_stored_and_played(self):
        viewer = await self.viewer()
        async with self.client() as session:
            checked = await self.ask(session, "check_arrangement", arrangement=SHORT)
            self.assertEqual((checked["ok"], checked["faults"], checked["length_s"]), (True, [], 3.2))
            self.assertEqual(checked["plays"][1], "1.5 s: pause (0.2 s)")
            # A check stores nothing.
            arrangements = (await self.ask(session, "list_arrangements"))["arrangements"]
            self.assertEqual([a["name"] for a in arrangements], ["greet_and_speak"])
            message = await self.refused(session, "play_arrangement", name="short")
            self.assertIn("short", message)
            self.assertIn("Next: list_arrangements has the names", message)

            stored = await self.ask(session, "put_arrangement", arrangement=SHORT)
            self.assertEqual((stored["stored"], stored["replaced"]), ("short", False))
            viewer.mark()
            playing = await self.ask(session, "play_arrangement", name="short")
            self.assertEqual((playing["avatars"], playing["length_s"]), (1, 3.2))
            watched = await self.ask(session, "watch", seconds=PATIENCE_S, until="ARRANGEMENT_ENDED")
            self.assertGreater(viewer.moved_deg, 60)
            self.assertTrue(watched["seen"])
            self.assertEqual(watched["events"][-1]["name"], "short")
            # Each event is returned once.
            self.assertFalse(
                (await self.ask(session, "watch", seconds=0, until="ARRANGEMENT_ENDED"))["seen"]
            )

            checked = await self.ask(session, "check_arrangement", arrangement=SHORT)
            self.assertIn("replaces", checked["notes"][-1])
            self.assertTrue((await self.ask(session, "put_arrangement", arrangement=SHORT))["replaced"])
            await self.ask(session, "remove_arrangement", name="short")
            self.assertIn(
                "list_arrangements", await self.refused(session, "remove_arrangement", name="short")
            )

    async def test_a_wrong_arrangement_is_refused_with_every_fault(self):
        async with self.client() as session:
            wrong = {"name": "wrong", "items": [{"clip": "wvae"}, {"clip": "nod"}, {"clip": "welcom"}]}
            checked = await self.ask(session, "check_arrangement", arrangement=wrong)
            self.assertFalse(checked["ok"])
            first, second = checked["faults"]
            self.assertEqual((first["field"], first["value"]), ("items[0].clip", "wvae"))
            self.assertIn("did you mean wave", first["valid"])
            self.assertEqual(second["field"], "items[2].clip")
            self.assertIn("did you mean welcome", second["valid"])
            self.assertIn("list_clips", checked["next"])
            message = await self.refused(session, "put_arrangement", arrangement=wrong)
            self.assertIn("items[0].clip is 'wvae'", message)
            self.assertIn("items[2].clip is 'welcom'", message)
            negative = {"name": "wrong", "items": [{"pause_s": -1}, {"clip": "nod", "at_s": 2}]}
            message = await self.refused(session, "put_arrangement", arrangement=negative)
            self.assertIn(
                "items[0].pause_s is -1: it is out of range; valid: above 0, up to 600", message
            )
            self.assertIn("items[1].at_s is 2: items follow one another and never overlap", message)
            names = [a["name"] for a in (await self.ask(session, "list_arrangements"))["arrangements"]]
            self.assertNotIn("wrong", names)

    async def test_gestures_speech_and_variables(self):
        await self.viewer()
        async with self.client() as session:
            playing = await self.ask(session, "play_gesture", name="nod")
            self.assertEqual((playing["avatars"], playing["length_s"]), (1, 1.5))
            watched = await self.ask(session, "watch", seconds=PATIENCE_S, until="GESTURE_ENDED")
            of_nod = [e["type"] for e in watched["events"] if e.get("name") == "nod"]
            self.assertEqual(of_nod, ["GESTURE_STARTED", "GESTURE_ENDED"])
            self.assertEqual((await self.ask(session, "play_gesture", name="smile"))["avatars"], 1)
            self.assertIn("did you mean wave", await self.refused(session, "play_gesture", name="wavee"))

            said = await self.ask(session, "say", text="Hello.")
            self.assertGreater(said["duration_s"], 0.3)
            watched = await self.ask(session, "watch", seconds=PATIENCE_S, until="REQUEST_ENDED")
            self.assertEqual(watched["events"][-1]["request_id"], said["request_id"])
            self.assertIn(
                "list_voices", await self.refused(session, "say", text="Hello.", voice="nobody")
            )
            await self.ask(session, "say", text="This is a long sentence that goes on. " * 20)
            stopped = await self.ask(session, "stop")
            self.assertEqual(stopped, {"stopped": ["speech", "gesture", "arrangement"]})
            watched = await self.ask(session, "watch", seconds=PATIENCE_S, until="REQUEST_INTERRUPTED")
            self.assertTrue(watched["seen"])

            done = await self.ask(session, "set_variable", name="posture_state", value="Listening")
            self.assertEqual((done["value"], done["avatars"]), ("Listening", 1))
            self.assertEqual(
                (await self.ask(session, "set_variable", name="activity", value=0.5))["value"], "0.5"
            )
            message = await self.refused(session, "set_variable", name="posture", value="Idle")
            self.assertIn("posture_state", message)
            self.assertIn("list_variables", message)
            self.assertIn("list_variables", await self.refused(session, "fire_event", event="jump"))

    async def test_arguments_out_of_bounds_are_refused(self):
        async with self.client() as session:
            for name, arguments, words in (
                ("watch", {"seconds": 61}, "seconds is 61: Input should be less than or equal to 60"),
                ("watch", {"until": "gesture ended"}, "until is 'gesture ended'"),
                ("say", {"text": "x" * 4001}, "at most 4000 characters"),
                ("say", {"text": ""}, "at least 1 character"),
                ("say", {}, "text: Field required"),
                ("play_gesture", {"name": "x" * 65}, "at most 64 characters"),
                (
                    "play_gesture",
                    {"name": "wave", "speed": 2},
                    "no argument 'speed'; it has name, stream",
                ),
                ("set_variable", {"name": "activity", "value": "1" * 65}, "at most 64"),
                ("wave", {}, "there is no tool 'wave'; there are list_streams"),
            ):
                message = await self.refused(session, name, **arguments)
                self.assertIn(words, message)
                self.assertLess(len(message), 600)

    async def test_a_stream_without_avatar_is_mentioned(self):
        async with self.client("--stream", "empty") as session:
            playing = await self.ask(session, "play_arrangement", name="greet_and_speak")
            self.assertEqual(playing["avatars"], 0)
            self.assertIn("no avatar", playing["note"])
            message = await self.refused(session, "play_gesture", name="wave", stream="nowhere")
            self.assertIn("nowhere", message)


class AccessTest(Services):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.tokens = cls.stack.enter_context(tempfile.NamedTemporaryFile("w", suffix=".tokens"))
        cls.token = hashlib.sha256(b"all").hexdigest()
        watcher = hashlib.sha256(b"watch").hexdigest()
        cls.tokens.write(f"all push,pull,watch,control,clips * {cls.token}\nlook watch demo {watcher}\n")
        cls.tokens.flush()
        cls.watcher = watcher
        cls.guarded = start(
            cls.stack, "anim_graph", "--listen", "127.0.0.1:0", "--tokens", cls.tokens.name
        )

    def token_file(self, token):
        file = tempfile.NamedTemporaryFile("w")
        self.addCleanup(file.close)
        file.write(token + "\n")
        file.flush()
        return file.name

    async def test_a_token_is_sent_and_its_absence_explained(self):
        async with client("--compositor", self.guarded) as session:
            message = await self.refused(session, "list_clips")
            self.assertIn("[UNAUTHENTICATED]", message)
            self.assertIn("ask the user for a token", message)
        async with client(compositor=self.guarded, token_file=self.token_file(self.watcher)) as session:
            await self.ask(session, "list_clips")
            self.assertIn("[PERMISSION_DENIED]",
                          await self.refused(session, "put_arrangement", arrangement=SHORT))  # fmt: skip
        arguments = "--compositor", self.guarded, "--token-file", self.token_file(self.token)
        async with client(*arguments) as session:
            await self.ask(session, "put_arrangement", arrangement=SHORT)

    async def test_a_server_that_is_not_there_is_named_with_its_command(self):
        async with client("--compositor", "127.0.0.1:9", "--source", "127.0.0.1:9") as session:
            for name, arguments, command in (
                ("list_clips", {}, "anim_graph --listen 127.0.0.1:9"),
                ("watch", {"seconds": 0}, "anim_graph --listen 127.0.0.1:9"),
                ("say", {"text": "Hello."}, "a2f_source serve --listen 127.0.0.1:9"),
                ("check_arrangement", {"arrangement": SHORT}, "anim_graph --listen 127.0.0.1:9"),
                ("stop", {}, "start it with"),
            ):
                message = await self.refused(session, name, **arguments)
                self.assertIn(command, message)
                self.assertIn("ask the user to start it", message)


@unittest.skipUnless(BIN, "POSEWIRE_BIN_DIR is not set")
class CommandTest(unittest.TestCase):
    def run_command(self, *arguments, **environment):
        return subprocess.run(
            [sys.executable, "-B", "-m", "posewire_mcp", *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            env={**os.environ, **environment},
        )

    def test_it_ends_with_its_input(self):
        done = self.run_command()
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_wrong_settings_are_named(self):
        for arguments, words in (
            (["--compositor", "51000"], "must be HOST:PORT"),
            (["--token-file", "none"], "none"),
            (["--cert", "a.pem"], "cert and key go together"),
            (["--descriptions", "none.json"], "none.json"),
        ):
            done = self.run_command(*arguments)
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, re.escape(words))
        done = self.run_command(POSEWIRE_MCP_SOURCE="nowhere")
        self.assertIn("must be HOST:PORT", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
