"""Text to phonemes: readings, senses and languages, without dictionaries and without espeak-ng."""

import random
import unittest

import voice_tree
from kokoro_voice.g2p import foreign, symbols
from kokoro_voice.g2p.english import numbers, senses, special
from kokoro_voice.g2p.english.lexicon import Lexicon
from kokoro_voice.g2p.english.phonemizer import English
from kokoro_voice.g2p.english.scan import scan
from kokoro_voice.g2p.espeak import clean

GOLD = {
    "hello": "həlˈO",
    "cat": "kˈæt",
    "match": "mˈæʧ",
    "plan": "plˈæn",
    "want": "wˈɑnt",
    "try": "tɹˈI",
    "apple": "ˈæpᵊl",
    "and": "ænd",
    "A": "ˈA",
    "B": "bˈi",
    "C": "sˈi",
    "I": "ˈI",
    "F": "ˈɛf",
    "to": "tu",
    "five": "fˈIv",
    "open": "ˈOpən",
    "on": "ˌɔn",
    "by": {"DEFAULT": "bI", "None": "bˈI"},
    "stop": "stˈɑp",
    "dollars": "dˈɑləɹz",
}


class FakeEspeak:
    """Says each letter as itself."""

    def __init__(self):
        self.asked = []

    def words(self, words, language):
        self.asked.append((words, language))
        return ["".join(letter for letter in word.lower() if letter.isalpha()) for word in words]


def spoken(text, british=False):
    return [word for item in scan(text, british) for word in item.spoken]


class NumbersTest(unittest.TestCase):
    def test_cardinals_count_up_without_gap_or_repetition(self):
        seen = {" ".join(numbers.cardinal(number)) for number in range(20000)}
        self.assertEqual(len(seen), 20000)

    def test_reads_scales(self):
        self.assertEqual(" ".join(numbers.cardinal(1000000000001)), "one trillion one")
        self.assertEqual(
            " ".join(numbers.cardinal(1101, british=True)), "one thousand one hundred and one"
        )
        self.assertEqual(numbers.cardinal(10**30), ["one"] + ["zero"] * 30)

    def test_ordinals_differ_from_cardinals_in_the_last_word_only(self):
        for number in (1, 12, 20, 45, 100, 1009):
            self.assertEqual(numbers.ordinal(number)[:-1], numbers.cardinal(number)[:-1])
            self.assertRegex(numbers.ordinal(number)[-1], "(st|nd|rd|th)$")

    def test_roman_numerals_come_back(self):
        for number in range(1, 300):
            self.assertEqual(numbers.roman(numbers.to_roman(number)), number)
        self.assertEqual(numbers.roman("IIX"), 0)


class ReadingsTest(unittest.TestCase):
    def test_reads_the_table_of_readings(self):
        rows = list(voice_tree.table("readings.tsv"))
        self.assertGreater(len(rows), 50)
        for text, expected in rows:
            with self.subTest(text):
                self.assertEqual(" ".join(spoken(text)), expected)

    def test_british_english_has_the_day_first_and_says_and(self):
        self.assertEqual(
            " ".join(spoken("3/4/2026", british=True)), "the third of April twenty twenty six"
        )
        self.assertEqual(
            " ".join(spoken("120 km", british=True)), "one hundred and twenty kilometres"
        )

    def test_a_reading_is_one_written_word(self):
        self.assertEqual(
            [item.text for item in scan("It costs $3.50, really.", False)],
            ["It", "costs", "$3.50", "", "really", ""],
        )

    def test_takes_any_text(self):
        rng = random.Random(7)
        alphabet = "aZ09 .,:;-–'’\"()/$€%#@&°é漢🙂\u200d\n\tI£½\\[]<>"
        for _ in range(3000):
            text = "".join(rng.choice(alphabet) for _ in range(rng.randrange(40)))
            for item in scan(text, rng.random() < 0.5):
                self.assertTrue(item.spoken or item.text)


class SensesTest(unittest.TestCase):
    def setUp(self):
        self.entries = {}
        for _, word, sense, sounds in voice_tree.table("heteronyms.tsv"):
            self.entries.setdefault(word.lower(), {})[sense] = sounds

    def test_finds_the_sense_of_each_sentence_of_the_list(self):
        rows = list(voice_tree.table("heteronyms.tsv"))
        self.assertGreater(len(rows), 130)
        self.assertGreaterEqual(len(self.entries), 25)
        for sentence, word, sense, _ in rows:
            with self.subTest(sentence):
                words = [w.lower() for w in spoken(sentence)]
                words = ["" if w in ".,?!" else w for w in words]
                at = words.index(word.lower())
                choices = {**self.entries[word.lower()], "DEFAULT": ""}
                found = word.lower() in special.RULES and special.RULES[word.lower()](
                    senses.Place(words, at)
                )
                found = found or senses.sense(words, at, choices)
                self.assertEqual(found if found in choices else "DEFAULT", sense)

    def test_each_word_of_the_list_comes_in_two_senses(self):
        once = [word for word, found in self.entries.items() if len(found) < 2]
        self.assertLessEqual(set(once), {"wound", "tears"})


