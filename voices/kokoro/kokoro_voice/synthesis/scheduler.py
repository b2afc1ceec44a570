"""Shares the synthesis threads between requests, clause by clause.

The next clause is that of the request whose sound runs out first, so a new request starts soon and
one that is far ahead waits. Workers block on nothing but the model: a request that nobody reads, or
that is cancelled, occupies no thread. At most `most_runs` requests are unfinished; the next one is
refused.
"""

import collections
import logging
import socket
import threading
import time

# Sound that is ready and not taken yet; then the request waits.
MOST_AHEAD_S = 30.0


class Busy(Exception):
    """All places are taken."""


class Closed(Exception):
    """The server is stopping."""


class Finished(Exception):
    """All pieces were taken."""


class Failed(Exception):
    """A clause could not be synthesised. The log says why."""


class Run:
    """One request. `wait_fd` becomes readable when take() has something new. The owner must call
    cancel() at the end, whatever happened; it is safe to call at any time, from any thread."""

    def __init__(self, scheduler, request, clauses):
        self._scheduler = scheduler
        self._lock = scheduler.lock
        self.request = request
        self.waiting = collections.deque(clauses)
        self.ready = collections.deque()
        self.pieces = None  # those of the clause in synthesis, a generator
        self.busy = False  # a worker is on it
        self.stop = scheduler.speaker.new_stop()
        self.ended = False  # nothing more will be synthesised
        self.failed = False
        self.plays_until = time.monotonic()
        self._wake, self._waker = socket.socketpair()
        self._wake.setblocking(False)
        self._waker.setblocking(False)

    def fileno(self):
        return self._wake.fileno()

    def take(self):
        """The next piece; None when there is none yet; raises Finished, Failed, Closed."""
        try:
            self._wake.recv(4096)
        except BlockingIOError:
            pass
        with self._lock:
            if self.ready:
                piece = self.ready.popleft()
                self._lock.notify_all()
                return piece
            if self.failed:
                raise Failed()
            if not self.ended:
                return None
            raise Closed() if self.waiting else Finished()

    def cancel(self):
        with self._lock:
            self._scheduler.forget(self)
            self.ready.clear()
            if self._wake.fileno() >= 0:
                self._wake.close()
                self._waker.close()

    # Called by the scheduler, with the lock.

    def ahead_s(self):
        return sum(piece.seconds for piece in self.ready)

    def notify(self):
        try:
            self._waker.send(b"x")
        except (BlockingIOError, OSError):
            pass  # woken already, or closed


class Scheduler:
    """Owns the worker threads. All methods are thread-safe."""

    def __init__(self, speaker, threads=1, most_runs=8):
        self.lock = threading.Condition()
        self.speaker = speaker
        self._runs = []
        self._most_runs = most_runs
        self._closed = False
        self._threads = [
            threading.Thread(target=self._work, name=f"synthesis-{n}", daemon=True)
            for n in range(threads)
        ]
        for thread in self._threads:
            thread.start()

    def begin(self, request, clauses):
        """Starts to synthesise. Raises Busy, Closed."""
        with self.lock:
            if self._closed:
                raise Closed()
            if len(self._runs) >= self._most_runs:
                raise Busy()
            run = Run(self, request, clauses)
            self._runs.append(run)
            self.lock.notify_all()
            return run

    def unfinished(self):
        with self.lock:
            return len(self._runs)

    def close(self):
        """Cancels all runs and ends the threads."""
        with self.lock:
            self._closed = True
            for run in list(self._runs):
                self.forget(run)
                run.notify()
            self.lock.notify_all()
        for thread in self._threads:
            thread.join(5)

    def forget(self, run):
        """With the lock: the run gets no more synthesis; one under way is stopped."""
        run.ended = True
        if run in self._runs:
            self._runs.remove(run)
        run.stop.cancel()

    def _next(self):
        """The run whose turn it is, or None."""
        able = [
            run
            for run in self._runs
            if not run.busy and run.waiting and run.ahead_s() < MOST_AHEAD_S
        ]
        return min(able, key=lambda run: run.plays_until, default=None)

    def _work(self):
        while True:
            with self.lock:
                while not self._closed and self._next() is None:
                    self.lock.wait()
                if self._closed:
                    return
                run = self._next()
                run.busy = True
                clause = run.waiting[0]
            piece, failed = None, False
            try:
                if run.pieces is None:
                    run.pieces = self.speaker.speak(run.request, clause, run.stop)
                piece = next(run.pieces, None)
            except Exception:  # whatever it is, it ends this request only
                failed = not run.ended
                if failed:
                    logging.exception("could not synthesise a clause of %d characters", len(clause))
            with self.lock:
                run.busy = False
                if run.ended:
                    continue
                if failed:
                    run.failed = True
                elif piece is not None:
                    run.ready.append(piece)
                    run.plays_until = max(run.plays_until, time.monotonic()) + piece.seconds
                else:
                    run.pieces = None
                    run.waiting.popleft()
                if failed or not run.waiting:
                    self.forget(run)
                run.notify()
