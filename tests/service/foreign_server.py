"""A server of pulls that is not ours and sends what it likes, and what a recording has of it."""

import threading
import unittest
from concurrent import futures

import grpc

from posewire_test import PULL, SERVICE, Client, Server


class ForeignServer:
    """Sends bytes to whoever pulls, and ends the call; with `hold`, only when it is cancelled."""

    def __init__(self, messages, hold=False):
        self.messages, self.hold = messages, hold
        self.pulls = 0
        handler = grpc.method_handlers_generic_handler(SERVICE, {
            PULL.split("/")[-1]: grpc.unary_stream_rpc_method_handler(
                self.pull, request_deserializer=lambda b: b, response_serializer=lambda b: b)})
        self.server = grpc.server(futures.ThreadPoolExecutor(16))
        self.server.add_generic_rpc_handlers([handler])
        self.address = f"127.0.0.1:{self.server.add_insecure_port('127.0.0.1:0')}"
        self.server.start()

    def pull(self, _, context):
        self.pulls += 1
        gone = threading.Event()
        context.add_callback(gone.set)
        yield from self.messages
        if self.hold:
            gone.wait(60)


class ForeignServerTest(unittest.TestCase):
    """Has a client that knows the messages, and starts foreign servers."""

    @classmethod
    def setUpClass(cls):
        # For its reflection alone.
        cls.teacher = Server("renderer_sink", "vmc", "--from", "none")
        cls.client = Client(cls.teacher.address)
        cls.client.stream_message

    @classmethod
    def tearDownClass(cls):
        cls.client.close()
        cls.teacher.stop()

    def serve(self, messages, **options):
        server = ForeignServer(messages, **options)
        self.addCleanup(lambda: server.server.stop(0).wait())
        return server


# The tag of field 1000, with which the records between the messages begin (docs/formats.md).
RECORD = b"\xc2\x3e"


def records(data):
    """The messages of an .animdata file, as bytes."""
    out, at = [], 0
    while at < len(data):
        size = shift = 0
        while True:
            byte, at = data[at], at + 1
            size |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        message = data[at:at + size]
        if not message.startswith(RECORD):
            out.append(message)
        at += size
    return out
