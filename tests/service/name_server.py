"""A DNS server on loopback that knows the names of a test."""

import socket
import struct
import threading


class NameServer:
    """`addresses` is {name: IPv4 address, or a list of them}, and may be changed while it answers."""

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
                self.socket.sendto(self.answer(question), caller)
            except OSError:
                return

    def answer(self, question):
        """RFC 1035: one question, and a record of type A for each address."""
        names, at = [], 12
        while question[at]:
            names.append(question[at + 1:at + 1 + question[at]].decode().lower())
            at += 1 + question[at]
        kind, = struct.unpack("!H", question[at + 1:at + 3])
        found = self.addresses.get(".".join(names), [])
        found = [found] if isinstance(found, str) else found
        flags = 0x8580 | (0 if found else 3)  # an authority's answer; 3: no such name
        records = found if kind == 1 else []
        reply = question[:2] + struct.pack("!HHHHH", flags, 1, len(records), 0, 0)
        reply += question[12:at + 5]
        for address in records:
            reply += struct.pack("!HHHIH", 0xC00C, 1, 1, 1, 4) + socket.inet_aton(address)
        return reply

    def close(self):
        self.socket.close()
