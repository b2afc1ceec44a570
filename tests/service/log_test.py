"""The log: short, bounded, and nothing waits for who reads it."""

import fcntl
import json
import os
import pty
import re
import signal
import subprocess
import tempfile
import threading
import time
import unittest

import grpc

from http_client import Http
from posewire_test import BIN, Client, Collector, Server, clip, header

F_SETPIPE_SZ = 1031


class UnreadLog:
    """An anim_graph whose standard error nobody reads until `read` is called."""

    def __init__(self, *args):
        self.reader, writer = os.pipe()
        fcntl.fcntl(self.reader, F_SETPIPE_SZ, 4096)
        self.process = subprocess.Popen(
            [os.path.join(BIN, "anim_graph"), "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0",
             "--graph", "passthrough", *args], stdout=subprocess.PIPE, stderr=writer, text=True)
        os.close(writer)
        ready = json.loads(self.process.stdout.readline())
        self.address = f"127.0.0.1:{ready['grpc_port']}"
        self.http = Http(ready["http_port"])
        self.text = ""

    def read(self):
        def go():
            while (some := os.read(self.reader, 65536)):
                self.text += some.decode()
        thread = threading.Thread(target=go, daemon=True)
        thread.start()
        return thread

    def left_out(self, why):
        text = self.http.raw("GET", "/metrics")[2].decode()
        found = text.split(f'posewire_log_lines_left_out_total{{why="{why}"}} ')[1]
        return int(float(found.split()[0]))

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        os.close(self.reader)


def refuse(client, count):
    """Pushes that are refused at their header, each a line of the log."""
    bad = header(client, "s", "r", rate=7)
    for _ in range(count):
        try:
            client.push([bad], timeout=20)
        except grpc.RpcError as e:
            assert e.code() == grpc.StatusCode.INVALID_ARGUMENT, e


class StoppedReader(unittest.TestCase):
    def start(self, *args):
        server = UnreadLog(*args)
        self.addCleanup(server.kill)
        client = Client(server.address)
        self.addCleanup(client.close)
        return server, client

    def test_case_47_avatars_move_on_time_and_a_stop_is_in_order(self):
        server, client = self.start()
        pull = Collector(client.pull("witness")).wait_started()
        # Avatars and requests say so in the log, on the thread that ticks; the pipe holds 4096
        # bytes.
        for i in range(45):
            Collector(client.pull(f"other-{i}")).wait_started()
        self.assertEqual(client.push(clip(client, "witness", "late", 15)).code, 0)
        first = len(pull.times)
        self.assertTrue(pull.wait_for(lambda p: len(p.times) > first + 60))
        steps = [b - a for a, b in zip(pull.times, pull.times[1:])]
        self.assertLess(max(steps), 0.5)
        server.process.send_signal(signal.SIGTERM)
        # A forced end would be 1.
        self.assertEqual(server.process.wait(20), 0)

    def test_case_47_what_was_dropped_is_told_when_the_log_is_read_again(self):
        server, client = self.start("--log-limit", "0")
        count = 3000
        refuse(client, count)
        dropped = server.left_out("unread")
        self.assertGreater(dropped, 0)
        reading = server.read()
        server.process.send_signal(signal.SIGTERM)
        self.assertEqual(server.process.wait(20), 0)
        reading.join(10)
        told = [int(n) for n in re.findall(r"log lines were dropped: .* lines=(\d+)", server.text)]
        # The line of the last refusal may be dropped just after its answer.
        self.assertIn(sum(told) - dropped, (0, 1))
        self.assertIn("draining", server.text)  # the newest are there

    def test_a_reader_that_has_gone_is_no_reason_to_end(self):
        server, client = self.start("--log-limit", "0")
        os.close(server.reader)
        server.reader = os.open(os.devnull, os.O_RDONLY)
        refuse(client, 100)
        self.assertEqual(client.health(), 1)
        self.assertGreaterEqual(server.left_out("unread"), 100)
        server.process.send_signal(signal.SIGTERM)
        self.assertEqual(server.process.wait(20), 0)


