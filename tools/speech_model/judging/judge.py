"""Judges sound to face on human recordings and held-out voices: ./bench speech without the setup.

    judge.py --refs DIR --out DIR [--bin DIR] [--network FILE] [--others DIR] [--voices DIR]
             [--minutes N] [--rest-minutes N] [--training DIR] [--tuning] [--page FILE]

--refs is what reference.py wrote, --bin holds a2f_source, --network is a weights file, for the
face and for the network alone, --others has the browsers' libraries, --voices the synthetic voices
with known phonemes that the training made.
Writes OUT/speech.json, OUT/speech.md and OUT/found_against_false.svg.
"""
import argparse
import collections
import json
import math
import sys
from pathlib import Path

import curve_plot
import methods
import rest
import score
import synthetic
import tables
from tables import KINDS, LIMITS

POINTS = 40


def read_references(folder, minutes):
    found, seconds = [], {}
    for path in sorted((Path(folder) / "refs").glob("*.json")):
        reference = json.loads(path.read_text(encoding="utf-8"))
        group = (reference["language"], reference["speaker"])
        if seconds.get(group, 0) < 60 * minutes:
            seconds[group] = seconds.get(group, 0) + reference["duration_s"]
            found.append(reference)
    return found


def truth(reference, viseme):
    kind = "bilabial" if viseme == "PP" else "labiodental"
    return score.Truth(segments=[tuple(s) for s in reference[kind]],
                       duration_s=reference["duration_s"],
                       pauses=[tuple(p) for p in reference["pause"]],
                       either=[tuple(e) for e in reference["either"]],
                       beside_pauses=viseme == "FF")


def pairs_of(references, curves, viseme, lag_s=0.0):
    return [(score.Curve([t - lag_s for t in curves[r["name"]][viseme][0]],
                         curves[r["name"]][viseme][1], r["duration_s"]), truth(r, viseme))
            for r in references]


def best_lag(method, references, curves):
    """The delay with which it finds most at 20 false a minute."""
    if len(method.lags_s) == 1:
        return method.lags_s[0]
    def found(lag_s):
        pairs = pairs_of(references, curves, "PP", lag_s)
        best = score.best_at(score.sweep(pairs, score.spaced(pairs, 15)), LIMITS[-1])
        return best[1].found if best else 0
    return max(method.lags_s, key=found)


def numbers(count):
    ms = lambda values: round(1000 * score.median(values), 1) if values else None  # noqa: E731
    return {"asked": count.asked, "found": round(count.found_share(), 4) if count.asked else None,
            "false_a_minute": round(count.false_a_minute(), 2),
            "speech_min": round(count.speech_s / 60, 2),
            "start_ms": ms([abs(v) for v in count.starts_s]), "start_bias_ms": ms(count.starts_s),
            "end_ms": ms([abs(v) for v in count.ends_s]), "end_bias_ms": ms(count.ends_s)}


def judge(method, references):
    """All that is said of one method."""
    curves = {}
    for reference in references:
        curves[reference["name"]] = method.curves(reference)
    tuning = [r for r in references if r["tuning"]]
    lag_s = best_lag(method, tuning, curves)
    result = {"title": method.title, "delay_ms": round(1000 * lag_s), "kinds": {}}
    groups = {}
    for r in references:
        groups.setdefault(f"{r['language']} {r['speaker'].split('_')[-1]}", []).append(r)
    for viseme in KINDS:
        tuned = pairs_of(tuning, curves, viseme, lag_s)
        thresholds = [t for t in score.spaced(tuned, POINTS) if t <= method.most[viseme]]
        counts = score.sweep(tuned, thresholds)
        judged = [r for r in references if not r["tuning"]]
        own = {"curve_tuning": [[t, c.found_share(), c.false_a_minute()] for t, c in counts],
               "curve_judged": [[t, c.found_share(), c.false_a_minute()] for t, c in score.sweep(
                   pairs_of(judged, curves, viseme, lag_s), thresholds)] if judged else [],
               "at": {}}
        for limit in LIMITS:
            chosen = score.best_at(counts, limit)
            if chosen is None:
                continue
            own["at"][limit] = {"threshold": chosen[0], "tuning": numbers(chosen[1])} | {
                name: numbers(score.total(pairs_of(group, curves, viseme, lag_s), chosen[0]))
                for name, group in sorted(groups.items())}
        if isinstance(method, methods.Face):
            own["seen"] = {"tuning": numbers(score.total(tuned, methods.SEEN[viseme]))} | {
                name: numbers(score.total(pairs_of(group, curves, viseme), methods.SEEN[viseme]))
                for name, group in sorted(groups.items())}
        if isinstance(method, methods.Network):
            own["probability"] = {limit: 1 / (1 + math.exp(at["threshold"]))
                                  for limit, at in own["at"].items()}
        if viseme == "PP" and LIMITS[0] in own["at"]:
            own["where"] = where(references, curves, lag_s, own["at"][LIMITS[0]]["threshold"])
        result["kinds"][viseme] = own
    return result


