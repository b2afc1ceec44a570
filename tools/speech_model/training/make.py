"""From nothing to the weights, in one command; started again, it goes on where it stood.

python3 make.py DATA KOKORO PYTHON_WITH_ONNXRUNTIME [--steps 6000] [--short] [--out FILE]

DATA takes what is made on the way (2 GB), KOKORO holds the model (README.md). --short makes a little of
everything, to see that all is there. One thread; on a core of its own about three hours.
"""
import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("kokoro", type=Path)
    parser.add_argument("python_with_onnxruntime")
    parser.add_argument("--steps", type=int, default=6000)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--out", type=Path, default=HERE.parents[2] / "data/speech/visemes.nn")
    options = parser.parse_args()
    data, kokoro, out = options.data.resolve(), options.kokoro.resolve(), options.out.resolve()
    ours, theirs = sys.executable, Path(options.python_with_onnxruntime).absolute()
    minutes = (lambda many: 1) if options.short else (lambda many: many)
    shards, steps = (2, 20) if options.short else (24, options.steps)
    stages = [
        ("espeak", [ours, "voices.py", "espeak", data / "espeak", minutes(100)]),
        ("flite", [ours, "voices.py", "flite", data / "flite", minutes(32)]),
        ("festival", [ours, "festival.py", data / "festival", minutes(100)]),
        ("kokoro", [theirs, "kokoro.py", kokoro, data / "kokoro", minutes(30)]),
        ("mixed", [theirs, "kokoro.py", kokoro, data / "kokoro_mixed", minutes(10),
                   "mixed"]),
        ("abroad", [theirs, "kokoro.py", kokoro, data / "kokoro_abroad", minutes(20),
                    "abroad"]),
        ("prepare", [ours, "prepare.py", data, shards]),
        ("train", [ours, "train.py", data, "--steps", steps, "--out", out]),
        ("vector", [ours, "vector.py", out] +
         ([data / "vector.txt"] if options.short else [])),
    ]
    data.mkdir(parents=True, exist_ok=True)
    for name, command in stages:
        done = data / f"{name}.done"
        if done.exists():
            continue
        print("--", *command[1:], flush=True)
        subprocess.run([str(part) for part in command], cwd=HERE, check=True)
        done.touch()


if __name__ == "__main__":
    main()
