"""Sends performances by VMC to many ports, in one process, and says what that cost.

    performer_datagrams.py SECONDS PORT...     starts when standard input has a line

Each port gets a whole body (52 bones) and 52 expressions, 60 times a second, in datagrams of at most
1452 bytes that carry the sender's time. The datagrams are encoded before; only their times are set.
"""

import json
import os
import socket
import struct
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "service"))
import vmc_performance as performance  # noqa: E402

HZ = 60
LOOP_S = 4  # then the performance begins again; its time goes on
GROUPS = 8  # in which the performers of one frame follow each other
TIME_AT = 16 + 4 + 16  # a bundle's head, a size, /VMC/Ext/T and its tags


def encoded():
    """The datagrams of LOOP_S, without their times."""
    frames = [[bytearray(d) for d in performance.datagrams(k / HZ, "split")]
              for k in range(HZ * LOOP_S)]
    assert all(d[20:30] == b"/VMC/Ext/T" for frame in frames for d in frame)
    return frames


def main():
    seconds, ports = float(sys.argv[1]), [int(port) for port in sys.argv[2:]]
    frames = encoded()
    outs = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in ports]
    for out, port in zip(outs, ports):
        out.connect(("127.0.0.1", port))
    groups = [outs[g::GROUPS] for g in range(GROUPS)]
    print(json.dumps({"datagrams_a_frame": sum(map(len, frames)) / len(frames),
                      "bytes_a_frame": sum(len(d) for f in frames for d in f) / len(frames)}),
          flush=True)
    sys.stdin.readline()
    start, before = time.monotonic(), time.process_time()
    sent = refused = 0
    late_s = 0.0
    for k in range(int(HZ * seconds)):
        frame = frames[k % len(frames)]
        for d in frame:
            struct.pack_into(">f", d, TIME_AT, k / HZ)
        for g, group in enumerate(groups):
            due = start + (k + g / GROUPS) / HZ
            wait = due - time.monotonic()
            if wait > 0:
                time.sleep(wait)  # until they are due
            late_s = max(late_s, -wait)
            for out in group:
                for d in frame:
                    try:
                        out.send(d)
                        sent += 1
                    except OSError:  # a performer has ended
                        refused += 1
    print(json.dumps({"datagrams": sent, "refused": refused, "late_s": late_s,
                      "cpu_s": time.process_time() - before,
                      "wall_s": time.monotonic() - start}), flush=True)


if __name__ == "__main__":
    main()
