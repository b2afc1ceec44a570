"""SayStream: texts that are said while they are written, and voices that a caller makes."""

import json
import os
import queue
import struct
import threading
import time
import unittest

import grpc

from http_client import WebSocket
from posewire_test import Client, Server, long_level, until
from source_test import SENTENCE, SOURCE, STREAM, Source, SourceTest, loudest

TEXT = (
    "Good morning, everybody. The old captain looked at the harbour for a long time, and nobody "
    "said a word. Then the ferry came round the point, with all its lamps alight. Was it late? "
    "It was, by more than an hour; but the people on the pier had waited, because there was no "
    "other way home that night."
)
# Words that are the same when they are said, so that nothing has to be guessed.
COUNTED = " ".join(["people"] * 400)


class Saying:
    """A call of SayStream: writes parts as they are given, and gathers events."""

    def __init__(self, client, metadata=(), **begin):
        method = client.method(f"/{SOURCE}/SayStream")
        self.part = client.type("posewire.source.v1.SayPart")
        self.events, self.unix = [], []  # and when each came
        self.error = None
        self._parts = queue.Queue()
        self.taken = 0  # parts that gRPC has asked for
        self.write(begin=begin)
        self.call = method(self._feed(), metadata=metadata)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _feed(self):
        while (part := self._parts.get()) is not None:
            yield part
            self.taken += 1

    def _read(self):
        try:
            for event in self.call:
                self.unix.append(time.time())
                self.events.append(event)
        except grpc.RpcError as error:
            self.error = error

    def write(self, **part):
        self._parts.put(self.part(**part))
        return self

    def text(self, text):
        return self.write(text=text)

    def end(self):
        self._parts.put(None)
        return self

    def done(self, timeout=60):
        self._reader.join(timeout)
        if self._reader.is_alive():
            raise AssertionError(f"not over in {timeout} s: {self.events[-3:]}")
        return self.ended

    def of(self, kind):
        return [getattr(e, kind) for e in list(self.events) if e.WhichOneof("event") == kind]

    @property
    def ended(self):
        return self.of("ended")[-1] if self.of("ended") else None

    def words(self):
        return [w.text for w in self.of("word")]

    def notes(self):
        return [n.text for n in self.of("note")]


def write_at(saying, text, words_a_second):
    """As a language model writes: a word at a time."""
    start = time.monotonic()
    for i, word in enumerate(text.split()):
        left = start + i / words_a_second - time.monotonic()
        if left > 0:
            time.sleep(left)
        saying.text((" " if i else "") + word)


