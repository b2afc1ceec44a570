"""A DNS server on loopback that knows the names of a test."""

import socket
import struct
import threading


class NameServer:
    """`addresses` is {name: IPv4 address}, and may be changed while it answers."""

    def __init__(self):
        self.addresses = {}
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                question, caller = self.socket.recvfrom(4096)
            except OSError:
                return
            self.socket.sendto(self.answer(question), caller)

    def answer(self, question):
        """RFC 1035: one question, and at most one record of type A."""
        names, at = [], 12
        while question[at]:
            names.append(question[at + 1:at + 1 + question[at]].decode().lower())
            at += 1 + question[at]
        kind, = struct.unpack("!H", question[at + 1:at + 3])
        address = self.addresses.get(".".join(names))
        records = address is not None and kind == 1
        flags = 0x8580 | (0 if address else 3)  # an authority's answer; 3: no such name
        reply = question[:2] + struct.pack("!HHHHH", flags, 1, int(records), 0, 0)
        reply += question[12:at + 5]
        if records:
            reply += struct.pack("!HHHIH", 0xC00C, 1, 1, 1, 4) + socket.inet_aton(address)
        return reply

    def close(self):
        self.socket.close()
