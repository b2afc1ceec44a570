"""Texts cut into clauses."""

import random
import unittest

import voice_tree  # noqa: F401
from kokoro_voice.synthesis import clauses

PARAGRAPH = (
    "When the train finally arrived, nobody on the platform moved, because everyone had been told "
    "that it would not stop. Dr. Smith, who was waiting for his wife, folded his newspaper and "
    "looked at the clock. It was 3.45 p.m. and the rain had begun! Would she come? "
    "A sentence without any pause at all that goes on for a very long time and says nothing much "
    "until the reader has forgotten how it began and simply waits for it to come to an end."
)


class ClausesTest(unittest.TestCase):
    def test_loses_no_word(self):
        self.assertEqual(" ".join(clauses.split(PARAGRAPH)), PARAGRAPH)

    def test_the_first_clause_is_short_and_ends_at_a_pause(self):
        self.assertEqual(clauses.split(PARAGRAPH)[0], "When the train finally arrived,")
        self.assertLessEqual(len(clauses.split("word " * 100)[0]), clauses.FIRST_CHARACTERS)

    def test_a_very_short_first_sentence_is_spoken_with_what_follows(self):
        self.assertEqual(clauses.split("Sure! I can help. Wait."), ["Sure! I can help.", "Wait."])
        self.assertEqual(clauses.split("Yes. " + "word " * 40)[0][:9], "Yes. word")
        self.assertEqual(clauses.split("Yes."), ["Yes."])

    def test_each_clause_is_ready_before_the_sound_so_far_ends(self):
        ready = ends = 0.0
        for number, clause in enumerate(clauses.split(PARAGRAPH)):
            seconds = len(clause) / clauses.CHARACTERS_PER_S
            ready += clauses.START_S + clauses.PACE * seconds
            if number == 0:
                ends = ready
            else:
                self.assertLess(ready, ends + 0.35, clause)
            ends = max(ends, ready) + seconds

    def test_abbreviations_and_decimals_end_no_sentence(self):
        for text in (
            "Mr. Smith met Dr. Jones at 3.5 p.m. today.",
            "The U.S. Senate met.",
            "See e.g. the book.",
            "J. R. Smith came.",
        ):
            self.assertEqual(list(clauses.sentences(text)), [text])
        self.assertEqual(
            list(clauses.sentences("He left. She stayed.")), ["He left.", "She stayed."]
        )
        self.assertEqual(list(clauses.sentences("क्या? हाँ। ठीक")), ["क्या?", "हाँ।", "ठीक"])

    def test_a_voice_that_needs_no_time_gets_whole_sentences(self):
        self.assertEqual(
            list(clauses.whole_sentences("Guten Tag, Bob! كيف حالك؟ نعم. " + "Word " * 30)),
            ["Guten Tag, Bob!", "كيف حالك؟", "نعم.", ("Word " * 30).strip()],
        )
        long = "eins zwei drei, " * 100 + "vier" * 1000
        found = list(clauses.whole_sentences(long))
        self.assertEqual("".join(found).replace(" ", ""), long.replace(" ", ""))
        self.assertLessEqual(max(map(len, found)), clauses.SENTENCE_CHARACTERS * 1.25)
        self.assertTrue(found[0].endswith(","))

    def test_any_text_is_cut_within_limits(self):
        rng = random.Random(4)
        for _ in range(500):
            text = "".join(rng.choice("ab c. ,!?;—") for _ in range(rng.randint(1, 1500)))
            found = clauses.split(text)
            self.assertEqual("".join(found).replace(" ", ""), "".join(text.split()))
            self.assertTrue(
                all(0 < len(clause) <= clauses.MOST_CHARACTERS * 1.25 for clause in found)
            )

    def test_a_word_of_ten_thousand_letters_is_cut(self):
        found = clauses.split("a" * 10000)
        self.assertEqual("".join(found), "a" * 10000)
        self.assertLessEqual(max(map(len, found)), clauses.MOST_CHARACTERS * 1.25)


if __name__ == "__main__":
    unittest.main(verbosity=2)
