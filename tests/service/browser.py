"""Debian's Chromium without a display, driven by its own DevTools protocol.

All classes of a test program share one Chromium process. Each has a browser context of its own, with
its own windows, cookies and storage.
"""

import atexit
import base64
import functools
import json
import os
import shutil
import subprocess
import tempfile
import time

from http_client import WebSocket

# Drawing is by SwiftShader, in software; sound goes to a sink that nobody hears.
FLAGS = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--remote-debugging-port=0",
         "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-first-run",
         "--autoplay-policy=no-user-gesture-required", "--disable-background-networking",
         "--disable-component-update", "--disable-extensions", "--disable-sync",
         "--disable-background-timer-throttling", "--disable-renderer-backgrounding",
         "--mute-audio", "--hide-scrollbars"]


class Target(WebSocket):
    """The browser, or one of its pages."""

    def __init__(self, port, path):
        super().__init__(port, path, timeout=None)

    def ask(self, method, **params):
        self.next_id += 1
        self.send(json.dumps({"id": self.next_id, "method": method, "params": params}))
        return self.next_id

    def do(self, method, **params):
        answer = self.call(method, **params)
        assert "error" not in answer, f"{method}: {answer}"
        return answer["result"]


class Tab(Target):
    """One page; what it logs and throws is kept in `faults`."""

    def __init__(self, port, path):
        self.faults = []
        super().__init__(port, path)
        for domain in ("Page", "Runtime", "Log"):
            self.do(f"{domain}.enable")

    def _take(self, message):
        method, params = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.faults.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "assert"):
            self.faults.append(" ".join(str(a.get("value", a.get("description")))
                                        for a in params["args"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.faults.append(f'{params["entry"]["text"]} {params["entry"].get("url", "")}')
        elif "id" in message:
            super()._take(message)

    def evaluate(self, script, gesture=False):
        """The value of a script, which may be a promise."""
        result = self.do("Runtime.evaluate", expression=script, returnByValue=True,
                         awaitPromise=True, userGesture=gesture)
        if "exceptionDetails" in result:
            raise AssertionError(result["exceptionDetails"])
        return result["result"].get("value")

    def until(self, script, timeout=15):
        """Waits until the script's value is true, and gives it. The page may be loaded again meanwhile."""
        end = time.monotonic() + timeout
        value = None
        while time.monotonic() < end:
            try:
                value = self.evaluate(script)
            except AssertionError as e:
                if "navigated" not in str(e):
                    raise
                value = None
            if value:
                return value
            time.sleep(0.05)
        raise AssertionError(f"not within {timeout} s: {script} (last: {value})")

    def size(self, width, height, scale=1, mobile=False):
        self.do("Emulation.setDeviceMetricsOverride", width=width, height=height,
                deviceScaleFactor=scale, mobile=mobile)

    def picture(self, path):
        """Of what the page looks like once it has drawn all that it knows now."""
        self.evaluate("new Promise((done) => requestAnimationFrame(() => "
                      "requestAnimationFrame(() => done())))")
        data = self.do("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as f:
            f.write(base64.b64decode(data))


class Chromium:
    """The process, until `close`; `flags` are added to FLAGS."""

    def __init__(self, flags=()):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.log = tempfile.TemporaryFile("w+")
        program = shutil.which("chromium")
        if program is None:
            raise AssertionError("chromium is not on the PATH; ./test installs it")
        self.process = subprocess.Popen(
            [program, *FLAGS, *flags, f"--user-data-dir={self.folder.name}", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=self.log)
        port_file = os.path.join(self.folder.name, "DevToolsActivePort")
        end = time.monotonic() + 30
        while not (os.path.exists(port_file) and open(port_file).read().count("\n") > 0):
            if self.process.poll() is not None or time.monotonic() > end:
                self.log.seek(0)
                raise AssertionError(f"chromium did not start: {self.log.read()[-2000:]}")
            time.sleep(0.05)
        port, path = open(port_file).read().split()
        self.port = int(port)
        self.target = Target(self.port, path)

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()
        self.folder.cleanup()


@functools.lru_cache(1)
def chromium(flags=()):
    """The one Chromium of this program."""
    started = Chromium(flags)
    atexit.register(started.close)
    return started


class Browser:
    """A browser context: its pages share nothing with those of another one. `flags` of Chromium are the
    same for all of a program."""

    def __init__(self, *flags):
        self.chromium = chromium(flags)
        self.context = self.chromium.target.do("Target.createBrowserContext")["browserContextId"]

    def open(self, address):
        page = self.chromium.target.do("Target.createTarget", url="about:blank",
                                       browserContextId=self.context)["targetId"]
        tab = Tab(self.chromium.port, f"/devtools/page/{page}")
        tab.do("Page.navigate", url=address)
        return tab

    def close(self):
        """Closes its pages."""
        self.chromium.target.do("Target.disposeBrowserContext", browserContextId=self.context)
