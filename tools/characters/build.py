"""From a person's description to the bytes of the file: the order of the steps."""
import numpy as np

import clothes
import eyes
import mouth
import paint
import png
from cloth_paint import paint_cloth, unwrap
from contour import taper_face
from correct import CLOTH, pose_correctives
from drape import Skin
from fit import Fitted
from glb import Writer
from hair import grow, variant
from hair_paint import paint_strands
from hands import hands, paint_hands
from head import HALVES, Head
from iris import paint_eye
from mesh import Smoother, strongest
from morphs import shape_person
from people import HAIR_COLORS, SKINS, linear
from simplify import simplify

CLOTH_TONES = {"slate": "#4a5766", "moss": "#5d6b4a", "brick": "#8f4a3c", "sand": "#b8a78a"}
HAIR_GAIN = 2.1
SHOE_TRIANGLES = 400        # of both uppers, and of both soles
VARIANT_SKINS = ("light", "medium", "brown", "dark")


def build_person(source, rig, person):
    base, _, quads = source.base()
    fitted = Fitted(shape_person(source, base, person), quads, source.weights(), rig,
                    person.shoulders_in, person.arm_share,
                    (person.hand_long, person.hand_wide))
    parts, head, hair = make_parts(source, fitted, person)
    for part in parts:
        if part.name in CLOTH:
            shade = Smoother(part.faces, len(part.points)).run(paint.hollows(part), 2)
            part.colors = part.colors * (0.4 + 0.6 * shade)[:, None]
        part.weights = strongest(part.weights)
    correctives = head.correctives + pose_correctives(parts, rig)
    for part in parts:
        if part.material in ("top", "bottom"):
            unwrap(part)
    writer = Writer(rig)
    materials(writer, head, hair, person)
    wardrobe_materials(writer, parts, fitted, person)
    writer.hang(hair.bones, head.skull)
    return writer.write(parts, extras(person, correctives, variant(person, parts)))


def make_parts(source, fitted, person):
    balls = eyes.enlarge(fitted, person.eye_size)
    taper_face(fitted, person.taper)
    head = Head(source, fitted, balls, person)
    hair = grow(head, person)
    paint.unwrap(head)
    shade = head.part.extra["shade"]
    head.part.colors = np.stack([shade, shade ** 1.25, shade ** 1.35], axis=1)
    paint.redden(head, person)
    parts = [head.part]
    parts += [eyes.eyeball(side, *balls[side], fitted.rig) for side in "lr"]
    woman = person.sex == "woman"
    parts.append(eyes.lashes(head, 0.0065 if woman else 0.0036))
    parts += [mouth.teeth(fitted, head, True), mouth.teeth(fitted, head, False),
              mouth.tongue(source, fitted, head), mouth.throat(fitted, head)]
    parts += hair.parts
    parts += wardrobe(fitted, person)
    return parts, head, hair


def wardrobe(fitted, person):
    """Hands and all clothes."""
    skin = Skin(fitted)
    parts = [hands(fitted), clothes.jumper(fitted, skin, person)]
    if person.bottom_style == "skirt":
        parts += clothes.skirt(fitted, skin, person)
    else:
        parts.append(clothes.trousers(fitted, skin, person))
    for shoe in clothes.shoes(fitted):
        simplify(shoe, SHOE_TRIANGLES)
        parts.append(shoe)
    return parts


def materials(writer, head, hair, person):
    face = writer.texture(png.encode(paint.paint_head(head, person, hair.line)))
    eye = writer.texture(png.encode(paint_eye(person)))
    writer.material("skin", roughness=0.62, texture=face)
    writer.material("eye", roughness=0.08, texture=eye)
    writer.material("lashes", (0.012, 0.009, 0.008), 0.9, both_sides=True)
    row = writer.texture(png.encode(mouth.paint_teeth()))
    # Some light of their own: what reflects about inside a mouth.
    writer.material("teeth", roughness=0.35, texture=row, glow=(0.23, 0.22, 0.20))
    writer.material("tongue", roughness=0.62)
    if person.hair != "none":
        strands = writer.texture(png.encode(paint_strands()))
        writer.material("hair", hair_color(person.hair_color), 0.5, texture=strands,
                        both_sides=True)


def wardrobe_materials(writer, parts, fitted, person):
    """Those of hands and clothes."""
    skin = paint_hands(next(part for part in parts if part.name == "hands"), fitted, person)
    writer.material("skin_hands", roughness=0.62, texture=writer.texture(png.encode(skin)))
    folds, shade = (writer.texture(png.encode(picture)) for picture in paint_cloth(person))
    writer.material("top", linear(person.top), 0.95, texture=shade, normal=folds)
    writer.material("bottom", linear(person.bottom), 0.95, texture=shade, normal=folds)
    if person.bottom_style == "skirt":
        writer.material("tights", (0.02, 0.02, 0.024), 0.8)
    writer.material("shoes", linear(person.shoes), 0.6)
    writer.material("soles", linear(person.soles), 0.8)


def hair_color(name):
    """The factor of the hair's material: brighter than the hair, as picture and shade darken it."""
    return [min(1.0, HAIR_GAIN * c) for c in linear(HAIR_COLORS[name])]


def extras(person, correctives, hair_styles=None):
    tones = [person.skin] + [name for name in VARIANT_SKINS if name != person.skin]
    base = np.array(linear(SKINS[person.skin]))
    choices = []
    for name in tones:
        factor = np.array(linear(SKINS[name])) / base
        factor = factor / max(1.0, factor.max())
        tone = {"baseColorFactor": [round(float(f), 4) for f in factor] + [1.0]}
        choices.append({"name": name, "materials": {"skin": tone, "skin_hands": tone}})
    hairs = [person.hair_color] + [n for n in HAIR_COLORS if n != person.hair_color]
    hair = [{"name": n, "materials": {"hair": {
        "baseColorFactor": [round(c, 4) for c in hair_color(n)] + [1.0]}}} for n in hairs]
    variants = [{"part": "skin", "choices": choices}]
    if hair_styles:
        variants.append(hair_styles)
    if person.hair != "none":
        variants.append({"part": "hair colour", "choices": hair})
    for name in ("top", "bottom"):
        own = getattr(person, name)
        variants.append({"part": f"{name} colour", "choices": [
            {"name": tone, "materials": {name: {"baseColorFactor": [
                round(c, 4) for c in linear(value)] + [1.0]}}}
            for tone, value in {"own": own, **CLOTH_TONES}.items()]})
    return {"version": 1, "mouthClose": "ace",
            "inbetweens": [{"target": shape + "_50", "shape": shape, "at": 0.5}
                           for shape in HALVES],
            "correctives": correctives,
            "variants": variants}
