"""What the service tests share: real processes, and a gRPC client that knows nothing but reflection."""

import json
import math
import os
import pathlib
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import time
import unittest

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

BIN = os.environ["POSEWIRE_BIN_DIR"]
SERVICE = "nvidia_ace.services.animation_data.v1.AnimationDataService"
PUSH = f"/{SERVICE}/PushAnimationDataStream"
PULL = f"/{SERVICE}/PullAnimationDataStream"
CONTROL = "posewire.control.v1.ControlService"


# The level of ./test. What is slow by nature is of the long one; CONTRIBUTING.md lists it.
LONG = os.environ.get("TEST_LEVEL") == "long"
long_level = unittest.skipUnless(LONG, "of the long level: ./test --long, or TEST_LEVEL=long")

held_ports = []  # sockets, until this process ends


def free_port():
    """A TCP port for a server that cannot say which one it took. Nobody else gets it while this process
    runs: it is bound here and does not listen. Servers that set SO_REUSEADDR can listen on it."""
    held = socket.socket()
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.bind(("127.0.0.1", 0))
    held_ports.append(held)
    return held.getsockname()[1]


def until(condition, timeout=20):
    """Asks again until the condition holds, or the time is over; says whether it does."""
    end = time.monotonic() + timeout
    while not (held := bool(condition())) and time.monotonic() < end:
        time.sleep(0.02)
    return held


def memory_mb(pid):
    with open(f"/proc/{pid}/status") as f:
        for line in f:
            if line.startswith("VmRSS"):
                return int(line.split()[1]) / 1024
    return 0


class Server:
    """A process of ours that listens and says where. `command` runs it elsewhere."""

    def __init__(self, name, *args, listen="127.0.0.1:0", command=()):
        self.log = tempfile.NamedTemporaryFile("w+", suffix=".log")
        self.process = subprocess.Popen(
            [*command, os.path.join(BIN, name), "--listen", listen, *args],
            stdout=subprocess.PIPE, stderr=self.log, text=True)
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"{name} did not start: {self.log_text()}")
        self.ready = json.loads(line)
        self.port = self.ready["grpc_port"]
        self.http_port = self.ready.get("http_port", 0)
        self.address = f"127.0.0.1:{self.port}"

    def log_text(self):
        with open(self.log.name, errors="backslashreplace") as f:
            return f.read()

    def await_log(self, text, timeout=20):
        """The log has a thread of its own: a line may come after what it tells of."""
        if not until(lambda: text in self.log_text(), timeout):
            raise AssertionError(f"no {text!r} in the log: {self.log_text()[-2000:]}")

    def memory_mb(self):
        return memory_mb(self.process.pid)

    def kill(self):
        self.process.kill()
        self.stop()

    def stop(self, timeout=10):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(timeout)
        finally:
            if self.process.poll() is None:
                self.process.kill()
                self.process.wait()
            self.process.stdout.close()


def start_with_probes(test, home, name, *args):
    """Starts a source or sink, which logs to `home` and ends with the test class; returns the port of its
    probes."""
    log = open(os.path.join(home, f"{name}.log"), "a")
    test.addClassCleanup(log.close)
    process = subprocess.Popen([f"{BIN}/{name}", *args, "--http", "127.0.0.1:0"],
                               stdout=subprocess.PIPE, stderr=log, text=True)
    for stop in (process.stdout.close, process.wait, process.kill):
        test.addClassCleanup(stop)
    return json.loads(process.stdout.readline())["http_port"]


