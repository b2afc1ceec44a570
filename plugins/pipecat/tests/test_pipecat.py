"""PosewireAvatar in real pipecat pipelines, with real services; heard where the compositor is pulled."""

import asyncio
import http.server
import json
import sys
import threading
import time
import unittest

import posewire
from loguru import logger
from pipecat.frames.frames import (
    BotSpeakingFrame,
    BotStartedSpeakingFrame,
    BotStoppedSpeakingFrame,
    EndFrame,
    ErrorFrame,
    InterruptionFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    LLMTextFrame,
    TTSAudioRawFrame,
    TTSSpeakFrame,
    TTSStoppedFrame,
)
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineParams, PipelineWorker
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import LLMContextAggregatorPair
from pipecat.processors.frame_processor import FrameProcessor
from pipecat.services.openai.tts import OpenAITTSService
from pipecat.services.settings import TTSSettings
from pipecat.services.tts_service import TTSService
from pipecat.transports.base_output import BaseOutputTransport
from pipecat.transports.base_transport import TransportParams
from pipecat.workers.runner import WorkerRunner
from posewire_pipecat import PosewireAvatar, SpokenTextFrame, _end_of

import services

logger.remove()
logger.add(sys.stderr, level="ERROR")

ONE = "One two three four, five six. "
TWO = "Seven eight nine ten eleven twelve."
WORDS = (ONE + TWO).split()
WORD_S = services.WORD_S + services.GAP_S


class TimedVoice(TTSService):
    """A voice that tells when its words come, as ElevenLabs and Cartesia do."""

    def __init__(self):
        super().__init__(
            push_text_frames=False,
            push_start_frame=True,
            push_stop_frames=True,
            sample_rate=services.RATE,
            settings=TTSSettings(model=None, voice=None, language=None),
        )
        self._spoken = {}  # words, by context

    async def run_tts(self, text, context_id):
        for word in text.split():
            at = self._spoken.get(context_id, 0)
            self._spoken[context_id] = at + 1
            await self.add_word_timestamps([(word, at * WORD_S)], context_id)
            sound = services.tone(at).tobytes()
            for i in range(0, len(sound), 4800):
                yield TTSAudioRawFrame(sound[i : i + 4800], services.RATE, 1, context_id=context_id)


