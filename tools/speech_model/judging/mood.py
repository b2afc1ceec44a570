#!/usr/bin/python3
"""Compares the mood that `a2f_source wav --emotion auto` hears with what actors were asked to play.

    mood.py BIN FOLDER      BIN: the folder of a2f_source

FOLDER has recordings named as in EmoDB (03a01Wa.wav: the sixth letter is the emotion) or as in
RAVDESS (03-01-05-01-02-01-16.wav: the third number is it). They are not part of this project. Prints
the correlation of arousal and valence, each averaged over the second half of a recording, with the
usual places of the emotions in the circumplex (Russell, 1980), and the means of each emotion."""
import json
import subprocess
import sys
from pathlib import Path

import numpy

# Arousal and valence.
PLACES = {"angry": (0.8, -0.7), "fear": (0.6, -0.6), "happy": (0.6, 0.8), "surprise": (0.6, 0.2),
          "disgust": (0.2, -0.6), "neutral": (-0.1, 0.1), "calm": (-0.2, 0.2),
          "bored": (-0.7, -0.3), "sad": (-0.7, -0.6)}
EMODB = {"W": "angry", "L": "bored", "E": "disgust", "A": "fear", "F": "happy", "T": "sad",
         "N": "neutral"}
RAVDESS = ("", "neutral", "calm", "happy", "sad", "angry", "fear", "disgust", "surprise")


def emotion_of(name):
    return RAVDESS[int(name.split("-")[2])] if "-" in name else EMODB[name[5]]


def mood_of(binary, file):
    lines = subprocess.run([binary, "wav", str(file), "--emotion", "auto", "--out", "-"],
                           capture_output=True, check=True).stdout.splitlines()
    frames = [json.loads(line).get("animationData") for line in lines]
    mood, moods = (0, 0), []
    for frame in filter(None, frames):
        entry = frame.get("metadata", {}).get("posewire.voice_mood")
        if entry:
            mood = entry.get("arousal", 0), entry.get("valence", 0)
        moods.append(mood)
    return numpy.mean(moods[len(moods) // 2:], axis=0)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    files = sorted(Path(sys.argv[2]).rglob("*.wav"))
    emotions = [emotion_of(file.stem) for file in files]
    heard = numpy.array([mood_of(Path(sys.argv[1]) / "a2f_source", file) for file in files])
    meant = numpy.array([PLACES[emotion] for emotion in emotions])
    print(f"{len(files)} recordings; correlation: arousal "
          f"{numpy.corrcoef(heard[:, 0], meant[:, 0])[0, 1]:.2f}, valence "
          f"{numpy.corrcoef(heard[:, 1], meant[:, 1])[0, 1]:.2f}")
    for emotion in sorted(set(emotions), key=lambda name: -PLACES[name][0]):
        of_it = heard[[e == emotion for e in emotions]]
        print(f"{emotion:9} {len(of_it):4}  arousal {of_it[:, 0].mean():+.2f} "
              f"(deviation {of_it[:, 0].std():.2f})  valence {of_it[:, 1].mean():+.2f}")


if __name__ == "__main__":
    main()
