"""People in front of the avatar: what the example user_acts does with them, told by the control API
and by the pointer in the page."""
import math
import threading
import time
import unittest
from pathlib import Path

import grpc
from browser import Browser
from posewire_test import Client, Collector, Server, until
from view_test import View

GRAPH = Path(__file__).resolve().parents[2] / "data/graphs/examples/user_acts.graph.txtpb"


class UsersTest(unittest.TestCase):
    def setUp(self):
        self.graph = Server("anim_graph", "--graph", str(GRAPH))
        self.addCleanup(self.graph.stop)
        self.client = Client(self.graph.address)
        self.addCleanup(self.client.close)
        self.pull = Collector(self.client.pull("anna")).wait_started()
        self.addCleanup(self.pull.call.cancel)

    def variable(self, name):
        reply = self.client.control("ListVariables", stream_id="anna")
        return next(v.value for v in reply.variables if v.name == name)

    def set_user(self, **fields):
        self.client.control("SetUser", stream_id="anna", user={"name": "ann", "hold_s": 30, **fields})

    def test_who_comes_is_looked_at_and_who_goes_is_not(self):
        self.assertEqual(self.variable("look"), "none")
        facing = {"w": 0, "x": 0, "y": 1, "z": 0}
        self.set_user(head={"x": 0, "y": 1.6, "z": 2}, head_rotation=facing)
        self.assertTrue(until(lambda: self.variable("look") == "user"))
        self.assertTrue(until(lambda: self.variable("looked_at") == "true"))
        self.assertAlmostEqual(float(self.variable("nearest_m")), 2, 3)
        self.client.control("RemoveUser", stream_id="anna", name="ann")
        self.assertTrue(until(lambda: self.variable("look") == "none"))
        self.assertEqual(float(self.variable("nearest_m")), 10)

    def test_who_moves_a_lot_makes_the_avatar_lively_and_a_good_mood_makes_it_smile(self):
        head = {"x": 0, "y": 1.6, "z": 1.4}
        self.set_user(head=head, mood={"name": "happy", "valence": 0.75})
        self.assertTrue(until(lambda: float(self.variable("valence")) == 0.75))
        self.assertEqual(float(self.variable("activity")), 0.5)
        stop = threading.Event()

        def dance():
            began = time.monotonic()
            while not stop.wait(0.03):
                y = 1.2 + 0.3 * math.sin(9 * (time.monotonic() - began))
                self.set_user(head=head, right_hand={"x": -0.3, "y": y, "z": 1.1})
        dancer = threading.Thread(target=dance)
        dancer.start()
        self.assertTrue(until(lambda: float(self.variable("activity")) > 0.75))
        stop.set()
        dancer.join()
        self.assertEqual(float(self.variable("valence")), 0, "the mood was left out")
        self.assertTrue(until(lambda: float(self.variable("activity")) < 0.6))
        with self.assertRaises(grpc.RpcError) as refused:
            self.set_user(points=[{"name": "left/elbow"}])
        self.assertIn('user "ann": points[0].name is "left/elbow"', refused.exception.details())
        # Of too many only one too many is copied.
        with self.assertRaises(grpc.RpcError) as refused:
            self.set_user(points=[{"name": f"point {i}"} for i in range(1000)])
        self.assertIn('user "ann": there are 33 points; at most 32', refused.exception.details())

    def test_the_pointer_in_the_page_is_a_head(self):
        view = View(self.graph.address, "--stream-id", "anna")
        self.addCleanup(view.stop)
        browser = Browser()
        self.addCleanup(browser.close)
        tab = browser.open(f"http://127.0.0.1:{view.http_port}/")
        tab.until("window.posewire && posewire.probe().avatars.filter((a) => a.at).length === 1", 30)
        tab.evaluate("document.getElementById('pointer-user').click()")
        self.assertTrue(until(lambda: self.variable("look") == "user"))
        self.assertAlmostEqual(float(self.variable("nearest_m")), 1.4, 2)
        self.assertTrue(until(lambda: self.variable("looked_at") == "true"))
        tab.evaluate("document.getElementById('pointer-user').click()")
        self.assertTrue(until(lambda: self.variable("look") == "none"))


if __name__ == "__main__":
    unittest.main()
