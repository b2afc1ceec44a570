"""The judge of sound to face, judged on made-up curves."""
import json
import sys
import tempfile
import unittest
from pathlib import Path
from xml.etree import ElementTree

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import curve_plot  # noqa: E402
import lips  # noqa: E402
import phones  # noqa: E402
import score  # noqa: E402
import tables  # noqa: E402

SEGMENTS = [(1.0, 1.08), (2.0, 2.08), (3.0, 3.08)]


def truth(**more):
    return score.Truth(segments=SEGMENTS, duration_s=4, **more)


def closed_at(*closures, duration_s=4):
    """A curve of 100 Hz that is 0 in these times and else 1."""
    times = [k / 100 for k in range(round(duration_s * 100) + 1)]
    values = [0.0 if any(s - 1e-6 <= t <= e + 1e-6 for s, e in closures) else 1.0 for t in times]
    return score.Curve(times, values, duration_s)


def count(curve, what=None, threshold=0.1):
    return score.score(curve, what or truth(), threshold)


class FoundTest(unittest.TestCase):
    def test_finds_what_closes_in_time(self):
        result = count(closed_at(*SEGMENTS))
        self.assertEqual((result.asked, result.found, result.false), (3, 3, 0))

    def test_takes_30_ms_and_no_more(self):
        self.assertEqual(count(closed_at((1.11, 1.13), (1.95, 1.97))).found, 2)
        self.assertEqual(count(closed_at((1.12, 1.14), (1.94, 1.96))).found, 0)

    def test_does_not_find_lips_that_nearly_close(self):
        times = [0, 1.04, 4]
        almost = score.Curve(times, [1, 0.15, 1], 4)
        self.assertEqual(count(almost).found, 0)
        self.assertEqual(count(almost, threshold=0.15).found, 1)

    def test_sees_what_lies_between_two_frames_as_a_line(self):
        curve = score.Curve([0.0, 1.0], [0.0, 1.0], 1)
        self.assertAlmostEqual(curve.values[50], 0.25)
        self.assertAlmostEqual(curve.least(0.5, 0.7)[0], 0.5)

    def test_sees_the_frame_between_two_steps(self):
        times = [0, 1.0 - 1 / 30, 1.0025, 1.0 + 1 / 30, 4]
        self.assertEqual(count(score.Curve(times, [1, 1, 0, 1, 1], 4), threshold=0).found, 1)

    def test_does_not_ask_beside_a_pause(self):
        what = truth(pauses=[(1.1, 1.5), (2.9, 2.98)], beside_pauses=False)
        self.assertEqual(what.asked(), [(2.0, 2.08)])
        self.assertEqual(len(truth(pauses=[(1.1, 1.5)]).asked()), 3)

    def test_holds_the_last_value(self):
        self.assertEqual(score.Curve([0, 1], [1, 0], 2).least(1.5, 2), (0, 1.5))


