"""./bench speech without the packages: makes the references when they are not there, and judges.

    run.py --bin DIR --json FILE [--minutes N] [--rest-minutes N] [--page FILE]

--page (docs/evidence/speech-accuracy.md) writes the tables into that page. Other output goes to
speech/ next to FILE. POSEWIRE_SPEECH_VOICES names the folder of synthetic voices that the training made;
without it they are left out.
"""
import argparse
import os
import shutil
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
TOOLS = ROOT / "build" / "tools" / "speech"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--minutes", default="10")
    parser.add_argument("--rest-minutes", default="10")
    parser.add_argument("--page", type=Path)
    options = parser.parse_args()
    python = [TOOLS / "venv" / "bin" / "python", "-B"]
    refs = TOOLS / f"references-{options.minutes}"
    out = options.json.parent / "speech"
    # One thread each: whatever else runs here is not disturbed, and sums come out the same.
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    if not (refs / "errors.json").exists():
        print("Aligning the recordings with their texts, once", flush=True)
        subprocess.run([*python, HERE / "reference.py", refs, "--minutes", options.minutes],
                       check=True, env=environment)
    more = []
    if voices := os.environ.get("POSEWIRE_SPEECH_VOICES"):
        more += ["--voices", voices]
    if (weights := ROOT / "data" / "speech" / "visemes.nn").exists():
        more += ["--network", weights]
    if options.page:
        more += ["--page", options.page]
    subprocess.run([*python, HERE / "judge.py", "--refs", refs, "--out", out, "--bin", options.bin,
                    "--others", TOOLS / "others", "--minutes", options.minutes,
                    "--rest-minutes", options.rest_minutes, *more], check=True, env=environment)
    shutil.copy(out / "speech.json", options.json)


if __name__ == "__main__":
    main()
