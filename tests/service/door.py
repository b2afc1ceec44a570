"""docker/edge/nginx.conf as it stands, but for addresses and files, before servers of a test."""

import pathlib
import shutil
import socket
import subprocess
import tempfile
import time

from posewire_test import free_port

CONF = pathlib.Path(__file__).resolve().parents[2] / "docker/edge/nginx.conf"
NGINX = shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/sbin")


class Door:
    """`graphs` and `controls` are ports, one or three; `files` the PEM files of server, key and clients' CA."""

    def __init__(self, graphs, controls, files, changes=()):
        self.folder = tempfile.TemporaryDirectory()
        self.port = free_port()
        text = CONF.read_text()
        server, key, clients = files

        three = len(graphs) == 3
        for name, known, ports in (("graphs.conf", 51000, graphs), ("controls.conf", 8020, controls)):
            lines = (CONF.parent / ("three" if three else "") / name).read_text()
            for n, port in enumerate(ports, 1):
                node = f"node{n}:{known}" if three else f"anim_graph:{known}"
                assert node in lines, lines
                lines = lines.replace(node, f"127.0.0.1:{port}")
            pathlib.Path(self.folder.name, name).write_text(lines)
        for old, new in (
                (" /tmp/", f" {self.folder.name}/"),
                ("listen 8443", f"listen 127.0.0.1:{self.port}"),
                ("/etc/posewire/server.pem", server), ("/etc/posewire/server.key", key),
                ("/etc/posewire/clients.pem", clients),
                ("/dev/stdout", f"{self.folder.name}/audit.jsonl"), *changes):
            assert old in text, old
            text = text.replace(old, new)
        conf = pathlib.Path(self.folder.name) / "nginx.conf"
        conf.write_text(text)
        self.log = open(f"{self.folder.name}/errors", "w+")
        self.process = subprocess.Popen(
            [NGINX, "-p", self.folder.name, "-c", str(conf), "-g", "daemon off;"],
            stderr=self.log, stdin=subprocess.DEVNULL)
        end = time.monotonic() + 20
        while True:
            with socket.socket() as s:
                if s.connect_ex(("127.0.0.1", self.port)) == 0:
                    break
            if self.process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"nginx does not listen: {self.log_text()}")
            time.sleep(0.01)
        self.address = f"127.0.0.1:{self.port}"

    def log_text(self):
        return pathlib.Path(self.log.name).read_text(errors="backslashreplace")

    def audit(self):
        return pathlib.Path(self.folder.name, "audit.jsonl").read_text(errors="backslashreplace")

    def processes(self):
        """The ids of the process that was started and of its workers."""
        first = self.process.pid
        with open(f"/proc/{first}/task/{first}/children") as f:
            return [first, *map(int, f.read().split())]

    def memory_mb(self):
        pages = 0
        for pid in self.processes():
            with open(f"/proc/{pid}/statm") as f:
                pages += int(f.read().split()[1])
        return pages * 4096 / (1 << 20)

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
        code = self.process.wait(20)
        self.log.close()
        self.folder.cleanup()
        return code
