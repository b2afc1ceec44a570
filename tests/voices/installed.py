"""An installed Kokoro as a process, and the services that speak with it. Standard library and
python3-grpcio alone, unlike measure.py, which runs the model itself."""

import json
import os
import signal
import subprocess
import sys
import urllib.request

import voice_tree

sys.path.insert(0, str(voice_tree.ROOT / "tests" / "service"))


class Kokoro:
    """A server of its own; closed by close()."""

    def __init__(self, *flags):
        self.process = subprocess.Popen(
            [str(voice_tree.KOKORO / "kokoro"), "--port", "0", "--log-level", "warning", *flags],
            stdout=subprocess.PIPE,
            env={**os.environ, "POSEWIRE_KOKORO": str(voice_tree.INSTALLED)},
        )
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"Kokoro ended with {self.process.wait()}")
        self.pid = self.process.pid
        self.url = f"http://127.0.0.1:{json.loads(line)['http_port']}"

    def unfinished(self):
        """Requests in the server's queue."""
        with urllib.request.urlopen(self.url + "/health", timeout=10) as answer:
            return json.load(answer)["unfinished"]

    def close(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(20)
        self.process.stdout.close()
