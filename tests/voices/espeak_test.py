"""espeak-ng's voices with a made-up child process: marks, languages, the process, the server."""

import json
import sys
import threading
import time
import unittest
from array import array
from unittest import mock

import voice_tree
from fake_espeak_child import RATE_HZ, VOICES
from fake_voice import TIMEOUT_S, FakeServer, events, speech
from kokoro_voice.espeak import marks, process
from kokoro_voice.espeak.process import SpeechProcess, Stop, Stopped
from kokoro_voice.espeak.speaker import EspeakSpeaker
from kokoro_voice.espeak.voices import EspeakVoices, canonical
from kokoro_voice.g2p.espeak import EspeakFailed
from kokoro_voice.voices import UnknownLanguage, UnknownVoice, VoiceList

CHILD = [sys.executable, "-B", str(voice_tree.DATA.parent / "fake_espeak_child.py")]
MOST_CANCEL_S = 0.05


def sound(*parts):
    """Samples of (milliseconds, level) at 1 kHz."""
    return array("h", [level for ms, level in parts for _ in range(ms)])


def phonemes(samples, *named):
    return marks.phonemes(samples, 1000, [(at, "phoneme", name) for at, name in named])


def times(found):
    return [(mark["ph"], round(mark["start"], 3), round(mark["end"], 3)) for mark in found]


class MarksTest(unittest.TestCase):
    def test_the_closure_before_a_stop_belongs_to_it(self):
        found = phonemes(sound((100, 9), (50, 0), (100, 9)), (0, "ˈaː"), (150, "p"))
        self.assertEqual(times(found), [("a", 0, 0.1), ("p", 0.1, 0.25)])
        self.assertEqual(found[0]["stress"], 1)
        self.assertNotIn("stress", found[1])

    def test_a_pause_is_silence_up_to_the_closure(self):
        samples = sound((100, 9), (300, 0), (100, 9), (200, 0), (100, 9))
        found = phonemes(samples, (0, "a"), (100, ""), (400, "b"), (500, ""), (700, "i"))
        self.assertEqual(times(found), [("a", 0, 0.1), ("b", 0.32, 0.5), ("i", 0.7, 0.8)])

    def test_a_short_silence_before_another_sound_belongs_to_that(self):
        found = phonemes(sound((100, 9), (30, 0), (100, 9)), (0, "a"), (130, "f"))
        self.assertEqual(times(found), [("a", 0, 0.1), ("f", 0.1, 0.23)])

    def test_modifiers_and_tones_belong_to_the_phoneme_before(self):
        found = phonemes(sound((300, 9)), (0, "p"), (100, "ʲ"), (150, "(en)"), (200, "5"))
        self.assertEqual(times(found), [("pʲ", 0, 0.3)])

    def test_espeak_s_own_signs_become_ipa(self):
        for name, ipa in (
            ("ˈɔːɹ", "ɔɹ"),
            ("s.", "ʂ"),
            ("?ɑ", "ʔɑ"),
            ("dZ", "dʒ"),
            ("t`", "t"),
            ("a:", "a"),
            ("(en)", ""),
            ("", ""),
            (" ", ""),
        ):
            self.assertEqual(marks.ipa(name), ipa, name)

    def test_events_outside_the_sound_give_nothing(self):
        found = phonemes(sound((100, 9)), (-5, "a"), (100, "b"), (5000, "c"))
        self.assertEqual(times(found), [("a", 0, 0.1)])
        self.assertEqual(phonemes(array("h"), (0, "a")), [])
        self.assertEqual(marks.phonemes(sound((100, 9)), 1000, []), [])

    def words(self, text, language, *events):
        found = marks.phonemes(sound((1000, 9)), 1000, list(events))
        return [
            (word["text"], round(word["start"], 3), round(word["end"], 3))
            for word in marks.words(text, language, events, found)
        ]

    def test_words_are_as_written(self):
        found = self.words(
            '"25-mal, ja!"',
            "de",
            (0, "word", 1, 2),
            (0, "phoneme", "f"),
            (300, "word", 2, 2),
            (300, "phoneme", "ʊ"),
            (500, "word", 4, 3),
            (500, "phoneme", "m"),
            (600, "word", 9, 2),
            (600, "phoneme", "j"),
        )
        self.assertEqual(found, [("25-mal", 0, 0.6), ("ja", 0.6, 1.0)])

    def test_without_spaces_a_word_is_what_espeak_takes_for_one(self):
        found = self.words(
            "你好。",
            "cmn",
            (0, "word", 0, 1),
            (0, "phoneme", "n"),
            (500, "word", 1, 1),
            (500, "phoneme", "x"),
        )
        self.assertEqual(found, [("你", 0, 0.5), ("好", 0.5, 1.0)])

    def test_words_keep_their_vowel_signs(self):
        found = self.words("माँ।", "hi", (0, "word", 0, 2), (0, "phoneme", "m"))
        self.assertEqual([text for text, _, _ in found], ["माँ"])


