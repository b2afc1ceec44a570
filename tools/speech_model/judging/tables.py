"""The judge's numbers as tables of Markdown, and the page that shows them."""
LIMITS = (10, 20)  # false closures a minute
KINDS = {"PP": "p b m", "FF": "f v"}
MARKS = ("<!-- made by ./bench speech -->", "<!-- end -->")


def percent(share):
    return "–" if share is None else f"{100 * share:.0f} %"


def found_and_false(n):
    return f"{percent(n['found'])}, {n['false_a_minute']:.1f}" if n else "–"


def times(n):
    """When lips meet and part, a cell each."""
    return [f"{n[k + '_ms']:.0f} ({n[k + '_bias_ms']:+.0f})" if n and n[k + "_ms"] is not None
            else "–" for k in ("start", "end")]


def error_table(errors):
    lines = ["**The reference's own error**: p, b and m by two aligners", "",
             "| | segments | not sure | place apart, median and 90 % (ms) | "
             "borders within 20 ms: start, end | recordings left out |",
             "| --- | --- | --- | --- | --- | --- |"]
    for language, e in errors.items():
        place = e["two_aligners_place"]
        lines.append(f"| {language} | {e['segments']} | {e['unsure']} | {place['median_ms']:.0f}, "
                     f"{place['p90_ms']:.0f} | {percent(e['two_aligners_start']['within_20_ms'])}, "
                     f"{percent(e['two_aligners_end']['within_20_ms'])} | {len(e['left_out'])} |")
    return lines + [""]


def seen_table(result):
    """What a viewer sees of a face as it is, with no threshold chosen afterwards."""
    names = list(result["kinds"]["PP"]["seen"])
    lines = ["**The face as it is seen**: lips within 0.5 mm; found, false a minute; when lips "
             "meet and part, median error in ms (bias)", "",
             "| | p b m | f v | meet | part |", "| --- | --- | --- | --- | --- |"]
    for name in names:
        pp, ff = (result["kinds"][viseme]["seen"][name] for viseme in KINDS)
        cells = [found_and_false(pp), found_and_false(ff), *times(pp)]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return lines + [""]


def table(results, viseme, limit):
    columns = sorted({name for r in results for at in r["kinds"][viseme]["at"].values()
                      for name in at if name not in ("threshold", "tuning")})
    lines = [f"**{KINDS[viseme]}**, threshold fixed at {limit} false a minute on the tuning set: "
             "found, false a minute", "",
             "| | tuning set | " + " | ".join(columns) + " |", "| --- " * (len(columns) + 2) + "|"]
    for r in results:
        at = r["kinds"][viseme]["at"].get(limit) or {}
        cells = [found_and_false(at.get(c)) for c in ["tuning", *columns]]
        lines.append(f"| {r['title']} | " + " | ".join(cells) + " |")
    return lines + [""]


def times_table(results, limit):
    lines = ["**When lips meet and part**: median error of what was found, ms (bias)", "",
             "| | meet, tuning set | part | meet, en Allison | part |",
             "| --- | --- | --- | --- | --- |"]
    for r in results:
        at = r["kinds"]["PP"]["at"].get(limit)
        if at is None:
            continue
        cells = times(at["tuning"]) + times(at.get("en Allison"))
        lines.append(f"| {r['title']} | " + " | ".join(cells) + " |")
    return lines + [""]


def confusions(result):
    pp = result["kinds"]["PP"]
    said = {key: ", ".join(f"{phone} {count}" for phone, count in list(places.items())[:6])
            for key, places in pp["where"].items()}
    lines = [f"- {result['title']}, at {LIMITS[0]} false a minute: false in {said['false']}; "
             f"missed {said['missed']}."]
    if "probability" in pp:
        lines.append("- Thresholds of probability for " + "; ".join(
            f"{kind}: " + ", ".join(f"{p:.2f} ({limit} a minute)" for limit, p in
                                    result["kinds"][viseme]["probability"].items())
            for viseme, kind in KINDS.items()) + ".")
    return lines


def voices_table(voices):
    lines = ["**Held-out synthetic voices**, the face as it is seen", "",
             "| | voices | p b m found, false a minute | lips meet, part (ms) | "
             "f v found, false a minute | jawOpen's correlation |",
             "| --- | --- | --- | --- | --- | --- |"]
    for source, v in voices.items():
        pp, ff = v["kinds"].get("PP"), v["kinds"].get("FF")
        when = f"{pp['start_ms']:.0f}, {pp['end_ms']:.0f}" if pp and pp["found"] else "–"
        lines.append(f"| {source} | {v['voices']} | {found_and_false(pp)} | {when} | "
                     f"{found_and_false(ff)} | {v['jaw_correlation']:.2f} |")
    return lines + [""]


def rest_table(found):
    lines = ["**Where nobody speaks**, the face", "",
             "| | minutes | frames at rest | openings a minute | gap at 99 %, at most | "
             "mean jawOpen |",
             "| --- | --- | --- | --- | --- | --- |"]
    for name, r in found.items():
        lines.append(f"| {name} | {r['minutes']:.0f} | {100 * r['still']:.1f} % | "
                     f"{r['openings_a_minute']:.1f} | {r['gap_99_percent']:.2f}, "
                     f"{r['widest_gap']:.2f} | {r['mean_jaw_open']:.3f} |")
    return lines + [""]


def write_page(path, lines, picture):
    """Puts the tables between the page's marks, and the picture beside the page's others."""
    page = path.read_text(encoding="utf-8")
    before, _, rest = page.partition(MARKS[0])
    _, mark, after = rest.partition(MARKS[1])
    if not mark:
        raise ValueError(f"{path} has no {MARKS[0]} ... {MARKS[1]}")
    path.write_text(f"{before}{MARKS[0]}\n" + "\n".join(lines) + f"\n{MARKS[1]}{after}",
                    encoding="utf-8")
    (path.parent / "images" / "speech-found-false.svg").write_text(picture, encoding="utf-8")
