"""All forms of VMC's messages through real processes: python-osc performs for `a2f_source vmc`, what
comes out of `renderer_sink vmc` goes to python-osc and to a second `a2f_source vmc`."""

import base64
import json
import os
import tempfile
import unittest

import vmc_performance as performance
from control_test import Events
from posewire_test import Collector, GraphTest, until
from vmc_performance import message, messages
from vmc_test import Marionette, Performer, Program, names, send, source

POSE = (0.1, 0.2, 0.3, 0.0, 0.0, 0.0, 1.0)
# What a performer says that a stream has no field for, and what the next marionette must hear of it:
# the same, but for folders.
EVENTS = [
    ("/VMC/Ext/Con", (1, "ClickTrigger", 1, 0, 0, 0.0, 0.0, 0.0)),
    ("/VMC/Ext/Con", (2, "PositionThumbstick", 0, 0, 1, 0.25, -0.5, 0.0)),
    ("/VMC/Ext/Key", (1, "A", 65)),
    ("/VMC/Ext/Key", (0, "A", 65)),
    ("/VMC/Ext/Midi/Note", (1, 3, 60, 0.5)),
    ("/VMC/Ext/Midi/CC/Val", (7, 0.25)),
    ("/VMC/Ext/Midi/CC/Bit", (7, 1)),
    ("/VMC/Thru/ours/theirs", ("text",)),
    ("/VMC/Thru/ours/theirs", ("number", 0.5)),
    ("/VMC/Thru/ours/theirs", ("count", 5)),
]
STATES = [
    *[(f"/VMC/Ext/{kind}/Pos{local}", (f"{kind}{local or '/World'}", *POSE))
      for kind in ("Hmd", "Con", "Tra") for local in ("", "/Local")],
    ("/VMC/Ext/Light", ("Sun", *POSE, 1.0, 0.5, 0.25, 1.0)),
    ("/VMC/Ext/Opt", ("an option",)),
    ("/VMC/Ext/Setting/Color", (0.0, 1.0, 0.0, 1.0)),
    ("/VMC/Ext/Setting/Win", (1, 0, 1, 0)),
    ("/VMC/Ext/Config", ("/models/somebody/settings.json",)),
    ("/VMC/Ext/VRM", ("C:\\models\\anna.vrm", "Anna", "ab" * 32)),
    ("/VMC/Ext/OK", (1, 2, 1, 1)),
]

REMOTE = ("/VMC/Ext/Remote", ("vroidhub", '{"characterModelId":"123"}'))  # instead of VRM


def heard(address, args):
    """What the next marionette hears of it."""
    if address in ("/VMC/Ext/VRM", "/VMC/Ext/Config"):
        return address, (args[0].replace("\\", "/").split("/")[-1], *args[1:])
    return address, args


def same(a, b):
    return len(a) == len(b) and all(
        abs(x - y) < 1e-5 if isinstance(x, float) else (type(x), x) == (type(y), y)
        for x, y in zip(a, b))