class FalseTest(unittest.TestCase):
    def test_counts_closures_elsewhere(self):
        result = count(closed_at((0.5, 0.55), (1.5, 1.55), *SEGMENTS))
        self.assertEqual((result.found, result.false), (3, 2))
        self.assertAlmostEqual(result.false_a_minute(), 30)

    def test_a_mouth_that_stays_shut_finds_all_and_is_false_all_the_time(self):
        result = count(closed_at((0, 4)))
        self.assertEqual(result.found, 3)
        # 0.1 to 0.9, 1.18 to 1.9, 2.18 to 2.9 and 3.18 to 3.9, each 200 ms once.
        self.assertEqual(result.false, 16)

    def test_a_mouth_that_never_shuts_finds_nothing(self):
        result = count(closed_at())
        self.assertEqual((result.found, result.false), (0, 0))

    def test_says_where(self):
        (piece,) = score.false_pieces(closed_at((0.5, 0.55)).closures(0.1), truth())
        self.assertAlmostEqual(piece[0], 0.5, delta=0.01)
        self.assertAlmostEqual(piece[1], 0.555, delta=0.01)

    def test_lets_a_closure_last_100_ms_longer(self):
        self.assertEqual(count(closed_at((0.91, 1.17))).false, 0)
        self.assertEqual(count(closed_at((0.91, 1.25))).false, 1)
        self.assertEqual(count(closed_at((0.91, 1.45))).false, 2)

    def test_a_closure_just_beside_a_segment_is_false(self):
        self.assertEqual(count(closed_at((1.13, 1.17))).false, 1)

    def test_lips_may_close_in_pauses(self):
        self.assertEqual(count(closed_at((1.42, 1.88)), truth(pauses=[(1.5, 1.8)])).false, 0)
        self.assertEqual(count(closed_at((1.42, 1.88))).false, 3)

    def test_what_nobody_is_sure_of_is_neither(self):
        unsure = truth(either=[(1.5, 1.55)])
        result = count(closed_at((1.5, 1.55)), unsure)
        self.assertEqual((result.asked, result.false), (3, 0))

    def test_a_minute_is_one_of_speech(self):
        self.assertAlmostEqual(count(closed_at((0.5, 0.55)), truth(pauses=[(1.5, 3.5)]))
                               .false_a_minute(), 30)


class TimesTest(unittest.TestCase):
    def test_says_how_late_lips_meet_and_part(self):
        result = count(closed_at((1.02, 1.14)))
        self.assertAlmostEqual(result.starts_s[0], 0.015, delta=0.006)
        self.assertAlmostEqual(result.ends_s[0], 0.065, delta=0.006)

    def test_median(self):
        self.assertEqual(score.median([3, 1, 2]), 2)
        self.assertEqual(score.median([4, 1, 2, 3]), 2.5)


class SweepTest(unittest.TestCase):
    def test_takes_the_threshold_that_finds_most_within_the_limit(self):
        depths = {0.5: 0.3, 1.04: 0.1, 1.5: 0.6, 2.04: 0.5}
        knots = [k for t, depth in depths.items()
                 for k in ((t - 0.09, 1), (t, depth), (t + 0.09, 1))]
        curve = score.Curve(*zip(*knots), 4)
        pairs = [(curve, truth())]
        counts = score.sweep(pairs, [0.05, 0.2, 0.55, 0.7, 1])
        self.assertEqual([c.found for _, c in counts], [0, 1, 2, 2, 3])
        self.assertEqual(score.best_at(counts, 0)[0], 0.2)
        self.assertEqual(score.best_at(counts, 20)[0], 0.55)
        self.assertEqual(score.best_at(counts, 40)[0], 0.55)
        self.assertIsNone(score.best_at([counts[-1]], 20))

    def test_thresholds_lie_where_segments_are_found(self):
        pairs = [(closed_at(SEGMENTS[0]), truth())]
        self.assertEqual(score.spaced(pairs, 5), [0, 1])


