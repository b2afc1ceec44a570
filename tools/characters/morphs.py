"""From the base mesh to one person: sex, age, weight, muscle, and the features of the face.

MakeHuman's macro targets are named by what they mix (female-young-averagemuscle-averageweight); a
person between two of them gets both by their shares. Detail targets (nose, eyes, jaw...) come on
top, named as the data names them, both sides at once where they have an `l-` and an `r-` file.
"""
from itertools import product

from data import add_target


def age_shares(years):
    """Shares of MakeHuman's ages; its young is 25 and its old is 90."""
    if years < 25:
        t = max(0.0, (years - 12) / 13)
        return {"child": 1 - t, "young": t}
    t = min(1.0, (years - 25) / 65)
    return {"young": 1 - t, "old": t}


def level_shares(value, kind):
    """Shares of min, average and max for a value of 0 to 1."""
    if value < 0.5:
        return {f"min{kind}": 1 - 2 * value, f"average{kind}": 2 * value}
    return {f"average{kind}": 2 - 2 * value, f"max{kind}": 2 * value - 1}


def mixed(*shares):
    """Names joined by `-` with the product of their shares, those of 0 left out."""
    for names in product(*(s.items() for s in shares)):
        share = 1.0
        for _, part in names:
            share *= part
        if share > 1e-6:
            yield "-".join(name for name, _ in names), share


def shape_person(source, base, person):
    """The points of the base mesh for a person of people.py, in metres, not yet on the rig."""
    points = base.copy()
    sex = {"male": person.masculine, "female": 1 - person.masculine}
    age = age_shares(person.age)
    build = (level_shares(person.muscle, "muscle"), level_shares(person.weight, "weight"))
    folder = "macrodetails/"
    for name, share in mixed(person.origins, sex, age):
        add_target(points, source.body_target(folder + name), share)
    for name, share in mixed(sex, age, *build):
        add_target(points, source.body_target(folder + "universal-" + name), share)
        ideal = f"{folder}proportions/{name}-idealproportions"
        if source.has(ideal):
            add_target(points, source.body_target(ideal), share * person.ideal)
        for breast, part in level_shares(person.cup, "cup").items():
            cup = f"breast/{name}-{breast}-averagefirmness"
            if source.has(cup):
                add_target(points, source.body_target(cup), share * part)
    for name, amount in person.details.items():
        folder_name, _, target = name.partition("/")
        sides = [name]
        if not source.has(name):
            sides = [f"{folder_name}/{side}-{target}" for side in "lr"]
        for side in sides:
            add_target(points, source.body_target(side), amount)
    return points
