"""Sweater, trousers or skirt, and shoes.

The data has a suit of tights over the whole body. Clothes are pieces of it: cut by planes at collar,
cuffs, waist and hems, laid off the skin by their ease, smoothed so that cloth spans hollows, and finished
with bands whose edge turns inwards. Under cloth there is no skin: the head ends below the collar and the
hands begin inside the cuffs.
"""
from copy import deepcopy

import numpy as np

from cloth_paint import RIB_M, RIB_U
from drape import (add_ring, finer, keep_off, lay, move_with, neck_band, on_skin, plane_normal,
                   rim_points, split_rim)
from fit import spare_neck
from hands import ARM, limb
from mesh import Part, Smoother, clip, loops_of, normals_of, smoothstep

CUFF_Y = 0.895
COLLAR = ((0.0015, 0.0050), (0.004, 0.0052), (0.004, 0.0052), (0.004, 0.0050), (0.0020, 0.0038),
          (0.0005, 0.0010), (-0.008, -0.0030))    # further up, off the skin, ring by ring
RIM = 0.006         # of the cloth above the plane of the collar, from which the skin is drawn in


def suit(fitted):
    quads = fitted.quads["helper-tights"][0]
    part = Part("suit", "top", fitted.points.copy(), quads, fitted.weights.copy())
    part.keep_faces(np.ones(len(quads), bool))
    part.extra["arm"] = limb(part.weights, fitted.rig, ARM)
    part.extra["rib"] = part.extra["rib_u"] = np.zeros(len(part.points))
    return part


def ribbed(part, ring, rings):
    """Marks rings of points along a rim as knitted ribs, which run to and fro from point to point."""
    long = np.linalg.norm(part.points[ring] - part.points[np.roll(ring, -1)], axis=1).mean()
    to_and_fro = (np.arange(len(ring)) % 2) * RIB_U * max(1, round(long / RIB_M))
    part.extra["rib_u"] = part.extra["rib_u"].copy()
    part.extra["rib_u"][ring] = to_and_fro
    for r in rings:
        part.extra["rib"][r] = 1
        part.extra["rib_u"][r] = to_and_fro


def spanned(points, faces, smoother, rounds, kept=1.0):
    """Cloth that spans hollows: smoothed, and what that took from bulges given back, or a share."""
    soft = smoother.run(points, rounds)
    normal = normals_of(soft, faces)
    lift = ((points - soft) * normal).sum(1)
    return soft + normal * np.maximum(lift, 0)[:, None] * kept


def band(part, ring, steps):
    """Adds rings of points along a rim. Each step is (along, out): how far further and outwards."""
    p = part.points
    rim = p[ring]
    out = normals_of(p, part.faces)[ring]
    axis = plane_normal(rim)
    inner = p.mean(0) - rim.mean(0)
    axis = axis if axis @ inner < 0 else -axis      # away from the cloth
    out = out - (out @ axis)[:, None] * axis
    out /= np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-9)
    rings = [np.array(ring)]
    for along, away in steps:
        rings.append(add_ring(part, rings[-1], rim + axis * along + out * away))
    return rings[1:]


def even_rim(part, ring, rounds=6):
    """Evens out a rim that was cut: points slide along it."""
    ring = np.array(ring)
    for _ in range(rounds):
        p = part.points[ring]
        part.points[ring] = 0.5 * p + 0.25 * (np.roll(p, 1, 0) + np.roll(p, -1, 0))


