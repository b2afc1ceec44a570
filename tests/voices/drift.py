"""Whether lips stay with a voice over a long take, and memory stays flat.

    build/tools/speech/venv/bin/python -B tests/voices/drift.py --bin build/release/bin --out DIR
        [--minutes 15] [--most-minutes 20] [--voice af_sarah] [--clause-threads 2]

`a2f_source say` writes a text of that many minutes, spoken by Kokoro, to a file as fast as it can;
after --most-minutes by the clock it is stopped, and what there is of the take is judged.
The face's closures of p, b and m, which come from the voice's marks, are compared with those that
`a2f_source wav` hears in the take's sound, minute by minute: the median difference, and how much of
the first third's median is left in the last third. Memory of both processes is read every 10 s.
Prints one JSON object; fails when lips drift by more than 10 ms, or memory grows by more than
16 MiB after the first third. The environment is that of `./bench speech`.
"""

import argparse
import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import installed
import voice_tree

sys.path.insert(0, str(voice_tree.ROOT / "tools/speech_model/judging"))
import lips  # noqa: E402
import methods  # noqa: E402
import score  # noqa: E402

MOST_DRIFT_MS, MOST_GROWTH_MIB = 10, 16
NEAR_S = 0.12  # a heard closure farther from a mark's is another one
CHARACTERS_A_MINUTE = 900

# People, what they did, with what, where, when, and what came of it.
PARTS = [part.split(", ") for part in (
    "the baker, my brother, a painter, the old captain, her mother, Peter, Emma, the farmer",
    "bought, painted, carried, remembered, promised, borrowed, dropped, photographed",
    "a blue boat, the paper lamp, some bread, a map, two plums, the brown box, a pipe, my umbrella",
    "by the bridge, near the harbour, on the platform, at the museum, behind the barn, in Bombay",
    "in April, before supper, at half past seven, on Monday, every morning, after the rain",
    "and nobody complained, because it was cheap, but it broke, and they walked home, so we helped",
)]


def sentences(characters, seed=1):
    """A text of made-up sentences, in paragraphs."""
    pick = random.Random(seed)
    out, length, paragraph = [], 0, []
    while length < characters:
        *said, end = [pick.choice(part) for part in PARTS]
        said = " ".join(said) + (f", {end}." if pick.random() < 0.5 else ".")
        said = said[0].upper() + said[1:]
        paragraph.append(said)
        length += len(said) + 1
        if len(paragraph) == 6:
            out.append(" ".join(paragraph))
            paragraph = []
    return "\n\n".join(out + [" ".join(paragraph)]).strip()


def memory_mib(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as lines:
        return next((int(x.split()[1]) / 1024 for x in lines if x.startswith("VmRSS")), 0)


def take(options, text, clip):
    """Writes the take; the memory of both programs over time: [(seconds, server's, source's)]."""
    kokoro = installed.Kokoro("--clause-threads", options.clause_threads)
    try:
        command = [options.bin / "a2f_source", "say", text, "--voice-server", kokoro.url]
        command += ["--voice", options.voice, "--fps", "60", "--out", clip]
        command += ["--log-level", "warning"]
        began, memory, stopped = time.monotonic(), [], False
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as said:
            while said.poll() is None:
                memory.append((round(time.monotonic() - began), round(memory_mib(kokoro.pid), 1),
                               round(memory_mib(said.pid), 1)))
                try:
                    said.wait(10)
                except subprocess.TimeoutExpired:
                    stopped = time.monotonic() - began > 60 * options.most_minutes
                    if stopped:
                        said.send_signal(signal.SIGINT)
        if said.returncode != 0 and not stopped:
            sys.exit(f"a2f_source say ended with {said.returncode}")
        return memory, time.monotonic() - began
    finally:
        kokoro.close()


def closures(face, duration_s):
    curve = score.Curve(face.times, face.gap(), duration_s)
    return curve.closures(methods.SEEN["PP"])


def middle(closure):
    return (closure[0] + closure[1]) / 2


def differences(marked, heard):
    """(when, face from marks less face from sound), of closures up to 0.25 s with a partner."""
    short = [[c for c in each if c[1] - c[0] < 0.25] for each in (marked, heard)]
    out, k = [], 0
    for closure in short[0]:
        at = middle(closure)
        while k + 1 < len(short[1]) and abs(middle(short[1][k + 1]) - at) <= abs(
            middle(short[1][k]) - at
        ):
            k += 1
        if short[1] and abs(middle(short[1][k]) - at) <= NEAR_S:
            out.append((at, at - middle(short[1][k])))
    return out


def by_minute(found, duration_s):
    minutes = [[d for t, d in found if 60 * m <= t < 60 * (m + 1)]
               for m in range(int(duration_s / 60) + 1)]
    return [[len(each), round(1000 * score.median(each))] for each in minutes if each]


def thirds(found, duration_s):
    """Medians in ms of the first and the last third, and the 95 % range of their difference."""
    parts = [[d for t, d in found if low <= t / duration_s < high]
             for low, high in ((0, 1 / 3), (2 / 3, 1.01))]
    pick, spread = random.Random(1), []
    for _ in range(500):
        again = [score.median(pick.choices(part, k=len(part))) for part in parts]
        spread.append(again[1] - again[0])
    spread.sort()
    return [round(1000 * score.median(part), 1) for part in parts], [
        round(1000 * spread[12], 1), round(1000 * spread[-13], 1)]


def judged(clip, wav, program):
    """Closures by the marks and by the sound, their differences, and the take's length in s."""
    face = lips.read_jsonl(clip)
    duration_s = len(face.pcm) / 2 / face.rate_hz
    methods.write_wav(wav, face.pcm, face.rate_hz)
    heard_clip = wav.with_suffix(".heard.jsonl")
    subprocess.run([program, "wav", wav, "--fps", "60", "--out", heard_clip,
                    "--log-level", "warning"], check=True)
    marked = closures(face, duration_s)
    heard = closures(lips.read_jsonl(heard_clip), duration_s)
    heard_clip.unlink()
    return marked, heard, differences(marked, heard), duration_s


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=15)
    parser.add_argument("--most-minutes", type=float, default=20)
    parser.add_argument("--voice", default="af_sarah")
    parser.add_argument("--clause-threads", default="2")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    clip, wav = options.out / "long.jsonl", options.out / "long.wav"
    text = sentences(round(CHARACTERS_A_MINUTE * options.minutes))
    memory, took_s = take(options, text, clip)
    marked, heard, found, duration_s = judged(clip, wav, options.bin / "a2f_source")
    clip.unlink()
    medians, spread = thirds(found, duration_s)
    later = [row for row in memory if row[0] >= took_s / 3] or memory
    growth = [round(max(row[k] for row in later) - later[0][k], 1) for k in (1, 2)]
    print(json.dumps({
        "characters": len(text), "speech_min": round(duration_s / 60, 2),
        "took_min": round(took_s / 60, 2), "closures": [len(marked), len(heard), len(found)],
        "first_and_last_third_ms": medians, "drift_95_percent_ms": spread,
        "minutes": by_minute(found, duration_s), "memory_mib": memory[:: max(1, len(memory) // 30)],
        "growth_mib": growth}))
    good = abs(medians[1] - medians[0]) <= MOST_DRIFT_MS and max(growth) <= MOST_GROWTH_MIB
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
