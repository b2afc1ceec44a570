"""The avatar worker and the agent's output, with an AgentSession and the real services.

There is no room: QueueAudioOutput takes the place of its byte streams, and what would be published is
looked at."""

import asyncio
import logging
import os
import subprocess
import sys
import time
import unittest

import numpy as np
import posewire_livekit
from livekit import rtc
from livekit.agents import Agent, AgentSession, tts, types
from livekit.agents.voice.avatar import AvatarRunner, QueueAudioOutput
from posewire_livekit import AvatarSession, AvatarVideo, Film, HeardWords

import services

TEXT = "One two three four, five six. Seven eight nine ten eleven twelve."
WORDS = TEXT.split()
WORD_S = services.WORD_S + services.GAP_S
RENDERER = os.path.join(services.BIN, "renderer_sink")


class Publication:
    async def wait_for_subscription(self):
        pass


class Participant:
    identity = "agent"

    async def publish_track(self, track, options):
        return Publication()


class Room(rtc.EventEmitter):
    """A room that takes everything and is heard by nobody."""

    name = "test"

    def __init__(self, connected=True):
        super().__init__()
        self.local_participant = Participant()
        self._connected = connected

    def isconnected(self):
        return self._connected


class Output(HeardWords, QueueAudioOutput):
    pass


class NoVoice(tts.TTS):
    """An AgentSession wants one, though the agent's tts_node does its work."""

    def __init__(self):
        capabilities = tts.TTSCapabilities(streaming=True, aligned_transcript=True)
        super().__init__(capabilities=capabilities, sample_rate=services.RATE, num_channels=1)

    def synthesize(self, text, *, conn_options=None):
        raise NotImplementedError


class Speaker(Agent):
    """Its voice tells when its words come, and makes 0.1 s of silence first."""

    def __init__(self):
        super().__init__(instructions="")

    async def tts_node(self, text, model_settings):
        words = ("".join([piece async for piece in text])).split()
        lead = 0.1
        yield frame_of(np.zeros(round(lead * services.RATE), "<i2"), [])
        for place, word in enumerate(words):
            at = lead + place * WORD_S
            timed = types.TimedString(word + " ", start_time=at, end_time=at + WORD_S)
            yield frame_of(services.tone(place), [timed])


def frame_of(samples, timed):
    userdata = {types.USERDATA_TIMED_TRANSCRIPT: timed}
    return rtc.AudioFrame(samples.tobytes(), services.RATE, 1, len(samples), userdata=userdata)


class Published:
    """What AvatarRunner gave to the room."""

    def __init__(self, runner):
        self.frames = []  # (when, frame)
        push = runner.av_sync.push

        async def noted(frame, *rest):
            self.frames.append((time.monotonic(), frame))
            await push(frame, *rest)

        runner.av_sync.push = noted

    def pictures(self):
        return [frame for _, frame in self.frames if isinstance(frame, rtc.VideoFrame)]

    def ear(self, since=0):
        """What is heard in it, as an Ear."""
        ear = services.Ear.__new__(services.Ear)
        sounds = [
            (when, f) for when, f in self.frames if isinstance(f, rtc.AudioFrame) and when >= since
        ]
        ear._heard = [(when, np.frombuffer(f.data, np.int16), f.sample_rate) for when, f in sounds]
        return ear


class Stage:
    """An agent with an avatar."""

    def __init__(self, avatar, compositor):
        self.output = Output(wait_playback_start=True)
        self.finished = []
        self.output.on("playback_finished", self.finished.append)
        self.video = AvatarVideo(avatar, Film(compositor, services.STREAM, "320x180", 25, RENDERER))
        self.avatar = avatar

    async def __aenter__(self):
        self.runner = AvatarRunner(
            Room(), audio_recv=self.output, video_gen=self.video, options=self.video.options
        )
        self.published = Published(self.runner)
        await self.runner.start()
        self.session = AgentSession(tts=NoVoice())
        self.session.output.audio = self.output
        await self.session.start(Speaker())
        await self.until(self.published.pictures)
        return self

    async def __aexit__(self, *error):
        await self.session.aclose()
        await self.runner.aclose()
        await self.avatar.close()

    async def until(self, condition, timeout_s=20):
        end = time.monotonic() + timeout_s
        while not condition():
            assert time.monotonic() < end, f"not within {timeout_s} s"
            await asyncio.sleep(0.01)

    def said(self):
        messages = [item for item in self.session.history.items if item.type == "message"]
        return [item.text_content for item in messages if item.role == "assistant"]


class LiveKitTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.services = services.Services()

    @classmethod
    def tearDownClass(cls):
        cls.services.stop()

    def setUp(self):
        self.ear = services.Ear(self.services.compositor.address)

    def tearDown(self):
        self.ear.close()

    def stage(self):
        return Stage(self.services.avatar(), self.services.compositor.address)

    @services.in_a_loop
    async def test_all_that_is_said_is_published_with_pictures(self):
        async with self.stage() as stage:
            begin = len(stage.published.pictures())
            await asyncio.wait_for(stage.session.say(TEXT), 30)
            length = 0.1 + len(WORDS) * WORD_S
            self.assertEqual(stage.said(), [TEXT])
            self.assertEqual(len(stage.published.ear().words()), len(WORDS))
            self.assertEqual(len(self.ear.words()), len(WORDS))
            (event,) = stage.finished
            self.assertFalse(event.interrupted)
            self.assertAlmostEqual(event.playback_position, length, delta=0.1)
            pictures = stage.published.pictures()[begin:]
            self.assertGreater(len(pictures), 0.8 * 25 * length)
            self.assertEqual((pictures[0].width, pictures[0].height), (320, 180))
            # It moves.
            self.assertGreater(len({bytes(picture.data) for picture in pictures}), 10)

    @services.in_a_loop
    async def test_an_interruption_silences_it_and_leaves_the_words_that_were_published(self):
        async with self.stage() as stage:
            for count in (3, 6):
                since = time.monotonic()
                self.ear.close()
                self.ear = services.Ear(self.services.compositor.address)
                speech = stage.session.say(TEXT)
                await self.ear.wait_for_words(count)
                when = time.monotonic()
                speech.interrupt(force=True)
                await asyncio.wait_for(speech, 10)
                await asyncio.sleep(0.6)  # whether anything more comes, by the film too
                self.assertLess(self.ear.last_sound() - when, 0.1)
                room = stage.published.ear(since)
                self.assertLess(room.last_sound() - when, 0.1)
                kept = stage.said()[-1]
                self.assertEqual(kept, " ".join(WORDS[: len(kept.split())]))
                self.assertIn(len(kept.split()), room.may_have_heard(), room.words())
                self.assertTrue(stage.finished[-1].interrupted)
            await asyncio.wait_for(stage.session.say("Sorry, go on."), 20)
            self.assertEqual(stage.said()[-1], "Sorry, go on.")
            self.assertAlmostEqual(
                stage.finished[-1].playback_position, 0.1 + 3 * WORD_S, delta=0.1
            )

    @services.in_a_loop
    async def test_an_answer_right_after_an_interruption_is_published_whole(self):
        async with self.stage() as stage:
            speech = stage.session.say(TEXT)
            await self.ear.wait_for_words(3)
            speech.interrupt(force=True)
            await asyncio.wait_for(speech, 10)
            since = time.monotonic()
            await asyncio.wait_for(stage.session.say("Sorry, go on."), 20)
            self.assertEqual(len(stage.published.ear(since).words()), 3)
            self.assertAlmostEqual(
                stage.finished[-1].playback_position, 0.1 + 3 * WORD_S, delta=0.1
            )

    @services.in_a_loop
    async def test_a_source_that_is_away_ends_the_segment_with_an_error_in_the_log(self):
        away = posewire_livekit.posewire.Avatar("127.0.0.1:1", stream=services.STREAM)
        async with Stage(away, self.services.compositor.address) as stage:
            with self.assertLogs("posewire.livekit", logging.ERROR) as logs:
                await asyncio.wait_for(stage.session.say("Hello there."), 20)
        self.assertIn("cannot reach a2f_source at 127.0.0.1:1", logs.output[0])
        self.assertEqual([event.playback_position for event in stage.finished], [0.0])

    @services.in_a_loop
    async def test_a_film_that_ends_says_why(self):
        film = Film(self.services.compositor.address, services.STREAM, "320x180", -1, RENDERER)
        with self.assertRaisesRegex(RuntimeError, "the film of renderer_sink has ended: .*fps.*-1"):
            async for _ in film.frames():
                pass

    @services.in_a_loop
    async def test_silence_alone_is_a_segment_too(self):
        async with self.stage() as stage:
            await stage.output.capture_frame(frame_of(np.zeros(services.RATE // 2, "<i2"), []))
            stage.output.flush()
            event = await asyncio.wait_for(stage.output.wait_for_playout(), 10)
        self.assertAlmostEqual(event.playback_position, 0.5, delta=0.1)


class AgentSideTest(unittest.TestCase):
    @services.in_a_loop
    async def test_start_sends_the_voice_to_a_worker_that_joins_the_room(self):
        room, session = Room(connected=False), AgentSession()
        avatar = AvatarSession(identity="face")
        access = dict(livekit_api_key="key", livekit_api_secret="secret" * 8)
        with self.assertRaisesRegex(ValueError, "LIVEKIT_URL"):
            await avatar.start(session, room, **access)
        await avatar.start(session, room, livekit_url="ws://127.0.0.1:1", **access)
        self.assertIsInstance(session.output.audio, posewire_livekit.AvatarAudioOutput)
        # Nobody is there.
        self.assertNotEqual(await asyncio.wait_for(avatar._worker.wait(), 60), 0)
        await avatar.aclose()

    def test_the_worker_says_what_is_missing(self):
        bare = {name: value for name, value in os.environ.items() if not name.startswith("LIVEKIT")}
        command = [sys.executable, "-m", "posewire_livekit"]
        done = subprocess.run(command, env=bare, capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("LIVEKIT_URL", done.stderr)


class HeardTest(unittest.TestCase):
    def heard(self, position, *timed):
        segment = posewire_livekit._Timed()
        segment.add(frame_of(np.zeros(2 * services.RATE, "<i2"), timed))
        return segment.heard(position)

    def test_words_are_heard_once_they_have_begun(self):
        words = [
            types.TimedString(w + " ", start_time=t)
            for w, t in (("One", 0), ("two", 0.5), ("three.", 1))
        ]
        self.assertEqual(self.heard(0.04, *words), "")
        self.assertEqual(self.heard(0.5, *words), "One")
        self.assertEqual(self.heard(0.56, *words), "One two")
        self.assertEqual(self.heard(2, *words), "One two three.")

    def test_a_sentence_is_shared_out_by_its_letters(self):
        sentences = [
            types.TimedString("Aaaa bbbb. ", start_time=0),
            types.TimedString("Cccc dddd.", start_time=1),
        ]
        self.assertEqual(self.heard(0.4, *sentences), "Aaaa")
        self.assertEqual(self.heard(0.6, *sentences), "Aaaa bbbb.")
        self.assertEqual(self.heard(1.2, *sentences), "Aaaa bbbb. Cccc")
        self.assertEqual(self.heard(2, *sentences), "Aaaa bbbb. Cccc dddd.")


if __name__ == "__main__":
    unittest.main()