class LipsTest(unittest.TestCase):
    def face(self, **weights):
        return lips.Face([0.0], {shape: [w] for shape, w in weights.items()})

    def test_an_open_jaw_parts_the_lips_and_press_joins_them(self):
        self.assertEqual(self.face().gap(), [0])
        self.assertAlmostEqual(self.face(jawOpen=0.5).gap()[0], 0.5)
        self.assertGreater(self.face(mouthLowerDown=0.3, mouthUpperUp=0.3).gap()[0], 0.1)
        self.assertLess(self.face(mouthPress=0.5).gap()[0], 0)

    def test_mouth_close_is_aces_unless_told(self):
        face = self.face(jawOpen=0.3, mouthClose=0.3)
        self.assertAlmostEqual(face.gap()[0], 0.3)
        self.assertAlmostEqual(face.gap(arkit=True)[0], 0)

    def test_f_bites_and_p_does_not(self):
        # The targets of libs/speech/viseme_table.cc.
        f = self.face(jawOpen=0.05, mouthRollLower=0.47, mouthUpperUp=0.30)
        p = self.face(mouthPress=0.46, mouthRollLower=0.18, mouthRollUpper=0.16)
        a = self.face(jawOpen=0.58, mouthLowerDown=0.26, mouthUpperUp=0.12)
        self.assertGreater(f.bite()[0], 0.5)
        self.assertLess(p.bite()[0], 0.2)
        self.assertLess(a.bite()[0], 0)
        self.assertGreater(f.gap()[0], 0.05)
        self.assertLess(p.gap()[0], 0)

    def test_reads_json_lines(self):
        head = {"animationDataStreamHeader": {
            "audioHeader": {"samplesPerSecond": 8000},
            "skelAnimationHeader": {"blendShapes": ["face/JawOpen", "mouthPressLeft",
                                                    "mouthPressRight"]}}}
        first = {"animationData": {"skelAnimation": {"blendShapeWeights": [
            {"values": [0.5, 0, 1]}]}, "audio": {"audioBuffer": "AAEC"}}}
        second = {"animationData": {"skelAnimation": {"blendShapeWeights": [
            {"timeCode": 0.1, "values": [0.25, 1, 1]}]}}}
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "x.jsonl"
            path.write_text("\n".join(json.dumps(m) for m in (head, first, second, {"status": {}})))
            face = lips.read_jsonl(path)
        self.assertEqual(face.times, [0, 0.1])
        self.assertEqual(face.weight("jawOpen"), [0.5, 0.25])
        self.assertEqual(face.weight("mouthPress"), [0.5, 1])
        self.assertEqual((face.rate_hz, face.pcm), (8000, b"\0\1\2"))


class PhonesTest(unittest.TestCase):
    def test_splits_what_espeak_writes_into_phones_of_the_table(self):
        self.assertEqual(phones.split_phones("pʲ"), ["p"])
        self.assertEqual(phones.split_phones("ˈɑ̃"), ["ɑ"])
        self.assertEqual(phones.split_phones("tʃ"), ["tʃ"])
        self.assertEqual(phones.split_phones("ˌoːɹ"), ["oɹ"])
        with self.assertRaises(ValueError):
            phones.split_phones("p!")

    def test_says_what_the_lips_do(self):
        for phone, kind in (("p", "bilabial"), ("M", "bilabial"), ("v", "labiodental"),
                            ("β", "either"), ("t", None), ("sil", None)):
            self.assertEqual(phones.lips(phone), kind, phone)


class PlotTest(unittest.TestCase):
    def test_draws_a_line_a_method_and_leaves_out_what_is_off_the_scale(self):
        curve = [[0.1, 0.5, 10.0], [0.2, 0.8, 20.0], [0.3, 1.0, 90.0]]
        text = curve_plot.svg([{"title": "a & b", "kinds": {
            "PP": {"curve_tuning": curve, "curve_judged": curve[:1]}}}])
        root = ElementTree.fromstring(text)
        (line,) = root.iter("{http://www.w3.org/2000/svg}polyline")
        self.assertEqual(len(line.get("points").split()), 2)
        self.assertEqual(len(list(root.iter("{http://www.w3.org/2000/svg}circle"))), 1)


class PageTest(unittest.TestCase):
    def test_tables_take_the_place_between_the_marks_and_no_other(self):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "page.md"
            (Path(folder) / "images").mkdir()
            page.write_text(f"before\n{tables.MARKS[0]}\nold\n{tables.MARKS[1]}\nafter\n")
            tables.write_page(page, ["new"], "<svg/>")
            self.assertEqual(page.read_text(),
                             f"before\n{tables.MARKS[0]}\nnew\n{tables.MARKS[1]}\nafter\n")
            page.write_text("a page without marks")
            with self.assertRaises(ValueError):
                tables.write_page(page, ["new"], "<svg/>")
            self.assertEqual(page.read_text(), "a page without marks")


if __name__ == "__main__":
    unittest.main()
