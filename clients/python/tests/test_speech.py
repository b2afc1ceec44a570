"""What an Avatar's speech sends, waits for, tells and raises."""

import asyncio
import pathlib
import tempfile
import unittest
from unittest import mock

import grpc
import numpy as np
from fake_source import PATIENCE_S, FakeSource, ended, event, message, soon, word

import posewire
from posewire import _speech


async def accept(parts):
    """Reads the beginning, and gives the event that answers it."""
    begin = (await parts.__anext__()).begin
    return event(accepted=message("SayAccepted", request_id=begin.request_id, ahead=2))


class Closing:
    """An async iterator of pieces that tells how far it got, and when it is closed."""

    def __init__(self, pieces):
        self.given = 0
        self.closed = False
        self.pieces = pieces

    async def run(self):
        try:
            for piece in self.pieces:
                self.given += 1
                yield piece
        finally:
            self.closed = True


class SpeechTest(unittest.IsolatedAsyncioTestCase):
    async def connect(self, say=None, **options):
        self.source = await FakeSource(say).__aenter__()
        self.addAsyncCleanup(self.source.__aexit__)
        avatar = posewire.Avatar(self.source.address, stream="demo", **options)
        self.addAsyncCleanup(avatar.close)
        return avatar

    async def test_speak_sends_begin_and_text_and_tells_what_was_said(self):
        avatar = await self.connect(target="ann", voice="rms", language="es", speed=1.5)
        said = await avatar.speak("Hello there.", request_id="r1", policy="interrupt")
        self.assertEqual(self.source.kinds(), ["begin", "text"])
        begin = self.source.parts[0].begin
        want = dict(stream_id="demo", target_object_id="ann", request_id="r1", voice="rms")
        want.update(language="es", speed=1.5, policy="interrupt")
        self.assertEqual(begin, message("SayBegin", **want))
        words = (posewire.Word("Hello", 0, 0.5), posewire.Word("there.", 0.5, 1))
        want = posewire.Spoken(posewire.Reason.COMPLETED, "Hello there.", 1, "", "r1", words)
        self.assertEqual(said, want)
        self.assertEqual(str(said.reason), "completed")

    async def test_speak_takes_streams_of_either_kind(self):
        pieces = ["Hel", "lo ", "th", "ere."]
        for text in (Closing(pieces).run(), iter(pieces), (p for p in pieces), pieces):
            avatar = await self.connect()
            said = await avatar.speak(text)
            self.assertEqual([p.text for p in self.source.parts[1:]], pieces)
            self.assertEqual(said.text, "Hello there.")

    async def test_long_text_goes_in_parts_that_are_cut_between_characters(self):
        avatar = await self.connect()
        await avatar.speak("añ𝄞" * 20_000)
        self.assertEqual("".join(p.text for p in self.source.parts), "añ𝄞" * 20_000)
        self.assertLess(max(p.ByteSize() for p in self.source.parts), 70_000)

    async def test_events_come_typed_and_in_order(self):
        async def say(parts, context):
            yield await accept(parts)
            yield event(started=message("SayStarted", time_s=9))
            yield event(clause=message("SayClause", index=0, text="Hi.", start_s=0, end_s=1))
            yield event(phoneme=message("SayPhoneme", phone="HH", start_s=0, end_s=0.1))
            yield event()  # of a newer source
            yield word("Hi.", 0, 1)
            yield event(note=message("SayNote", text="left out: 1 emoji"))
            yield ended(1, "Hi.", 1)

        avatar = await self.connect(say)
        speech = await avatar.say("Hi.", phonemes=True, request_id="r1")
        want = [
            posewire.Accepted("r1", 2),
            posewire.Started(9),
            posewire.Clause(0, "Hi.", 0, 1),
            posewire.Phoneme("HH", 0, 0.1),
            posewire.Word("Hi.", 0, 1),
            posewire.Note("left out: 1 emoji"),
            posewire.Ended(posewire.Reason.COMPLETED, "Hi.", 1, ""),
        ]
        self.assertEqual([e async for e in speech], want)
        self.assertTrue(self.source.parts[0].begin.phonemes)

    async def test_words_are_told_over_all_speeches_until_the_avatar_is_closed(self):
        avatar = await self.connect()
        words = avatar.words()
        await avatar.speak("One two.")
        await avatar.speak("Three.")
        await avatar.close()
        texts = [w.text async for w in words]
        self.assertEqual(texts[:2], ["One", "two."])
        self.assertEqual(texts[-1], "Three.")

    async def test_marks_and_flush_go_where_they_stand(self):
        avatar = await self.connect()
        speech = await avatar.say()
        await speech.write("Hi ")
        await speech.mark_gesture("Wave_1")
        await speech.mark_expression("Smile")
        await speech.mark_emotion("joy", 0.5)
        await speech.mark_pause(0.25)
        await speech.mark_language("es")
        await speech.flush()
        await speech.end()
        await speech.done()
        joy = message("SayEmotion", name="joy", strength=0.5)
        marks = [{"gesture": "Wave_1"}, {"expression": "Smile"}, {"emotion": joy}]
        marks += [{"pause_s": 0.25}, {"language": "es"}]
        self.assertEqual(
            [p.mark for p in self.source.parts[2:7]], [message("SayMark", **m) for m in marks]
        )
        self.assertEqual(self.source.kinds(), ["begin", "text", *["mark"] * 5, "flush"])

    async def test_writing_after_the_end_is_an_error(self):
        avatar = await self.connect()
        speech = await avatar.say("Hi.", end=False)
        await speech.write(" More.")
        await speech.end()
        await speech.end()
        with self.assertRaisesRegex(ValueError, "the text has ended"):
            await speech.write("late")
        self.assertEqual((await speech.done()).text, "Hi. More.")

    async def stopped(self, parts, context):
        """Says one word, reads no further, and ends when Stop comes."""
        yield await accept(parts)
        yield word("One", 0, 0.5)
        await self.source.stopped.wait()
        yield ended(2, "One", 0.4)

    async def test_stop_tells_how_far_it_came(self):
        avatar = await self.connect(self.stopped, target="ann")
        pieces = Closing(["One two "] * 3)
        speech = await avatar.say(pieces.run(), request_id="r1", end=False)
        said = await speech.stop()
        self.assertEqual((said.reason, said.text, said.seconds), ("stopped", "One", 0.4))
        stop = self.source.stops[0]
        self.assertEqual(
            stop, message("StopRequest", stream_id="demo", target_object_id="ann", request_id="r1")
        )
        with self.assertRaisesRegex(posewire.SpeechEnded, "stopped"):
            await speech.write("late")

    async def test_a_speech_without_a_word_can_be_stopped(self):
        async def say(parts, context):
            async for part in parts:  # a source accepts what it has something of
                if part.HasField("stop"):
                    yield event(accepted=message("SayAccepted"))
                    yield ended(2)
                    return

        avatar = await self.connect(say)
        speech = await avatar.say()
        said = await asyncio.wait_for(speech.stop(), PATIENCE_S)
        self.assertEqual((said.reason, said.text), ("stopped", ""))

    async def test_a_source_that_does_not_read_is_waited_for_while_events_are_read(self):
        go_on = asyncio.Event()

        async def say(parts, context):
            yield await accept(parts)
            await go_on.wait()
            for n in range(100):
                yield word(f"w{n}", n, n + 1)
            await self.source.stopped.wait()
            yield ended(2, "w0", 1)

        avatar = await self.connect(say)
        pieces = Closing(["x" * 10_000] * 1000)
        speech = await avatar.say(pieces.run())
        before = -1
        while before != pieces.given:  # until no more is taken
            before = pieces.given
            await asyncio.sleep(0.3)
        self.assertLess(before, 500)
        go_on.set()
        heard = []
        async for e in speech:
            heard += [e.text] if isinstance(e, posewire.Word) else []
            if len(heard) == 100:
                break
        self.assertLess(pieces.given, 500)
        # The stop does not wait behind what was not read.
        said = await asyncio.wait_for(speech.stop(), PATIENCE_S)
        self.assertEqual(said.text, "w0")
        await soon(lambda: pieces.closed)

    async def test_a_write_that_is_given_up_leaves_the_speech_alone(self):
        read_on = asyncio.Event()

        async def say(parts, context):
            yield await accept(parts)
            await read_on.wait()
            async for _ in parts:
                pass
            yield ended(1, "all")

        avatar = await self.connect(say)
        speech = await avatar.say()
        with self.assertRaises(asyncio.TimeoutError):
            while True:
                await asyncio.wait_for(speech.write("x" * 10_000), 0.3)
        read_on.set()
        await speech.end()
        self.assertEqual((await speech.done()).text, "all")

    async def test_a_cancelled_speak_stops_the_avatar_and_closes_the_text(self):
        avatar = await self.connect(self.stopped)
        pieces = Closing(["One "] * 2)

        async def text():
            try:
                async for piece in pieces.run():
                    yield piece
                await asyncio.Event().wait()
            finally:
                pieces.closed = True

        words = avatar.words()
        task = asyncio.ensure_future(avatar.speak(text()))
        await words.__anext__()
        task.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await asyncio.wait_for(task, 1)
        await asyncio.wait_for(self.source.cancelled.wait(), PATIENCE_S)
        await soon(lambda: pieces.closed)

    async def test_an_exception_of_the_text_is_raised_and_stops_the_avatar(self):
        avatar = await self.connect(self.stopped)
        words = avatar.words()

        async def text():
            yield "One "
            await words.__anext__()
            raise KeyError("llm")

        for broken in (text(), map({}.__getitem__, ["llm"])):
            with self.assertRaisesRegex(KeyError, "llm"):
                await avatar.speak(broken)
            await asyncio.wait_for(self.source.cancelled.wait(), PATIENCE_S)

    async def test_a_blocking_iterator_does_not_block_the_loop(self):
        avatar = await self.connect()
        loop, ticks = asyncio.get_running_loop(), []

        def text():
            yield "One "
            tick = asyncio.run_coroutine_threadsafe(asyncio.sleep(0, "ticked"), loop)
            ticks.append(tick.result(PATIENCE_S))
            yield "two."

        self.assertEqual((await avatar.speak(text())).text, "One two.")
        self.assertEqual(ticks, ["ticked"])

    async def test_an_interrupted_speech_is_no_error_and_closes_the_text(self):
        async def say(parts, context):
            yield await accept(parts)
            yield ended(3, "On", 0.2)

        avatar = await self.connect(say)
        pieces = Closing(["One "] * 100_000)
        said = await avatar.speak(pieces.run())
        self.assertEqual((said.reason, said.text), (posewire.Reason.INTERRUPTED, "On"))
        await soon(lambda: pieces.closed)

    async def test_a_voice_that_fails_midway_is_told_and_one_that_never_begins_is_raised(self):
        async def say(parts, context, starts=True):
            yield await accept(parts)
            if starts:
                yield event(started=message("SayStarted", time_s=9))
            yield ended(4, "", 0, "the voice server answered 503")
            await context.abort(grpc.StatusCode.UNAVAILABLE, "the voice server answered 503")

        avatar = await self.connect(say)
        with self.assertLogs("posewire", "WARNING") as log:
            said = await avatar.speak("Hi.")
        self.assertEqual((said.reason, said.detail), ("failed", "the voice server answered 503"))
        self.assertIn("503", log.output[0])
        avatar = await self.connect(lambda parts, context: say(parts, context, starts=False))
        with self.assertRaisesRegex(posewire.Unavailable, "answered 503"):
            await avatar.speak("Hi.")

    async def test_what_the_source_refuses_is_raised_with_its_message(self):
        codes = {
            "INVALID_ARGUMENT": posewire.InvalidArgument,
            "UNAVAILABLE": posewire.Unavailable,
            "RESOURCE_EXHAUSTED": posewire.ResourceExhausted,
            "CANCELLED": posewire.Error,
        }
        for code, kind in codes.items():

            async def say(parts, context, code=code):
                await context.abort(grpc.StatusCode[code], 'voice is "x"; slt is right')
                yield

            avatar = await self.connect(say)
            with self.assertRaises(kind) as caught:
                await avatar.speak("Hi.")
            self.assertEqual(caught.exception.code, code)
            self.assertEqual(str(caught.exception), 'voice is "x"; slt is right')
            with self.assertRaises(kind):
                async for _ in await avatar.say("Hi."):
                    pass

    async def test_a_call_that_ends_without_a_reason_is_an_error(self):
        async def say(parts, context):
            yield await accept(parts)

        avatar = await self.connect(say)
        with self.assertRaisesRegex(posewire.Error, "without saying why"):
            await avatar.speak("Hi.")

    async def test_a_source_that_is_not_there_is_named_with_the_command_that_starts_it(self):
        avatar = posewire.Avatar("127.0.0.1:1", stream="demo")
        self.addAsyncCleanup(avatar.close)
        want = "cannot reach a2f_source at 127.0.0.1:1: start it with `a2f_source serve --listen 127.0"
        with self.assertRaisesRegex(posewire.Unavailable, want):
            await avatar.speak("Hi.")
        want = "cannot reach anim_graph at 127.0.0.1:51000: start it with `anim_graph --listen"
        avatar = posewire.Avatar("127.0.0.1:1", stream="demo", compositor="127.0.0.1:1")
        self.addAsyncCleanup(avatar.close)
        with self.assertRaisesRegex(posewire.Unavailable, want.replace("51000", "1")):
            await avatar.gesture("Wave_1")

    async def test_interrupt_stops_what_this_avatar_says_and_else_what_others_say(self):
        avatar = await self.connect(self.stopped)
        self.assertIsNone(await avatar.interrupt())
        self.assertEqual(self.source.stops, [message("StopRequest", stream_id="demo")])
        self.source.stopped.clear()
        first = await avatar.say("One two.", request_id="r1")
        second = await avatar.say("Three.", request_id="r2")
        said = await avatar.interrupt()
        self.assertEqual((said.request_id, said.text), ("r1", "One"))
        self.assertEqual({stop.request_id for stop in self.source.stops[1:]}, {"r1", "r2"})
        self.assertTrue(first.ended and second.ended)
        self.assertEqual((await first.done()).reason, "stopped")

    async def test_leaving_the_block_stops_what_is_being_said(self):
        avatar = await self.connect(self.stopped)
        async with avatar:
            speech = await avatar.say("One two.")
            await soon(lambda: len(self.source.parts) > 0)
        await asyncio.wait_for(self.source.cancelled.wait(), PATIENCE_S)
        with self.assertRaisesRegex(posewire.Error, "cancelled"):
            await speech.done()

    async def test_play_sends_whole_samples_of_any_kind(self):
        ramp = np.arange(-3000, 3000, dtype=np.int16)
        raw = ramp.tobytes()
        cut = [raw[:1001], raw[1001:1003], b"", raw[1003:]]
        for chunks in (cut, [ramp], [ramp[:10], ramp[10:]], [memoryview(raw)], [posewire.Sound(raw)]):
            avatar = await self.connect()
            said = await avatar.play(chunks, rate=16000)
            self.assertEqual(said.reason, "completed")
            self.assertEqual(
                self.source.parts[0].begin.sound, message("SoundFormat", rate_hz=16000, channels=1)
            )
            self.assertEqual(self.source.samples(), raw)
            for part in self.source.parts:
                self.assertEqual(len(part.sound.samples) % 2, 0)

    async def test_play_takes_floats_and_several_channels(self):
        avatar = await self.connect()
        stereo = np.array([[0, 1], [-1, 0.5]], np.float32)
        await avatar.play([stereo, stereo.ravel()], channels=2)
        want = np.array([0, 32767, -32767, 16383] * 2, "<i2").tobytes()
        self.assertEqual(self.source.samples(), want)

    async def test_play_sends_a_clause_with_its_words_once_its_sound_is_there(self):
        words = [("Well", 0.2, 0.9), ("yes", 1.25, 2.25), ("and", 2.25, 2.5), ("no", 3.0, 3.5)]
        words = [posewire.Word(*word) for word in words]
        samples = np.arange(64000).astype(np.int16)
        want = [
            (17200, "Well,", [("Well", 0.2, 0.9)]),
            (26800, "yes and", [("yes", 0.175, 1.175), ("and", 1.175, 1.425)]),
            (20000, "no!", [("no", 0.25, 0.75)]),
        ]
        for size in (100, 16000, 64000):
            avatar = await self.connect()
            chunks = [samples[at : at + size] for at in range(0, 64000, size)]
            await avatar.play(chunks, rate=16000, text="Well, yes and no!", words=words)
            sounds = [p.sound for p in self.source.parts[1:]]
            found = [
                (
                    len(s.samples) // 2,
                    s.text,
                    [(w.text, round(w.start_s, 9), round(w.end_s, 9)) for w in s.words],
                )
                for s in sounds
            ]
            self.assertEqual(found, want)
            self.assertTrue(all(s.ends_clause for s in sounds))
            self.assertEqual(self.source.samples(), samples.tobytes())

    async def test_play_sends_a_text_without_words_with_all_its_sound(self):
        avatar = await self.connect()
        await avatar.play([b"\1\0\2", b"\0"] * 100, text="Hi there.")
        (sound,) = [p.sound for p in self.source.parts[1:]]
        self.assertEqual((sound.text, sound.samples), ("Hi there.", b"\1\0\2\0" * 100))

    async def test_a_very_long_sound_goes_in_parts_that_are_cut_in_no_word(self):
        avatar = await self.connect()
        samples = np.arange(3 << 20).astype(np.int16)
        seconds = len(samples) // 16000
        words = [posewire.Word(str(n), n, n + 0.9) for n in range(seconds)]
        phonemes = [posewire.Phoneme("ə", n + 0.5, n + 0.9) for n in range(seconds)]
        sound = posewire.Sound(samples, "all", words, phonemes, ends_clause=True)
        await avatar.play([sound], rate=16000)
        parts = [p.sound for p in self.source.parts[1:]]
        self.assertEqual(self.source.samples(), samples.tobytes())
        self.assertLess(max(p.ByteSize() for p in self.source.parts), 4 << 20)
        self.assertEqual([p.ends_clause for p in parts], [False] * (len(parts) - 1) + [True])
        self.assertEqual([p.text for p in parts], [""] * len(parts))  # that of the words
        at, heard = 0.0, []
        for part in parts:
            length_s = len(part.samples) / 32000
            for timed in (*part.words, *part.phonemes):
                self.assertGreaterEqual(timed.start_s, -1e-9)
                self.assertLessEqual(timed.end_s, length_s + 1e-3)
            heard += [(w.text, round(w.start_s + at, 6)) for w in part.words]
            heard += [(p.phone, round(p.start_s + at, 6)) for p in part.phonemes]
            at += length_s
        want = [(w.text, w.start_s) for w in words] + [(p.phone, p.start_s) for p in phonemes]
        self.assertEqual(sorted(heard), sorted(want))

    async def test_sound_that_makes_no_sense_is_refused(self):
        avatar = await self.connect()
        cases = [
            ([np.array([0, np.nan], np.float32)], r"samples\[1\] is nan"),
            ([np.zeros((4, 3), np.int16)], r"shape \(4, 3\)"),
            ([np.zeros(4, np.int64)], "samples are int64"),
            ([b"abc"], "1 bytes into a sample"),
            (["text"], "text was written to a voice"),
        ]
        for chunks, want in cases:
            with self.assertRaisesRegex((ValueError, TypeError), want):
                await avatar.play(chunks)
        with self.assertRaisesRegex(TypeError, "bytes was written to a text"):
            await avatar.speak([b"abc"])
        with self.assertRaisesRegex(TypeError, "given for Sounds"):
            await avatar.play([posewire.Sound(b"")], text="x")

    async def test_voices_begin_with_the_default(self):
        avatar = await self.connect()
        answer = message("ListVoicesResponse", voices=["slt", "rms"], default_voice="rms")
        voice = _voice(name="slt", sex="female", languages=["en-US"], marks="phonemes", engine="flite")
        answer.details.extend([voice, _voice(name="rms")])
        self.source.answers["ListVoices"] = answer
        slt = posewire.Voice("slt", "", "female", ("en-US",), "phonemes", "flite")
        self.assertEqual(await avatar.voices(), [posewire.Voice("rms"), slt])

    async def test_the_token_goes_with_every_call_and_never_in_plain_text_to_another_machine(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "token")
            file.write_text("secret\n")
            for token in ("secret", file):
                avatar = await self.connect(token=token)
                await avatar.speak("Hi.")
                self.assertEqual(self.source.metadata["authorization"], "Bearer secret")
        for host in ("example.com", "127.example.com", "127.0.0.1.example.com"):
            with self.assertRaisesRegex(ValueError, "plain text"):
                posewire.Avatar(f"{host}:51002", token="secret")
        with self.assertRaisesRegex(ValueError, "HOST:PORT"):
            posewire.Avatar("example.com")

    async def test_say_works_without_an_event_loop(self):
        await self.connect()
        said = await asyncio.to_thread(posewire.say, self.source.address, "Hi.", stream="demo")
        self.assertEqual(said.text, "Hi.")

    async def test_what_nobody_reads_is_kept_up_to_a_limit(self):
        async def say(parts, context):
            yield await accept(parts)
            for n in range(600):
                yield word(str(n), n, n + 1)
            yield ended(1)

        avatar = await self.connect(say)
        words = avatar.words()
        with self.assertLogs("posewire", "WARNING"), mock.patch.object(_speech, "MOST_WAITING", 500):
            said = await avatar.speak("Hi.")
        self.assertEqual(len(said.words), 600)
        self.assertEqual((await words.__anext__()).text, "100")


def _voice(**fields):
    return message("ListVoicesResponse.Voice", **fields)


if __name__ == "__main__":
    unittest.main()
