"""How well lips follow a voice server's phonemes, and its sound alone, against aligners.

    voice_lips.py --bin DIR --voice-server URL --out DIR [--voice af_sarah]

`a2f_source say` says each sentence of tests/voices/data/sentences.txt twice, 60 faces a second:
with the marks that the server sends, and with `--voice-marks never`. The references are made of
each sound as those of recordings are (reference.py), so nothing of the server's own times is in
them. Lips are closed within 0.5 mm, as in methods.SEEN.

Both "p b m found" and "p b m, all" are told: the first leaves out what is beside a pause, as
`./bench speech` does; the second asks for all of pocketsphinx's, whether or not the second aligner
agrees. "Vowels open" is of all vowels of at least 60 ms: those in which the lips come more than
1.3 mm apart, so that lips that stay shut from one closure to the next are seen here. Fails when phonemes find fewer than 98 % of either, or close falsely more than 5 times a
minute. OUT/voice_lips.json has every sentence; what is missed and false is listed there with times.
"""
import argparse
import json
import subprocess
import sys
from pathlib import Path

import align
import corpus
import dips
import lips
import methods
import numpy as np
import phones
import reference
import score

SENTENCES = methods.ROOT / "tests" / "voices" / "data" / "sentences.txt"
FPS = "60"
LEAST_FOUND, MOST_FALSE = 0.98, 5.0
LEAST_VOWEL_S = 0.06
SOURCES = {"phonemes": ("auto",), "sound": ("never",)}
# What espeak-ng reads a voice's sentences by, from the first letter of Kokoro's names.
ACCENTS = {"a": "en-us", "b": "en-gb-x-rp"}


