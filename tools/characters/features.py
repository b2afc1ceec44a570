"""Paint of the face's features: lips, lids and brows, on the canvas of paint.py.

They are drawn by clear shapes with soft borders and hardly any grain, which reads well from afar
and near; borders follow the surface, so they move with its shapes.
"""
import numpy as np

from mesh import smoothstep
from people import rgb
from raster import blurred

LIP_BLUR = 5.0          # texels of 1024, standard deviation


def paint_lips(canvas, head, person, base):
    """Lips as wide and full as the mesh has them, their border rounded, darker at the seam."""
    mouth, corner = head.lip_line_y, head.mouth_corner
    at = canvas.near(np.array([0, mouth, 0.07]), np.array([0.040, 0.024, 0.045]))
    deviation = LIP_BLUR * canvas.size / 1024
    upper, lower = (blurred(mask[at], deviation, int(np.ceil(3 * deviation)))
                    for mask in (canvas.upper, canvas.lower))
    ax, y = canvas.ax[at], canvas.p[at][..., 1]
    rise = y - head.seam_y(ax)
    t = np.clip(ax / corner, 0, 1)
    lips = np.maximum(smoothstep(0.10, 0.26, upper), smoothstep(0.20, 0.38, lower))
    # At the seam, and out to the corners, where the masks fade.
    band = np.where(rise > 0, 0.0046 * (1 - t * t) ** 0.7, 0.0066 * (1 - t * t) ** 0.5) + 0.0008
    lips = np.maximum(lips, smoothstep(1.3, 0.7, abs(rise) / band))
    lips *= smoothstep(corner + 0.0020, corner - 0.0005, ax)
    # Towards the corners the lower border rises evenly, whatever quads the mask ends on.
    lips *= smoothstep(1.12, 0.92, -rise / (0.0142 * np.maximum(1 - t * t, 1e-3) ** 1.2 + 0.0006))
    dark = np.clip(1.25 - base.mean() / 0.62, 0, 0.85)       # lips of dark skin are nearer to it
    lip = np.array(rgb(person.lips)) * 0.8 + base * 0.2
    lip += dark * (base * [1.05, 0.72, 0.70] - lip)
    amount = np.zeros(canvas.ax.shape)
    shine, seam = amount.copy(), amount.copy()
    amount[at] = 0.90 * lips
    gloss = np.exp(-((rise + 0.0052) / 0.0022) ** 2 - (ax / 0.011) ** 2)
    shine[at] = 0.22 * gloss * lips
    seam[at] = 0.50 * np.exp(-(rise / 0.0011) ** 2) * lips
    canvas.mix(lip, amount)
    canvas.mix(np.minimum(lip * 1.25, 1), shine)
    canvas.mix(lip * 0.66, seam)


def paint_lids(canvas, head, person, base):
    """A rosy rim about the eyes, a soft crease above, a dark line under the lashes and, in place of
    lower lashes, a faint one below."""
    woman = person.sex == "woman"
    warm = np.array([0.83, 0.34, 0.29])
    for side in "lr":
        center, r = head.eyes[side]
        lines = head.lash_lines[side]
        at = canvas.near(center, np.full(3, 2.2 * r))
        p = canvas.p[at]
        ahead = p[..., 2] > center[2]
        out = (p - center) / r
        crease = np.exp(-((out[..., 1] - 0.60) / 0.34) ** 2 - (out[..., 0] / 1.1) ** 2)
        rim = smoothstep(1.07, 1.02, np.linalg.norm(out, axis=-1))
        close, lower = (np.min([((p - point) ** 2).sum(-1) for point in line[::2]], axis=0) ** 0.5
                        for line in (lines["upper"], lines["lower"][len(lines["lower"]) // 4:]))
        whole = np.zeros(canvas.ax.shape)
        for tint, amount in (
                (base * [0.90, 0.75, 0.71], (0.15 if woman else 0.11) * crease * ahead),
                (warm * 0.36 + base * 0.45, 0.32 * rim * ahead),
                (base * [0.30, 0.20, 0.18], (0.42 if woman else 0.15)
                 * smoothstep(0.0020, 0.0004, lower) * ahead),
                (base * [0.22, 0.15, 0.14], (0.92 if woman else 0.80)
                 * smoothstep(0.0021, 0.0010, close))):
            whole[at] = amount
            canvas.mix(tint, whole)


def paint_brows(canvas, head, person, rng):
    """An arch above each eye, soft, with hairs that are hardly told apart."""
    man = person.sex == "man"
    ink = np.array(rgb(person.hair_rgb)) * (0.42 if not man else 0.50)
    density = np.zeros(canvas.ax.shape)
    eye, r = head.eyes["l"]
    for out in (1, -1):
        x = (canvas.p[..., 0] * out - eye[0] - 0.002) / 0.0235     # -1 at the inner end, 1 outside
        y = canvas.p[..., 1] - eye[1] - (1.00 if not man else 0.98) * r
        if man:     # flatter, and lowest at its inner end
            arch = 0.0036 - 0.0040 * ((x - 0.45) / 1.35) ** 2
            thick = 0.0049 * smoothstep(1.24, 0.1, x) ** 0.6
            thick *= 0.60 + 0.40 * smoothstep(-1.15, -0.2, x)
        else:
            arch = 0.0050 * (1 - ((x - 0.30) / 1.25) ** 2) - 0.0030 * smoothstep(0.35, 1.15, x)
            thick = 0.0044 * smoothstep(1.18, -0.1, x) ** 0.7
        thick += 0.0005
        d = (y - arch) / thick
        # Hairs lean outwards, and upwards at the inner end.
        lean = 1.6 * smoothstep(0.3, -1.0, x) + 0.35
        phase = (x * 0.0235 - y / (0.35 + lean)) * 4700 + 6 * np.sin(x * 7) + 2.0 * d
        hairs = 0.98 + 0.02 * np.sin(phase)
        inside = (smoothstep(1.35, 0.35, abs(d)) * smoothstep(-1.15, -0.60, x)
                  * smoothstep(1.18, 0.9, x) * (canvas.p[..., 2] > 0))
        density = np.maximum(density, inside * hairs)
    density *= 0.95 + 0.05 * rng.uniform(-1, 1, density.shape)
    canvas.mix(ink, np.clip(density, 0, 1) * 0.90)
