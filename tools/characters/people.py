"""Who the built-in people are, and the names that make.py's parameters choose from.

Colours are as screens show them (sRGB, hex); details are MakeHuman's own targets with their share.
"""
from dataclasses import dataclass, field, replace

SKINS = {"light": "#ebcbbd", "fair": "#dfb097", "medium": "#c6977a", "olive": "#b08a6c",
         "brown": "#8a6049", "dark": "#5e4336"}
HAIR_COLORS = {"black": "#1c1816", "brown": "#57381f", "chestnut": "#6f4932", "auburn": "#7a3b1e",
               "blond": "#b48a52", "gray": "#b5b1ab"}
EYES = {"brown": "#5a3a22", "hazel": "#664629", "green": "#53654a", "blue": "#41566a",
        "gray": "#66717a"}


@dataclass(frozen=True)
class Person:
    sex: str = "woman"
    masculine: float = 0.0          # 0 woman to 1 man
    age: float = 29                 # years
    muscle: float = 0.5             # 0 to 1, and so the next three
    weight: float = 0.45
    ideal: float = 0.5
    cup: float = 0.4
    origins: dict = field(default_factory=lambda: {"caucasian": 1.0})
    skin: str = "fair"
    hair: str = "bob"
    hair_color: str = "chestnut"
    eyes: str = "hazel"
    top: str = "#3b7876"
    bottom: str = "#333c52"
    bottom_style: str = "trousers"
    bands: tuple = ()               # knitted into the top: (low, high, share of the light), metres
    shoes: str = "#a89f92"
    soles: str = "#d8d4cb"
    stubble: float = 0.0
    lips: str = "#c4545a"
    collar_y: float = 1.486         # at the middle of the neck
    relaxed: float = 1.0            # share of the friendly look that the face at rest has
    eye_size: float = 1.22          # factor on the eyes that the data has
    hem_y: float = 0.915            # of the jumper, metres
    shoulders_in: float = 0.0       # each nearer to the middle than the data's, metres
    arm_share: float = 1.0          # of the data's thickness
    hand_long: float = 1.0          # of what the rig's joints make of it, and so the next
    hand_wide: float = 1.0
    taper: tuple = (0, 0, 0, 0, 0)  # of the lower face's width, at the heights of contour.DOWN
    details: dict = field(default_factory=dict)

    @property
    def skin_color(self):
        return SKINS[self.skin]

    @property
    def hair_rgb(self):
        return HAIR_COLORS[self.hair_color]

    @property
    def eye_rgb(self):
        return EYES[self.eyes]

    def collar(self, points):
        """Positive below the plane of the collar."""
        return self.collar_y - 0.36 * (points[:, 2] + 0.04) - points[:, 1]


def small_ears(share):
    """Details: both ears smaller, close to the head, and with round lobes."""
    return {f"ears/{side}-ear-{what}": part * share for side in "lr" for what, part in {
        "scale-decr": 0.6, "lobe-decr": 0.8, "wing-decr": 0.6, "shape-round": 0.5}.items()}


WOMAN = Person(
    bands=((1.318, 1.350, 0.34), (1.296, 1.305, 0.34)),
    hair="ponytail", collar_y=1.457, shoulders_in=0.024, arm_share=0.84, hand_long=0.97, hand_wide=0.88,
    eye_size=1.30, lips="#b8464f",
    taper=(0, 0.03, 0.085, 0.18, 0.18), details=small_ears(1) | {
    "eyes/eye-trans-out": 0.15, "eyes/eye-scale-incr": 0.35, "eyes/eye-height2-incr": 0.30,
    "eyes/eye-height1-incr": 0.15, "eyes/eye-bag-decr": 0.5,
    "mouth/mouth-angles-up": 0.40,
    "mouth/mouth-cupidsbow-incr": 0.35,
    "mouth/mouth-upperlip-volume-incr": 0.45, "mouth/mouth-lowerlip-volume-incr": 0.25,
    "cheek/cheek-volume-incr": 0.25, "cheek/cheek-bones-incr": 0.25, "head/head-oval": 0.55,
    "head/head-invertedtriangular": 0.45, "head/head-fat-decr": 0.20,
    "nose/nose-scale-horiz-decr": 0.60, "nose/nose-scale-vert-decr": 0.25,
    "nose/nose-scale-depth-decr": 0.25, "nose/nose-hump-decr": 0.5, "nose/nose-point-up": 0.30,
    "nose/nose-nostrils-width-decr": 0.55, "nose/nose-point-width-decr": 0.15,
    "chin/chin-width-decr": 0.60, "chin/chin-height-decr": 0.45,
    "chin/chin-bones-decr": 0.30,
    "neck/neck-scale-horiz-decr": 0.2,
    "torso/measure-shoulder-dist-decr": 0.5,
    "hip/hip-scale-horiz-decr": 0.35})