def jumper(fitted, skin, person):
    """A thin sweater: a crew neck on the skin, slim sleeves, cuffs, and a hem with ribs."""
    part = suit(fitted)
    collar, hem = person.collar, person.hem_y
    arm = part.extra["arm"]
    clip(part, np.where(arm > 0.5, part.points[:, 1] - CUFF_Y, part.points[:, 1] - hem))
    clip(part, collar(part.points) + RIM)
    y, elbow = part.points[:, 1], fitted.rig.at("l_elbow")[1]
    finer(part, (part.extra["arm"] > 0.3) & ((abs(y - elbow) < 0.085) | (y > 1.31)))
    lay(part, skin, ease_of(part, collar))
    smoother = Smoother(part.faces, len(part.points), rim_points(part))
    part.points = spanned(part.points, part.faces, smoother, 5)
    keep_off(part, skin, 0.6 * ease_of(part, collar))
    part.weights = Smoother(part.faces, len(part.points)).run(part.weights, 8)
    spare_neck(part.points, part.weights, fitted.rig)
    near = np.nonzero((collar(part.points) < 0.05) & (part.extra["arm"] < 0.5))[0]
    move_with(part, near, skin, smoothstep(0.05, 0.01, collar(part.points[near])))
    part.colors = np.ones((len(part.points), 3))
    for ring in loops_of(part.faces):
        even_rim(part, ring)
        y = part.points[ring][:, 1].mean()
        x = abs(part.points[ring][:, 0].mean())
        if y > 1.3:                                             # collar
            ring = split_rim(part, ring)
            on_skin(part, ring, skin, 0.0035)
            rings = neck_band(part, ring, skin, COLLAR)
            for r in [ring, *rings]:
                move_with(part, r, skin, 1.0)
            ribbed(part, ring, rings)
        elif x > 0.1:                                           # cuffs
            ring = split_rim(part, ring)
            rings = band(part, ring, ((0.001, 0.0006), (0.006, 0.0004), (0.026, 0.0),
                                         (0.028, -0.0016), (0.012, -0.0034)))
            ribbed(part, ring, rings)
        else:                                                   # hem
            rings = band(part, ring, ((0.002, -0.001), (0.002, -0.004), (-0.02, -0.009),
                                         (-0.03, -0.022)))
        part.colors[rings[0]] *= 0.85
        part.colors[rings[-1]] *= 0.3
    part.name, part.material = "top", "top"
    return part


def ease_of(part, collar):
    """How far a sweater hangs off the skin: little at neck, shoulder and cuff, more at elbow and hem."""
    p, arm = part.points, part.extra["arm"]
    y = p[:, 1]
    sleeve = 0.0032 + 0.0022 * np.exp(-((y - 1.12) / 0.10) ** 2) - 0.001 * smoothstep(0.96, 0.90, y)
    trunk = 0.0045 + 0.007 * smoothstep(1.22, 0.98, y)
    ease = trunk + smoothstep(0.2, 0.8, arm) * (sleeve - trunk)
    near_neck = smoothstep(0.055, 0.0, collar(p)) * (arm < 0.5)
    return ease + near_neck * (0.0035 - ease)


def trousers(fitted, skin, person):
    part = suit(fitted)
    part.keep_faces(part.extra["arm"][part.faces].max(1) < 0.35)
    clip(part, person.hem_y + 0.06 - part.points[:, 1])
    clip(part, part.points[:, 1] - 0.052)
    p = part.points
    ease = 0.006 + 0.004 * smoothstep(0.85, 0.60, p[:, 1]) - 0.0035 * smoothstep(0.84, 0.92, p[:, 1])
    lay(part, skin, ease)
    smoother = Smoother(part.faces, len(part.points), rim_points(part))
    part.points = p = spanned(part.points, part.faces, smoother, 4)
    for side in (1, -1):
        rows = np.nonzero((p[:, 0] * side > 0) & (p[:, 1] < 0.74))[0]
        y = p[rows, 1]
        knots = np.linspace(0.05, 0.74, 12)
        slices = [rows[abs(y - k) < 0.05] for k in knots]
        mid = [[(p[s, axis].min() + p[s, axis].max()) / 2 for s in slices] for axis in (0, 2)]
        center = np.stack([np.interp(y, knots, mid[0]), np.interp(y, knots, mid[1])], 1)
        # The leg narrows from the knee; its hem stands over the shoe.
        away = p[rows][:, [0, 2]] - center
        far = np.linalg.norm(away, axis=1, keepdims=True)
        least = np.interp(y, [0.05, 0.30, 0.52, 0.74], [0.051, 0.050, 0.056, 0.0])[:, None]
        least = np.where(person.sex == "man", least + 0.006, least)
        hangs = smoothstep(0.72, 0.45, y)[:, None]
        grown = far + np.maximum(least - far, 0) * hangs
        grown = np.minimum(grown, np.maximum(far, 0.1))
        p[rows[:, None], [0, 2]] = center + away / np.maximum(far, 1e-6) * grown
    part.points = Smoother(part.faces, len(p)).run(p, 2)
    part.colors = np.ones((len(part.points), 3))
    for ring in loops_of(part.faces):
        even_rim(part, ring)
        if part.points[ring][:, 1].mean() < 0.3:
            rings = band(part, ring, ((0.006, 0.0005), (0.008, -0.001), (-0.02, -0.006)))
            part.colors[rings[-1]] *= 0.25
    part.name, part.material = "bottom", "bottom"
    return part


