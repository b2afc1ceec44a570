"""How late the faces of live voices are: so many at once, each at the pace of a microphone.

    live.py --bin DIR [--streams 20] [--seconds 30] FILE

Each stream sends the recording, from another place in each, to one `a2f_source serve` in portions
of 10 ms, when they would have been spoken, and takes the frames that come back. A frame is due when
all the sound was sent that it needs: up to 145 ms behind its own time. What it comes later is its
lateness, and the portions that this program itself sends late count in it: it shares the cores, so
where others compute as well their figures say how much of it is theirs. Needs python3-grpcio.
"""
import argparse
import asyncio
import os
import sys
import time
from pathlib import Path

import corpus
from grpc import aio

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tests/service"))
PROCESS = "/nvidia_ace.services.a2f_controller.v1.A2FControllerService/ProcessAudioStream"
PORTION_S, FPS, KNOWN_AFTER_S = 0.01, 30, 0.145
PORTION_BYTES = round(2 * PORTION_S * corpus.RATE_HZ)


async def speak(method, messages, start_s):
    """Seconds that each frame came late, and that each portion was sent late."""
    header, *portions, end = messages
    call, sent = method(), []

    async def send():
        await call.write(header)
        for k, portion in enumerate(portions):
            due_s = start_s + (k + 1) * PORTION_S
            await asyncio.sleep(max(0, due_s - time.monotonic()))
            sent.append(time.monotonic() - due_s)
            await call.write(portion)
        await call.write(end)
        await call.done_writing()

    sending = asyncio.create_task(send())
    late, frame = [], 0
    await call.read()  # the header
    while await call.read() is not aio.EOF:
        needs_s = max(frame / FPS + KNOWN_AFTER_S, (frame + 1) / FPS)
        if needs_s < len(portions) * PORTION_S:
            late.append(time.monotonic() - start_s - needs_s)
        frame += 1
    await sending
    return late, sent


async def all_of(address, clips):
    async with aio.insecure_channel(address) as channel:
        method = channel.stream_stream(PROCESS)
        start_s = time.monotonic() + 1
        return await asyncio.gather(*[
            speak(method, clip, start_s + k * PORTION_S / len(clips))
            for k, clip in enumerate(clips)])


def quantiles(name, seconds):
    ordered = sorted(seconds)
    at = lambda share: 1000 * ordered[int(share * (len(ordered) - 1))]  # noqa: E731
    print(f"{name}: {len(ordered)}, median {at(0.5):.1f} ms, 95 % {at(0.95):.1f}, 99 % "
          f"{at(0.99):.1f}, most {at(1):.1f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--streams", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("file", type=Path)
    options = parser.parse_args()
    os.environ["POSEWIRE_BIN_DIR"] = str(options.bin)
    from posewire_test import Client, Server
    server = Server("a2f_source", "serve", "--to", "none", "--max-sounds", str(options.streams))
    client = Client(server.address)
    client.method(PROCESS)
    part = client.type("nvidia_ace.controller.v1.AudioStream")
    header, end = part(), part()
    audio = header.audio_stream_header.audio_header
    audio.samples_per_second, audio.bits_per_sample, audio.channel_count = corpus.RATE_HZ, 16, 1
    end.end_of_audio.SetInParent()
    pcm, count = corpus.pcm(options.file), round(options.seconds / PORTION_S)
    cuts = [pcm[k:k + PORTION_BYTES] for k in range(0, len(pcm) - PORTION_BYTES, PORTION_BYTES)]
    clips = []
    for stream in range(options.streams):
        first = stream * len(cuts) // options.streams
        clip = [header]
        for k in range(count):
            clip.append(part())
            clip[-1].audio_with_emotion.audio_buffer = cuts[(first + k) % len(cuts)]
        clips.append([m.SerializeToString() for m in [*clip, end]])
    before_s = time.monotonic()
    done = asyncio.run(all_of(server.address, clips))
    if any(len(late) < 0.9 * options.seconds * FPS for late, _ in done):
        sys.exit("frames are missing")
    stat = Path(f"/proc/{server.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    cpu_s = (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK")
    quantiles("frames, late", [s for late, _ in done for s in late])
    quantiles("portions of this program, late", [s for _, sent in done for s in sent])
    quantiles("first frames, late", [late[0] for late, _ in done])
    print(f"a2f_source took {100 * cpu_s / (time.monotonic() - before_s):.0f} % of a core")
    client.close()
    server.stop()


if __name__ == "__main__":
    main()
