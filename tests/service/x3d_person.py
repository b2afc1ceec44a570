"""A small H-Anim humanoid as an X3D file, and where one of others is."""

import math
from pathlib import Path

# None where it is not there.
JOE = next((folder / "shared/data/JoeHAnimKick1a.x3d"
            for folder in Path(__file__).resolve().parents[3:5]
            if (folder / "shared/data/JoeHAnimKick1a.x3d").exists()), None)


def small_humanoid():
    """Ann: trunk, head and legs of solids in segments, arms of skin, displacers of both kinds, and
    what Joe has none of: pictures, given normals, ccw FALSE, weights that lack some of 1."""
    places = {"humanoid_root": (0, .9, 0), "sacroiliac": (0, .95, 0), "vl5": (0, 1, 0),
              "skullbase": (0, 1.55, 0)}
    above = {"sacroiliac": "humanoid_root", "vl5": "humanoid_root", "skullbase": "vl5"}
    arms, points, weights, faces = "lr", [], {}, []
    for side, s in zip(arms, (1, -1)):
        for name, up, at in (("hip", "sacroiliac", (.1, .9, 0)), ("knee", "hip", (.1, .5, 0)),
                             ("ankle", "knee", (.1, .1, 0)), ("midtarsal", "ankle", (.1, .05, .1)),
                             ("shoulder", "vl5", (.25, 1.4, 0)), ("elbow", "shoulder", (.25, 1.1, 0)),
                             ("wrist", "elbow", (.25, .85, 0))):
            places[f"{side}_{name}"] = (at[0] * s, at[1], at[2])
            above[f"{side}_{name}"] = up if up in ("sacroiliac", "vl5") else f"{side}_{up}"
        # A tube with rings of six points; those at a joint follow both of its limbs.
        first = len(points)
        for ring, (y, who) in enumerate(((1.45, {"vl5": .4, "shoulder": .3}),
                                         (1.3, {"shoulder": 1}),
                                         (1.1, {"shoulder": .5, "elbow": .5}), (.95, {"elbow": 1}),
                                         (.85, {"elbow": .35, "wrist": .65}), (.75, {"wrist": 1}))):
            for k in range(6):
                turn, r = math.pi * k / 3, .06 - .004 * ring
                for joint, w in who.items():
                    name = joint if joint == "vl5" else f"{side}_{joint}"
                    weights.setdefault(name, []).append((len(points), w))
                points.append((.25 * s + r * math.sin(turn), y, r * math.cos(turn)))
        for ring in range(5):
            for k in range(6):
                a, b = first + ring * 6 + k, first + ring * 6 + (k + 1) % 6
                faces.append((a, b, b + 6, a + 6))  # clockwise: ccw is FALSE
    listed = lambda rows: ", ".join(" ".join(f"{v:.6g}" for v in row) for row in rows)
    look = "<Appearance><Material diffuseColor='.3 .5 .9'/></Appearance>"
    def solid(at, geometry):
        return (f"<Transform translation='{at}'><Shape>{look}{geometry}</Shape></Transform>")
    face = [(x, y, z + .11) for x, y, z in ((-.06, 1.6, 0), (.06, 1.6, 0), (.06, 1.66, .02),
                                           (-.06, 1.66, .02), (0, 1.72, .01))]
    inside = {
        "humanoid_root": solid("0 .93 0", "<Box size='.3 .12 .2'/>"),
        "vl5": solid("0 1.2 0", "<Cylinder radius='.16' height='.5'/>"),
        # X_ITE moves all that is in a segment with displacers: the face has one of its own.
        "skullbase": solid("0 1.67 0", "<Sphere radius='.12'/>") + "</HAnimSegment><HAnimSegment "
        f"name='face'><Coordinate DEF='face' containerField='coord' point='{listed(face)}'/>"
        "<HAnimDisplacer name='x_jawOpen_action' coordIndex='0 1' displacements='0 -.2 .1, 0 -.2 "
        ".1'/><HAnimDisplacer name='cheekPuff' coordIndex='4 2' displacements='0 .1 0, .15 0 .05'/>"
        "<Shape><Appearance><PhysicalMaterial baseColor='.8 .1 .1' roughness='.4'/></Appearance>"
        "<IndexedFaceSet solid='false' coordIndex='0 1 2 3 -1 3 2 4 -1'><Coordinate USE='face'/>"
        "</IndexedFaceSet></Shape>"}
    for side, s in zip(arms, (1, -1)):
        inside[f"{side}_hip"] = solid(f"{.1 * s} .7 0", "<Cylinder radius='.08' height='.4'/>")
        inside[f"{side}_knee"] = solid(f"{.1 * s} .3 0", "<Cylinder radius='.06' height='.4'/>")
        inside[f"{side}_ankle"] = (f"<HAnimSite name='{side}_foot' translation='{.1 * s} .07 .06' "
                                   "rotation='1 0 0 1.5707963'>" +
                                   solid("0 0 0", "<Cone bottomRadius='.06' height='.25'/>") +
                                   "</HAnimSite>")
    def joint(name):
        pairs = weights.get(name, [])
        skin = (f" skinCoordIndex='{' '.join(str(p) for p, _ in pairs)}' "
                f"skinCoordWeight='{' '.join(str(w) for _, w in pairs)}'") if pairs else ""
        # A displacer of a joint, over points that the joint alone moves.
        bulge = [p for p, w in pairs if w == 1]
        displacer = (
            f"<HAnimDisplacer name='mouthPucker' coordIndex='{' '.join(map(str, bulge))}' "
            f"displacements='{listed([(0, 0, .08)] * len(bulge))}'/>"
            if name == "l_elbow" else "")
        segment = inside.get(name)
        body = (f"<HAnimSegment name='{name}_part'>{segment}</HAnimSegment>"
                if segment else "")
        top = " containerField='skeleton'" if name == "humanoid_root" else ""
        below = "".join(joint(n) for n, up in above.items() if up == name)
        return (f"<HAnimJoint DEF='{name}' name='{name}' center='{listed([places[name]])}'{top}"
                f"{skin}>{displacer}{body}{below}</HAnimJoint>\n")

    order = ", ".join(" ".join(map(str, f)) + " -1" for f in faces)
    used = "".join(f"<HAnimJoint USE='{n}' containerField='joints'/>" for n in places)
    return ("<?xml version='1.0'?>\n<X3D profile='Full' version='4.0'><head><component name='HAnim' "
            "level='3'/></head><Scene><Group><HAnimHumanoid name='Ann' version='2.0'>\n"
            f"{joint('humanoid_root')}{used}"
            f"<Coordinate DEF='skin' containerField='skinCoord' point='{listed(points)}'/>"
            "<Shape containerField='skin'><Appearance><Material/><PixelTexture image='2 2 3 0xFFAA00 "
            "0xFF5500 0xFF5500 0xFFAA00'/></Appearance>"
            f"<IndexedFaceSet ccw='false' solid='false' creaseAngle='2' coordIndex='{order}'>"
            "<Coordinate USE='skin'/></IndexedFaceSet></Shape>\n"
            "</HAnimHumanoid></Group></Scene></X3D>")
