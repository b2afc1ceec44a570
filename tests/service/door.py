"""The front door of docker/edge, as door.sh configures it, before servers of a test."""

import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time

from posewire_test import free_port

EDGE = pathlib.Path(__file__).resolve().parents[2] / "docker/edge"
NGINX = shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/sbin")


class Door:
    """`graphs` and `controls` are ports, one or three; `files` the PEM files of server, key and clients'
    CA; `view` the port of a renderer_sink view, which is then at `view_port`."""

    def __init__(self, graphs, controls, files, changes=(), view=0):
        self.folder = tempfile.TemporaryDirectory()
        self.port, self.view_port = free_port(), free_port() if view else 0
        tls = pathlib.Path(self.folder.name, "tls")
        tls.mkdir()
        for name, file in zip(("server.pem", "server.key", "clients.pem"), files):
            (tls / name).symlink_to(file)
        subprocess.run([EDGE / "door.sh", self.folder.name], check=True, env={
            **os.environ, "POSEWIRE_DOOR_LISTEN": f"127.0.0.1:{self.port}",
            "POSEWIRE_DOOR_GRAPHS": " ".join(f"127.0.0.1:{port}" for port in graphs),
            "POSEWIRE_DOOR_CONTROLS": " ".join(f"127.0.0.1:{port}" for port in controls),
            "POSEWIRE_DOOR_VIEW": f"127.0.0.1:{view}" if view else "",
            "POSEWIRE_DOOR_VIEW_LISTEN": f"127.0.0.1:{self.view_port}",
            "POSEWIRE_DOOR_TLS": str(tls), "POSEWIRE_DOOR_LOG": f"{self.folder.name}/audit.jsonl"})
        conf = pathlib.Path(self.folder.name, "nginx.conf")
        text = conf.read_text()
        for old, new in changes:
            assert old in text, old
            text = text.replace(old, new)
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
