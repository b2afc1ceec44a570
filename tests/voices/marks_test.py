"""Durations to phonemes and words; long clauses in pieces."""

import random
import unittest

import voice_tree  # noqa: F401
from kokoro_voice.synthesis import marks
from kokoro_voice.synthesis.piece import cut_parts

STEP, LATE = marks.STEP_S, marks.LATE_S


class MarksTest(unittest.TestCase):
    def phonemes(self, symbols, durations):
        return [
            (m["ph"], round(m["start"] + LATE, 4), round(m["end"] + LATE, 4), m.get("stress", 0))
            for m in marks.phonemes(symbols, durations)
        ]

    def test_times_start_after_the_first_pad_less_the_lag(self):
        self.assertEqual(
            self.phonemes("ma", [10, 2, 4, 1]), [("m", 0.25, 0.3, 0), ("a", 0.3, 0.4, 0)]
        )
        self.assertAlmostEqual(marks.phonemes("ma", [10, 2, 4, 1])[0]["start"], 0.25 - 0.06)

    def test_stress_belongs_to_the_vowel_after_it(self):
        self.assertEqual(
            self.phonemes("bˈAˌi", [0, 2, 1, 3, 1, 2, 0]),
            [("b", 0.0, 0.05, 0), ("eɪ", 0.05, 0.15, 1), ("i", 0.15, 0.225, 2)],
        )

    def test_length_and_nasality_belong_to_the_vowel_before(self):
        self.assertEqual(
            self.phonemes("iːɔ̃", [0, 2, 2, 1, 1, 0]), [("i", 0.0, 0.1, 0), ("ɔ̃", 0.1, 0.15, 0)]
        )

    def test_a_short_space_is_split_and_a_long_one_is_silence(self):
        self.assertEqual(
            self.phonemes("a b", [0, 2, 2, 2, 0]), [("a", 0.0, 0.075, 0), ("b", 0.075, 0.15, 0)]
        )
        self.assertEqual(
            self.phonemes("a b", [0, 2, 8, 2, 0]), [("a", 0.0, 0.05, 0), ("b", 0.25, 0.3, 0)]
        )

    def test_punctuation_is_silence(self):
        self.assertEqual(
            self.phonemes("a, b.", [0, 2, 1, 1, 2, 3, 0]),
            [("a", 0.0, 0.05, 0), ("b", 0.1, 0.15, 0)],
        )

    def test_affricates_and_diphthongs_are_ipa(self):
        self.assertEqual(
            [p[0] for p in self.phonemes("ʤʧAIWOYQTᵊ", [1] * 12)],
            ["dʒ", "tʃ", "eɪ", "aɪ", "aʊ", "oʊ", "ɔɪ", "əʊ", "ɾ", "ə"],
        )

    def test_refuses_durations_of_another_clause(self):
        with self.assertRaisesRegex(ValueError, "3 durations for 2 symbols and 2 pads"):
            marks.phonemes("ab", [1, 2, 3])

    def test_random_clauses_have_ordered_phonemes_that_cover_all_but_pauses(self):
        rng = random.Random(11)
        for _ in range(2000):
            symbols = "".join(rng.choice("abmˈˌ ː,.ʤ(") for _ in range(rng.randint(1, 20)))
            durations = [rng.randint(0, 12) for _ in range(len(symbols) + 2)]
            found = marks.phonemes(symbols, durations)
            sounding = [n for n, s in enumerate(symbols) if s in "abmʤ"]
            self.assertEqual([m["index"] for m in found], sounding)
            for before, after in zip(found, found[1:]):
                self.assertLessEqual(before["end"], after["start"] + 1e-9)
                between = symbols[before["index"] + 1 : after["index"]]
                if not set(between) & set(" ,.("):
                    self.assertAlmostEqual(before["end"], after["start"])
            # A phoneme never lasts longer than it, its marks and the spaces next to it.
            for mark in found:
                self.assertGreaterEqual(mark["end"], mark["start"])
                self.assertLessEqual(mark["end"], (sum(durations[:-1])) * STEP - LATE + 1e-9)

    def test_clamped_marks_are_inside_the_sound(self):
        rng = random.Random(5)
        for _ in range(500):
            durations = [rng.randint(0, 9) for _ in range(6)]
            length = rng.random()
            for mark in marks.clamp(marks.phonemes("abab", durations), -rng.random(), length):
                self.assertTrue(0 <= mark["start"] < mark["end"] <= length)

    def test_a_phoneme_before_a_pause_ends_with_its_sound(self):
        found = marks.phonemes("a, bs.", [0, 12, 4, 0, 4, 20, 4, 0])
        a, b, s = marks.end_with_sound(found, "a, bs.", [(0.1, 0.33), (0.46, 0.9)])
        self.assertEqual((a["end"], s["end"]), (0.1, found[2]["end"]))
        # The silence that starts in b is the hold of a stop within the word.
        self.assertEqual(b, found[1])
        s = marks.end_with_sound(found, "a, bs.", [(0.6, 1.2)])[2]
        self.assertEqual(s["end"], 0.6)

    def test_words_span_their_phonemes(self):
        parts = [("ab", "one"), (" ", None), ("m", "two"), (",", None), ("!", "mute")]
        found = marks.words(parts, marks.phonemes("ab m,!", [0, 2, 2, 1, 2, 4, 1, 0]))
        self.assertEqual([word["text"] for word in found], ["one", "two"])
        self.assertEqual(found[0]["end"], found[1]["start"])

    def test_sent_marks_count_from_the_start_of_the_response(self):
        self.assertEqual(
            marks.rounded({"ph": "a", "start": 0.12345, "end": 0.2, "index": 3}, 10),
            {"ph": "a", "start": 10.1235, "end": 10.2},
        )


class PiecesTest(unittest.TestCase):
    def test_long_clauses_are_cut_and_lose_no_symbol(self):
        rng = random.Random(2)
        for _ in range(300):
            parts = [("a" * rng.randint(1, 60), f"w{n}") for n in range(rng.randint(1, 40))]
            groups = cut_parts(parts, 50)
            sizes = [sum(len(symbols) for symbols, _ in group) for group in groups]
            self.assertLessEqual(max(sizes), 50)
            self.assertEqual(sum(sizes), sum(len(symbols) for symbols, _ in parts))
            texts = [text for group in groups for _, text in group if text]
            self.assertEqual(texts, [text for _, text in parts])

    def test_a_short_clause_is_one_piece(self):
        parts = [("ab", "x"), (" ", None), ("c", "y")]
        self.assertEqual(cut_parts(parts, 50), [parts])


if __name__ == "__main__":
    unittest.main(verbosity=2)