class VoicesTest(unittest.TestCase):
    voices = EspeakVoices(VOICES)

    def test_a_language_gets_its_nearest_voice(self):
        for tag, language in (
            ("de", "de"),
            ("DE_at", "de"),
            ("fr", "fr-FR"),
            ("fr-BE", "fr-BE"),
            ("fr-CA", "fr-FR"),
            ("en", "en-GB"),
            ("zh-Hant-TW", "cmn"),
            ("cmn-Latn-pinyin", "cmn-Latn-pinyin"),
        ):
            self.assertEqual(self.voices.speaks(tag).language, language, tag)
        for tag in ("xx", "", "-", "d", "xex", "zh-HK"):
            found = self.voices.speaks(tag)
            self.assertEqual(found and found.language, "cmn" if tag == "zh-HK" else None, tag)

    def test_tags_are_written_as_bcp_47_writes_them(self):
        for tag in ("de", "pt-BR", "es-419", "cmn-Latn-pinyin", "en-GB-x-rp", "vi-VN-x-south"):
            self.assertEqual(canonical(tag.lower()), tag)

    def test_the_choice_between_the_engines(self):
        voices = VoiceList(["af_heart", "ff_siwis"], self.voices)
        for name, tag, voice, language in (
            (None, None, "af_heart", "en-US"),
            (None, "fr-CA", "ff_siwis", "fr"),
            (None, "de-CH", "espeak-de", "de"),
            (None, "ja", "espeak-ja", "ja"),
            ("espeak-fr", None, "espeak-fr-FR", "fr-FR"),
            ("espeak-fr-BE", "fr", "espeak-fr-BE", "fr-BE"),
            ("af_heart", "fr", "af_heart", "fr"),
        ):
            found = voices.choose(name, tag)
            self.assertEqual((found[0].name, found[1]), (voice, language), (name, tag))
        for name, tag, pattern in (
            ("af_heart", "de", "'af_heart' does not speak 'de'.*'espeak-de'"),
            ("af_heart", "xx", "valid: en-US.*espeak-ng: cmn,.* de, "),
            ("espeak-de", "fr", "'espeak-de' does not speak 'fr'; valid: de"),
            (None, "xx", "valid: en-US"),
        ):
            with self.assertRaisesRegex(UnknownLanguage, pattern):
                voices.choose(name, tag)
        with self.assertRaisesRegex(UnknownVoice, "no voice 'espeak-xx'; valid: af_heart.*espeak-"):
            voices.choose("espeak-xx", None)

    def test_without_kokoro_the_other_voices_speak_all(self):
        voices = VoiceList([], self.voices)
        self.assertEqual(voices.choose(None, None)[0].name, "espeak-en-US")
        self.assertEqual(voices.choose(None, "fr")[0].name, "espeak-fr-FR")
        self.assertRaises(UnknownLanguage, voices.choose, None, "xx")
        self.assertRaises(UnknownVoice, voices.choose, "alloy", None)

    def test_without_espeak_nothing_is_promised(self):
        voices = VoiceList(["af_heart"])
        with self.assertRaisesRegex(UnknownLanguage, "^((?!espeak).)*$"):
            voices.choose(None, "de")
        with self.assertRaisesRegex(UnknownVoice, "^((?!or espeak|espeak- with).)*$"):
            voices.choose("espeak-de", None)


