"""What is judged: for a recording, curves that fall where the lips meet (PP) and where the lower
lip is at the teeth (FF)."""
import json
import subprocess
import sys
import wave
from pathlib import Path

import corpus
import lips

ROOT = Path(__file__).resolve().parents[3]
TRAINING = ROOT / "tools/speech_model/training"

# 1.3 mm on the built-in avatar: beyond that lips are seen apart, whatever a threshold says.
MOST_GAP = 0.05
# What a viewer sees as closed lips (0.5 mm), and as a lip at the teeth.
SEEN = {"PP": 0.02, "FF": -0.3}


def write_wav(path, pcm, rate_hz=corpus.RATE_HZ):
    with wave.open(str(path), "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(rate_hz)
        out.writeframes(pcm)


class Face:
    """The weights that a2f_source makes of a sound."""
    title = "Posewire"
    most = {"PP": MOST_GAP, "FF": float("inf")}
    lags_s = (0.0,)

    def __init__(self, program, folder, network=None):
        """`network`: weights in place of the built-in ones."""
        self._command = [Path(program), "wav", "--log-level", "error"]
        if network:
            self._command += ["--network", network]
        self._folder = Path(folder) / "faces"
        self._folder.mkdir(parents=True, exist_ok=True)

    def face(self, name, file):
        wav, clip = self._folder / f"{name}.wav", self._folder / f"{name}.jsonl"
        write_wav(wav, corpus.pcm(file))
        done = subprocess.run([*self._command, wav, "--out", clip], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"a2f_source wav {wav}: {done.stderr.strip()}")
        face = lips.read_jsonl(clip)
        clip.unlink()
        wav.unlink()
        return face

    def curves(self, reference):
        face = self.face(reference["name"], reference["file"])
        return {"PP": (face.times, face.gap()), "FF": (face.times, [-b for b in face.bite()])}


class Network:
    """The posteriors of the network alone, in numpy: before anything is decided, so that a
    threshold says all there is to say."""
    title = "its network alone"
    most = {"PP": float("inf"), "FF": float("inf")}
    lags_s = (0.0,)

    def __init__(self, weights, training=TRAINING):
        sys.path.insert(0, str(training))
        import features
        import nn
        self._features, self._names = features, nn.OUTPUTS
        self._network = nn.load(weights)

    def curves(self, reference):
        import numpy as np
        sound = np.frombuffer(corpus.pcm(reference["file"]), "<i2") / 32768
        ahead = self._network.lookahead
        sound = np.concatenate([sound, np.zeros(160 * ahead)])
        out = self._network.run(self._features.features(sound))[ahead:]
        times = [(k + 0.5) / 100 for k in range(len(out))]
        return {viseme: (times, [-float(v) for v in out[:, self._names.index(logit)]])
                for viseme, logit in (("PP", "bilabial"), ("FF", "labiodental"))}


class Other:
    """What a library of browsers made of it (others/run.mjs). Such libraries hear the past alone,
    so each is given the delay of the sound that suits it best on the tuning set."""
    most = {"PP": float("inf"), "FF": float("inf")}
    lags_s = tuple(k * 0.02 for k in range(11))

    def __init__(self, title, folder):
        self.title, self._folder = title, Path(folder) / title

    def curves(self, reference):
        heard = json.loads((self._folder / f"{reference['name']}.json").read_text())
        return {viseme: (heard["times_s"], [-v for v in heard[viseme]]) for viseme in ("PP", "FF")}


class Heard:
    """A whole recogniser that has heard all of the recording, as a measure of the task: 0 at the
    peaks where it hears such a phone, else 1."""
    title = "hama (offline, hears all of it)"
    most = {"PP": float("inf"), "FF": float("inf")}
    lags_s = (0.0,)

    def curves(self, reference):
        out = {}
        for viseme, kind in (("PP", "bilabial"), ("FF", "labiodental")):
            knots = {0.0: 1.0, reference["duration_s"]: 1.0}
            for t in reference["heard"][kind]:
                knots |= {t - 0.02: 1.0, t - 0.015: 0.0, t + 0.015: 0.0, t + 0.02: 1.0}
            times = sorted(knots)
            out[viseme] = (times, [knots[t] for t in times])
        return out


def run_others(references, out, node_folder):
    """Runs the browsers' libraries, which npm has put into node_folder."""
    listed = Path(out) / "others.jsonl"
    listed.write_text("\n".join(json.dumps({"name": r["name"], "file": r["file"]})
                                for r in references))
    subprocess.run(["node", Path(node_folder) / "run.mjs", listed, Path(out) / "others"],
                   check=True)
    return [Other(title, Path(out) / "others") for title in ("headaudio", "wawa-lipsync")]