class SpeechServer(http.server.ThreadingHTTPServer):
    """OpenAI's speech endpoint: each word is a tone."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), SpeechHandler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/v1"


class SpeechHandler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        words = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"].split()
        sound = b"".join(services.tone(i).tobytes() for i in range(len(words)))
        self.send_response(200)
        self.send_header("Content-Type", "audio/pcm")
        self.send_header("Content-Length", str(len(sound)))
        self.end_headers()
        self.wfile.write(sound)

    def log_message(self, *_):
        pass


class Output(BaseOutputTransport):
    """An output transport as a call or page has one; the avatar leaves it no sound."""

    def __init__(self):
        super().__init__(TransportParams(audio_out_enabled=True))
        self.sounds = 0

    async def start(self, frame):
        await super().start(frame)
        await self.set_transport_ready(frame)

    async def write_audio_frame(self, frame):
        self.sounds += any(frame.audio)  # there is some silence at the end
        return True


class Tap(FrameProcessor):
    def __init__(self):
        super().__init__()
        self.seen = []  # (when, frame)

    async def process_frame(self, frame, direction):
        await super().process_frame(frame, direction)
        self.seen.append((time.monotonic(), frame))
        await self.push_frame(frame, direction)

    def when(self, kind):
        return [when for when, frame in self.seen if type(frame) is kind]


class Talk:
    """A pipeline with an avatar, and the language model played by the test."""

    def __init__(self, voice, avatar):
        self.avatar = avatar
        self.context = LLMContext()
        pair = LLMContextAggregatorPair(self.context)
        self.before, self.tap, self.output = Tap(), Tap(), Output()
        steps = [pair.user(), self.before, voice, PosewireAvatar(avatar), self.tap, self.output]
        self.worker = PipelineWorker(
            Pipeline([*steps, pair.assistant()]),
            cancel_on_idle_timeout=False,
            params=PipelineParams(audio_out_sample_rate=services.RATE),
        )
        self.speeches = []
        say = avatar.say

        async def noted(*args, **options):
            self.speeches.append(await say(*args, **options))
            return self.speeches[-1]

        avatar.say = noted

    async def __aenter__(self):
        started = asyncio.Event()

        @self.worker.event_handler("on_pipeline_started")
        async def _started(*_):
            started.set()

        runner = WorkerRunner(handle_sigint=False)
        await runner.add_workers(self.worker)
        self._run = asyncio.ensure_future(runner.run())
        await asyncio.wait_for(started.wait(), 10)
        return self

    async def __aexit__(self, *error):
        await self.worker.cancel()
        await asyncio.wait_for(self._run, 20)

    async def respond(self, *texts):
        texts = [LLMTextFrame(text) for text in texts]
        await self.worker.queue_frames(
            [LLMFullResponseStartFrame(), *texts, LLMFullResponseEndFrame()]
        )

    async def interrupt(self):
        """When that was."""
        when, count = time.monotonic(), len(self.tap.when(InterruptionFrame))
        await self.worker.queue_frame(InterruptionFrame())
        await self.until(lambda: len(self.tap.when(InterruptionFrame)) > count, 5)
        return when

    async def end(self):
        await self.worker.queue_frame(EndFrame())
        await asyncio.wait_for(asyncio.shield(self._run), 30)

    async def until(self, condition, timeout_s=20):
        end = time.monotonic() + timeout_s
        while not condition():
            assert time.monotonic() < end, f"not within {timeout_s} s; {self.messages()}"
            await asyncio.sleep(0.01)

    def messages(self):
        return [m["content"] for m in self.context.messages if m["role"] == "assistant"]


class PipecatTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.services = services.Services()

    @classmethod
    def tearDownClass(cls):
        cls.services.stop()

    def setUp(self):
        self.listen()

    def tearDown(self):
        self.ear.close()

    def listen(self):
        """From now on."""
        if hasattr(self, "ear"):
            self.ear.close()
        self.ear = services.Ear(self.services.compositor.address)

    async def assertHeard(self, count):
        await self.ear.wait_for_words(count)
        await asyncio.sleep(0.4)  # whether more comes
        self.assertEqual(len(self.ear.words()), count, self.ear.words())

    def talk(self, voice=None):
        return Talk(voice or TimedVoice(), self.services.avatar())

    @services.in_a_loop
    async def test_all_that_is_said_is_heard_and_remembered(self):
        async with self.talk() as talk:
            await talk.respond(ONE, TWO)
            await talk.end()  # it waits until all was said
        await self.assertHeard(len(WORDS))
        self.assertEqual(talk.messages(), [" ".join(WORDS)])
        self.assertEqual(talk.output.sounds, 0)
        # Told as an output transport does.
        (started,), (stopped,) = (
            talk.tap.when(BotStartedSpeakingFrame),
            talk.tap.when(BotStoppedSpeakingFrame),
        )
        spoken = talk.tap.when(SpokenTextFrame)
        self.assertLess(started, spoken[0])
        self.assertGreater(spoken[-1] - spoken[0], (len(WORDS) - 1) * WORD_S - 0.2)
        self.assertLess(spoken[-1], stopped)
        self.assertLessEqual(stopped, talk.tap.when(TTSStoppedFrame)[0])
        self.assertLess(spoken[-1], talk.tap.when(LLMFullResponseEndFrame)[0])
        self.assertEqual(len(talk.before.when(BotStartedSpeakingFrame)), 1)
        self.assertEqual(len(talk.before.when(BotStoppedSpeakingFrame)), 1)
        self.assertGreaterEqual(len(talk.before.when(BotSpeakingFrame)), len(WORDS))

    @services.in_a_loop
    async def test_an_interruption_silences_it_and_leaves_the_words_that_were_heard(self):
        async with self.talk() as talk:
            for count in (2, 5, 8):
                self.listen()
                await talk.respond(ONE, TWO)
                await self.ear.wait_for_words(count)
                when = await talk.interrupt()
                passed = talk.tap.when(InterruptionFrame)[-1]
                self.assertLess(passed - when, 0.1)
                await asyncio.sleep(0.5)  # whether anything more comes
                self.assertLess(self.ear.last_sound() - when, 0.1)
                kept = talk.messages()[-1]
                self.assertEqual(kept, " ".join(WORDS[: len(kept.split())]))
                self.assertIn(len(kept.split()), self.ear.may_have_heard(), self.ear.words())
                self.assertLess(talk.before.when(BotStoppedSpeakingFrame)[-1], passed + 0.1)
            self.assertEqual(len(talk.messages()), 3)
            self.assertEqual(talk.tap.when(TTSStoppedFrame), [])

    @services.in_a_loop
    async def test_after_an_interruption_it_says_the_next_answer(self):
        async with self.talk() as talk:
            await talk.respond(ONE, TWO)
            await self.ear.wait_for_words(3)
            await talk.interrupt()
            self.listen()
            await talk.respond("Sorry, go on.")
            await talk.end()
        kept, answer = talk.messages()
        self.assertEqual(kept, " ".join(WORDS[: len(kept.split())]))
        self.assertEqual(answer, "Sorry, go on.")
        await self.assertHeard(3)

    @services.in_a_loop
    async def test_an_interruption_before_the_first_word_leaves_nothing(self):
        async with self.talk() as talk:
            await talk.respond(ONE, TWO)
            await talk.until(lambda: talk.speeches)
            await talk.interrupt()
            await talk.respond("Sorry.")
            await talk.end()
        self.assertEqual(talk.messages(), ["Sorry."])

    @services.in_a_loop
    async def test_what_may_not_be_interrupted_is_said_to_its_end(self):
        async with self.talk() as talk:
            frame = TTSSpeakFrame("This call is recorded.")
            frame.interruptible = False
            await talk.worker.queue_frame(frame)
            await self.ear.wait_for_words(2)
            await talk.interrupt()
            await talk.end()
        await self.assertHeard(4)
        self.assertEqual(len(talk.tap.when(SpokenTextFrame)), 4)

    @services.in_a_loop
    async def test_the_source_finds_the_words_of_a_stock_openai_voice(self):
        server = SpeechServer()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)

        def voice():
            return OpenAITTSService(
                base_url=server.url,
                api_key="none",
                settings=OpenAITTSService.Settings(voice="alloy"),
            )

        async with self.talk(voice()) as talk:
            await talk.respond(ONE, TWO)
            await talk.end()
        self.assertEqual(talk.messages(), [" ".join(WORDS)])
        await self.assertHeard(len(WORDS))

        self.listen()
        async with self.talk(voice()) as talk:
            await talk.respond(ONE, TWO)
            await self.ear.wait_for_words(8)
            when = await talk.interrupt()
            await asyncio.sleep(0.5)  # whether anything more comes
            self.assertLess(self.ear.last_sound() - when, 0.1)
            said = await talk.speeches[-1].done()
            self.assertEqual(talk.messages(), [said.text])
            self.assertTrue(" ".join(WORDS).startswith(said.text))
            # Their times are guessed.
            self.assertAlmostEqual(len(said.text.split()), len(self.ear.words()), delta=3)

    @services.in_a_loop
    async def test_a_source_that_is_away_is_an_error_of_the_pipeline(self):
        async with Talk(TimedVoice(), posewire.Avatar("127.0.0.1:1", stream="demo")) as talk:
            await talk.respond("Hello there.")
            await talk.until(lambda: talk.before.when(ErrorFrame))
            await talk.end()
        self.assertIn(
            "cannot reach", next(f.error for _, f in talk.before.seen if isinstance(f, ErrorFrame))
        )
        self.assertEqual(talk.messages(), [])

    @services.in_a_loop
    async def test_a_source_that_dies_in_the_middle_is_an_error_of_the_pipeline(self):
        mine = services.Services()
        async with Talk(TimedVoice(), mine.avatar()) as talk:
            await talk.respond(ONE, TWO)
            await talk.until(lambda: len(talk.tap.when(SpokenTextFrame)) == 2)
            mine.source.kill()
            await talk.until(lambda: talk.before.when(ErrorFrame))
            await talk.end()
        mine.compositor.stop()
        self.assertEqual(talk.messages(), ["One two"])

    @services.in_a_loop
    async def test_a_source_that_is_stopped_in_the_middle_ends_the_answer_there(self):
        mine = services.Services()
        async with Talk(TimedVoice(), mine.avatar()) as talk:
            await talk.respond(ONE, TWO)
            await talk.until(lambda: len(talk.tap.when(SpokenTextFrame)) == 2)
            await asyncio.to_thread(mine.stop)
            await talk.end()
        self.assertEqual(talk.messages(), [(await talk.speeches[0].done()).text])
        self.assertEqual(len(talk.tap.when(LLMFullResponseEndFrame)), 1)


class WordSearchTest(unittest.TestCase):
    def test_a_word_is_found_with_its_punctuation_and_not_inside_another(self):
        self.assertEqual(_end_of("a", "have a (good) day", 0, 80), 6)
        self.assertEqual(_end_of("good", "have a (good) day", 6, 80), 13)
        self.assertEqual(_end_of("four,", "Four, five", 0, 80), 5)
        self.assertEqual(_end_of("好", "你好。再见", 1, 80), 3)

    def test_a_word_that_is_far_away_or_missing_is_not_found(self):
        self.assertEqual(_end_of("day", "have a (good) day", 0, 5), 0)
        self.assertEqual(_end_of("night", "have a (good) day", 0, 80), 0)


if __name__ == "__main__":
    unittest.main()
