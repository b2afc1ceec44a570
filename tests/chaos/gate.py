"""A network that is worse than this machine's: TCP and UDP go through a gate that does them harm.

    gate = TcpGate(server.port, seed=7)
    client = Client(f"127.0.0.1:{gate.port}")
    gate.faults = Faults(delay_s=0.1, jitter_s=0.05)
    gate.cut()

What is set holds for what comes from then on, in both directions. Random choices come from the
seed; which bytes they meet depends on how the system cuts the stream into pieces.
"""

import asyncio
import dataclasses
import random
import socket
import struct
import threading


@dataclasses.dataclass(frozen=True)
class Faults:
    delay_s: float = 0.0
    jitter_s: float = 0.0  # more or less than the delay; TCP stays in order
    slice_bytes: int = 0  # a write has at most so many
    bytes_per_s: float = 0.0  # 0: no limit
    corrupt: float = 0.0  # share of pieces in which a bit is turned over
    stalled: bool = False  # nothing goes through, and the connections stay
    # TCP alone:
    stalled_up: bool = False  # the same of what goes to the server
    stalled_down: bool = False  # and of what comes from it
    swallowed: bool = False  # all is taken, and nothing of it comes
    refused: bool = False  # who connects is reset at once
    # Datagrams alone:
    drop: float = 0.0
    double: float = 0.0
    truncate: float = 0.0
    reorder: float = 0.0  # share that comes after the next one

    def __str__(self):
        set_ = {k: v for k, v in dataclasses.asdict(self).items() if v}
        return " ".join(f"{name}={value}" for name, value in set_.items()) or "no faults"


class Gate:
    """Its own thread runs an event loop; `close` ends it."""

    def __init__(self, to_port, seed):
        self.to_port = to_port
        self.random = random.Random(seed)
        self.faults = Faults()
        self.passed = 0  # bytes or datagrams
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        asyncio.run_coroutine_threadsafe(self.open(), self.loop).result(10)

    def delay_s(self):
        f = self.faults
        return max(0.0, f.delay_s + f.jitter_s * self.random.uniform(-1, 1))

    def spoil(self, data):
        if not data or self.random.random() >= self.faults.corrupt:
            return data
        out = bytearray(data)
        out[self.random.randrange(len(out))] ^= 1 << self.random.randrange(8)
        return bytes(out)

    def close(self):
        asyncio.run_coroutine_threadsafe(self.shut(), self.loop).result(10)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(10)
        self.loop.close()


class TcpGate(Gate):
    async def open(self):
        self.tasks = set()
        self.clients, self.servers = [], []  # the writers to them
        self.server = await asyncio.start_server(self.take, "127.0.0.1", 0)
        self.port = self.server.sockets[0].getsockname()[1]

    async def shut(self):
        self.server.close()
        self.cut_all(self.clients + self.servers)
        for task in list(self.tasks):
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)

    def on_loop(self, act):
        done = threading.Event()
        self.loop.call_soon_threadsafe(lambda: (act(), done.set()))
        done.wait(10)

    def cut(self, clients=True, servers=True):
        """Resets every connection, or its half to the clients or to the server."""
        which = self.clients * clients + self.servers * servers
        self.on_loop(lambda: self.cut_all(which))

    def end(self, clients=True, servers=True):
        """Says to these that nothing more will come."""
        which = self.clients * clients + self.servers * servers
        self.on_loop(lambda: [w.write_eof() for w in which if not w.is_closing()])

    def cut_all(self, writers):
        for writer in writers:
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                                       struct.pack("ii", 1, 0))
            writer.transport.abort()

    async def take(self, reader, writer):
        self.keep(asyncio.current_task())
        if self.faults.refused:
            self.cut_all([writer])
            return
        self.clients.append(writer)
        try:
            there, back = await asyncio.open_connection("127.0.0.1", self.to_port)
        except OSError:
            writer.transport.abort()
            self.clients.remove(writer)
            return
        self.servers.append(back)
        pumps = [self.pump(reader, back, "stalled_up"), self.pump(there, writer, "stalled_down")]
        await asyncio.gather(*pumps, return_exceptions=True)
        self.clients.remove(writer)
        self.servers.remove(back)
        writer.close()
        back.close()

    def keep(self, task):
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def pump(self, reader, writer, stalled):
        """One direction: what has come waits for its time in a queue, which is the network's."""
        queue = asyncio.Queue(64)
        sender = asyncio.ensure_future(self.send(queue, writer, stalled))
        self.keep(sender)
        try:
            while data := await reader.read(16384):
                await queue.put((self.loop.time() + self.delay_s(), data))
            await queue.put((0, b""))
            await sender
        except OSError:
            sender.cancel()
        finally:
            if sender.cancelled() or not sender.done():
                writer.transport.abort()

    async def send(self, queue, writer, stalled):
        holed = False
        while True:
            due, data = await queue.get()
            if not data:
                if not holed:
                    writer.write_eof()
                return
            await asyncio.sleep(max(0.0, due - self.loop.time()))
            while self.faults.stalled or getattr(self.faults, stalled):
                await asyncio.sleep(0.01)
            # Bytes never come after those that were lost: TCP has no holes.
            holed = holed or self.faults.swallowed
            if holed:
                continue
            data = self.spoil(data)
            while data:
                f = self.faults
                size = len(data)
                if f.slice_bytes:
                    size = self.random.randint(1, f.slice_bytes)
                if f.bytes_per_s:
                    size = min(size, max(1, int(f.bytes_per_s / 50)))
                some, data = data[:size], data[size:]
                writer.write(some)
                await writer.drain()
                self.passed += len(some)
                if f.bytes_per_s:
                    await asyncio.sleep(len(some) / f.bytes_per_s)


class UdpGate(Gate):
    """One way: datagrams that come to `port` go on to `to_port`."""

    async def open(self):
        self.held = None
        self.out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        gate = self

        class Take(asyncio.DatagramProtocol):
            def datagram_received(self, data, address):
                gate.take(data)

        self.transport, _ = await self.loop.create_datagram_endpoint(
            Take, local_addr=("127.0.0.1", 0))
        self.port = self.transport.get_extra_info("sockname")[1]

    async def shut(self):
        self.transport.close()
        self.out.close()

    def take(self, data):
        f, chance = self.faults, self.random.random
        if f.stalled or chance() < f.drop:
            return
        data = self.spoil(data)
        if chance() < f.truncate:
            data = data[:self.random.randrange(len(data) + 1)]
        if self.held is None and chance() < f.reorder:
            self.held = data
            return
        for _ in range(2 if chance() < f.double else 1):
            self.loop.call_later(self.delay_s(), self.go, data)
        if self.held is not None:
            self.loop.call_later(self.delay_s(), self.go, self.held)
            self.held = None

    def go(self, data):
        self.passed += 1
        try:
            self.out.sendto(data, ("127.0.0.1", self.to_port))
        except OSError:
            pass  # nobody listens there at the moment, or the loop is ending