class AllForms(GraphTest):
    ARGS = ("--graph", "default")

    def setUp(self):
        super().setUp()
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def chain(self, stream, *asked):
        """Python-osc's performer -> source -> graph -> sink -> a marionette of python-osc's, and one
        of ours that dumps what it gets."""
        marionette = Marionette()
        self.addCleanup(marionette.close)
        dump = os.path.join(self.folder.name, f"{stream}.jsonl")
        first = source(self.server, stream, "--event", "shortcut:Functions.FreeCamera=a",
                       "--event", "calibrate:ready=b", "--event", "calibrate:exec=c",
                       "--event", "calibration:running=d")
        # The second one listens on a port that the sink sends to, and asks the sink's own port.
        second = source(self.server, stream + "-2", "--dump", dump)
        sink = Program("renderer_sink", "--from", self.server.address, "--stream-id", stream,
                       "--to", marionette.address, "--to", f"127.0.0.1:{second.ports['vmc_port']}",
                       "--performer", "0")
        for program in (first, second, sink):
            self.addCleanup(program.stop)
        return marionette, first, second, sink, dump

    def receive_until(self, marionette, wanted):
        """Messages until `wanted` holds of all that came, for at most 20 s."""
        found = []
        for _ in range(100):
            for _, datagram in marionette.receive(0.2):
                found += messages(datagram)
            if wanted(found):
                return found
        return found

    def test_what_a_stream_has_no_field_for_reaches_the_next_marionette_as_it_was(self):
        marionette, first, second, sink, dump = self.chain("forms")
        performer = Performer(first.ports["vmc_port"], lambda t: performance.datagrams(t, "split"))
        self.receive_until(marionette, lambda f: any(a == "/VMC/Ext/Bone/Pos" for a, _ in f))
        # The avatar idles before the performer's request plays.
        pull = Collector(self.client.pull("forms")).wait_started()
        events = Events(self.client, "forms")
        self.assertTrue(until(lambda: "the performer has arrived" in first.log_text()))
        send(first.ports["vmc_port"], *[message(a, *args) for a, args in EVENTS + STATES])
        wanted = [heard(a, args) for a, args in EVENTS + STATES]

        def has(found, address, args):
            return any(a == address and same(x, args) for a, x in found)
        found = self.receive_until(marionette, lambda f: all(has(f, *w) for w in wanted))
        for address, args in wanted:
            self.assertTrue(has(found, address, args), f"{address} {args} did not arrive")
        send(first.ports["vmc_port"], message(REMOTE[0], *REMOTE[1]))
        later = self.receive_until(marionette, lambda f: has(f, *REMOTE))
        self.assertTrue(has(later, *REMOTE))
        wanted.append(REMOTE)
        in_order = [(a, x) for a, x in found if a in {e for e, _ in EVENTS}]
        self.assertEqual(len(in_order), len(EVENTS), "each event once")
        for (a, args), (b, wanted_args) in zip(in_order, EVENTS):
            self.assertTrue(a == b and same(args, wanted_args), f"{a} {args}: {b} {wanted_args}")
        for address in ("/VMC/Ext/T", "/VMC/Ext/Root/Pos", "/VMC/Ext/Blend/Val",
                        "/VMC/Ext/Blend/Apply", "/VMC/Ext/Rcv"):
            self.assertTrue(any(a == address for a, _ in found), address)
        # Back to back: our own marionette hears the same.
        performer.stop()
        pull.call.cancel()
        events.stop()
        self.assertEqual((first.stop(), sink.stop(), second.stop()), (0, 0, 0))
        with open(dump) as f:
            ours = [m for line in f for m in messages(base64.b64decode(json.loads(line)["buffer"]))]
        for address, args in wanted:
            self.assertTrue(has(ours, address, args), f"back to back: {address} {args}")
        self.assertEqual(second.count("refused"), 0)
        self.assertEqual(second.count("unknown"), 0)

    def test_two_performers_of_one_avatar_lose_no_event(self):
        marionette = Marionette()
        self.addCleanup(marionette.close)
        body = source(self.server, "two", "--source-id", "body")
        face = source(self.server, "two", "--source-id", "face")
        sink = Program("renderer_sink", "--from", self.server.address, "--stream-id", "two",
                       "--to", marionette.address, says_ports=False)
        for program in (body, face, sink):
            self.addCleanup(program.stop)
        head = message("/VMC/Ext/Bone/Pos", "Head", 0.0, 0.1, 0.0, 0.0, 0.0, 0.0, 1.0).dgram
        jaw = [message("/VMC/Ext/Blend/Val", "JawOpen", 0.5).dgram,
               message("/VMC/Ext/Blend/Apply").dgram]
        performers = [Performer(body.ports["vmc_port"], lambda t: [head]),
                      Performer(face.ports["vmc_port"], lambda t: jaw)]
        for program in (body, face):
            self.assertTrue(until(lambda: "the performer has arrived" in program.log_text()))
        wanted = {f"{name}{k}" for name in ("body", "face") for k in range(30)}
        found = []
        for k in range(30):
            for name, program in (("body", body), ("face", face)):
                send(program.ports["vmc_port"], message("/VMC/Ext/Key", 1, f"{name}{k}", k))
            for _, datagram in marionette.receive(1 / 30):
                found += messages(datagram)

        def keys(f):
            return [x[1] for a, x in f if a == "/VMC/Ext/Key"]
        found += self.receive_until(marionette, lambda f: wanted <= set(keys(found + f)))
        self.assertEqual(sorted(keys(found)), sorted(wanted))
        for performer in performers:
            performer.stop()

    def test_a_latecomer_hears_the_states(self):
        marionette, first, _, _, _ = self.chain("late")
        performer = Performer(first.ports["vmc_port"], lambda t: performance.datagrams(t, "one"))
        self.assertTrue(until(lambda: "the performer has arrived" in first.log_text()))
        light = STATES[6]
        send(first.ports["vmc_port"], message(light[0], *light[1]))
        self.receive_until(marionette, lambda f: any(a == light[0] for a, _ in f))
        late = Marionette()
        self.addCleanup(late.close)
        sink = Program("renderer_sink", "--from", self.server.address, "--stream-id", "late",
                       "--to", late.address, says_ports=False)
        self.addCleanup(sink.stop)
        found = self.receive_until(late, lambda f: any(a == light[0] for a, _ in f))
        self.assertTrue(any(a == light[0] for a, _ in found))
        performer.stop()

    def test_messages_to_a_performer_have_their_effect(self):
        marionette, first, _, _, _ = self.chain("asked")
        port = first.ports["performer_port"]
        # A body without a face: the eyes are free.
        bones = [message("/VMC/Ext/OK", 1),
                 message("/VMC/Ext/Bone/Pos", "Head", 0.0, 0.1, 0.0, 0.0, 0.0, 0.0, 1.0)]
        eye = message("/VMC/Ext/Set/Eye", 1, -1.0, 0.0, 2.0)

        def perform(_):
            send(port, eye)
            return [b.dgram for b in bones]
        performer = Performer(first.ports["vmc_port"], perform)
        pull = Collector(self.client.pull("asked")).wait_started()
        shapes = names(pull)[1]

        def looks_left(c):
            if not c.data():
                return False
            weights = c.data()[-1].skel_animation.blend_shape_weights[0].values
            return weights[shapes.index("eyeLookOutLeft")] > 0.5
        self.assertTrue(pull.wait_for(looks_left), "the eyes did not follow Set/Eye")
        through = [m for m in EVENTS if m[0].startswith("/VMC/Thru")] + [EVENTS[5]] + [
            (a, args) for a, args in STATES if a in ("/VMC/Ext/Hmd/Pos", "/VMC/Ext/Con/Pos",
                                                     "/VMC/Ext/Tra/Pos", "/VMC/Ext/Light")]
        send(port, message("/VMC/Ext/Set/Req"), message("/VMC/Ext/Set/Res", "a response"),
             message("/VMC/Ext/Set/Calib/Ready"), message("/VMC/Ext/Set/Calib/Exec", 0),
             message("/VMC/Ext/Set/Config", "/models/somebody/other.json"),
             message("/VMC/Ext/Set/Shortcut", "Functions.FreeCamera"),
             message("/VMC/Ext/Set/Period", 1, 1, 1, 1, 1, 1),
             message("/VMC/Ext/Cam", "Camera", *POSE, 40.0),
             message("/VMC/Ext/Blend/Val", "JawOpen", 0.75), message("/VMC/Ext/Blend/Apply"),
             *[message(a, *args) for a, args in through])
        found = self.receive_until(
            marionette, lambda f: all(any(a == w and same(x, args) for a, x in f)
                                      for w, args in through) and
            any(a == "/VMC/Ext/Cam" for a, _ in f))
        for address, args in through:
            self.assertTrue(any(a == address and same(x, args) for a, x in found), address)
        camera = [x for a, x in found if a == "/VMC/Ext/Cam"]
        self.assertAlmostEqual(camera[-1][-1], 40, delta=0.1)
        self.assertTrue(pull.wait_for(lambda c: c.data()[-1].skel_animation.blend_shape_weights[0]
                                      .values[shapes.index("jawOpen")] > 0.7), "no expression")
        performer.stop()
        pull.call.cancel()
        self.assertEqual(first.stop(), 0)
        self.assertEqual(first.count("events"), 3)
        self.assertEqual(first.count("refused"), 0)
        for told in ("a response", "other.json"):
            self.assertEqual(first.log_text().count(told), 1, told)

    def test_a_marionette_asks_its_performer(self):
        marionette, first, _, sink, _ = self.chain("asks")
        performer = Performer(first.ports["vmc_port"], lambda t: performance.datagrams(t, "one"))
        asker = source(self.server, "asks-3", "--ask", f"127.0.0.1:{sink.ports['performer_port']}",
                       "--ask-period", "1,1,3,1,1,1", "--ask-message", "/VMC/Thru/we/you hello 3",
                       "--ask-calibration", "normal", "--ask-calibration-after-s", "0.2")
        self.addCleanup(asker.stop)
        # It asks once a performer sends to it: here python-osc.
        small = Performer(asker.ports["vmc_port"], lambda t: performance.datagrams(t, "one"))
        found = self.receive_until(marionette,
                                   lambda f: any(a == "/VMC/Thru/we/you" for a, _ in f))
        self.assertIn(("/VMC/Thru/we/you", ("hello", 3)), [(a, tuple(x)) for a, x in found])
        later = self.receive_until(marionette, lambda f: sum(
            a == "/VMC/Ext/OK" for a, _ in f) >= 60)
        frames = sum(a == "/VMC/Ext/OK" for a, _ in later)
        hips = sum(a == "/VMC/Ext/Bone/Pos" and x[0] == "Hips" for a, x in later)
        self.assertAlmostEqual(hips, frames / 3, delta=3)
        small.stop()
        performer.stop()
        self.assertTrue(until(lambda: "asks for what this performer does not do"
                              in sink.log_text()))

    def test_an_assistant_sends_face_and_gaze_to_somebody_elses_performer(self):
        first = source(self.server, "assist")
        self.addCleanup(first.stop)
        elsewhere = Marionette()  # where a performer of another program listens
        self.addCleanup(elsewhere.close)
        sink = Program("renderer_sink", "--from", self.server.address, "--stream-id", "assist",
                       "--to", elsewhere.address, "--assistant", "--time-tags", says_ports=False)
        self.addCleanup(sink.stop)
        performer = Performer(first.ports["vmc_port"], lambda t: performance.datagrams(t, "one"))
        found = self.receive_until(elsewhere, lambda f: sum(
            a == "/VMC/Ext/Set/Eye" for a, _ in f) >= 30)
        performer.stop()
        addresses = {a for a, _ in found}
        self.assertLessEqual({"/VMC/Ext/Blend/Val", "/VMC/Ext/Blend/Apply", "/VMC/Ext/Set/Eye",
                              "/VMC/Ext/Tra/Pos"}, addresses)
        self.assertFalse(addresses & {"/VMC/Ext/OK", "/VMC/Ext/T", "/VMC/Ext/Root/Pos",
                                      "/VMC/Ext/Bone/Pos", "/VMC/Ext/VRM", "/VMC/Ext/Rcv"})

    def test_flags_say_the_model_the_option_and_the_colour(self):
        vrm = os.path.join(self.folder.name, "model of mine.vrm")
        with open(vrm, "wb") as f:
            f.write(b"abc")
        marionette = Marionette()
        self.addCleanup(marionette.close)
        sink = Program("renderer_sink", "--from", self.server.address, "--stream-id", "flags",
                       "--to", marionette.address, "--vrm", vrm, "--option", "lamp=on",
                       "--color", "#00ff00", says_ports=False)
        self.addCleanup(sink.stop)
        found = self.receive_until(marionette, lambda f: any(a == "/VMC/Ext/Setting/Color"
                                                             for a, _ in f))
        said = {a: tuple(x) for a, x in found}
        self.assertEqual(said["/VMC/Ext/VRM"],
                         (vrm, "model of mine",
                          "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"))
        self.assertEqual(said["/VMC/Ext/Opt"], ("lamp=on",))
        self.assertEqual(said["/VMC/Ext/Setting/Color"], (0.0, 1.0, 0.0, 1.0))
        self.assertEqual(said["/VMC/Ext/Rcv"], (0, 0))

    def test_where_a_performer_listens_is_told_without_addresses_that_others_cannot_call(self):
        for host in ("127.0.0.1", "0.0.0.0"):
            marionette = Marionette()
            sink = Program("renderer_sink", "--from", self.server.address, "--stream-id", "port",
                           "--to", marionette.address, "--performer", "0", "--performer-host",
                           host, "--allow-plaintext")
            found = self.receive_until(marionette,
                                       lambda f: any(a == "/VMC/Ext/Rcv" for a, _ in f))
            said = {a: tuple(x) for a, x in found}
            self.assertEqual(said["/VMC/Ext/Rcv"], (1, sink.ports["performer_port"]), host)
            sink.stop()
            marionette.close()


if __name__ == "__main__":
    unittest.main(verbosity=2)
