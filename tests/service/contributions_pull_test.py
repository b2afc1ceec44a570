"""Pulls that ask which clips a frame is made of, and those that do not."""

import unittest

import grpc

from posewire_test import Client, Collector, Server

KEY = "posewire.contributions"


class ContributionsTest(unittest.TestCase):
    def setUp(self):
        server = Server("anim_graph")
        self.addCleanup(server.stop)
        self.client = Client(server.address)
        self.addCleanup(self.client.close)

    def told(self, message):
        """By name of the clip; None where nothing is told."""
        packed = message.animation_data.metadata
        if KEY not in packed:
            return None
        out = self.client.type("posewire.contributions.v1.Contributions")()
        self.assertTrue(packed[KEY].Unpack(out))
        return {c.clip: c for c in out.contributions}

    def test_only_pulls_that_ask_are_told(self):
        self.client.learn("posewire.contributions.v1.Contributions")
        asks = Collector(self.client.pull(
            "s", metadata=[("x-posewire-contributions", "1")])).wait_started()
        plain = Collector(self.client.pull("s")).wait_started()
        self.client.control("SetVariable", stream_id="s", name="gesture_state", value="wave")
        self.assertTrue(asks.wait_for(lambda c: any(
            "wave" in (self.told(m) or {}) for m in c.messages if m.HasField("animation_data"))))
        plain.wait_for_more(5)
        frames = [m for m in asks.messages if m.HasField("animation_data")]
        waves = [self.told(m)["wave"] for m in frames if "wave" in (self.told(m) or {})]
        self.assertTrue(all(0 < w.weight <= 1 for w in waves))
        self.assertNotEqual(waves[0].clip_hash, 0)
        self.assertTrue(all(self.told(m) is not None for m in frames))
        self.assertFalse(any(KEY in m.animation_data.metadata for m in plain.messages))

    def test_another_value_is_refused_with_what_is_right(self):
        with self.assertRaises(grpc.RpcError) as refused:
            list(self.client.pull("s", metadata=[("x-posewire-contributions", "yes")]))
        self.assertEqual(refused.exception.code(), grpc.StatusCode.INVALID_ARGUMENT)
        self.assertIn('x-posewire-contributions is "yes"; it must be 1 or 0',
                      refused.exception.details())


if __name__ == "__main__":
    unittest.main()
