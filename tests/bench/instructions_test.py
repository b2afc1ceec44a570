"""How many instructions the codec and the graph take, against protobuf on the same frame.

    POSEWIRE_BIN_DIR=DIR instructions_test.py

Instructions are counted by valgrind, so that a busy machine does not matter; as ratios, so that a
compiler or a library that changes meets both sides. Skipped where there is no valgrind.
"""
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

# What comes before a job varies a little, so that the many have to outweigh it.
FEW, MANY = 100, {"read": 4100, "encode": 4100, "encode_counted": 4100, "default": 2100,
                  "passthrough": 10100, "push": 2100}
MANY_OF_A_FRAME = 500
# Shares of what protobuf takes: about a quarter above what was found.
READ = 0.125
ENCODE = 0.115
PASSTHROUGH = 0.022
DEFAULT = 0.23
# Of what the engine takes to read a message and buffer it, and of the whole frame.
ACCOUNTING, ACCOUNTING_OF_FRAME = 0.03, 0.01
FOUND = re.compile(r"Collected\s*:\s*(\d+)")
# What counts the memory of a push against its limits, and what this is a part of.
COUNTED = ("Playback::CountBytes(", "Playback::HasRoom(")
TAKEN = ("FrameReader::Read(", "PushLedger::Offer(")


def count(job, times):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out",
             str(Path(os.environ["POSEWIRE_BIN_DIR"]) / "instructions"), job, str(times)],
            capture_output=True, text=True)
    found = FOUND.search(done.stderr)
    if done.returncode != 0 or not found:
        raise RuntimeError(f"{job}: {done.stderr}")
    return int(found.group(1))


def inclusive(job, times):
    """Of each function, with what it calls; of the whole program under ""."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out",
             str(Path(os.environ["POSEWIRE_BIN_DIR"]) / "instructions"), job, str(times)],
            capture_output=True, text=True, check=True)
        lines = subprocess.run(
            ["callgrind_annotate", "--inclusive=yes", "--threshold=100", f"{folder}/out"],
            capture_output=True, text=True, check=True).stdout.splitlines()
    found = [re.match(r"\s*([\d,]+) \([ \d.]+%\)\s+(?:PROGRAM TOTALS|\S*?:([\w:]+\(.*))", line)
             for line in lines]
    return {match[2] or "": int(match[1].replace(",", "")) for match in found if match}


def instructions(job):
    """What one time takes; what is done once falls out."""
    many = MANY.get(job, MANY_OF_A_FRAME)
    return (count(job, many) - count(job, FEW)) / (many - FEW)


@unittest.skipUnless(shutil.which("valgrind"), "valgrind is not there")
class InstructionsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.parse = instructions("protobuf_parse")

    def check_at_most(self, job, share, of, name):
        found = instructions(job)
        print(f"  {job}: {found:.0f} instructions, {found / of:.3f} of {name}")
        self.assertGreater(found, 0)
        self.assertLess(found / of, share)

    def test_reading_a_frame_takes_a_small_part_of_what_protobuf_takes(self):
        self.check_at_most("read", READ, self.parse, "protobuf's parse")

    def test_encoding_a_frame_takes_a_small_part_of_what_protobuf_takes(self):
        self.check_at_most("encode", ENCODE, instructions("protobuf_serialize"),
                           "protobuf's serialize")

    def test_a_tick_of_the_pass_through_graph_takes_next_to_nothing_of_a_parse_by_protobuf(self):
        self.check_at_most("passthrough", PASSTHROUGH, self.parse, "protobuf's parse")

    def test_a_tick_of_the_default_graph_takes_a_part_of_a_parse_by_protobuf(self):
        self.check_at_most("default", DEFAULT, self.parse, "protobuf's parse")

    def test_counting_bytes_against_limits_takes_a_small_part_of_a_push(self):
        many, few = inclusive("push", MANY["push"]), inclusive("push", FEW)

        def one_time(*functions):
            out = 0
            for function in functions:
                name, = (n for n in many if re.match(rf"(\w+::)*{re.escape(function)}", n))
                out += (many[name] - few.get(name, 0)) / (MANY["push"] - FEW)
            return out

        counted, taken = one_time(*COUNTED), one_time(*TAKEN)
        frame = (many[""] - few[""]) / (MANY["push"] - FEW)
        # Frames that go out are counted where memory is taken and given back, inside of the writer.
        counted_frame, plain_frame = instructions("encode_counted"), instructions("encode")
        print(f"  accounting: {counted:.0f} instructions, {counted / taken:.4f} of the {taken:.0f} "
              f"of reading and buffering a message, {counted / frame:.4f} of the {frame:.0f} of "
              f"its frame; of a frame that goes out {counted_frame - plain_frame:.1f} of "
              f"{plain_frame:.0f}")
        self.assertGreater(counted, 0)
        self.assertLess(counted / taken, ACCOUNTING)
        self.assertLess((counted + counted_frame - plain_frame) / frame, ACCOUNTING_OF_FRAME)


if __name__ == "__main__":
    unittest.main(verbosity=2)
