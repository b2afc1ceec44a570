"""Legal mutations of tables of face shapes: what pandas, spreadsheets and other writers of RFC 4180
do. A table is {"rows": lists of cells, the first of names, "end": the line's end, "front" and
"back": of the file, "blank": lines after which one is empty}; cells are texts as in the file."""

import math

from mutations import number_as

SHAPES = ["EyeBlinkLeft", "EyeBlinkRight", "JawOpen", "JawForward", "MouthClose", "MouthSmileLeft",
          "MouthFunnel", "TongueOut"]


def audio2face_table():
    """animation_frames.csv of Audio2Face-3D's client: pandas' index, times and shapes."""
    rows = [["", "timeCode", *(f"blendShapes.{name}" for name in SHAPES)]]
    for k in range(12):
        weights = [max(0.0, round(math.sin(k / 3 + i) / 2, 6)) for i in range(len(SHAPES))]
        rows.append([str(k), repr(k / 30), *map(repr, weights)])
    return {"rows": rows, "end": "\n", "front": "", "back": "\n", "blank": set()}


def written_table(table, _):
    lines = [",".join(row) + table["end"] * (k in table["blank"])
             for k, row in enumerate(table["rows"])]
    return "csv", (table["front"] + table["end"].join(lines) + table["back"].replace(
        "\n", table["end"])).encode()


def plain(cell):
    return '"' not in cell and cell == cell.strip()


def columns_moved(table, chance):
    """Columns in another order, time among them."""
    order = chance.sample(range(len(table["rows"][0])), len(table["rows"][0]))
    table["rows"] = [[row[i] for i in order] for row in table["rows"]]


def columns_more(table, chance):
    """Columns of other things."""
    for name, cells in chance.sample([
            ("emotion_values.joy", ["0.5", "", "-1e3"]), ("translation.x", ["nan", "inf", "0"]),
            ("note", ["a text", "n/a", ""]), ("Unnamed: 0", ["0", "1", "2"]), ("", ["", "7", ""]),
            ("frame", ["1", "2", "3"])], chance.randint(1, 3)):
        at = chance.randint(0, len(table["rows"][0]))
        for k, row in enumerate(table["rows"]):
            row.insert(at, name if k == 0 else chance.choice(cells))


def columns_with_commas(table, chance):
    """Texts with commas and quotes in columns of other things, quoted."""
    at = chance.randint(0, len(table["rows"][0]))
    for k, row in enumerate(table["rows"]):
        row.insert(at, '"says, or not"' if k == 0 else chance.choice(
            ['"hello, world"', '"say ""ah"", please"', '","', '""', "plain"]))


def index_left_out(table, _):
    if "" in table["rows"][0]:
        at = table["rows"][0].index("")
        for row in table["rows"]:
            del row[at]


def cells_quoted(table, chance):
    """All cells, the names, or some."""
    how = chance.randrange(3)
    for k, row in enumerate(table["rows"]):
        if how == 1 and k > 0:
            break
        for i, cell in enumerate(row):
            if plain(cell) and (how < 2 or chance.random() < 0.3):
                row[i] = f'"{cell}"'


def cells_with_blanks(table, chance):
    for row in table["rows"]:
        for i, cell in enumerate(row):
            if plain(cell) and chance.random() < 0.3:
                row[i] = chance.choice([" ", "", "\t"]) + cell + chance.choice(["", " ", "  "])


def numbers_otherwise(table, chance):
    for row in table["rows"][1:]:
        for i, cell in enumerate(row):
            try:
                float(cell)
            except ValueError:
                continue
            if plain(cell) and cell[-1:].isdigit() and chance.random() < 0.4:
                row[i] = number_as(cell, chance)


def names_in_another_case(table, chance):
    change = chance.choice([str.upper, str.lower, lambda name: name[:1].upper() + name[1:]])
    table["rows"][0] = [change(name) for name in table["rows"][0]]


def lines_ended_otherwise(table, chance):
    table["end"] = chance.choice(["\r\n", "\r"])


def file_ended_otherwise(table, chance):
    table["back"] = chance.choice(["", "\n\n", "\n \n\n"])


def file_begun_with_a_mark(table, _):
    table["front"] = "\ufeff"


def lines_left_blank(table, chance):
    table["blank"] = {chance.randint(0, len(table["rows"]) - 1) for _ in range(3)}


A2F = [columns_moved, columns_more, columns_with_commas, index_left_out, cells_quoted,
       cells_with_blanks, numbers_otherwise, names_in_another_case, lines_ended_otherwise,
       file_ended_otherwise, file_begun_with_a_mark, lines_left_blank]


# --- Live Link Face


ANGLES = ["HeadYaw", "HeadPitch", "HeadRoll", "LeftEyeYaw", "LeftEyePitch", "LeftEyeRoll"]
LLF_RATE = 30


def live_link_table():
    """A phone's take of two seconds and a half at 30 frames a second."""
    rows = [["Timecode", "BlendShapeCount", *SHAPES, *ANGLES]]
    for k in range(75):
        weights = [max(0.0, round(math.sin(k / 3 + i) / 2, 6)) for i in range(len(SHAPES))]
        rows.append([live_link_time(40 * 60 * LLF_RATE + k, 0), "61", *map(repr, weights),
                     *["0.125"] * len(ANGLES)])
    return {"rows": rows, "end": "\n", "front": "", "back": "\n", "blank": set()}


def live_link_time(frame, thousandths, digits=3):
    second = frame // LLF_RATE % 86400
    fraction = f".{thousandths:03}"[:digits + 1] if digits else ""
    return (f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}:{frame % LLF_RATE:02}" +
            fraction)


def column(table, name):
    return [cell.strip().strip('"').lower() for cell in table["rows"][0]].index(name.lower())


def rewrite_times(table, write):
    """`write` has the row's number, and gives the time code."""
    at = column(table, "timecode")
    for k, row in enumerate(table["rows"][1:]):
        quoted = '"' if '"' in row[at] else ""
        row[at] = quoted + write(k) + quoted


def take_at_another_time(table, chance):
    """Of the day, and over midnight."""
    begin = chance.choice([0, 15 * 3600 * LLF_RATE, 86399 * LLF_RATE])
    rewrite_times(table, lambda k: live_link_time(begin + k, 0))


def fractions_of_frames(table, chance):
    """The same part of a frame in each row, of more or fewer digits."""
    thousandths, digits = chance.choice([(0, 0), (0, 1), (500, 1), (250, 2), (125, 3)])
    rewrite_times(table, lambda k: live_link_time(72000 + k, thousandths, digits))


def angles_left_out(table, chance):
    for name in chance.sample(ANGLES, chance.randint(1, len(ANGLES))):
        if name.lower() in [cell.strip().strip('"').lower() for cell in table["rows"][0]]:
            at = column(table, name)
            for row in table["rows"]:
                del row[at]


def frames_without_a_face(table, chance):
    """Before the first face, and after the last."""
    count = column(table, "blendshapecount")
    for k in chance.choice([(1,), (len(table["rows"]),), (1, len(table["rows"]) + 1)]):
        row = list(table["rows"][min(k, len(table["rows"]) - 1)])
        row[count] = "0"
        table["rows"].insert(k, row)


LIVE_LINK = [columns_moved, cells_quoted, cells_with_blanks, numbers_otherwise,
             names_in_another_case, lines_ended_otherwise, file_ended_otherwise,
             file_begun_with_a_mark, lines_left_blank, take_at_another_time, fractions_of_frames,
             angles_left_out, frames_without_a_face]