def say(options, text, marks, name):
    """The face of a text, and its sound as a WAV file."""
    clip, wav = options.out / f"{name}.jsonl", options.out / f"{name}.wav"
    done = subprocess.run(
        [options.bin / "a2f_source", "say", text, "--voice-server", options.voice_server,
         "--voice", options.voice, "--voice-marks", marks, "--fps", FPS, "--out", clip,
         "--log-level", "warning"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0 or done.stderr:
        sys.exit(f"a2f_source say {text!r}: {done.stderr.strip()}")
    face = lips.read_jsonl(clip)
    clip.unlink()
    methods.write_wav(wav, face.pcm, face.rate_hz)
    return face, wav


def every_closure(words, pcm, segments):
    """All p, b and m of pocketsphinx, at the holes in the sound; those beside pauses too."""
    level = dips.levels(np.frombuffer(pcm, "<i2") / 32768)
    found = [dips.refine(level, start, end) for phone, start, end, _ in segments
             if phones.lips(phone) == "bilabial"]
    return [tuple(s) for s in dips.merged(found)]


def truths(wav, text, accent, sphinx, hama):
    """What is asked for by both aligners, and by pocketsphinx alone; None when they differ over
    what is said."""
    recording = corpus.Recording("en", "voice", wav, text)
    made, why = reference.reference(recording, sphinx, hama)
    if made is None:
        return None, why
    pcm = corpus.pcm(wav)
    words = phones.ipa_words(text, accent)
    segments = sphinx(words, pcm)
    pauses = [tuple(p) for p in made["pause"]]
    both = score.Truth(segments=[tuple(s) for s in made["bilabial"]],
                       duration_s=made["duration_s"], pauses=pauses,
                       either=[tuple(e) for e in made["either"]], beside_pauses=False)
    alone = score.Truth(segments=every_closure(words, pcm, segments),
                        duration_s=made["duration_s"], pauses=pauses)
    return (made, both, alone), why[1]


def phone_at(made, time_s):
    return next((p["phone"] for p in made["phones"] if p["start_s"] <= time_s < p["end_s"]), "?")


def vowels_open(curve, made):
    """(open ones, all) of the vowels; what is shorter than LEAST_VOWEL_S is left out."""
    spans = [(p["start_s"], p["end_s"]) for p in made["phones"]
             if phones.ARPABET.get(p["phone"], "")[:1] in tuple("AEIOU")
             and p["end_s"] - p["start_s"] >= LEAST_VOWEL_S]
    step = lambda t_s: round(t_s / score.STEP_S)  # noqa: E731
    most = [max(curve.values[step(s):step(e) + 1], default=0) for s, e in spans]
    return sum(m > methods.MOST_GAP for m in most), len(spans)


def faults(curve, truth, made):
    threshold = methods.SEEN["PP"]
    return {
        "missed": [[round(s, 3), phone_at(made, (s + e) / 2)] for s, e in truth.asked()
                   if curve.least(s - score.NEAR_S, e + score.NEAR_S)[0] > threshold],
        "false": [[round(s, 3), phone_at(made, (s + e) / 2)] for s, e in
                  score.false_pieces(curve.closures(threshold), truth)]}


def spread(values):
    """Bias and scatter in ms: the median, and the median distance from it."""
    middle = score.median(values)
    return {"bias_ms": round(1000 * middle),
            "scatter_ms": round(1000 * score.median([abs(v - middle) for v in values]))}


def numbers(count):
    return {"asked": count.asked, "found": count.found, "false": count.false,
            "speech_s": round(count.speech_s, 1),
            "false_a_minute": round(count.false_a_minute(), 1),
            "meet": spread(count.starts_s), "part": spread(count.ends_s)}


def judge(options):
    sphinx, hama = align.Sphinx(), align.Hama()
    accent = ACCENTS.get(options.voice[0], "en-us")
    report = {}
    for source, (marks,) in SOURCES.items():
        both, alone, unsure, sentences = score.Count(), score.Count(), 0, []
        vowels = [0, 0]
        for k, text in enumerate(options.sentences.read_text(encoding="utf-8").splitlines()):
            face, wav = say(options, text, marks, f"{options.voice}_{source}_{k:02}")
            found, more = truths(wav, text, accent, sphinx, hama)
            if found is None:
                sentences.append({"text": text, "left_out": more})
                continue
            made, by_both, by_one = found
            unsure += more
            curve = score.Curve(face.times, face.gap(), made["duration_s"])
            both.add(score.score(curve, by_both, methods.SEEN["PP"]))
            alone.add(score.score(curve, by_one, methods.SEEN["PP"]))
            vowels = [a + b for a, b in zip(vowels, vowels_open(curve, made))]
            sentences.append({"text": text} | faults(curve, by_one, made))
        report[source] = {"both_aligners": numbers(both), "pocketsphinx": numbers(alone),
                          "unsure": unsure, "vowels_open": vowels, "sentences": sentences,
                          "left_out": sum("left_out" in s for s in sentences)}
    return report


def share(count):
    return f"{count['found']}/{count['asked']} ({100 * count['found'] / count['asked']:.0f} %)"


def table_rows(voice, report):
    rows = []
    for source, own in report.items():
        both, alone = own["both_aligners"], own["pocketsphinx"]
        when = ", ".join(f"{alone[k]['bias_ms']:+} ({alone[k]['scatter_ms']})"
                         for k in ("meet", "part"))
        rows.append(f"| {voice} | {source} | {share(both)} | {share(alone)} | "
                    f"{alone['false_a_minute']} | {when} | "
                    f"{100 * own['vowels_open'][0] / own['vowels_open'][1]:.0f} % |")
    return rows


HEAD = ["| voice | lips from | p b m found | p b m, all | false a minute | "
        "meet, part: bias (scatter), ms | vowels open |",
        "| --- | --- | --- | --- | --- | --- | --- |"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--voice-server", required=True)
    parser.add_argument("--voice", default="af_sarah")
    parser.add_argument("--sentences", type=Path, default=SENTENCES)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    sys.path.insert(0, str(methods.TRAINING))
    from held_out import HELD_OUT
    if f"kokoro/{options.voice}" not in HELD_OUT:
        print(f"{options.voice} is a voice that the network was trained on", file=sys.stderr)
    options.out.mkdir(parents=True, exist_ok=True)
    report = judge(options)
    (options.out / f"voice_lips_{options.voice}.json").write_text(
        json.dumps(report, indent=1, ensure_ascii=False), encoding="utf-8")
    print("\n".join(HEAD + table_rows(options.voice, report)))
    own = report["phonemes"]
    good = all(c["found"] >= LEAST_FOUND * c["asked"] and c["false_a_minute"] <= MOST_FALSE
               for c in (own["both_aligners"], own["pocketsphinx"]))
    return 0 if good and not own["left_out"] else 1


if __name__ == "__main__":
    sys.exit(main())
