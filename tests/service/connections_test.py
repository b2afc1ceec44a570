"""What a server makes of its connections: many of them, lost ones, too many, and frames that share one."""

import contextlib
import os
import re
import resource
import signal
import socket
import struct
import subprocess
import threading
import unittest

import grpc

from posewire_test import BIN, PULL, Client, Collector, GraphTest, Server, until


def sockets_to(port):
    """Those of this process, whose owners keep them."""
    found = []
    for name in os.listdir("/proc/self/fd"):
        try:
            if os.readlink(f"/proc/self/fd/{name}").startswith("socket:"):
                s = socket.socket(fileno=os.dup(int(name)))
                if s.family in (socket.AF_INET, socket.AF_INET6) and s.getpeername()[1] == port:
                    found.append(s)
                else:
                    s.close()
        except OSError:
            pass
    return found


def arrived(s):
    """Bytes, and segments with data, that have come: of the kernel's tcp_info."""
    info = s.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
    return struct.unpack_from("Q", info, 128)[0], struct.unpack_from("I", info, 152)[0]


class Puller:
    """Pulls without a look at what comes."""

    def __init__(self, client, stream):
        client.method(PULL)
        ids = client.type("nvidia_ace.animation_id.v1.AnimationIds")
        self.frames = 0
        self.last_bytes = 0
        self.error = None
        self.call = client.channel.unary_stream(PULL)(ids(stream_id=stream).SerializeToString())
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        try:
            for message in self.call:
                self.frames += 1
                self.last_bytes = len(message)
        except grpc.RpcError as e:
            self.error = e


class Connections(GraphTest):
    ARGS = ("--graph", "passthrough")

    def test_the_frames_of_a_slot_come_together(self):
        server = Server("anim_graph", "--graph", "passthrough")
        client = Client(server.address)
        pulls = [Puller(client, f"together-{i}") for i in range(64)]  # 4 in each slot
        self.assertTrue(until(lambda: all(p.frames > 3 for p in pulls)))
        connections = sockets_to(server.port)
        self.assertLess(len(connections), 4)
        def counts():
            return [sum(column) for column in zip(*map(arrived, connections))]
        before = counts()
        frame_bytes = sum(p.last_bytes for p in pulls) / len(pulls)
        # The client may lag behind what has come.
        self.assertTrue(until(lambda: counts()[0] - before[0] > 64 * 30 * frame_bytes))
        received, segments = (now - then for now, then in zip(counts(), before))
        for s in connections:
            s.close()
        client.close()
        self.assertEqual(server.stop(), 0)
        self.assertLess(segments, received / frame_bytes / 2)

    def test_a_lone_frame_does_not_wait(self):
        """Corked for good, each would wait for the system's 200 ms."""
        pull = Collector(self.client.pull("alone")).wait_started()
        self.assertTrue(pull.wait_for(lambda p: len(p.times) > 60))
        pull.call.cancel()
        steps = sorted(b - a for a, b in zip(pull.times[5:], pull.times[6:]))
        self.assertLess(steps[len(steps) // 2], 0.05)

    def test_many_connections_that_come_and_go(self):
        """Sockets change hands, and the numbers of closed ones are taken by others."""
        for round_number in range(3):
            clients = [Client(self.server.address, **{"grpc.use_local_subchannel_pool": 1})
                       for _ in range(40)]
            pulls = [Puller(c, f"many-{i}-{k}") for i, c in enumerate(clients) for k in range(3)]
            self.assertTrue(until(lambda: all(p.frames > 10 for p in pulls)),
                            f"round {round_number}: {sorted(p.frames for p in pulls)}")
            self.assertEqual([p.error for p in pulls if p.error], [])
            for i, c in enumerate(clients):
                if i % 2:
                    found = sockets_to(self.server.port)
                    with contextlib.suppress(OSError):  # one that has just gone by itself will do
                        found[0].shutdown(socket.SHUT_RDWR)
                    for s in found:
                        s.close()
                c.close()
        self.assertEqual(self.client.health(), 1)

    def test_connections_beyond_the_limit_of_files_are_served_later(self):
        server = Server("anim_graph", "--graph", "passthrough")
        try:
            before = Client(server.address)
            self.assertEqual(before.health(), 1)
            limits = resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE)
            opened = len(os.listdir(f"/proc/{server.process.pid}/fd"))
            resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (opened + 5, limits[1]))
            idle = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(30)]
            self.assertTrue(until(lambda: "cannot take connections" in server.log_text()))
            self.assertEqual(before.health(), 1)
            for s in idle:
                s.close()
            after = Client(server.address, **{"grpc.use_local_subchannel_pool": 1})
            self.assertEqual(after.health(), 1)
            after.close()
            before.close()
            self.assertEqual(server.log_text().count("cannot take connections"), 1)
        finally:
            self.assertEqual(server.stop(), 0)

    def test_a_stop_ends_connections_in_order(self):
        server = Server("anim_graph", "--graph", "passthrough")
        client = Client(server.address)
        pulls = [Puller(client, f"last-{i}") for i in range(50)]
        self.assertTrue(until(lambda: all(p.frames for p in pulls)))
        server.process.send_signal(signal.SIGTERM)
        for p in pulls:
            p.thread.join(10)
        self.assertEqual(server.process.wait(10), 0)
        server.stop()
        # The server's own last words, and not those of a connection that was cut; but a client that
        # lags far behind may be cut at the end of the drain.
        said = [p.error.details() for p in pulls if p.error]
        self.assertEqual(len(said), 50)
        self.assertGreater(said.count("the server is shutting down; connect again"), 25)
        with self.assertRaises(OSError):
            socket.create_connection(("127.0.0.1", server.port))
        client.close()

    def test_over_a_unix_socket_everything_is_the_same(self):
        path = f"/tmp/posewire-connections-{os.getpid()}.sock"
        server = subprocess.Popen(
            [os.path.join(BIN, "anim_graph"), "--graph", "passthrough", "--listen", f"unix:{path}"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            self.assertRegex(server.stdout.readline(), re.escape(path))
            client = Client(f"unix:{path}")
            pulls = [Puller(client, f"unix-{i}") for i in range(64)]
            self.assertTrue(until(lambda: all(p.frames > 30 for p in pulls)))
            self.assertTrue(os.path.exists(path))
            client.close()
        finally:
            server.send_signal(signal.SIGTERM)
            self.assertEqual(server.wait(10), 0)
            server.stdout.close()
        self.assertFalse(os.path.exists(path))


if __name__ == "__main__":
    unittest.main()