def where(references, curves, lag_s, threshold):
    """In which phones it closes falsely, and which of p, b and m it misses, most frequent first."""
    false, missed = collections.Counter(), collections.Counter()
    for r, (curve, what) in zip(references, pairs_of(references, curves, "PP", lag_s)):
        for start, end in score.false_pieces(curve.closures(threshold), what):
            false[phone_at(r, (start + end) / 2)] += 1
        for start, end in what.asked():
            if curve.least(start - score.NEAR_S, end + score.NEAR_S)[0] > threshold:
                missed[phone_at(r, (start + end) / 2)] += 1
    return {"false": dict(false.most_common(12)), "missed": dict(missed.most_common(5))}


def phone_at(reference, time_s):
    return next((p["phone"] for p in reference["phones"]
                 if p["start_s"] <= time_s < p["end_s"]), "?")


def judge_voices(method, references, thresholds):
    """The held-out voices, as they are seen, and jawOpen beside the phonemes'."""
    groups, correlations, faces = {}, {}, {}
    for r in references:
        source = r["speaker"].split("/")[0]
        groups.setdefault(source, []).append(r)
        face = method.face(r["name"], r["file"])
        faces[r["name"]] = {"PP": (face.times, face.gap()),
                            "FF": (face.times, [-b for b in face.bite()])}
        grid = [k * 0.01 for k in range(int(r["duration_s"] / 0.01) + 1)]
        jaw = score.sampled(face.times, face.weight("jawOpen"), grid)
        correlations.setdefault(source, []).append(
            (synthetic.correlation(jaw, synthetic.jaw(r)), r["duration_s"]))
    return {source: {
        "voices": len({r["speaker"] for r in group}),
        "jaw_correlation": round(sum(c * s for c, s in correlations[source]) /
                                 sum(s for _, s in correlations[source]), 3),
        "kinds": {viseme: numbers(score.total(pairs_of(group, faces, viseme), threshold))
                  for viseme, threshold in thresholds.items()}}
        for source, group in groups.items()}


def judge_rest(method, minutes, folder):
    found = {}
    for name in rest.SOUNDS:
        path = Path(folder) / f"{name}.wav"
        methods.write_wav(path, rest.pcm(name, 60 * minutes))
        face = method.face(name, path)
        found[name] = rest.stillness(face.times, face.gap(), face.weight("jawOpen"))
        path.unlink()
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--refs", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--bin", type=Path)
    parser.add_argument("--network", type=Path)
    parser.add_argument("--training", type=Path, default=methods.TRAINING)
    parser.add_argument("--others", type=Path)
    parser.add_argument("--voices", type=Path)
    parser.add_argument("--minutes", type=float, default=10, help="of each speaker")
    parser.add_argument("--rest-minutes", type=float, default=10)
    parser.add_argument("--page", type=Path, help="write the tables into this page too")
    parser.add_argument("--tuning", action="store_true", help="the tuning set alone")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    references = [r for r in read_references(options.refs, options.minutes)
                  if r["tuning"] or not options.tuning]
    asked = []
    if options.bin:
        asked.append(methods.Face(options.bin / "a2f_source", options.out, options.network))
    if options.network:
        asked.append(methods.Network(options.network, options.training))
    if options.others:
        asked += methods.run_others(references, options.out, options.others)
    asked.append(methods.Heard())
    results = []
    for method in asked:
        print(method.title, flush=True)
        results.append(judge(method, references))
    errors = json.loads((options.refs / "errors.json").read_text(encoding="utf-8"))
    report = {"reference": errors, "methods": results}
    lines = tables.error_table(errors)
    for r in results:
        if "seen" in r["kinds"]["PP"]:
            lines += tables.seen_table(r)
    for viseme in KINDS:
        for limit in LIMITS:
            lines += tables.table(results, viseme, limit)
    lines += tables.times_table(results, LIMITS[-1])
    lines.append("**Where they are wrong**, p b m:")
    lines.append("")
    for r in results:
        if "where" in r["kinds"]["PP"]:
            lines += tables.confusions(r)
    lines.append("")
    if options.bin and options.voices:
        print("held-out voices", flush=True)
        sys.path.insert(0, str(options.training))
        from held_out import HELD_OUT
        references = synthetic.utterances(options.voices, HELD_OUT, 60 * options.minutes)
        report["voices"] = judge_voices(asked[0], references, methods.SEEN)
        lines += tables.voices_table(report["voices"])
    if options.bin and options.rest_minutes > 0:
        print("silence, noise, music", flush=True)
        report["rest"] = judge_rest(asked[0], options.rest_minutes, options.out)
        lines += tables.rest_table(report["rest"])
    (options.out / "speech.md").write_text("\n".join(lines), encoding="utf-8")
    (options.out / "speech.json").write_text(json.dumps(report, indent=1), encoding="utf-8")
    picture = curve_plot.svg(results)
    (options.out / "found_against_false.svg").write_text(picture, encoding="utf-8")
    if options.page:
        tables.write_page(options.page, lines, picture)
    print("\n".join(lines))


if __name__ == "__main__":
    main()