class Client:
    """Learns services and messages by reflection (v1alpha), and calls them."""

    def __init__(self, address, tls=None, **options):
        """`tls` are the PEM files of a CA, an own certificate and its key."""
        options = [("grpc.max_receive_message_length", -1), *options.items()]
        if tls:
            ca, cert, key = (pathlib.Path(file).read_bytes() for file in tls)
            self.channel = grpc.secure_channel(
                address, grpc.ssl_channel_credentials(ca, key, cert), options)
        else:
            self.channel = grpc.insecure_channel(address, options)
        self.pool = descriptor_pool.DescriptorPool()
        self.factory = message_factory.MessageFactory(self.pool)
        self.files = {}
        self._learn_reflection()

    def close(self):
        self.channel.close()

    def _learn_reflection(self):
        """The two messages of the reflection protocol that are needed, made by hand."""
        file = descriptor_pb2.FileDescriptorProto(name="reflection.proto", syntax="proto3",
                                                  package="posewire.test")
        def message(name, *fields):
            m = file.message_type.add(name=name)
            for field, number, kind, label, of in fields:
                m.field.add(name=field, number=number, type=kind, label=label, type_name=of)
        text, raw, sub = 9, 12, 11
        message("Request", ("by_name", 3, text, 1, None), ("by_symbol", 4, text, 1, None),
                ("list", 7, text, 1, None))
        message("Files", ("files", 1, raw, 3, None))
        message("Service", ("name", 1, text, 1, None))
        message("Services", ("service", 1, sub, 3, ".posewire.test.Service"))
        message("Error", ("code", 1, 5, 1, None), ("text", 2, text, 1, None))
        message("Response", ("found", 4, sub, 1, ".posewire.test.Files"),
                ("listed", 6, sub, 1, ".posewire.test.Services"),
                ("error", 7, sub, 1, ".posewire.test.Error"))
        pool = descriptor_pool.DescriptorPool()
        pool.Add(file)
        factory = message_factory.MessageFactory(pool)
        self.ask = factory.GetPrototype(pool.FindMessageTypeByName("posewire.test.Request"))
        answer = factory.GetPrototype(pool.FindMessageTypeByName("posewire.test.Response"))
        self.reflection = self.channel.stream_stream(
            "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
            request_serializer=lambda m: m.SerializeToString(),
            response_deserializer=answer.FromString)

    def _reflect(self, **question):
        return next(iter(self.reflection(iter([self.ask(**question)]))))

    def services(self):
        return sorted(s.name for s in self._reflect(list="*").listed.service)

    def learn(self, symbol):
        self._add(self._reflect(by_symbol=symbol).found.files)

    def _add(self, files):
        for raw in files:
            file = descriptor_pb2.FileDescriptorProto.FromString(raw)
            if file.name in self.files:
                continue
            self.files[file.name] = file
            for dependency in file.dependency:
                if dependency not in self.files:
                    self._add(self._reflect(by_name=dependency).found.files)
            self.pool.Add(file)

    def type(self, name):
        return self.factory.GetPrototype(self.pool.FindMessageTypeByName(name))

    def method(self, path):
        service, name = path.strip("/").split("/")
        if not any(service.startswith(f.package + ".") for f in self.files.values() if f.service):
            self.learn(service)
        m = self.pool.FindServiceByName(service).FindMethodByName(name)
        file = self.files[m.containing_service.file.name]
        for s in file.service:
            for d in s.method:
                if d.name == name:
                    kind = ("stream" if d.client_streaming else "unary") + "_" + (
                        "stream" if d.server_streaming else "unary")
                    return getattr(self.channel, kind)(
                        path, request_serializer=lambda m: m if isinstance(m, bytes)
                        else m.SerializeToString(),
                        response_deserializer=self.type(m.output_type.full_name).FromString)
        raise KeyError(path)

    @property
    def stream_message(self):
        self.method(PUSH)
        return self.type("nvidia_ace.animation_data.v1.AnimationDataStream")

    def push(self, messages, metadata=(), timeout=60):
        """Sends all, and gives the answer; raises grpc.RpcError."""
        return self.method(PUSH)(iter(messages), metadata=metadata, timeout=timeout)

    def pull(self, stream, request="", target="", metadata=(), timeout=60):
        self.method(PULL)
        ids = self.type("nvidia_ace.animation_id.v1.AnimationIds")
        return self.method(PULL)(
            ids(stream_id=stream, request_id=request, target_object_id=target),
            metadata=metadata, timeout=timeout)

    def control(self, method, /, **fields):
        path = f"/{CONTROL}/{method}"
        self.method(path)
        request = self.type(f"posewire.control.v1.{method}Request")
        return self.method(path)(request(**fields), timeout=10)

    def health(self):
        self.method("/grpc.health.v1.Health/Check")
        request = self.type("grpc.health.v1.HealthCheckRequest")
        return self.method("/grpc.health.v1.Health/Check")(request(), timeout=5).status


SHAPES = ["jawOpen", "mouthFunnel"]
JOINTS = ["skullbase", "l_shoulder"]


def sample(n):
    return (n * 7919) % 20011 - 10005


