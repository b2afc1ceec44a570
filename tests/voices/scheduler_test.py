"""Synthesis threads shared between requests."""

import os
import select
import threading
import time
import unittest

from fake_voice import TIMEOUT_S, FakeSpeaker
from kokoro_voice.http.request import SpeechRequest
from kokoro_voice.synthesis.piece import Piece
from kokoro_voice.synthesis.scheduler import Busy, Closed, Failed, Finished, Scheduler


def request(voice="af_heart"):
    return SpeechRequest("text", voice, "en-US")


def take(run):
    """The next piece, waited for."""
    while True:
        piece = run.take()
        if piece is not None:
            return piece
        if not select.select([run], [], [], TIMEOUT_S)[0]:
            raise AssertionError("no piece")


class SchedulerTest(unittest.TestCase):
    def setUp(self):
        self.speaker = FakeSpeaker()

    def start(self, **how):
        scheduler = Scheduler(self.speaker, **how)
        self.addCleanup(scheduler.close)
        self.addCleanup(self.speaker.release)
        begin = scheduler.begin

        def begin_and_cancel(*arguments):
            run = begin(*arguments)
            self.addCleanup(run.cancel)
            return run

        scheduler.begin = begin_and_cancel
        return scheduler

    def test_gives_the_clauses_in_order_and_then_ends(self):
        run = self.start().begin(request(), ["one two", "three", "four"])
        self.assertEqual([take(run).text for _ in range(3)], ["one two", "three", "four"])
        self.assertRaises(Finished, take, run)

    def test_synthesises_ahead_of_the_reader(self):
        self.start().begin(request(), ["one", "two", "three"])
        self.speaker.await_(lambda: len(self.speaker.spoken) == 3)

    def test_stops_far_ahead_of_a_reader_and_goes_on_when_read(self):
        clause = "x " * 100  # 10 s
        scheduler = self.start()
        run = scheduler.begin(request(), [clause] * 6)
        self.speaker.await_(lambda: len(self.speaker.spoken) == 3)
        other = scheduler.begin(request("bf_emma"), ["other"])
        self.assertEqual(take(other).text, "other")
        self.assertEqual(len(self.speaker.started), 4)
        for _ in range(6):
            take(run)
        self.assertRaises(Finished, take, run)

    def test_a_new_request_comes_before_one_that_is_ahead(self):
        scheduler = self.start()
        first = scheduler.begin(request(), ["x " * 50, "x wait", "last"])
        self.speaker.await_(lambda: "x wait" in self.speaker.started)
        second = scheduler.begin(request("bf_emma"), ["new"])
        self.speaker.release()
        self.assertEqual(take(second).text, "new")
        for _ in range(3):
            take(first)
        self.assertEqual([clause for _, clause in self.speaker.spoken][2:], ["new", "last"])

    def test_refuses_more_requests_than_it_has_places(self):
        scheduler = self.start(most_runs=2)
        runs = [scheduler.begin(request(), ["wait"]) for _ in range(2)]
        self.assertRaises(Busy, scheduler.begin, request(), ["wait"])
        runs[1].cancel()
        scheduler.begin(request(), ["free"])

    def test_a_cancel_stops_the_clause_in_synthesis_at_once(self):
        scheduler = self.start()
        run = scheduler.begin(request(), ["wait", "never"])
        self.speaker.await_(lambda: self.speaker.started)
        began = time.monotonic()
        run.cancel()
        self.speaker.await_(lambda: self.speaker.stopped)
        self.assertLess(time.monotonic() - began, 2)
        self.assertEqual(scheduler.unfinished(), 0)
        other = scheduler.begin(request(), ["other"])
        self.assertEqual(take(other).text, "other")
        self.assertNotIn("never", self.speaker.started)

    def test_a_cancel_twice_and_after_the_end_is_nothing(self):
        run = self.start().begin(request(), ["one"])
        take(run)
        run.cancel()
        run.cancel()

    def test_a_clause_that_fails_ends_its_request_only(self):
        scheduler = self.start()
        with self.assertLogs(level="ERROR"):
            run = scheduler.begin(request(), ["one", "break", "three"])
            self.assertEqual(take(run).text, "one")
            self.assertRaises(Failed, take, run)
        run = scheduler.begin(request(), ["fine"])
        self.assertEqual(take(run).text, "fine")
        self.assertRaises(Finished, take, run)
        self.assertEqual(scheduler.unfinished(), 0)

    def test_a_clause_that_says_nothing_is_passed_over(self):
        class Mute(FakeSpeaker):
            def speak(self, request, clause, stop):
                if clause != "mute":
                    yield from super().speak(request, clause, stop)

        self.speaker = Mute()
        run = self.start().begin(request(), ["mute", "heard", "mute"])
        self.assertEqual(take(run).text, "heard")
        self.assertRaises(Finished, take, run)

    def test_a_clause_of_many_pieces_is_sent_piece_by_piece(self):
        class Long(FakeSpeaker):
            def speak(self, request, clause, stop):
                for word in clause.split():
                    yield from super().speak(request, word, stop)

        self.speaker = Long()
        run = self.start().begin(request(), ["one wait", "end"])
        self.assertEqual(take(run).text, "one")
        self.speaker.release()
        self.assertEqual([take(run).text for _ in range(2)], ["wait", "end"])
        self.assertRaises(Finished, take, run)

    def test_two_threads_synthesise_two_requests_at_once_but_one_clause_of_each(self):
        scheduler = self.start(threads=2)
        runs = [scheduler.begin(request(), [f"wait {n}", f"later {n}"]) for n in range(2)]
        self.speaker.await_(lambda: len(self.speaker.started) == 2)
        self.assertEqual(set(self.speaker.started), {"wait 0", "wait 1"})
        self.speaker.release()
        for number, run in enumerate(runs):
            self.assertEqual(
                [take(run).text for _ in range(2)], [f"wait {number}", f"later {number}"]
            )

    def test_closing_ends_all_requests_and_threads(self):
        scheduler = Scheduler(self.speaker)
        run = scheduler.begin(request(), ["wait", "more"])
        self.addCleanup(run.cancel)
        self.speaker.await_(lambda: self.speaker.started)
        before = threading.active_count()
        scheduler.close()
        self.assertEqual(threading.active_count(), before - 1)
        self.assertRaises(Closed, take, run)
        self.assertRaises(Closed, scheduler.begin, request(), ["new"])

    def test_a_thousand_cancelled_requests_leave_no_descriptor(self):
        scheduler = self.start()
        count = len(os.listdir("/proc/self/fd"))
        for _ in range(1000):
            scheduler.begin(request(), ["one"]).cancel()
        self.assertLessEqual(len(os.listdir("/proc/self/fd")), count)

    def test_a_piece_knows_how_long_it_lasts(self):
        self.assertEqual(Piece("", bytes(48000)).seconds, 1.0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
