"""One queue for each engine, so that a request of one never waits for another's."""


class Router:
    """`schedulers` are Schedulers by the name of their engine. Thread-safe."""

    def __init__(self, schedulers):
        self._schedulers = schedulers

    def begin(self, request, clauses):
        """Starts to synthesise. Raises Busy, Closed."""
        return self._schedulers[request.engine].begin(request, clauses)

    def unfinished(self):
        return sum(scheduler.unfinished() for scheduler in self._schedulers.values())

    def close(self):
        for scheduler in self._schedulers.values():
            scheduler.close()
