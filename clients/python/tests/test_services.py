"""The package with the real services."""

import asyncio
import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import numpy as np
from fake_source import PATIENCE_S, FakeSource

import posewire
from posewire._command import main

BIN = os.environ.get("POSEWIRE_BIN_DIR")


def start(stack, name, *arguments):
    """Starts a program that listens; gives its address."""
    log = stack.enter_context(tempfile.TemporaryFile())
    command = [os.path.join(BIN, name), *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
    stack.callback(process.stdout.close)
    stack.callback(process.wait)
    stack.callback(process.terminate)
    line = process.stdout.readline()
    if not line:
        log.seek(0)
        raise AssertionError(log.read().decode())
    return f"127.0.0.1:{json.loads(line)['grpc_port']}"


class Services(unittest.IsolatedAsyncioTestCase):
    """Each class runs one anim_graph, with GRAPH, and one a2f_source."""

    GRAPH = []

    @classmethod
    def setUpClass(cls):
        cls.stack = contextlib.ExitStack()
        cls.addClassCleanup(cls.stack.close)
        cls.graph = start(cls.stack, "anim_graph", "--listen", "127.0.0.1:0", *cls.GRAPH)
        to = ["--to", cls.graph, "--stream-id", "demo"]
        cls.source = start(cls.stack, "a2f_source", "serve", "--listen", "127.0.0.1:0", *to)


@unittest.skipUnless(BIN, "POSEWIRE_BIN_DIR is not set")
class ServicesTest(Services):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.plain = start(cls.stack, "anim_graph", "--listen", "127.0.0.1:0", "--graph", "passthrough")

    def avatar(self, stream):
        avatar = posewire.Avatar(self.source, stream=stream, compositor=self.graph)
        self.addAsyncCleanup(avatar.close)
        return avatar

    async def test_voices_are_those_of_the_source(self):
        voices = await self.avatar("voices").voices()
        self.assertEqual([v.name for v in voices], ["slt", "rms", "awb"])
        self.assertEqual((voices[0].sex, voices[0].languages), ("female", ("en-US",)))

    async def test_variables_are_set_and_refused(self):
        avatar = self.avatar("variables")
        self.assertEqual(await avatar.set("posture_state", "Talking"), "Talking")
        self.assertEqual(await avatar.set("activity", 0.5), "0.5")
        self.assertTrue(await avatar.gesture("wave"))
        self.assertTrue(await avatar.expression("none"))
        with self.assertRaisesRegex(posewire.NotFound, "did you mean gesture_state"):
            await avatar.set("gestur_state", "wave")
        with self.assertRaisesRegex(ValueError, "stream is empty"):
            await self.avatar("").gesture("wave")

    async def test_events_tell_of_a_gesture_and_of_no_other_avatar(self):
        avatar = self.avatar("events")
        avatar.target = "ann"
        pulls = posewire.pull(self.graph, stream="events", target="ann")
        await pulls.__anext__()
        other = posewire.pull(self.graph, stream="events", target="ben")
        await other.__anext__()
        events = avatar.events()
        found = asyncio.ensure_future(events.__anext__())
        ben = posewire.Avatar(self.source, stream="events", target="ben", compositor=self.graph)
        self.addAsyncCleanup(ben.close)
        while not found.done():
            await ben.gesture("nod")
            await avatar.gesture("none")
            await avatar.gesture("wave")
            await asyncio.wait({found}, timeout=0.2)
        event = found.result()
        self.assertEqual((event.stream, event.target), ("events", "ann"))
        self.assertEqual((event.type, event.name), ("gesture_started", "wave"))
        self.assertLess(abs(event.time_s - time.time()), PATIENCE_S)
        for generator in (events, pulls, other):
            await generator.aclose()

    async def test_any_call_is_made_by_its_name(self):
        control = posewire.Calls("ControlService", self.graph)
        self.addAsyncCleanup(control.close)
        items = [{"clip": "nod"}, {"pause_s": 0.5}]
        await control.ask("PutArrangement", arrangement={"name": "twice", "items": items})
        listed = (await control.ask("ListArrangements"))["arrangements"]
        self.assertIn({"name": "twice", "items": items}, listed)
        with self.assertRaisesRegex(posewire.InvalidArgument, "did you mean nod"):
            await control.ask("PutArrangement", arrangement={"name": "x", "items": [{"clip": "nodd"}]})
        with self.assertRaisesRegex(posewire.InvalidArgument, "has no call 'PutNothing'"):
            await control.ask("PutNothing")
        with self.assertRaisesRegex(posewire.InvalidArgument, "no field named \"nam\""):
            await control.ask("RemoveArrangement", nam="twice")
        await control.ask("RemoveArrangement", name="twice")
        with self.assertRaisesRegex(ValueError, "ControlService, SourceService"):
            posewire.Calls("Control", self.graph)

    async def test_a_watcher_misses_nothing_that_happens_after_it_began(self):
        control = posewire.Calls("ControlService", self.graph)
        self.addAsyncCleanup(control.close)
        pulls = posewire.pull(self.graph, stream="watched")
        await pulls.__anext__()
        events = await control.watch("WatchEvents", stream_id="watched")
        await control.ask("SetGesture", stream_id="watched", gesture="nod")
        event = await asyncio.wait_for(events.__anext__(), PATIENCE_S)
        self.assertEqual((event["type"], event["name"]), ("GESTURE_STARTED", "nod"))
        await events.aclose()
        await pulls.aclose()
        with self.assertRaisesRegex(posewire.InvalidArgument, "stream_id"):
            await control.watch("WatchEvents", stream_id="a\nb")
        gone = posewire.Calls("ControlService", "127.0.0.1:9")
        with self.assertRaisesRegex(posewire.Unavailable, "start it with `anim_graph --listen"):
            await gone.watch("WatchEvents")
        await gone.close()

    async def test_interrupt_stops_what_others_have_the_avatar_say(self):
        avatar = self.avatar("stop")
        request = _say(stream_id="stop", text="This is a long sentence that goes on. " * 10)
        pulls = posewire.pull(self.graph, stream="stop")
        await avatar._source.ask("posewire.source.v1.SourceService/Say", request)
        async for frame in pulls:
            if np.any(frame.audio):
                break
        self.assertIsNone(await avatar.interrupt())
        quiet = 0
        async for frame in pulls:
            quiet = 0 if np.any(frame.audio) else quiet + 1
            if quiet == 30:
                break
        await pulls.aclose()

    async def test_a_text_is_said_as_it_is_written(self):
        avatar = self.avatar("llm")
        written = "Hello there, my friend. How are you today? I am fine."
        listener = avatar.words()

        async def llm():
            for word in written.split():
                yield word + " "
                await asyncio.sleep(1 / 15)

        said = await avatar.speak(llm())
        self.assertEqual((said.reason, said.text), ("completed", written))
        self.assertEqual([w.text for w in said.words], written.split())
        heard = [(await listener.__anext__()).text for _ in said.words]
        self.assertEqual(heard, written.split())
        for a, b in zip(said.words, said.words[1:]):
            self.assertLessEqual(a.start_s, b.start_s)
        self.assertGreater(said.seconds, said.words[-1].end_s - 0.1)

    async def silent_after(self, avatar, interrupt):
        """Interrupts an avatar that is heard. Gives what that gave, and the seconds of sound after it,
        by the time codes of a pull."""
        pulls = posewire.pull(self.graph, stream=avatar.stream)
        heard = asyncio.ensure_future(avatar.words().__anext__())
        async for frame in pulls:
            if np.any(frame.audio) and heard.done():
                break
        stopping = asyncio.ensure_future(interrupt())
        began_s = last_s = frame.time_code_s
        async for frame in pulls:
            last_s = frame.time_code_s if np.any(frame.audio) else last_s
            if frame.time_code_s > last_s + 1:
                break
        await pulls.aclose()
        return await stopping, last_s - began_s

    async def test_an_interrupted_text_is_silent_at_once_and_told_to_the_word(self):
        avatar = self.avatar("interrupted")
        text = "This is a long sentence that goes on and on. " * 200
        await avatar.say(text)
        said, seconds = await self.silent_after(avatar, avatar.interrupt)
        self.assertEqual(said.reason, "stopped")
        self.assertTrue(text.startswith(said.text), said.text)
        words = [w.text for w in said.words]
        self.assertIn(said.text.split(), (words, words[:-1]))  # the last may have just begun
        self.assertLess(seconds, 0.3)

    async def test_a_cancelled_text_is_silent_at_once(self):
        avatar = self.avatar("cancelled")
        task = asyncio.ensure_future(avatar.speak("This is a long sentence that goes on and on. " * 9))

        async def cancel():
            task.cancel()
            await asyncio.wait({task})

        _, seconds = await self.silent_after(avatar, cancel)
        self.assertTrue(task.cancelled())
        self.assertLess(seconds, 0.3)

    async def test_a_voice_is_played_and_its_words_are_told(self):
        avatar = self.avatar("voice")
        sound = (np.sin(np.arange(3 * 24000) * 0.05) * 8000).astype(np.int16)
        chunks = [sound[at : at + 480] for at in range(0, len(sound), 480)]
        words = [
            posewire.Word("one", 0.1, 0.5),
            posewire.Word("two", 0.6, 1),
            posewire.Word("three", 2, 2.5),
        ]
        said = await avatar.play(chunks, text="One, two, three!", words=words)
        self.assertEqual((said.reason, said.text), ("completed", "One, two, three!"))
        for want, word in zip(words, said.words):
            self.assertEqual(want.text, word.text.lower().strip(",!"))
            self.assertAlmostEqual(want.start_s, word.start_s, 2)
            self.assertAlmostEqual(want.end_s, word.end_s, 2)

    async def test_a_voice_that_is_far_ahead_is_stopped_at_once(self):
        avatar = self.avatar("ahead")
        second = (np.sin(np.arange(24000) * 0.05) * 8000).astype(np.int16)
        sounds = [posewire.Sound(second, f"word{n}.") for n in range(100)]
        speech = await avatar.say(sounds, rate=24000)
        said, seconds = await self.silent_after(avatar, speech.stop)
        self.assertEqual(said.reason, "stopped")
        self.assertIn(said.text, ("", "word0."))
        self.assertLess(seconds, 0.3)

    async def test_what_cannot_be_said_is_raised(self):
        avatar = self.avatar("refused")
        with self.assertRaisesRegex(posewire.InvalidArgument, 'voice: "nope".* slt'):
            await avatar.speak("Hi.", voice="nope")
        with contextlib.ExitStack() as stack:
            listen = ["--listen", "127.0.0.1:0", "--to", "127.0.0.1:1"]
            source = await asyncio.to_thread(start, stack, "a2f_source", "serve", *listen)
            async with posewire.Avatar(source, stream="nobody") as lonely:
                with self.assertRaises(posewire.Unavailable):
                    await lonely.speak("Hi.")

    async def test_what_is_pushed_is_pulled(self):
        rng = np.random.default_rng(3)
        weights = rng.random((20, 2), np.float32)
        sound = rng.integers(-9000, 9000, 20 * 1600).astype(np.int16)
        pulls = posewire.pull(self.plain, stream="echo", request_id="r1")
        first = asyncio.ensure_future(pulls.__anext__())
        names = dict(joints=["skullbase"], shapes=["jawOpen", "mouthFunnel"])
        options = dict(stream="echo", request_id="r1", rate=16000, fps=10)
        async with posewire.push(self.plain, **names, **options) as push:
            for n in range(20):
                turn = np.array([[np.cos(0.1), 0, np.sin(0.1), 0]])
                audio = sound[n * 1600 : (n + 1) * 1600]
                await push.send(posewire.Frame(0, rotations=turn, weights=weights[n], audio=audio))
        self.assertIn("messages", push.answer)
        frames = [await first] + [frame async for frame in pulls]
        self.assertEqual(frames[0].audio_rate, 16000)
        at = [frames[0].shapes.index("jawOpen"), frames[0].shapes.index("mouthFunnel")]
        heard = np.concatenate([frame.audio for frame in frames])
        self.assertIn(sound.tobytes(), heard.tobytes())
        shown = np.array([frame.weights[at] for frame in frames])
        for row in weights:
            self.assertTrue(np.isclose(shown, row, atol=1e-6).all(axis=1).any(), row)
        head = next(n for n, joint in enumerate(frames[0].joints) if joint.endswith("skullbase"))
        self.assertTrue(any(np.allclose(frame.rotations[head], turn, atol=1e-5) for frame in frames))

    async def test_a_push_that_is_refused_says_why(self):
        with self.assertRaisesRegex(posewire.InvalidArgument, r"values\[0\].*is nan"):
            async with posewire.push(self.plain, stream="nan", shapes=["jawOpen"]) as push:
                await push.send(posewire.Frame(0, weights=[float("nan")]))
                while True:
                    await push.send(posewire.Frame(1, weights=[0]))
        with self.assertRaisesRegex(posewire.InvalidArgument, "stream_id"):
            async with posewire.push(self.plain, stream=""):
                pass
        with self.assertRaises(KeyError):
            async with posewire.push(self.plain, stream="broken", shapes=["jawOpen"]):
                raise KeyError
        with self.assertRaisesRegex(posewire.Unavailable, "cannot reach anim_graph at 127.0.0.1:1:"):
            async with posewire.push("127.0.0.1:1", stream="x"):
                pass
        with self.assertRaisesRegex(posewire.Unavailable, "cannot reach anim_graph at 127.0.0.1:1:"):
            await posewire.pull("127.0.0.1:1", stream="x").__anext__()

    async def test_clips_of_the_programs_are_read_and_ours_are_valid(self):
        with tempfile.TemporaryDirectory() as folder:
            theirs, ours = pathlib.Path(folder, "a.animdata"), pathlib.Path(folder, "b.animdata")
            say = [os.path.join(BIN, "a2f_source"), "say", "Hello there.", "--out", str(theirs)]
            subprocess.run(say, check=True, stderr=subprocess.DEVNULL)
            frames = list(posewire.read_clip(theirs))
            sound = np.concatenate([frame.audio for frame in frames])
            self.assertGreater(len(sound), frames[0].audio_rate / 2)
            jaw = frames[0].shapes.index("jawOpen")
            self.assertGreater(max(f.weights[jaw] for f in frames if f.weights is not None), 0.05)
            posewire.write_clip(ours, frames, stream="s", request_id="r")
            check = [os.path.join(BIN, "animclip"), "validate", "--push", str(ours)]
            found = subprocess.run(check, capture_output=True, text=True)
            self.assertEqual(found.returncode, 0, found.stdout + found.stderr)


@unittest.skipUnless(BIN, "POSEWIRE_BIN_DIR is not set")
class UpTest(unittest.TestCase):
    FREE = [x for name in ("http", "source", "compositor") for x in (f"--{name}", "127.0.0.1:0")]

    def up(self, *arguments):
        command = [sys.executable, "-m", "posewire", "up", "--bin", BIN, *self.FREE, *arguments]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.terminate)
        return process

    def children(self, process):
        with open(f"/proc/{process.pid}/task/{process.pid}/children") as file:
            return [int(pid) for pid in file.read().split()]

    def test_up_starts_all_tells_where_and_stops_all(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            process = self.up()
            page = re.fullmatch(r"The avatar is at http://127.0.0.1:\d+\n", process.stdout.readline())
            self.assertTrue(page, process.poll() and process.stderr.read())
            found = re.search(
                r'Avatar\("(.*)", stream="demo", compositor="(.*)"\)', process.stdout.readline()
            )

            async def voices(found=found):
                async with posewire.Avatar(found[1], stream="demo", compositor=found[2]) as avatar:
                    await avatar.gesture("wave")
                    return await avatar.voices()

            self.assertEqual(asyncio.run(voices())[0].name, "slt")
            children = self.children(process)
            self.assertEqual(len(children), 3)
            process.send_signal(number)
            self.assertEqual(process.wait(PATIENCE_S), 0)
            for pid in children:
                self.assertFalse(os.path.exists(f"/proc/{pid}"))

    def test_up_ends_when_one_of_them_does(self):
        process = self.up()
        process.stdout.readline()
        children = self.children(process)
        os.kill(children[0], signal.SIGKILL)
        _, log = process.communicate(timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 1)
        self.assertIn("anim_graph ended with code -9", log)

    def test_up_says_what_is_wrong(self):
        process = self.up("--voice", "nope")
        _, log = process.communicate(timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 2)
        self.assertIn('voice: "nope"', log)
        process = self.up("--bin", "/nowhere")
        _, log = process.communicate(timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 2)
        self.assertIn("anim_graph is not in /nowhere", log)
        self.assertIn("docker compose", log)


class SayCommandTest(unittest.IsolatedAsyncioTestCase):
    async def run_say(self, source, *arguments, stdin=None):
        command = [sys.executable, "-m", "posewire", "say", "--to", source.address, *arguments]
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, stderr=pipe)
        out, log = await asyncio.wait_for(process.communicate(stdin), PATIENCE_S)
        return process.returncode, log.decode()

    async def test_say_says_an_argument_or_standard_input(self):
        async with FakeSource() as source:
            self.assertEqual(await self.run_say(source, "Hello.", "--voice", "rms"), (0, ""))
            self.assertEqual([source.parts[0].begin.voice, source.parts[1].text], ["rms", "Hello."])
            self.assertEqual(await self.run_say(source, "-", stdin="Añ\nb".encode()), (0, ""))
            self.assertEqual([p.text for p in source.parts[3:]], ["Añ\n", "b"])

    async def test_say_fails_with_the_reason(self):
        async with FakeSource() as source:
            code, log = await self.run_say(source, "Hello.", "--ca", "/nowhere/ca.pem")
            self.assertEqual(code, 1)
            self.assertIn("/nowhere/ca.pem", log)
        code = await asyncio.to_thread(main, ["say", "Hello.", "--to", "nowhere"])
        self.assertEqual(code, 2)


def _say(**fields):
    from posewire import _wire

    return _wire.message(f"{_wire.SOURCE}.SayRequest", **fields)


if __name__ == "__main__":
    unittest.main()