def silences(audio, rate=16000, least_s=0.1):
    """[(start_s, length_s)] within the sound, in windows of 10 ms."""
    samples = struct.unpack(f"<{len(audio) // 2}h", audio)
    step = rate // 100
    heard = [i for i in range(len(samples) // step)
             if max(map(abs, samples[i * step:(i + 1) * step])) > 150]
    return [(a / 100, (b - a) / 100) for a, b in zip(heard, heard[1:]) if b - a > least_s * 100]


class SayStreamTest(SourceTest):
    def setUp(self):
        super().setUp()
        self.pulled = self.pull()

    def tearDown(self):
        self.pulled.call.cancel()
        super().tearDown()

    def say(self, **begin):
        return Saying(self.client, **begin)

    def rate(self):
        header = next(m for m in self.pulled.messages if m.HasField("animation_data_stream_header"))
        return header.animation_data_stream_header.audio_header.samples_per_second


class TextTest(SayStreamTest):
    def test_a_text_is_said_while_it_is_written(self):
        saying = self.say(request_id="r")
        write_at(saying, TEXT, 15)
        ended = saying.end().done()
        kinds = [e.WhichOneof("event") for e in saying.events]
        self.assertEqual((kinds[0], kinds[-1]), ("accepted", "ended"))
        self.assertEqual(saying.of("accepted")[0].request_id, "r")
        self.assertEqual((ended.reason, ended.spoken_text), (1, TEXT))
        self.assertEqual(saying.words(), TEXT.split())
        self.assertEqual(" ".join(c.text for c in saying.of("clause")), TEXT)
        self.assertEqual(saying.notes(), [])
        # Words come when they are heard: never before, and on a busy machine some come late.
        started = saying.of("started")[0].time_s
        late = sorted(t - started - e.word.start_s for e, t in zip(saying.events, saying.unix)
                      if e.WhichOneof("event") == "word")
        self.assertGreater(late[0], -0.05, late)
        self.assertLess(late[len(late) // 2], 0.15, late)
        # Nothing is lost or cut off between clauses. A late machine adds silence to some pauses.
        pauses = sorted(length for _, length in silences(self.pulled.audio(), self.rate()))
        self.assertLess(pauses[len(pauses) // 2], 0.3 + 0.25, pauses)

    def test_a_text_that_pauses_leaves_a_face_at_rest_that_is_alive(self):
        saying = self.say()
        saying.text("Let me think about that for a moment. ").write(flush={})
        self.assertTrue(until(lambda: "moment." in saying.words()))
        # For longer than a voice may be late.
        frames = len(self.pulled.data())
        self.assertTrue(self.pulled.wait_for(lambda p: len(p.data()) > frames + 4.5 * 30, 30))
        frames = self.pulled.data()[-75:]
        self.assertLess(max(self.pulled.jaw(-75)), 0.05)
        poses = {w.SerializeToString() for d in frames
                 for w in d.skel_animation.blend_shape_weights}
        self.assertGreater(len({p[9:] for p in poses}), 3, "the face is frozen")
        saying.text("Here it is, finally.").end()
        ended = saying.done()
        self.assertEqual(ended.reason, 1, ended)
        self.assertEqual(ended.spoken_text,
                         "Let me think about that for a moment. Here it is, finally.")
        self.assertEqual(saying.notes(), [])

    def test_how_a_text_is_cut_into_parts_changes_nothing(self):
        whole = self.say(request_id="a").text(TEXT).end()
        self.assertEqual(whole.done().reason, 1)
        bits = self.say(request_id="b")
        for at in range(0, len(TEXT), 3):
            bits.text(TEXT[at:at + 3])
        bits.end().done()
        self.assertEqual([(c.text, c.start_s, c.end_s) for c in bits.of("clause")],
                         [(c.text, c.start_s, c.end_s) for c in whole.of("clause")])
        self.assertEqual([(w.text, w.start_s) for w in bits.of("word")],
                         [(w.text, w.start_s) for w in whole.of("word")])

    def test_phonemes_come_if_they_are_wanted(self):
        saying = self.say(phonemes=True).text("Hello there.").end()
        saying.done()
        self.assertIn("hh", [p.phone for p in saying.of("phoneme")])

    def test_texts_wait_for_their_turn_however_many(self):
        first = self.say(request_id="0").text(SENTENCE).write(flush={})
        self.assertTrue(until(lambda: first.of("started")))
        others = []
        for n in range(1, 13):
            others.append(self.say(request_id=str(n)).text(f"Number {n}.").end())
            self.assertTrue(until(lambda: others[-1].of("accepted")), (n, others[-1].error))
            self.assertEqual(others[-1].of("accepted")[0].ahead, n)
        self.assertEqual(others[0].of("started"), [])
        for other in others[1:]:
            self.client.call("Stop", request_id=other.of("accepted")[0].request_id)
            self.assertEqual((other.done().reason, other.ended.spoken_text), (2, ""))
        first.end()
        self.assertEqual(others[0].done().reason, 1)
        self.assertEqual(first.ended.reason, 1)

    def test_a_text_that_says_nothing_yet_does_not_interrupt(self):
        first = self.say(request_id="first").text(SENTENCE).write(flush={})
        self.assertTrue(until(lambda: first.of("started")))
        # As the first token of many a model.
        second = self.say(request_id="second", policy="interrupt").text("").write()
        self.assertFalse(until(lambda: second.of("accepted"), 0.5))
        self.assertEqual([t.request_id for t in self.client.call("ListTexts").texts], ["first"])
        second.text("Now.").end()
        self.assertEqual((first.done().reason, second.done().reason), (3, 1))

    def test_nothing_to_say_is_no_error(self):
        for parts in ([], [""], ["   "], ["\N{PARTY POPPER}"]):
            saying = self.say()
            for part in parts:
                saying.text(part)
            ended = saying.end().done()
            self.assertIsNone(saying.error)
            self.assertEqual((ended.reason, ended.spoken_text), (1, ""))
            self.assertIn("nothing in it can be spoken", "; ".join(saying.notes()))


class InterruptionTest(SayStreamTest):
    def stop_and_check(self, saying, stop):
        """Has it stopped, and compares what it says it said with what was heard."""
        self.assertTrue(until(lambda: len(saying.words()) >= 5))
        samples = len(self.pulled.audio()) // 2
        stop()
        ended = saying.done(5)
        self.assertTrue(self.pulled.wait_for(
            lambda p: len(p.audio()) // 2 > samples + self.rate()))
        sound = self.pulled.audio()
        rate = self.rate()
        voice = struct.unpack(f"<{len(sound) // 2}h", sound)
        last = max(i for i, v in enumerate(voice) if abs(v) > 150)
        self.assertLess((last - samples) / rate, 0.1, "seconds of voice after the stop")
        first = next(i for i, v in enumerate(voice) if v != 0)
        # The voice's own time line: what was heard of it.
        heard_s = (last - first) / rate
        return ended, heard_s

    def check_words(self, saying, ended, heard_s):
        count = len(ended.spoken_text.split())
        self.assertEqual(ended.spoken_text, " ".join(["people"] * count))
        starts = [w.start_s for w in saying.of("word")]
        began = sum(s + 0.05 <= heard_s for s in starts)
        self.assertLessEqual(abs(count - began), 1, (count, began, heard_s, ended))

    def test_a_stop_tells_what_was_heard(self):
        saying = self.say(request_id="r").text(COUNTED)
        ended, heard_s = self.stop_and_check(
            saying, lambda: self.client.call("Stop", request_id="r"))
        self.assertEqual(ended.reason, 2)
        self.check_words(saying, ended, heard_s)

    def test_a_newer_text_tells_what_was_heard(self):
        saying = self.say().text(COUNTED)
        ended, _ = self.stop_and_check(
            saying, lambda: self.say(policy="interrupt").text("\N{ZERO WIDTH SPACE}").end())
        self.assertEqual(ended.reason, 3)

    def test_a_cancelled_call_stops_the_avatar(self):
        saying = self.say(request_id="r").text(COUNTED)
        self.assertTrue(until(lambda: len(saying.words()) >= 3))
        saying.call.cancel()
        self.until(lambda: not self.playing(), 2)
        self.assertEqual(list(self.client.call("ListTexts").texts), [])

    def test_a_compositor_that_goes_away_is_told(self):
        saying = self.say().text(COUNTED)
        self.assertTrue(until(lambda: len(saying.words()) >= 3))
        self.graph_client.control("StopRequest", stream_id=STREAM,
                                  request_id=saying.of("accepted")[0].request_id)
        ended = saying.done(5)
        self.assertEqual(ended.reason, 3)
        self.assertIn("people people", ended.spoken_text)


class MarkTest(SayStreamTest):
    def weights(self, shape, since=0):
        header = next(m for m in self.pulled.messages if m.HasField("animation_data_stream_header"))
        shapes = list(header.animation_data_stream_header.skel_animation_header.blend_shapes)
        at = next(i for i, name in enumerate(shapes) if name.lower() == shape.lower())
        return [w.values[at] for d in self.pulled.data()[since:]
                for w in d.skel_animation.blend_shape_weights]

    def watch(self):
        path = "/posewire.control.v1.ControlService/WatchEvents"
        self.graph_client.method(path)
        request = self.graph_client.type("posewire.control.v1.WatchEventsRequest")
        events = []
        call = self.graph_client.method(path)(request(stream_id=STREAM))

        def read():
            try:
                for event in call:
                    events.append((event, time.time()))
            except grpc.RpcError:
                pass
        threading.Thread(target=read, daemon=True).start()
        return call, events

    def test_a_gesture_begins_with_its_word(self):
        call, events = self.watch()
        saying = self.say().text('This is the moment when I <gesture name="wave"/>wave at you all.')
        self.assertEqual(saying.end().done().spoken_text,
                         "This is the moment when I wave at you all.")
        word = next(w for w in saying.of("word") if w.text == "wave")
        at = saying.of("started")[0].time_s + word.start_s
        begun = [t for e, t in events if e.type == 11 and "wave" in e.name.lower()]
        call.cancel()
        self.assertEqual(len(begun), 1, [(e.type, e.name) for e, _ in events])
        self.assertLess(abs(begun[0] - at), 0.2)

    def test_marks_may_be_fields_as_well(self):
        saying = self.say().text("One word. ").write(mark={"emotion": {"name": "anger"}})
        saying.text("Now I am angry. ").write(mark={"emotion": {"name": "neutral"}})
        saying.text("That is over.").end()
        self.assertEqual(saying.done().spoken_text, "One word. Now I am angry. That is over.")
        self.assertEqual(saying.notes(), [])
        sneer = self.weights("noseSneerLeft")
        self.assertGreater(max(sneer), 0.3)
        self.assertLess(max(sneer[:len(sneer) // 8]), 0.05)
        self.assertTrue(self.pulled.wait_for(
            lambda _: max(self.weights("noseSneerLeft")[-10:]) < 0.02))

    def test_a_break_is_silence(self):
        saying = self.say().text('Wait for it<break time="1.5s"/> and here it is.').end()
        saying.done()
        clauses = saying.of("clause")
        self.assertEqual([c.text for c in clauses], ["Wait for it", "and here it is."])
        pauses = silences(self.pulled.audio(), self.rate())
        self.assertTrue(any(1.5 <= length < 2 for _, length in pauses), pauses)

    def test_what_is_unknown_is_noted(self):
        saying = self.say().text('<emotion name="bliss"/>So <gesture name="no_such"/>it is, '
                                 'and <break time="soon"/> on.').end()
        self.assertEqual(saying.done().reason, 1)
        self.assertTrue(until(lambda: len(saying.notes()) >= 3), saying.notes())
        notes = "; ".join(saying.notes())
        for words in ('"bliss" is unknown; neutral, amazement', '"no_such" is not played',
                      'time "soon", such as 500ms'):
            self.assertIn(words, notes)


class SoundTest(SayStreamTest):
    def voice(self, text):
        """A real voice: flite's, as it is pulled."""
        self.client.say(text)
        self.until(lambda: self.playing())
        self.until(lambda: not self.playing())
        return self.heard(self.pulled.audio())

    def heard(self, sound):
        samples = struct.unpack(f"<{len(sound) // 2}h", sound)
        loud = [i for i, v in enumerate(samples) if v != 0]
        return sound[2 * loud[0]:2 * loud[-1] + 2]

    def test_a_voice_of_the_caller_is_played_with_its_words(self):
        voice = self.voice("This is a voice of my own.")
        half_s = len(voice) // 4 / 16000
        since, sound_before = len(self.pulled.data()), len(self.pulled.audio())
        saying = self.say(sound={"rate_hz": 16000})
        words = [{"text": w, "start_s": half_s / 4 * i, "end_s": half_s / 4 * (i + 1)}
                 for i, w in enumerate(["This", "is", "a", "voice"])]
        saying.write(sound={"samples": voice[:len(voice) // 4 * 2],
                            "text": "This is a voice", "words": words})
        saying.write(sound={"samples": voice[len(voice) // 4 * 2:], "text": "of my own.",
                            "ends_clause": True})
        ended = saying.end().done()
        self.assertEqual((ended.reason, ended.spoken_text), (1, "This is a voice of my own."))
        self.assertEqual(saying.words(), ["This", "is", "a", "voice", "of", "my", "own."])
        self.assertAlmostEqual(saying.of("word")[3].start_s, half_s * 3 / 4, places=3)
        self.assertAlmostEqual(ended.spoken_s, len(voice) / 32000 + 0.5, delta=0.06)
        self.assertTrue(self.pulled.wait_for(lambda p: voice in p.audio()[sound_before:]),
                        "the voice is not whole")
        jaw = self.pulled.jaw(since)
        self.assertGreater(max(jaw), 0.1)
        self.assertEqual(saying.notes(), [])

    def test_words_that_are_guessed_fit_the_sound_in_the_end(self):
        """Of a slow voice: its sound is twice as long as its text lets expect."""
        voice = struct.pack("<h", 3000) * 16000
        saying = self.say(sound={"rate_hz": 16000})
        text = "people people people people people people people people"
        saying.write(sound={"samples": voice, "text": text})
        for _ in range(5):
            saying.write(sound={"samples": voice})
        saying.write(sound={"samples": voice, "ends_clause": True})
        saying.end().done()
        last = saying.of("word")[-1]
        self.assertGreater(last.start_s, 5)
        self.assertLess(last.end_s, 7)

    def test_phonemes_of_the_caller_move_the_lips(self):
        # Sound from which nothing could be heard.
        saying = self.say(sound={"rate_hz": 16000}, request_id="r")
        saying.write(sound={"samples": struct.pack("<h", 20) * 16000, "ends_clause": True,
                            "phonemes": [{"phone": "m", "start_s": 0.2, "end_s": 0.4},
                                         {"phone": "ɑ", "start_s": 0.4, "end_s": 0.8}]})
        saying.end().done()
        self.assertGreater(max(self.pulled.jaw()), 0.15)

    def test_a_voice_that_comes_as_it_is_spoken_is_played_whole(self):
        voice = self.voice(TEXT[:120])
        sound_before = len(self.pulled.audio())
        saying = self.say(sound={"rate_hz": 16000}, request_id="live")
        start = time.monotonic()
        for i in range(0, len(voice), 1280):  # 40 ms
            left = start + i / 32000 - time.monotonic()
            if left > 0:
                time.sleep(left)
            saying.write(sound={"samples": voice[i:i + 1280]})
        self.assertTrue(saying.of("started"))
        self.assertEqual(saying.end().done().reason, 1)
        self.until(lambda: not self.playing())
        sound = self.pulled.audio()[sound_before:]
        at, gaps = 0, []
        for i in range(0, len(voice), 1280):
            found = sound.find(voice[i:i + 1280], at)
            self.assertGreaterEqual(found, 0, f"portion {i // 1280} is missing or out of order")
            if i and found > at:
                gaps.append((found - at) / 32000)
            at = found + 1280
        self.assertLess(sum(gaps), 0.5, gaps)
        self.assertEqual(saying.notes(), [])


class RefusalTest(SayStreamTest):
    def refused(self, code, words, *parts, **begin):
        saying = self.say(**begin)
        for part in parts:
            saying.write(**part)
        saying.end()
        self.assertTrue(until(lambda: saying.error), (words, saying.events))
        self.assertEqual(saying.error.code(), code, saying.error.details())
        self.assertIn(words, saying.error.details())
        return saying

    def test_what_is_wrong_is_said(self):
        bad = grpc.StatusCode.INVALID_ARGUMENT
        self.refused(bad, 'policy: "later", queue or interrupt is right', policy="later")
        self.refused(bad, "speed: 9, 0.5 to 2 is right", speed=9)
        self.refused(bad, "no_such", voice="no_such")
        self.refused(bad, "begin: sent twice", {"begin": {}})
        self.refused(bad, "begin.sound.rate_hz: 100, 8000 to 192000", sound={"rate_hz": 100})
        self.refused(bad, "text: not allowed in a call with begin.sound", {"text": "Hello"},
                     sound={"rate_hz": 16000})
        self.refused(bad, "sound: begin.sound is missing", {"sound": {}})
        self.refused(bad, "sound.samples: 3 bytes, a multiple of 4",
                     {"sound": {"samples": b"abc"}}, sound={"rate_hz": 16000, "channels": 2})
        self.refused(bad, "sound.words[0]: from 5 to 6 s", {"sound": {
            "samples": bytes(3200), "words": [{"text": "a", "start_s": 5, "end_s": 6}]}},
            sound={"rate_hz": 16000})
        self.refused(bad, "mark: break: 99 s, 0 to 10", {"mark": {"pause_s": 99}})
        self.refused(bad, "mark: emotion: strength 2", {"mark": {"emotion": {
            "name": "joy", "strength": 2}}})
        self.refused(bad, "mark: gesture: no name", {"mark": {"gesture": ""}})
        self.refused(bad, "mark: empty; gesture, expression", {"mark": {}})

    def test_a_call_without_a_beginning_is_refused(self):
        method = self.client.method(f"/{SOURCE}/SayStream")
        part = self.client.type("posewire.source.v1.SayPart")
        for parts in ([], [part(text="Hello")], [b"\xff\xff"]):
            with self.assertRaises(grpc.RpcError) as caught:
                list(method(iter(parts)))
            self.assertEqual(caught.exception.code(), grpc.StatusCode.INVALID_ARGUMENT)

    def test_a_fault_in_the_middle_tells_what_was_said(self):
        saying = self.say().text("This much is right. ").write(flush={})
        self.assertTrue(until(lambda: len(saying.words()) > 2))
        saying.write(mark={"pause_s": -1})
        self.assertTrue(until(lambda: saying.error and saying.ended))
        self.assertEqual(saying.ended.reason, 2)
        self.assertTrue(saying.ended.spoken_text.startswith("This much"))

    def test_an_id_that_is_spoken_is_refused(self):
        first = self.say(request_id="same").text(SENTENCE).write(flush={})
        self.assertTrue(until(lambda: first.of("started")))
        self.refused(grpc.StatusCode.ALREADY_EXISTS, "same", {"text": "Again."},
                     request_id="same")
        self.client.call("Stop")


class IdleTest(SayStreamTest):
    ARGS = ("--text-idle-s", "0.5")

    def test_a_text_that_nothing_is_added_to_ends(self):
        saying = self.say().text("Half a sent")
        self.assertTrue(until(lambda: saying.error))
        self.assertEqual(saying.error.code(), grpc.StatusCode.DEADLINE_EXCEEDED)
        self.assertIn("no part of the text arrived for 0.5 s", saying.error.details())
        again = self.say()
        self.assertTrue(until(lambda: again.error))



class BudgetTest(SayStreamTest):
    ARGS = ("--max-text-streams", "2")

    def test_too_many_at_once_are_refused_with_a_hint(self):
        calls = [self.say(request_id=str(n)) for n in range(3)]
        self.assertTrue(until(lambda: any(c.error for c in calls)))
        refused, = [c for c in calls if c.error]
        self.assertEqual(refused.error.code(), grpc.StatusCode.RESOURCE_EXHAUSTED)
        self.assertIn("2 texts are already in progress", refused.error.details())
        self.assertEqual(dict(refused.error.trailing_metadata())["grpc-retry-pushback-ms"], "5000")
        for call in calls:
            call.end()

    def test_parts_that_are_not_played_find_their_limit(self):
        first = self.say(request_id="first").text("One.").write(flush={})
        self.assertTrue(until(lambda: first.of("started")))
        # Phonemes of no sound, while another text is ahead: 37 MB on the wire, 400 when they are kept.
        waits = self.say(request_id="waits", sound={"rate_hz": 16000})
        sound = {"phonemes": [{"phone": "a"}] * 5000}
        before = self.source.memory_mb()
        for _ in range(1500):
            waits.write(sound=sound)
        self.assertTrue(until(lambda: waits.of("accepted")))
        self.assertFalse(until(lambda: waits.taken == 1500, 3))
        self.assertLess(self.source.memory_mb() - before, 32)
        first.end()
        waits.call.cancel()


class HostileTest(SayStreamTest):
    def test_a_writer_that_is_faster_than_speech_waits(self):
        saying = self.say()
        for _ in range(128):
            saying.text("people " * 16384)  # 15 MB in all
        self.assertTrue(until(lambda: len(saying.words()) > 5))
        before = self.source.memory_mb()
        time.sleep(2)
        self.assertLess(saying.taken, 100)
        self.assertLess(self.source.memory_mb() - before, 4)
        self.assertLess(self.source.memory_mb(), 80)
        # Others are not disturbed.
        self.assertEqual(self.client.say("Hello.", stream_id="other").ahead, 0)
        saying.call.cancel()
        self.until(lambda: not [r for r in self.playing() if r != "other"], 5)

    def test_calls_that_are_given_up_at_once_leave_nothing(self):
        count = lambda: len(os.listdir(f"/proc/{self.source.process.pid}/fd"))

        def give_up(times):
            for k in range(times):
                saying = self.say(sound={"rate_hz": 16000})
                saying.write(sound={"samples": bytes(32000)})
                time.sleep(k % 8 * 0.004)
                saying.call.cancel()
                saying.end()
        give_up(8)
        self.until(lambda: not self.playing())
        before = count()
        give_up(120)
        self.until(lambda: not self.playing())
        # What was connecting then is let go with the next text.
        self.client.say("Hello.")
        self.client.call("Stop")
        self.assertTrue(until(lambda: count() <= before + 3), (before, count()))

    def test_pauses_without_end_are_one_pause(self):
        saying = self.say()
        for _ in range(500):
            saying.text('<break time="10s"/>' * 20).write(flush={})
        saying.text("Hello.").end()
        self.assertTrue(until(lambda: saying.of("clause")))
        self.assertLess(self.source.memory_mb(), 80)
        self.client.call("Stop")
        self.assertEqual(saying.done(5).reason, 2)

    def test_more_words_than_a_clause_has_are_refused(self):
        saying = self.say(sound={"rate_hz": 16000})
        saying.write(sound={"samples": bytes(32000), "text": "word " * 2000})
        self.assertTrue(until(lambda: saying.error))
        self.assertIn("sound.text: 10000, at most 4096 are right", saying.error.details())

    def test_marks_without_end_cost_nothing(self):
        saying = self.say()
        for _ in range(100):
            saying.text('<gesture name="wave"/>' * 1000)  # 2 MB
        ended = saying.end().done()
        self.assertEqual(ended.reason, 1)
        self.assertIn("more than 100 marks in a row", "; ".join(saying.notes()))
        self.assertLess(self.source.memory_mb(), 80)


class SocketTest(SayStreamTest):
    """The same for pages: a WebSocket of renderer_sink view."""

    def setUp(self):
        super().setUp()
        self.view = Server("renderer_sink", "view", "--from", self.graph.address, "--say-to",
                           self.source.address, "--http", "127.0.0.1:0")

    def tearDown(self):
        self.assertEqual(self.view.stop(), 0)
        super().tearDown()

    def socket(self, *parts):
        socket = WebSocket(self.view.http_port, "/source/stream")
        for part in parts:
            if isinstance(part, bytes):
                socket.send(part, 2)
            else:
                socket.send(json.dumps(part))
        return socket

    def read(self, socket):
        """Events to the close, and its code."""
        self.assertTrue(socket.wait(lambda s: s.ended))
        return socket.others, socket.close_code

    def test_a_page_says_a_text_as_it_is_written(self):
        socket = self.socket({"begin": {"stream_id": STREAM}}, {"text": "Hello from "},
                             {"text": "a page."}, {"end": {}})
        events, code = self.read(socket)
        self.assertEqual([e["word"]["text"] for e in events if "word" in e],
                         ["Hello", "from", "a", "page."])
        self.assertEqual(events[-1]["ended"]["reason"], "COMPLETED")
        self.assertEqual(code, 1000)

    def test_a_page_sends_a_voice(self):
        voice = struct.pack("<h", 1000) * 16000
        socket = self.socket({"begin": {"stream_id": STREAM, "sound": {"rate_hz": 16000}}},
                             voice[:10000], voice[10000:], {"end": {}})
        events, code = self.read(socket)
        self.assertEqual((events[-1]["ended"]["reason"], code), ("COMPLETED", 1000))
        self.assertTrue(self.pulled.wait_for(lambda p: voice in p.audio()))

    def test_what_is_wrong_is_said_before_it_closes(self):
        for parts, words in (([{"text": "Hello."}], "begin is missing"),
                             ([b"ab"], "begin is missing"),
                             ([{"begin": {"stream_id": STREAM, "speed": 7}}], "speed: 7"),
                             ([{"nonsense": 1}], "not the JSON of SayPart")):
            events, code = self.read(self.socket(*parts))
            self.assertIn(words, events[-1]["error"])
            self.assertEqual(code, 1008)

    def test_a_page_that_goes_stops_the_avatar(self):
        socket = self.socket({"begin": {"stream_id": STREAM}}, {"text": COUNTED})
        self.until(lambda: self.playing())
        socket.send(struct.pack(">H", 1001), 8)
        self.until(lambda: not self.playing(), 3)


class LengthTest(unittest.TestCase):
    """A text as long as a book's chapter, as fast as it can be made."""

    SENTENCES = ["The painter bought %s plums.", "Did Emma see the %s boat by the bridge?",
                 "My brother, who was late, carried %s lamps home in the rain.",
                 "Nobody in the harbour remembered the %s captain, and so they waited!"]
    NUMBERS = "two blue seven quiet eleven little twenty golden".split()
    EXACT_S = 1 / 30 + 1 / 16000  # a frame, and the part of a sample at which it begins

    def say(self, words):
        source = Server("a2f_source", "serve", "--to", "none", "--rate", "burst", "--stream-id",
                        STREAM)
        self.addCleanup(source.stop)
        client, sink = Source(source.address), Client(source.address)
        self.addCleanup(client.close)
        self.addCleanup(sink.close)
        frames = sink.pull(STREAM, timeout=600)
        sound, memory = bytearray(), []

        def read():
            try:
                for message in frames:
                    sound.extend(message.animation_data.audio.audio_buffer)
            except grpc.RpcError:
                pass
        reader = threading.Thread(target=read, daemon=True)
        reader.start()
        saying = Saying(client)
        written, i = 0, 0
        while written < words:
            sentence = self.SENTENCES[i % 4] % self.NUMBERS[i // 4 % 8]
            for word in sentence.split():
                saying.text(word + " ")
            written += len(sentence.split())
            i += 1
        saying.end()
        while saying._reader.is_alive():
            saying._reader.join(0.5)
            memory.append(source.memory_mb())
        # The last frames may still be on their way when the speech ends.
        until(lambda: len(sound) / 32000 >= saying.ended.spoken_s - self.EXACT_S)
        frames.cancel()
        return saying, bytes(sound), memory, written

    def onsets(self, saying, sound):
        """How long after each clause's first word begins, by its time, it is heard."""
        words = iter(saying.of("word"))
        samples = struct.unpack(f"<{len(sound) // 2}h", sound)
        late = []
        for clause in saying.of("clause"):
            first = [next(words) for _ in clause.text.split()][0]
            at = max(0, round((first.start_s - 0.1) * 16000))
            heard = next((k for k in range(at, at + 8000) if abs(samples[k]) > 200), None)
            if heard is not None:
                late.append(heard / 16000 - first.start_s)
        return late

    def check(self, words):
        saying, sound, memory, written = self.say(words)
        self.assertEqual(saying.ended.reason, 1, saying.ended)
        self.assertEqual(len(saying.words()), written)
        self.assertAlmostEqual(len(sound) / 32000, saying.ended.spoken_s, delta=self.EXACT_S)
        late = self.onsets(saying, sound)
        third = len(late) // 3
        median = lambda values: sorted(values)[len(values) // 2]
        drift = median(late[-third:]) - median(late[:third])
        self.assertLess(abs(drift), 0.005, (median(late[:third]), median(late[-third:])))
        third = len(memory) // 3
        growth = max(memory[-third:] or [0]) - max(memory[:third] or [0])
        self.assertLess(growth, 8, memory)

    def test_a_thousand_words_do_not_drift(self):
        self.check(1000)

    @long_level
    def test_ten_thousand_words_do_not_drift_and_memory_stays(self):
        self.check(10000)


if __name__ == "__main__":
    unittest.main()
