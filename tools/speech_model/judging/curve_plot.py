"""Found p, b and m against false closures a minute, as SVG: a line a method, the tuning set thin
and the judged recordings thick. Standard library only: ./test runs this, and would have to install
matplotlib (56 MB) for it."""
from xml.sax.saxutils import escape

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 640, 380, 54, 44, 16, 12
MOST_FALSE = 60
COLOURS = ("#1f6feb", "#0a7d4f", "#c2571a", "#8a4fbf", "#777777")


def svg(results, viseme="PP"):
    def x(false):
        return LEFT + false / MOST_FALSE * (WIDTH - LEFT - RIGHT)

    def y(found):
        return TOP + (1 - found) * (HEIGHT - TOP - BOTTOM)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
           'font-family="sans-serif" font-size="12">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>']
    for k in range(0, 101, 20):
        out.append(f'<path d="M{LEFT} {y(k / 100):.1f}H{WIDTH - RIGHT}" stroke="#dddddd"/>'
                   f'<text x="{LEFT - 6}" y="{y(k / 100) + 4:.1f}" text-anchor="end">{k} %</text>')
    for k in range(0, MOST_FALSE + 1, 10):
        out.append(f'<path d="M{x(k):.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#eeeeee"/>'
                   f'<text x="{x(k):.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">'
                   f'{k}</text>')
    out.append(f'<text x="{(LEFT + WIDTH) / 2}" y="{HEIGHT - 8}" text-anchor="middle">'
               "false closures a minute of speech</text>")
    for i, result in enumerate(results):
        colour = COLOURS[i % len(COLOURS)]
        for name, width in (("curve_tuning", 1), ("curve_judged", 2.5)):
            points = [(c[2], c[1]) for c in result["kinds"][viseme][name] if c[2] <= MOST_FALSE]
            if not points:
                continue
            if len(points) == 1:
                out.append(f'<circle cx="{x(points[0][0]):.1f}" cy="{y(points[0][1]):.1f}" '
                           f'r="{2 + width}" fill="{colour}"/>')
                continue
            line = " ".join(f"{x(f):.1f},{y(p):.1f}" for f, p in points)
            out.append(f'<polyline points="{line}" fill="none" stroke="{colour}" '
                       f'stroke-width="{width}"/>')
        out.append(f'<text x="{WIDTH - RIGHT - 8}" y="{HEIGHT - BOTTOM - 12 - 16 * i}" '
                   f'text-anchor="end" fill="{colour}">{escape(result["title"])}</text>')
    return "\n".join(out + ["</svg>"]) + "\n"
