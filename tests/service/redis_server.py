"""A real redis-server for the tests, and one who listens to what anim_graph publishes there."""

import json
import shutil
import signal
import socket
import subprocess
import threading
import time

from posewire_test import free_port

CHANNEL = "animation_graph_events"


class Redis:
    """A redis-server, and one who listens to the channel."""

    def __init__(self, port=0, password="", tls=(), command=()):
        """`tls`: PEM files of certificate, key and clients' CA, for a port of its own, tls_port. `command`
        is another command line, to which the port is added."""
        path = shutil.which("redis-server")
        if path is None:
            raise AssertionError("redis-server is not on the PATH; ./test installs it")
        self.port = port or free_port()
        self.password = password
        args = ["--requirepass", password] if password else []
        if tls:
            self.tls_port = free_port()
            args += ["--tls-port", str(self.tls_port)]
            for name, file in zip(("cert-file", "key-file", "ca-cert-file"), tls):
                args += [f"--tls-{name}", str(file)]
        self.process = subprocess.Popen(
            [path, *(command[1:] or ("--save", "", "--appendonly", "no")), *args, "--port",
             str(self.port), "--bind", "127.0.0.1"], stdout=subprocess.DEVNULL)
        self.messages = []
        self.changed = threading.Condition()
        self.subscribe()

    def subscribe(self):
        deadline = time.monotonic() + 10
        while True:
            try:
                self.socket = socket.create_connection(("127.0.0.1", self.port), timeout=10)
                break
            except OSError:
                assert time.monotonic() < deadline, "redis-server does not start"
                time.sleep(0.02)
        self.socket.settimeout(None)
        self.stream = self.socket.makefile("rb")
        if self.password:
            self.socket.sendall(f"AUTH {self.password}\r\n".encode())
            assert self.stream.readline() == b"+OK\r\n"
        self.socket.sendall(f"SUBSCRIBE {CHANNEL}\r\n".encode())
        assert self.read()[:2] == [b"subscribe", CHANNEL.encode()]
        threading.Thread(target=self.listen, daemon=True).start()

    def read(self):
        """One value of Redis's protocol: arrays, texts and numbers are all that comes."""
        line = self.stream.readline().strip()
        if line[:1] == b"*":
            return [self.read() for _ in range(int(line[1:]))]
        if line[:1] == b"$":
            return self.stream.read(int(line[1:]) + 2)[:-2]
        if line[:1] == b":":
            return int(line[1:])
        raise OSError(line)

    def listen(self):
        try:
            while True:
                message = self.read()
                with self.changed:
                    self.messages.append(json.loads(message[2]))
                    self.changed.notify_all()
        except (OSError, ValueError):
            pass

    def wait(self, condition, timeout=15):
        with self.changed:
            return self.changed.wait_for(lambda: condition(self.messages), timeout)

    def kill(self):
        self.process.send_signal(signal.SIGCONT)
        self.process.kill()
        self.process.wait()
        self.socket.close()


def told(request):
    return lambda messages: request in [m["request_id"] for m in messages]