def note_asking(speech_process):
    """An event that is set when the process is asked something, and can be killed."""
    asked, exchange = threading.Event(), speech_process._exchange

    def note(request):
        asked.set()
        return exchange(request)

    speech_process._exchange = note
    return asked


class ProcessTest(unittest.TestCase):
    def setUp(self):
        self.process = SpeechProcess(CHILD)
        self.addCleanup(self.process.close)

    def speak(self, text, stop=None):
        return self.process.speak("x/de", text, 175, stop or Stop())

    def test_speaks_again_after_it_ended(self):
        rate_hz, pcm, found = self.speak("ab")
        self.assertEqual((rate_hz, len(pcm), len(found)), (RATE_HZ, 2 * 2 * 2400, 3))
        self.process._process.kill()
        self.process._process.wait()
        self.assertEqual(len(self.speak("abc")[1]), 3 * 2 * 2400)

    def test_failures_are_reported_and_do_not_last(self):
        for text, pattern in (("die", "ended"), ("garbage", "failed"), ("wrong", "no voice")):
            with self.assertRaisesRegex(EspeakFailed, pattern):
                self.speak(text)
            self.assertEqual(len(self.speak("a")[1]), 2 * 2400)

    def test_an_answer_that_does_not_come_is_an_error(self):
        with mock.patch.object(process, "TIMEOUT_S", 0.1):
            with self.assertRaisesRegex(EspeakFailed, "no answer within 0.1 s"):
                self.speak("hang")

    def test_a_missing_program_is_an_error(self):
        self.assertRaises(EspeakFailed, SpeechProcess(["/nowhere/python"]).voices)

    def test_cancel_ends_a_sentence_at_once(self):
        self.speak("a")  # the process runs
        stop, ended = Stop(), threading.Event()

        def speak():
            try:
                self.speak("hang", stop)
            except Stopped:
                ended.set()

        asked = note_asking(self.process)
        thread = threading.Thread(target=speak)
        thread.start()
        self.assertTrue(asked.wait(TIMEOUT_S))
        began = time.monotonic()
        stop.cancel()
        thread.join(TIMEOUT_S)
        self.assertTrue(ended.is_set())
        self.assertLess(time.monotonic() - began, MOST_CANCEL_S)
        self.assertEqual(len(self.speak("a")[1]), 2 * 2400)

    def test_what_was_cancelled_before_is_not_asked(self):
        stop = Stop()
        stop.cancel()
        self.assertRaises(Stopped, self.speak, "a", stop)


