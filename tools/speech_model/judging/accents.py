#!/usr/bin/python3
"""How far the strokes of gestures from sound alone lie from where a voice has its stresses.

    tools/speech_model/judging/accents.py --bin build/release/bin

Festival speaks (Debian's festival and a voice for it), and says when each of its vowels is and which
of them it stresses and accents; a2f_source wav hears the sound alone. Beside it stands what strokes at
random would do. Standard library only."""
import argparse
import json
import random
import statistics
import subprocess
import tempfile
from pathlib import Path

TEXTS = """My grandfather planted these apple trees, and every autumn we still make juice from them.
If you press the green button, the machine starts, if you press the red one, it stops at once.
Nobody expected the little team from the north to win the final, least of all their own coach.
We should leave before sunrise, because the road over the pass is closed in the afternoon.
She speaks four languages, plays the violin, and repairs old motorcycles at the weekend.
The museum is free on Sundays, but it is so crowded that you hardly see the paintings.
What I really wanted to say is that your idea was better than mine, and that I am sorry.
Put the flour into a large bowl, add the eggs one by one, and stir until it is smooth.""".split("\n")
SPEAK = """
(define (speak text name)
  (let ((utt (eval (list 'Utterance 'Text text))))
    (utt.synth utt)
    (utt.save.wave utt (string-append name ".wav"))
    (let ((out (fopen (string-append name ".txt") "w")))
      (mapcar (lambda (seg)
        (if (string-equal (item.feat seg "ph_vc") "+")
          (format out "%s %s %f %f\\n" (item.feat seg "R:SylStructure.parent.stress")
            (item.feat seg "R:SylStructure.parent.accented")
            (item.feat seg "segment_start") (item.feat seg "segment_end"))))
        (utt.relation.items utt 'Segment))
      (fclose out))))
"""


def strokes_of(program, wav, out):
    """Times of the strokes, and the length of it all."""
    subprocess.run([program, "wav", str(wav), "--out", str(out), "--no-progress"], check=True,
                   capture_output=True)
    strokes, end = [], 0
    for line in out.read_text().splitlines():
        data = json.loads(line).get("animationData")
        if not data:
            continue
        end = data["skelAnimation"]["blendShapeWeights"][0].get("timeCode", 0)
        gesture = data.get("metadata", {}).get("posewire.speech_gesture")
        if gesture:
            strokes.append(end + gesture["strokeInS"])
    return strokes, end


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--bin", type=Path, required=True, help="folder of a2f_source")
    program = str(options.parse_args().bin / "a2f_source")
    chance = random.Random(1)
    off = {"stressed": ([], []), "accented": ([], [])}
    minutes = count = 0
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "speak.scm")
        script.write_text(SPEAK + "".join(
            f'(speak "{text}" "{folder}/{i}")\n' for i, text in enumerate(TEXTS)))
        subprocess.run(["festival", "-b", str(script)], check=True, capture_output=True)
        for i in range(len(TEXTS)):
            strokes, end = strokes_of(program, Path(folder, f"{i}.wav"), Path(folder, "o.jsonl"))
            minutes += end / 60
            count += len(strokes)
            rows = [row.split() for row in Path(folder, f"{i}.txt").read_text().splitlines()]
            for which, column in (("stressed", 0), ("accented", 1)):
                places = [(float(row[2]) + float(row[3])) / 2 for row in rows if row[column] == "1"]
                apart = lambda at: min(abs(at - place) for place in places)
                off[which][0].extend(map(apart, strokes))
                off[which][1].extend(apart(chance.uniform(0.1, end - 0.6)) for _ in range(50))
    print(f"{count} gestures, {count / minutes:.0f} a minute")
    for which, (ours, at_random) in off.items():
        print(f"{which} vowels: {1000 * statistics.median(ours):.0f} ms off in the median, "
              f"{1000 * statistics.median(at_random):.0f} at random")


if __name__ == "__main__":
    main()
