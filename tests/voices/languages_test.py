"""espeak-ng's own voices: sound, and marks that cover it, in twenty languages. Long level: installs
Kokoro's packages, which espeak-ng is one of, into build/voices/kokoro if they are not there."""

import base64
import http.client
import json
import os
import re
import subprocess
import unicodedata
import unittest
from array import array
from pathlib import Path

import voice_tree
from fake_voice import TIMEOUT_S, events, speech

RATE_HZ = 24000
BLOCK = RATE_HZ // 100  # 10 ms
HEARD = 200  # of 32768; a resampled sound rings a little into its silences
# Sentences and how many times the lips close: p, b and m.
SENTENCES = {
    "de": ("Guten Morgen, liebe Mama! Der Bäcker backt fünf Brote.", 7),
    "ru": ("Доброе утро, мама! Папа купил большую рыбу.", 8),
    "ar": ("صباح الخير يا أمي! شرب الولد الماء البارد.", 6),
    "ja": ("おはようございます。ママとパパはパンをたべました。", 7),
    "pl": ("Dzień dobry, mamo! Babcia upiekła pięć bułek.", 6),
    "nl": ("Goedemorgen, mama! Papa bakt een brood.", 7),
    "sv": ("God morgon, mamma! Pappa bakade sju bullar.", 7),
    "da": ("Godmorgen, mor! Min far bagte mange brød.", 5),
    "nb": ("God morgen, mamma! Pappa bakte brød.", 6),
    "fi": ("Hyvää huomenta, äiti! Isä leipoi pullaa.", 3),
    "cs": ("Dobré ráno, maminko! Tatínek upekl pět buchet.", 6),
    "hu": ("Jó reggelt, mama! Apa öt szép almát vett.", 5),
    "ro": ("Bună dimineața, mamă! Tata a cumpărat pâine.", 7),
    "uk": ("Доброго ранку, мамо! Тато купив п'ять яблук.", 6),
    "tr": ("Günaydın baba! Annem beş büyük balık pişirdi.", 6),
    "el": ("Καλημέρα, μαμά! Ο μπαμπάς αγόρασε ψωμί.", 7),
    "ko": ("안녕하세요, 어머니! 아버지가 밥을 먹고 바다에 갑니다.", 6),
    "vi": ("Chào buổi sáng, mẹ! Bố mua một quyển sách.", 4),
    "cmn": ("早上好，妈妈！爸爸买了一本书。", 6),
    "id": ("Selamat pagi, mama! Bapak membeli pepaya.", 9),
}

# Voices that read no digits.
NO_DIGITS = {
    "espeak-chr-US-Qaaa-x-west": "ᎣᏏᏲ ᎣᏏᏲ ᎣᏏᏲ ᏙᎯᏧ ᏙᎯᏧ.",
    "espeak-cv": "Салам, атте! Анне ҫӑкӑр пӗҫернӗ.",
    "espeak-sjn": "Mae govannen, mellon nîn, gwanur.",
}


def known_signs():
    """The IPA that the client has a shape of the mouth for."""
    source = (voice_tree.ROOT / "libs/speech/phones.cc").read_text(encoding="utf-8")
    return set(re.findall(r'(?:Vowel|Glide|Consonant)\("([^"\\]+)"', source))


class LanguagesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        voice_tree.install()
        cls.server = subprocess.Popen(
            [str(voice_tree.KOKORO / "kokoro"), "--port", "0", "--espeak-only"],
            env={**os.environ, "POSEWIRE_KOKORO": str(voice_tree.INSTALLED)},
            stdout=subprocess.PIPE,
            text=True,
        )
        cls.addClassCleanup(cls.stop)
        cls.port = json.loads(cls.server.stdout.readline())["http_port"]

    @classmethod
    def stop(cls):
        cls.server.terminate()
        cls.server.wait(TIMEOUT_S)
        cls.server.stdout.close()

    def get(self, path):
        connection = self.connect()
        connection.request("GET", path)
        return json.loads(connection.getresponse().read())

    def connect(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_S)
        self.addCleanup(connection.close)
        return connection

    def say(self, **body):
        """(samples, events with marks)"""
        connection = self.connect()
        response = speech(connection, stream_format="sse", response_format="pcm", **body)
        found = events(response.read())
        connection.close()
        self.assertEqual(response.status, 200, found)
        sound = b"".join(
            base64.b64decode(event["audio"])
            for event in found
            if event["type"] == "speech.audio.delta"
        )
        return array("h", sound), [e for e in found if e["type"] == "speech.audio.marks"]

    def check(self, samples, marks):
        """The phonemes of all sentences, after a look at their times."""
        phonemes = [phoneme for event in marks for phoneme in event["phonemes"]]
        covered = bytearray(len(samples) // BLOCK + 1)
        end = 0.0
        for phoneme in phonemes:
            self.assertGreaterEqual(phoneme["start"], end - 1e-4)
            self.assertGreater(phoneme["end"], phoneme["start"])
            end = phoneme["end"]
            first = int(phoneme["start"] * RATE_HZ / BLOCK)
            last = int(end * RATE_HZ / BLOCK) + 1
            covered[first:last] = b"\1" * (last - first)
        self.assertLessEqual(end, len(samples) / RATE_HZ)
        loud = [
            max(map(abs, samples[at : at + BLOCK])) > HEARD for at in range(0, len(samples), BLOCK)
        ]
        bare = [n / 100 for n, heard in enumerate(loud) if heard and not covered[n]]
        self.assertEqual(bare, [], "seconds that are heard and have no phoneme")
        self.assertGreater(sum(loud), 100)  # a second of speech
        # What is covered and silent are the closures of stops.
        quiet = sum(1 for n, heard in enumerate(loud) if covered[n] and not heard)
        self.assertLess(quiet, 0.3 * sum(covered))
        return phonemes

    def test_sound_has_marks_that_cover_it_and_lips_that_close(self):
        signs = known_signs()
        self.assertGreater(len(signs), 100)
        for language, (text, closures) in SENTENCES.items():
            with self.subTest(language):
                samples, marks = self.say(input=text, language=language, voice=f"espeak-{language}")
                phonemes = self.check(samples, marks)
                closed = [p["ph"] for p in phonemes if p["ph"][0] in "pbm"]
                self.assertGreaterEqual(len(closed), closures, [p["ph"] for p in phonemes])
                self.assertGreater(len([word for event in marks for word in event["words"]]), 1)
                for phoneme in phonemes:
                    for sign in phoneme["ph"]:
                        if unicodedata.category(sign) in ("Ll", "Lo", "Lu"):
                            plain = unicodedata.normalize("NFD", sign)[0]
                            self.assertTrue({sign, plain} & signs, phoneme["ph"])

    def test_marks_follow_the_speed(self):
        text = SENTENCES["de"][0]
        lengths = []
        for speed in (0.5, 1, 2):
            samples, marks = self.say(input=text, language="de", speed=speed)
            self.check(samples, marks)
            lengths.append(len(samples))
        self.assertAlmostEqual(lengths[0] / lengths[1], 2, delta=0.3)
        self.assertAlmostEqual(lengths[1] / lengths[2], 2, delta=0.3)

    def test_every_voice_of_the_list_speaks(self):
        voices = self.get("/v1/audio/voices")["voices"]
        self.assertGreater(len(voices), 100)
        for voice in voices:
            with self.subTest(voice["id"]):
                text = NO_DIGITS.get(voice["id"], "1, 2, 3, 4 5 6 7 8 9 10 11")
                samples, marks = self.say(input=text, voice=voice["id"])
                self.check(samples, marks)

    def test_a_text_of_many_sentences_comes_whole(self):
        text = "Der Bäcker backt Brot, und Mama mag es. " * 100
        samples, marks = self.say(input=text, language="de")
        self.check(samples, marks)
        self.assertEqual(len(marks), 100)
        self.assertEqual(sum(len(event["words"]) for event in marks), 800)

    def test_espeak_is_not_loaded_into_the_server(self):
        self.say(input="Ja.", language="de")
        maps = Path(f"/proc/{self.server.pid}/maps").read_text(encoding="utf-8")
        self.assertNotIn("libespeak", maps)


if __name__ == "__main__":
    unittest.main(verbosity=2)
