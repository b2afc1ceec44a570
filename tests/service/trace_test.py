"""One request is followed through the three programs by the trace that its caller sent."""

import json
import os
import pathlib
import subprocess
import tempfile
import threading
import unittest

from google.protobuf import wrappers_pb2

from posewire_test import BIN, Client, Collector, Server, clip, until

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = f"00-{TRACE}-00f067aa0ba902b7-01"


class Traces(unittest.TestCase):
    def setUp(self):
        self.home = tempfile.TemporaryDirectory()
        self.addCleanup(self.home.cleanup)
        self.graph = Server("anim_graph")
        self.addCleanup(self.graph.stop)
        self.client = Client(self.graph.address)
        self.addCleanup(self.client.close)

    def sink(self):
        """A recorder that follows the stream; the path of its log."""
        log = tempfile.NamedTemporaryFile("w+", suffix=".log")
        self.addCleanup(log.close)
        sink = subprocess.Popen(
            [f"{BIN}/renderer_sink", "record", os.path.join(self.home.name, "take.animdata"),
             "--from", self.graph.address, "--stream-id", "s", "--log-format", "json"], stderr=log)
        self.addCleanup(sink.wait)
        self.addCleanup(sink.kill)
        self.assertTrue(until(lambda: any(
            a.pulls for s in self.client.control("ListStreams").streams for a in s.avatars)))
        return log.name

    def events(self):
        """Lists of (type, traceparent) of requests that begin or end."""
        seen = []
        event = self.client.type("posewire.control.v1.Event")
        call = self.client.method("/posewire.control.v1.ControlService/WatchEvents")(
            self.client.type("posewire.control.v1.WatchEventsRequest")(stream_id="s"))
        self.addCleanup(call.cancel)

        def read():
            try:
                for e in call:
                    seen.append((event.Type.Name(e.type), e.traceparent))
            except Exception:  # it ends with the test
                pass
        threading.Thread(target=read, daemon=True).start()
        return seen

    def assert_followed(self, sink, seen, source_log):
        for kind in ("REQUEST_STARTED", "REQUEST_ENDED"):
            self.assertTrue(until(lambda: (kind, PARENT) in seen), seen)
        self.graph.await_log(f'trace_id="{TRACE}"')
        for line in ("request started", "request ended"):
            self.assertTrue(until(lambda: any(line in text and TRACE in text for text in
                                              self.graph.log_text().splitlines())), line)

        def told():
            return [json.loads(line) for line in pathlib.Path(sink).read_text().splitlines()
                    if TRACE in line]
        self.assertTrue(until(told))
        self.assertEqual([(line["message"], line["trace_id"]) for line in told()],
                         [("a request begins", TRACE)])
        self.assertIn(TRACE, source_log)

    def test_a_text_is_followed_from_who_asks_for_it_to_who_records_it(self):
        source = Server("a2f_source", "serve", "--to", self.graph.address, "--stream-id", "s")
        self.addCleanup(source.stop)
        client = Client(source.address)
        self.addCleanup(client.close)
        sink, seen = self.sink(), self.events()
        say = client.method("/posewire.source.v1.SourceService/Say")
        text = client.type("posewire.source.v1.SayRequest")
        say(text(text="One.", request_id="followed"), timeout=20,
            metadata=[("traceparent", PARENT)])
        source.await_log("said")
        # The next one has no trace, and gets none.
        say(text(text="Two.", request_id="alone"), timeout=20)
        self.assertTrue(until(lambda: ("REQUEST_ENDED", "") in seen), seen)
        self.assert_followed(sink, seen, source.log_text())
        self.assertFalse([line for line in source.log_text().splitlines()
                          if "alone" in line and TRACE in line])

    def test_say_takes_a_trace_from_who_starts_it(self):
        sink, seen = self.sink(), self.events()
        said = subprocess.run(
            [f"{BIN}/a2f_source", "say", "Hello.", "--to", self.graph.address, "--stream-id", "s",
             "--traceparent", PARENT, "--log-level", "info"], capture_output=True, text=True,
            timeout=60)
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assert_followed(sink, seen, said.stderr)
        wrong = subprocess.run(
            [f"{BIN}/a2f_source", "say", "Hello.", "--traceparent", PARENT.upper()],
            capture_output=True, text=True, timeout=60)
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("lower-case hexadecimal", wrong.stderr)

    def test_a_source_that_is_not_ours_sends_it_as_call_metadata(self):
        pulled = Collector(self.client.pull("s"))
        pulled.wait_started()
        self.client.push(clip(self.client, "s", "theirs", 8), metadata=[("traceparent", PARENT)])
        self.assertTrue(pulled.wait_for(lambda c: any(
            "traceparent" in d.metadata for d in c.data())))
        first = next(d for d in pulled.data() if "traceparent" in d.metadata)
        value = wrappers_pb2.StringValue()
        self.assertTrue(first.metadata["traceparent"].Unpack(value))
        self.assertEqual(value.value, PARENT)
        # One that breaks the rules is as good as none, and no fault.
        self.client.push(clip(self.client, "s", "other", 8), metadata=[("traceparent", "00-1-2-3")])
        self.graph.await_log('request_id="other"')
        self.assertEqual(sum("traceparent" in d.metadata for d in pulled.data()), 1)

    def test_what_is_refused_is_followed_too(self):
        with self.assertRaises(Exception):
            self.client.push(clip(self.client, "s", "refused", 8),
                             metadata=[("traceparent", PARENT), ("x-posewire-mode", "fast")])
        self.graph.await_log("push refused")
        line = next(text for text in self.graph.log_text().splitlines() if "push refused" in text)
        self.assertIn(f'trace_id="{TRACE}"', line)


if __name__ == "__main__":
    unittest.main(verbosity=2)
