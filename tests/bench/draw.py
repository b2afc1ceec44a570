"""Draws lateness against the number of avatars as SVG.

    draw.py LOAD_RUNS.json FILE.svg

Standard library only: ./test runs this, and would have to install matplotlib (56 MB) for it.
"""
import json
import math
import sys
from pathlib import Path

WIDTH, HEIGHT = 760, 420
LEFT, RIGHT, TOP, BOTTOM = 70, 130, 30, 50
LEAST_MS, MOST_MS = 0.1, 1000
LINES = {"relay": ("bare relay", "#666666"), "passthrough": ("pass-through", "#1f77b4"),
         "default": ("default graph", "#d62728")}
FRAME_MS = 1000 / 30


def points(runs, name):
    """Avatars and p99 of the runs that pushed as many as they pulled; the better of two tries."""
    best = {}
    for run in runs:
        if run["server"] != name or run["pushes"] != run["pulls"] or run["pulls_of_each"] != 1:
            continue
        kept = best.get(run["pulls"])
        if kept is None or (run["held"], -run["lateness_p99_ms"]) > (
                kept["held"], -kept["lateness_p99_ms"]):
            best[run["pulls"]] = run
    return [(n, best[n]["lateness_p99_ms"], best[n]["held"]) for n in sorted(best)]


def step_of(most):
    """A round distance of 4 to 8 marks up to `most`."""
    power = 10 ** math.floor(math.log10(max(most, 1)))
    for factor in (0.2, 0.25, 0.5, 1, 2):
        if most / (power * factor) <= 8:
            return max(1, int(power * factor))
    return most


class Axes:
    def __init__(self, most):
        self.most = most

    def x(self, n):
        return LEFT + (WIDTH - LEFT - RIGHT) * n / self.most

    def y(self, ms):
        share = (math.log10(min(max(ms, LEAST_MS), MOST_MS)) - math.log10(LEAST_MS)) / (
            math.log10(MOST_MS) - math.log10(LEAST_MS))
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share


def text(x, y, words, anchor="middle", colour="#333333"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{words}</text>')


def level(axes, ms, words):
    y = axes.y(ms)
    return [f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" '
            f'stroke="#2ca02c" stroke-dasharray="5 4"/>',
            text(WIDTH - RIGHT + 6, y + 4, words, "start", "#2ca02c")]


def grid(axes):
    result = []
    for n in range(0, axes.most + 1, step_of(axes.most)):
        x = axes.x(n)
        result.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}" '
                      'stroke="#eeeeee"/>')
        result.append(text(x, HEIGHT - BOTTOM + 18, n))
    ms = LEAST_MS
    while ms <= MOST_MS * 1.01:
        y = axes.y(ms)
        result.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" '
                      'stroke="#eeeeee"/>')
        result.append(text(LEFT - 8, y + 4, f"{ms:g}", "end"))
        ms *= 10
    result.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, "avatars pushed and pulled"))
    result.append(text(LEFT - 50, TOP - 12, "p99 lateness in ms", "start"))
    return result


def draw(runs):
    lines = {name: points(runs, name) for name in LINES}
    axes = Axes(max((n for found in lines.values() for n, _, _ in found), default=1))
    parts = grid(axes) + level(axes, 5, "5 ms: holds") + level(axes, FRAME_MS, "one frame")
    for row, (name, found) in enumerate(lines.items()):
        words, colour = LINES[name]
        way = " ".join(f"{axes.x(n):.1f},{axes.y(ms):.1f}" for n, ms, _ in found)
        parts.append(f'<polyline points="{way}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for n, ms, held in found:
            parts.append(f'<circle cx="{axes.x(n):.1f}" cy="{axes.y(ms):.1f}" r="4" '
                         f'stroke="{colour}" fill="{colour if held else "#ffffff"}"/>')
        parts.append(text(LEFT + 12, TOP + 16 + 18 * row, words, "start", colour))
    parts.append(text(LEFT + 12, TOP + 16 + 18 * len(lines), "hollow: did not hold", "start"))
    body = "\n".join(parts)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
            f'width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" font-size="12">\n'
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>\n{body}\n</svg>\n')


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: draw.py LOAD_RUNS.json FILE.svg")
    Path(sys.argv[2]).write_text(draw(json.loads(Path(sys.argv[1]).read_text())))


if __name__ == "__main__":
    main()
