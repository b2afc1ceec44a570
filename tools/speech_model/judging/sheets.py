"""Talking faces beside the sound: for each recording a picture with twelve instants of the face
over the voice, its spectrogram and the mouth's shapes, and with --films a film.

    sheets.py --bin DIR --out DIR [--films] [--from S] [--seconds N] [--network FILE] FILE...

FILE is a recording, or a take with its sound (.animdata, as `a2f_source say` writes it), whose face
is shown as it is. Each picture shows so many seconds, from the start of speech unless told. Needs
ffmpeg.
"""
import argparse
import subprocess
import sys
from pathlib import Path

import corpus
import lips
import methods

INSTANTS = 12
TRACKS = "jawOpen,mouthPressLeft,mouthRollLower,mouthLowerDownLeft,mouthPucker,mouthFunnel"
# A picture of the renderer's sheet, and the mouth on it: width, height, left, top.
CELL, MOUTH = (560, 600), (220, 160, 170, 355)
SHOWN = (146, 106)
# Of the plot: where its first and last instant stand, and from where to where its curves reach.
FIRST_X, LAST_X, TOP_Y, CURVES_HEIGHT, WIDTH = 278, 1962, 130, 685, 2160


def run(*command):
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(str(c) for c in command)}\n{done.stdout}")


def speech_start_s(pcm):
    """When the sound first comes within 30 dB of its loudest 20 ms."""
    step = corpus.RATE_HZ // 50
    samples = memoryview(pcm).cast("h")
    levels = [sum(v * v for v in samples[k:k + step]) for k in range(0, len(samples) - step, step)]
    loud = max(levels, default=0) / 1000
    return next((k * 0.02 for k, level in enumerate(levels) if level > loud), 0)


def stacked(faces, plot, out):
    """The faces of a sheet in one row over the plot's instants."""
    width, height, left, top = MOUTH
    shown, tall = SHOWN
    step = (LAST_X - FIRST_X) / (INSTANTS - 1)
    filters = []
    for i in range(INSTANTS):
        x, y = i % 6 * CELL[0] + left, i // 6 * CELL[1] + top
        filters.append(f"[0]crop={width}:{height}:{x}:{y},scale={shown}:{tall},"
                       f"pad={round((i + 1) * step) - round(i * step)}:{tall}:0:0:white[c{i}]")
    filters += ["".join(f"[c{i}]" for i in range(INSTANTS)) + f"hstack={INSTANTS}[row]",
                f"[row]pad={WIDTH}:{tall + 16}:{FIRST_X - shown // 2}:8:white[faces]",
                f"[1]crop={WIDTH}:{CURVES_HEIGHT}:0:{TOP_Y}[curves]",
                "[faces][curves]vstack[out]"]
    run("ffmpeg", "-v", "error", "-y", "-i", faces, "-i", plot, "-filter_complex",
        ";".join(filters), "-map", "[out]", "-frames:v", "1", out)


def heard(options, file, part):
    """The take that is made of a recording, and the recording's sound."""
    pcm = corpus.pcm(file)
    methods.write_wav(part(".wav"), pcm)
    run(options.bin / "a2f_source", "wav", part(".wav"), "--out", part(".animdata"),
        *(["--network", options.network] if options.network else []))
    return part(".animdata"), pcm


def taken(options, file, part):
    """A take, and its sound."""
    run(options.bin / "animclip", "convert", file, part(".jsonl"))
    face = lips.read_jsonl(part(".jsonl"))
    part(".jsonl").unlink()
    methods.write_wav(part(".wav"), face.pcm, face.rate_hz)
    return file, corpus.pcm(part(".wav"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--films", action="store_true")
    parser.add_argument("--from", type=float, default=0, dest="start")
    parser.add_argument("--seconds", type=float, default=1.6)
    parser.add_argument("--network", help="weights in place of the built-in ones")
    parser.add_argument("files", nargs="+", type=Path)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for file in options.files:
        name = f"{file.parent.name}_{file.stem}"
        part = lambda end: options.out / f"{name}{end}"  # noqa: E731
        take, pcm = taken(options, file, part) if file.suffix == ".animdata" else \
            heard(options, file, part)
        start = options.start or speech_start_s(pcm)
        run(options.bin / "animclip", "cut", take, part("_cut.animdata"), "--from",
            f"{start:.2f}", "--to", f"{start + options.seconds:.2f}")
        run(options.bin / "renderer_sink", "render", part("_cut.animdata"), part("_faces.png"),
            "--sheet", "--camera", "face", "--size", "%dx%d" % CELL, "--instants", INSTANTS)
        run(options.bin / "animclip", "plot", part("_cut.animdata"), "-o", part("_plot.png"),
            "--tracks", TRACKS, "--instants", INSTANTS)
        stacked(part("_faces.png"), part("_plot.png"), part(".png"))
        for end in ("_cut.animdata", "_faces.png", "_plot.png"):
            part(end).unlink()
        if options.films:
            run(options.bin / "renderer_sink", "render", take, part(".mp4"),
                "--camera", "face")
        print(part(".png"), flush=True)


if __name__ == "__main__":
    main()