class Words(unittest.TestCase):
    def test_a_message_that_comes_again_and_again_is_counted(self):
        server = Server("anim_graph", "--graph", "passthrough", "--http", "127.0.0.1:0")
        client = Client(server.address)
        refuse(client, 1000)
        client.close()
        self.assertEqual(server.stop(), 0)
        log = server.log_text()
        lines = log.count("push refused stream_id")
        held = sum(int(n) for n in re.findall(r"push refused: and more like this lines=(\d+)", log))
        self.assertEqual(lines + held, 1000)
        self.assertGreater(held, 0)

    def first_line(self, *args):
        server = Server("anim_graph", *args)
        self.assertEqual(server.stop(), 0)
        return server.log_text().splitlines()[0]

    def test_the_first_line_tells_what_was_set(self):
        line = self.first_line("--fps", "60", "--redis", "redis://:sesame@127.0.0.1:9")
        self.assertRegex(line, r'^\S+ info anim_graph: configuration version="[^"]+" '
                               r'fps="60" redis="\*\*\*" listen="127.0.0.1:0"$')

    def test_its_json_has_typed_values_and_no_secret_that_is_empty(self):
        line = json.loads(self.first_line("--log-format", "json", "--workers", "2", "--redis", "",
                                          "--clamp-shapes", "--http-allow-host", "a.example"))
        self.assertEqual(line["workers"], 2)
        self.assertIs(line["clamp-shapes"], True)
        self.assertEqual(line["http-allow-host"], ["a.example"])
        self.assertNotIn("redis", line)

    def test_at_debug_it_tells_all(self):
        line = self.first_line("--log-level", "debug")
        self.assertIn(" debug anim_graph: configuration ", line)
        for setting in ('fps="30"', 'silence-timeout-s=30', 'workers=1', 'redis=""'):
            self.assertIn(setting, line)

    def run_at_terminal(self, *args):
        """What the program writes to its terminal, and its exit code."""
        master, terminal = pty.openpty()
        program = subprocess.Popen(args, stdout=subprocess.DEVNULL, stderr=terminal)
        os.close(terminal)
        text = b""
        try:
            while (some := os.read(master, 65536)):
                text += some
        except OSError:  # the other end has been closed
            pass
        os.close(master)
        return text.decode(), program.wait(20)

    def test_into_a_file_a_terminal_shows_progress_and_result(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "hello.jsonl")
            say = (os.path.join(BIN, "a2f_source"), "say", "Hello there", "--out", path)
            text, code = self.run_at_terminal(*say)
            self.assertEqual(code, 0, text)
            # Progress writes over itself, and is wiped out at the end.
            shown = [line.rsplit("\x1b[K", 1)[-1] for line in text.split("\r\n")]
            size = os.path.getsize(path)
            self.assertRegex("\n".join(shown), f"^wrote {re.escape(path)}, {size} bytes, 1.5 s\n$")
            self.assertIn(" messages", text)
            text, code = self.run_at_terminal(*say, "--log-level", "info")
            self.assertEqual(code, 0, text)
            self.assertIn("configuration", text)
            text, code = self.run_at_terminal(*say[:-1], "/no/such/folder/hello.jsonl")
            self.assertEqual(code, 2)
            self.assertIn(" error a2f_source: ", text)

    def test_animclip_shows_no_configuration(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "hello.jsonl")
            subprocess.run([os.path.join(BIN, "a2f_source"), "say", "Hello", "--out", path],
                           check=True, stderr=subprocess.DEVNULL)
            done = subprocess.run([os.path.join(BIN, "animclip"), "info", path],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0)
            self.assertEqual(done.stderr, "")
            self.assertNotIn("configuration", done.stdout)


if __name__ == "__main__":
    unittest.main()