def header(client, stream, request, target="", rate=16000, shapes=SHAPES, joints=JOINTS):
    m = client.stream_message()
    h = m.animation_data_stream_header
    h.animation_ids.stream_id = stream
    h.animation_ids.request_id = request
    h.animation_ids.target_object_id = target
    h.source_service_id = "test"
    if rate:
        h.audio_header.channel_count = 1
        h.audio_header.samples_per_second = rate
        h.audio_header.bits_per_sample = 16
    h.skel_animation_header.blend_shapes.extend(shapes)
    h.skel_animation_header.joints.extend(joints)
    return m


def keys(client, first, last, rate=16000):
    """Frames first..last-1 at 30 fps as one message, with their audio."""
    m = client.stream_message()
    d = m.animation_data
    for k in range(first, last):
        t = k / 30
        w = d.skel_animation.blend_shape_weights.add(time_code=t)
        w.values.extend([0.4 + 0.3 * math.sin(3 * t), 0.25])
        r = d.skel_animation.rotations.add(time_code=t)
        half = 0.25 * math.sin(2 * t)
        r.values.add(real=math.cos(half), j=math.sin(half))
        r.values.add(real=1)
    if rate:
        begin, end = first * rate // 30, last * rate // 30
        d.audio.time_code = begin / rate
        d.audio.audio_buffer = struct.pack(f"<{end - begin}h", *map(sample, range(begin, end)))
    return m


def clip(client, stream, request, frames, **options):
    yield header(client, stream, request, **options)
    for k in range(frames):
        yield keys(client, k, k + 1)


class Collector(threading.Thread):
    """Reads a pull to its end in the background."""

    def __init__(self, call):
        super().__init__(daemon=True)
        self.call = call
        self.messages = []
        self.times = []
        self.error = None
        self.started = threading.Event()
        self.start()

    def run(self):
        try:
            for m in self.call:
                self.messages.append(m)
                self.times.append(time.monotonic())
                self.started.set()
        except grpc.RpcError as e:
            self.error = e
        self.started.set()

    def wait_started(self):
        assert self.started.wait(20), "nothing came"
        return self

    def wait_for(self, condition, timeout=20):
        return until(lambda: condition(self), timeout)

    def wait_for_more(self, count):
        wait_for_more([self], count)

    def wait_for_sound(self):
        """Until the sound of a request came: it was taken, and plays."""
        assert self.wait_for(lambda c: any(c.audio())), f"{self.code()} instead of sound"
        return self

    def data(self):
        return [m.animation_data for m in self.messages if m.HasField("animation_data")]

    def statuses(self):
        return [m.status for m in self.messages if m.HasField("status")]

    def audio(self):
        return b"".join(d.audio.audio_buffer for d in self.data())

    def code(self):
        return self.error.code() if self.error else None


def wait_for_more(pulls, count):
    """Until so many more messages came to each than it has now."""
    wants = [len(p.messages) + count for p in pulls]
    for pull, want in zip(pulls, wants):
        assert pull.wait_for(lambda c: len(c.messages) >= want), f"{pull.code()} instead of more"


def spoken(audio, total):
    """Where in the pulled samples the pushed voice begins; None unless it stands there whole."""
    want = struct.pack(f"<{total}h", *map(sample, range(total)))
    at = audio.find(want)
    return None if at < 0 or at % 2 else at // 2


class GraphTest(unittest.TestCase):
    """Each class runs one anim_graph, with ARGS."""

    ARGS = ("--graph", "passthrough")

    @classmethod
    def setUpClass(cls):
        cls.server = Server("anim_graph", *cls.ARGS)
        cls.client = Client(cls.server.address)

    @classmethod
    def tearDownClass(cls):
        cls.client.close()
        code = cls.server.stop()
        assert code == 0, f"anim_graph ended with {code}: {cls.server.log_text()[-2000:]}"

    def assertRefused(self, messages, code, *words, metadata=()):
        with self.assertRaises(grpc.RpcError) as caught:
            self.client.push(messages, metadata=metadata)
        self.assertEqual(caught.exception.code(), code, caught.exception.details())
        for word in words:
            self.assertIn(word, caught.exception.details())


def tool(name):
    """The path of a foreign program, or a failure that says how to get it."""
    path = shutil.which(name)
    if path is None:
        raise AssertionError(f"{name} is not on the PATH; ./test installs it")
    return path