MAN = Person(
    bands=((1.262, 1.338, 0.40), (1.243, 1.250, 0.40)),
    sex="man", masculine=0.94, age=26, muscle=0.38, weight=0.5, hair="short", hair_color="brown",
    eyes="blue", top="#4a5f84", bottom="#5a5145", collar_y=1.478,
    shoulders_in=0.020, arm_share=0.89, hand_long=0.96, hand_wide=0.90,
    shoes="#6b4a33", soles="#3b2c23", stubble=0.55, eye_size=1.29,
    taper=(0, 0.02, 0.06, 0.10, 0.10), lips="#b0685e",
    details=small_ears(0.5) | {
        "eyes/eye-trans-out": 0.25, "eyes/eye-scale-incr": 0.4, "eyes/eye-height2-incr": 0.65,
        "eyes/eye-height1-incr": 0.30, "eyes/eye-height3-incr": 0.45, "eyes/eye-corner1-up": 0.35,
        "eyes/eye-eyefold-angle-down": 0.7,
        "eyes/eye-eyefold-concave": 0.2, "eyebrows/eyebrows-angle-down": 0.25,
        "eyes/eye-bag-decr": 1.0, "eyes/eye-bag-in": 0.3, "eyebrows/eyebrows-trans-up": 0.45,
        "forehead/forehead-scale-vert-decr": 0.25,
        "mouth/mouth-angles-up": 0.30, "mouth/mouth-scale-horiz-incr": 0.05,
        "mouth/mouth-upperlip-volume-incr": 0.12, "mouth/mouth-lowerlip-volume-incr": 0.10,
        "cheek/cheek-volume-incr": 0.05, "cheek/cheek-bones-incr": 0.25,
        "nose/nose-scale-horiz-decr": 0.40, "nose/nose-scale-depth-decr": 0.25,
        "nose/nose-scale-vert-decr": 0.2, "nose/nose-point-width-decr": 0.15,
        "nose/nose-point-up": 0.25, "nose/nose-hump-decr": 0.4,
        "chin/chin-height-decr": 0.20, "chin/chin-bones-incr": 0.30, "chin/chin-jaw-drop-decr": 0.2,
        "chin/chin-prominent-incr": 0.25, "head/head-oval": 0.35, "head/head-square": 0.15,
        "head/head-invertedtriangular": 0.35, "neck/neck-scale-horiz-decr": 0.75,
        "neck/neck-scale-depth-decr": 0.35, "neck/neck-double-decr": 0.4,
        "torso/torso-scale-horiz-decr": 0.3, "torso/measure-shoulder-dist-decr": 1.0})

PEOPLE = {"woman": WOMAN, "man": MAN}


def rgb(text):
    """#rrggbb as three numbers of 0 to 1 on the screen's curve."""
    return [int(text[k:k + 2], 16) / 255 for k in (1, 3, 5)]


def linear(text):
    """#rrggbb as linear light."""
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb(text)]


def person_of(sex, **changes):
    return replace(PEOPLE[sex], **{k: v for k, v in changes.items() if v is not None})
