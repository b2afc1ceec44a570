"""Writes what a face should do for each recording: OUT/refs/NAME.json, and OUT/errors.json, how far
the two aligners are from each other.

    reference.py OUT [--minutes N] [LANGUAGE...]

A p, b or m counts only where both aligners put it within 60 ms of each other; elsewhere it is
"either", neither asked for nor false. A recording in which more than a fifth of the phones lies
apart says something else than its text, and is left out.
"""
import argparse
import json
from pathlib import Path

import numpy as np

import align
import corpus
import dips
import phones

# hama's peaks come so much behind the middle of pocketsphinx's segments: the median over es, fr, it
# and ru, of which none is off by more than 10 ms.
HAMA_LATE_S = 0.052
APART_S = 0.06
MOST_APART = 0.2
LEAST_DURATION_S = 1.2


def hama_segments(peaks, level):
    """Borders of p, b and m from hama's peaks alone, by the hole in the sound."""
    found = {}
    for i, (phone, time_s, _) in enumerate(peaks):
        if phones.lips(phone) == "bilabial":
            middle = time_s - HAMA_LATE_S
            found[i] = dips.refine(level, middle - 0.03, middle + 0.03)
    return found


def reference(recording, sphinx, hama):
    """The reference, and (differences of starts, of ends, of places) in seconds; or why not."""
    words = phones.ipa_words(recording.text, corpus.LANGUAGES[recording.language][1])
    pcm = corpus.pcm(recording.path)
    sound = np.frombuffer(pcm, "<i2") / 32768
    segments = sphinx(words, pcm)
    if segments is None:
        return None, "no way through its text"
    posteriors = hama.posteriors(pcm)
    peaks = hama.align([p for word in words for p in word], posteriors)
    if peaks is None:
        return None, "more phones than time"
    spoken = [s for s in segments if s[0] != phones.SILENCE]
    apart = [max(s[1] - (t - HAMA_LATE_S), t - HAMA_LATE_S - s[2], 0)
             for s, (_, t, _) in zip(spoken, peaks)]
    if np.mean([a > APART_S for a in apart]) > MOST_APART:
        return None, "says something else"

    level = dips.levels(sound)
    own = hama_segments(peaks, level)
    lips = {"bilabial": [], "labiodental": [], "either": []}
    differences, unsure = [], 0
    for i, (phone, start, end, _) in enumerate(spoken):
        kind = phones.lips(phone)
        if kind is None:
            continue
        sure = apart[i] <= APART_S
        if kind == "bilabial":
            refined = dips.refine(level, start, end)
            if sure:
                differences.append((own[i][0] - refined[0], own[i][1] - refined[1],
                                    start - refined[0], end - refined[1],
                                    peaks[i][1] - HAMA_LATE_S - (start + end) / 2))
            start, end = refined
        unsure += kind != "either" and not sure
        lips[kind if sure else "either"].append([start, end])
    rounded = lambda pairs: [[round(s, 4), round(e, 4)] for s, e in pairs]  # noqa: E731
    result = {
        "file": str(recording.path), "name": recording.name, "language": recording.language,
        "speaker": recording.speaker, "text": recording.text,
        "tuning": recording.language in corpus.TUNING,
        "duration_s": len(sound) / corpus.RATE_HZ,
        "phones": [{"phone": p, "start_s": round(s, 4), "end_s": round(e, 4)}
                   for p, s, e, _ in segments],
        "pause": rounded([s, e] for p, s, e, _ in segments if p == phones.SILENCE),
        "bilabial": rounded(dips.merged(lips["bilabial"])),
        "labiodental": rounded(lips["labiodental"]),
        "either": rounded(lips["either"]),
        "heard": {kind: [round(t - HAMA_LATE_S, 4) for p, t in hama.heard(posteriors)
                         if phones.lips(p) == kind] for kind in ("bilabial", "labiodental")},
    }
    return result, (differences, unsure)


def error_summary(differences, unsure, left_out):
    d = np.array(differences)
    spread = lambda x: {"bias_ms": round(1000 * float(np.median(x)), 1),  # noqa: E731
                        "median_ms": round(1000 * float(np.median(abs(x))), 1),
                        "p90_ms": round(1000 * float(np.quantile(abs(x), 0.9)), 1),
                        "within_20_ms": round(float(np.mean(abs(x) <= 0.02)), 3)}
    return {"segments": len(d), "unsure": unsure, "left_out": left_out,
            "two_aligners_start": spread(d[:, 0]), "two_aligners_end": spread(d[:, 1]),
            "two_aligners_place": spread(d[:, 4]),
            "sphinx_to_hole_start": spread(d[:, 2]), "sphinx_to_hole_end": spread(d[:, 3])}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--minutes", type=float, default=10, help="of each language")
    parser.add_argument("languages", nargs="*", metavar="LANGUAGE")
    options = parser.parse_args()
    (options.out / "refs").mkdir(parents=True, exist_ok=True)
    sphinx, hama, errors = align.Sphinx(), align.Hama(), {}
    for language in options.languages or corpus.LANGUAGES:
        every, unsure, left_out, total_s = [], 0, {}, 0
        own = corpus.shared() if language == "en" else []
        for recording in own + corpus.recordings(language):
            if total_s >= 60 * options.minutes:
                break
            if recording.duration_s < LEAST_DURATION_S:
                continue
            found, more = reference(recording, sphinx, hama)
            if found is None:
                left_out[recording.name] = more
                continue
            total_s += found["duration_s"]
            every += more[0]
            unsure += more[1]
            (options.out / "refs" / f"{recording.name}.json").write_text(
                json.dumps(found, ensure_ascii=False), encoding="utf-8")
        errors[language] = error_summary(every, unsure, left_out)
        print(language, f"{total_s / 60:.1f} min", json.dumps(errors[language], ensure_ascii=False),
              flush=True)
    path = options.out / "errors.json"
    before = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps(before | errors, indent=1, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    main()