def skirt(fitted, skin, person):
    """A skirt to the knee, over dark tights; the two parts."""
    quads = fitted.quads["helper-skirt"][0]
    part = Part("bottom", "bottom", fitted.points.copy(), quads, fitted.weights.copy())
    part.keep_faces(np.ones(len(quads), bool))
    part.extra["rib"] = part.extra["rib_u"] = np.zeros(len(part.points))
    clip(part, part.points[:, 1] - 0.50)
    out = normals_of(part.points, part.faces) * [0.007, 0, 0.007]
    part.points = Smoother(part.faces, len(part.points)).run(part.points + out, 3)
    part.extra["arm"] = np.zeros(len(part.points))
    clip(part, person.hem_y + 0.03 - part.points[:, 1])
    normal = normals_of(part.points, part.faces)
    below = skin.nearest(part.points, normal, np.zeros(len(part.points), bool))
    far = (skin.gap(part.points, below) - 0.003) * smoothstep(0.84, 0.905, part.points[:, 1])
    part.points -= np.maximum(far, 0)[:, None] * skin.normals[below]     # under the sweater
    part.colors = np.ones((len(part.points), 3))
    for ring in loops_of(part.faces):
        if part.points[ring][:, 1].mean() < 0.6:
            rings = band(part, ring, ((0.004, 0.0), (0.005, -0.002), (-0.02, -0.006)))
            part.colors[rings[-1]] *= 0.3
    legs = suit(fitted)
    legs.keep_faces(legs.extra["arm"][legs.faces].max(1) < 0.35)
    clip(legs, 0.60 - legs.points[:, 1])
    clip(legs, legs.points[:, 1] - 0.07)
    legs.name, legs.material = "tights", "tights"
    legs.colors = np.ones((len(legs.points), 3))
    return [part, legs]


def shoes(fitted):
    """Uppers and soles of both shoes, from the suit's feet."""
    whole = suit(fitted)
    whole.keep_faces(whole.points[whole.faces][:, :, 1].min(1) < 0.115)
    clip(whole, 0.088 - whole.points[:, 1])
    smoother = Smoother(whole.faces, len(whole.points))
    p = whole.points + normals_of(whole.points, whole.faces) * 0.006
    soft = smoother.run(spanned(p, whole.faces, smoother, 8, 0.9), 2)
    low = soft[:, 1] < 0.035
    flat = np.maximum(soft[:, 1], 0.0)
    soft[:, 1] = np.where(low, flat * smoothstep(-0.004, 0.03, soft[:, 1]), flat)
    for side in (1, -1):
        rows = np.nonzero(soft[:, 0] * side > 0)[0]
        mid = (soft[rows].min(0) + soft[rows].max(0)) / 2
        away = (soft[rows] - mid) * [1, 0, 1]
        grow = 1 + 0.05 * smoothstep(0.05, 0.0, soft[rows, 1])
        soft[rows] += away * (grow - 1)[:, None]
    whole.points = soft
    whole.colors = np.ones((len(soft), 3))
    upper, sole = whole, deepcopy(whole)
    clip(upper, upper.points[:, 1] - 0.020)
    clip(sole, 0.024 - sole.points[:, 1])
    normal = normals_of(sole.points, sole.faces) * [1, 0, 1]
    sole.points = sole.points + 0.004 * normal
    sole.points[:, 1] = np.minimum(sole.points[:, 1], 0.024)
    for ring in loops_of(sole.faces):
        band(sole, ring, ((0.002, -0.002), (0.001, -0.012)))
    upper.name, upper.material = "shoes", "shoes"
    sole.name, sole.material = "soles", "soles"
    return [upper, sole]