class ServerTest(unittest.TestCase):
    styles = ["af_heart", "ff_siwis"]

    def setUp(self):
        self.process = SpeechProcess(CHILD)
        self.addCleanup(self.process.close)
        voices = EspeakVoices(self.process.voices())
        speaker = EspeakSpeaker(self.process, voices.ids())
        self.fake = FakeServer(queue=1, styles=self.styles, espeak=(voices, speaker))
        self.addCleanup(self.fake.close)

    def say(self, **body):
        connection = self.fake.connect()
        self.addCleanup(connection.close)
        return speech(connection, response_format="pcm", **body)

    def test_the_list_ends_with_espeak_s_voices(self):
        connection = self.fake.connect()
        self.addCleanup(connection.close)
        connection.request("GET", "/v1/audio/voices")
        found = json.loads(connection.getresponse().read())["voices"]
        listed = [voice for voice in found if voice["engine"] == "espeak-ng"]
        self.assertEqual(listed, found[-len(listed) :])
        self.assertIn(
            {
                "id": "espeak-ja",
                "name": "espeak-ja",
                "language": "ja",
                "sex": "female",
                "engine": "espeak-ng",
            },
            listed,
        )

    def test_marks_come_with_each_sentence(self):
        found = events(self.say(input="Ab c! De", language="de", stream_format="sse").read())
        first, second = [event for event in found if event["type"] == "speech.audio.marks"]
        self.assertEqual((first["start"], first["end"], first["text"]), (0.0, 0.5, "Ab c!"))
        self.assertEqual((second["start"], second["end"], second["text"]), (0.5, 0.7, "De"))
        self.assertEqual([word["text"] for word in first["words"]], ["Ab", "c"])
        self.assertEqual(second["phonemes"][1], {"ph": "e", "start": 0.6, "end": 0.7})
        self.assertEqual(second["words"], [{"text": "De", "start": 0.5, "end": 0.7}])

    def test_speed_changes_the_pace(self):
        lengths = [len(self.say(input="ab", language="de", speed=s).read()) for s in (0.5, 1, 2)]
        self.assertAlmostEqual(lengths[0] / lengths[1], 2, delta=0.05)
        self.assertAlmostEqual(lengths[1] / lengths[2], 2, delta=0.05)

    def test_a_kokoro_voice_does_not_speak_other_languages(self):
        response = self.say(input="ab", voice="af_heart", language="de")
        self.assertEqual(response.status, 400)
        self.assertIn(b"espeak-de", response.read())

    def test_does_not_wait_for_kokoro_s_queue(self):
        waiting = self.fake.connect()
        self.addCleanup(waiting.close)
        thread = threading.Thread(target=speech, args=(waiting,), kwargs={"input": "wait"})
        thread.start()
        self.fake.speaker.await_(lambda: self.fake.speaker.started)
        self.assertEqual(self.say(input="more").status, 429)
        self.assertEqual(len(self.say(input="ab", voice="espeak-de").read()), 2 * 2 * 2400)
        self.fake.speaker.release()
        thread.join(TIMEOUT_S)

    def test_a_client_that_leaves_ends_the_sentence(self):
        asked = note_asking(self.process)
        client = self.fake.connect()
        body = b'{"input": "hang", "language": "de"}'
        client.request("POST", "/v1/audio/speech", body, {"Content-Type": "application/json"})
        self.assertTrue(asked.wait(TIMEOUT_S))
        child = self.process._process
        client.close()
        child.wait(TIMEOUT_S)
        self.assertEqual(len(self.say(input="ab", language="de").read()), 2 * 2 * 2400)

    def test_a_sentence_that_fails_is_a_server_error(self):
        with self.assertLogs(level="ERROR"):
            self.assertEqual(self.say(input="die", language="de").status, 500)
        self.assertEqual(self.say(input="ab", language="de").status, 200)

    def test_what_says_nothing_is_no_error(self):
        with mock.patch.object(self.process, "speak", return_value=(RATE_HZ, b"", [])):
            self.assertEqual(self.say(input="ab", language="de").read(), b"")


class AloneTest(ServerTest):
    """The same without Kokoro, where that makes no difference, and what does."""

    styles = []
    test_a_kokoro_voice_does_not_speak_other_languages = None
    test_does_not_wait_for_kokoro_s_queue = None

    def test_english_is_spoken_without_a_voice_or_language(self):
        self.assertEqual(len(self.say(input="ab").read()), 2 * 2 * 2400)


class ResampleTest(unittest.TestCase):
    def test_a_tone_keeps_its_time_and_level(self):
        try:
            import numpy
            from kokoro_voice.espeak.resample import resample
        except ImportError:
            self.skipTest("no numpy")

        def tone(rate_hz):
            return 10000 * numpy.sin(2 * numpy.pi * 440 * numpy.arange(rate_hz // 2) / rate_hz)

        for rate_hz in (22050, 16000, 44100, 24000):
            pcm = numpy.rint(tone(rate_hz)).astype("<i2").tobytes()
            found = numpy.frombuffer(resample(pcm, rate_hz, 24000), "<i2").astype(float)
            self.assertEqual(len(found), 12000, rate_hz)
            worst = numpy.abs(found - tone(24000))[100:-100].max()
            self.assertLess(worst, 30, rate_hz)
        self.assertEqual(resample(b"", 22050, 24000), b"")


if __name__ == "__main__":
    unittest.main(verbosity=2)