class EnglishTest(unittest.TestCase):
    def setUp(self):
        self.espeak = FakeEspeak()
        self.english = English(Lexicon(GOLD, {"silverish": "sˈɪlvəɹɪʃ"}, False), self.espeak)

    def say(self, text):
        return "".join(sounds for sounds, _ in self.english.parts(text))

    def test_adds_endings(self):
        self.assertEqual(
            self.say("cats matches cat's planned planning wanted tries"),
            "kˈæts mˈæʧᵻz kˈæts plˈænd plˈænɪŋ wˈɑntᵻd tɹˈIz",
        )

    def test_the_articles_and_to_depend_on_the_next_sound(self):
        self.assertEqual(self.say("the cat"), "ðə kˈæt")
        self.assertEqual(self.say("the apple"), "ði ˈæpᵊl")
        self.assertEqual(self.say("a cat to apple to cat."), "ɐ kˈæt tʊ ˈæpᵊl tə kˈæt.")

    def test_spells_capitals_that_are_no_words(self):
        self.assertEqual(self.say("FBI"), "ˌɛfbˌiˈI")
        self.assertEqual(self.say("CBs"), "sˌibˈiz")
        self.assertEqual(self.say("STOP cat"), "stˈɑp kˈæt")

    def test_asks_espeak_once_for_all_unknown_words(self):
        self.assertEqual(self.say("Zork cat blimp."), "zork kˈæt blimp.")
        self.assertEqual(self.espeak.asked, [(["Zork", "blimp"], "en-US")])

    def test_punctuation_follows_the_word_without_a_space(self):
        self.assertEqual(self.say("Cat, cat — cat!"), "kˈæt, kˈæt— kˈæt!")

    def test_each_written_word_has_its_symbols(self):
        self.assertEqual(
            self.english.parts("Hello $5."),
            [("həlˈO", "Hello"), (" ", None), ("fˈIv dˈɑləɹz", "$5"), (".", None)],
        )

    def test_a_word_that_no_one_knows_says_nothing(self):
        self.assertEqual(self.say("🙂"), "")


class ForeignTest(unittest.TestCase):
    class Espeak:
        def __init__(self, *answers):
            self.answers, self.asked = answers, None

        def ipa(self, texts, voice):
            self.asked = (texts, voice)
            return list(self.answers)

    def test_sends_whole_stretches_and_keeps_the_pauses(self):
        espeak = self.Espeak("le-z amˈi", "wˈi")
        parts = foreign.Foreign(espeak).parts("Les amis, oui !", "fr")
        self.assertEqual(espeak.asked, (["Les amis", "oui"], "fr"))
        self.assertEqual(
            parts,
            [
                ("lez", "Les"),
                (" ", None),
                ("amˈi", "amis"),
                (",", None),
                (" ", None),
                ("wˈi", "oui"),
                ("!", None),
            ],
        )

    def test_a_comma_in_a_number_is_no_pause(self):
        espeak = self.Espeak("x")
        foreign.Foreign(espeak).parts("3,5", "es")
        self.assertEqual(espeak.asked[0], ["3,5"])

    def test_a_number_of_many_words_is_one_written_word(self):
        espeak = self.Espeak("tˈengo veɪntiθˈinko ˈaɲos")
        parts = foreign.Foreign(espeak).parts("tengo 25 años", "es")
        self.assertEqual([word for _, word in parts if word], ["tengo", "25", "años"])

    def test_aligned_words_never_go_back(self):
        rng = random.Random(3)
        for _ in range(500):
            words = ["x" * rng.randint(1, 9) for _ in range(rng.randint(1, 9))]
            sounds = ["y" * rng.randint(1, 9) for _ in range(rng.randint(1, 9))]
            found = foreign.align(words, sounds)
            self.assertEqual(len(found), len(sounds))
            self.assertEqual(found, sorted(found))
            self.assertTrue(all(0 <= word < len(words) for word in found))

    def test_translates_ties_and_drops_language_switches(self):
        self.assertEqual(symbols.other(clean("(en)t^ʃˈa^ɪ(es) d^ʒ-a")), "ʧˈI ʤa")
        self.assertEqual(clean("(^e^n)lˈɛs (^h^i)"), "lˈɛs")
        self.assertEqual(symbols.english("d^ʒˈe^ɪm ɡˈo^ʊ", False), "ʤˈAm ɡˈO")


if __name__ == "__main__":
    unittest.main(verbosity=2)
