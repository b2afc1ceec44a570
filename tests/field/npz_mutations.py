"""Legal mutations of numpy's archives (numpy.lib.format, NPY 1.0 to 3.0, in a zip), as AMASS and
other writers have them. An archive is {"arrays": [(name, Array)], "files": other members, and how
its zip is made}. Written without numpy, which writes fewer forms than it reads."""

import io
import itertools
import math
import struct
import zipfile

FRAMES = 6
RATES = ["mocap_framerate", "mocap_frame_rate", "fps"]


class Array:
    """Numbers, or bytes, in C's order with the shape; the rest is how they stand in the file."""

    def __init__(self, shape, values, form="<f8"):
        self.shape, self.values, self.form = shape, values, form
        self.fortran, self.version = False, 1
        self.header = "{{'descr': {d!r}, 'fortran_order': {f!r}, 'shape': {s}, }}"
        self.shape_of = repr

    def __repr__(self):
        return repr(vars(self))

    def bytes(self):
        header = self.header.format(d=self.form, f=self.fortran, s=self.shape_of(self.shape))
        lengths = "<H" if self.version == 1 else "<I"
        before = 8 + struct.calcsize(lengths)
        multiple = 16 if self.version == 1 else 64
        text = header.encode() + b" " * (-(before + len(header) + 1) % multiple) + b"\n"
        return (b"\x93NUMPY" + bytes([self.version, 0]) + struct.pack(lengths, len(text)) + text +
                self.data())

    def data(self):
        if self.form[1] not in "fiu":
            return self.values
        values = self.values
        if self.fortran:
            steps = [math.prod(self.shape[d + 1:]) for d in range(len(self.shape))]
            values = [self.values[sum(i * s for i, s in zip(reversed(at), steps))]
                      for at in itertools.product(*map(range, reversed(self.shape)))]
        kind = {"f2": "e", "f4": "f", "f8": "d", "i1": "b", "u1": "B", "i2": "h", "u2": "H",
                "i4": "i", "u4": "I", "i8": "q", "u8": "Q"}[self.form[1:]]
        mark = ">" if self.form[0] == ">" else "<"
        return struct.pack(f"{mark}{len(values)}{kind}", *values)


def amass(joints=52):
    """Turns and ways that a half float can hold, so that each type has the same ones; the first
    joints are the same whatever their number is."""
    poses = [round(40 * math.sin(k / 2 + j)) / 64 if j < 66 else 0.125
             for k in range(FRAMES) for j in range(3 * joints)]
    trans = [v / 16 for k in range(FRAMES) for v in (k, -k, 16)]
    return {"arrays": [("trans", Array((FRAMES, 3), trans)), ("gender", text_of("male")),
                       ("mocap_framerate", Array((), [120.0])), ("betas", Array((16,), [0.5] * 16)),
                       ("poses", Array((FRAMES, 3 * joints), poses))],
            "files": {}, "method": zipfile.ZIP_STORED, "comment": b"", "streamed": False}


class Streamed(io.RawIOBase):
    """Takes a zip whose sizes stand behind each member, as in a pipe."""

    def __init__(self):
        self.taken = b""

    def writable(self):
        return True

    def write(self, data):
        self.taken += bytes(data)
        return len(data)


def written_npz(archive, chance):
    to = Streamed() if archive["streamed"] else io.BytesIO()
    with zipfile.ZipFile(to, "w", archive["method"]) as out:
        out.comment = archive["comment"]
        for name, data in [*archive["files"].items(),
                           *((name + ".npy", array.bytes()) for name, array in archive["arrays"])]:
            with out.open(name, "w", force_zip64=chance.random() < 0.5) as member:
                member.write(data)
    return "npz", to.taken if archive["streamed"] else to.getvalue()


def array_of(archive, name):
    return dict(archive["arrays"])[name]


def text_of(text, form="<U"):
    if form == "<U":
        return Array((), text.encode("utf-32-le"), f"<U{len(text)}")
    return Array((), text.encode(), f"|S{len(text)}")


def keys_moved(archive, chance):
    chance.shuffle(archive["arrays"])


def zip_otherwise(archive, chance):
    archive["method"] = chance.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
    archive["comment"] = chance.choice([b"", b"a comment"])
    archive["streamed"] = chance.random() < 0.5


def floats_of_four_bytes(archive, chance):
    for name in chance.choice([("poses",), ("trans",), ("poses", "trans", "betas")]):
        if array_of(archive, name).form == "<f8":
            array_of(archive, name).form = "<f4"


def rate_otherwise(archive, chance):
    rate = next(a for n, a in archive["arrays"] if n in RATES)
    rate.form = chance.choice(["<i8", "<i4", "|u1", "<u2", "<f4", "<i2"])
    rate.values = [int(rate.values[0])]
    rate.shape = chance.choice([(), (1,), (1, 1)])


def rate_under_another_name(archive, chance):
    name = chance.choice(RATES[1:])
    archive["arrays"] = [(name if n in RATES else n, a) for n, a in archive["arrays"]]


def joints_apart(archive, _):
    poses = array_of(archive, "poses")
    poses.shape = (FRAMES, poses.shape[1] // 3, 3) if len(poses.shape) == 2 else poses.shape


def columns_first(archive, chance):
    for name in chance.choice([("poses",), ("trans",), ("poses", "trans")]):
        array_of(archive, name).fortran = True


def versions(archive, chance):
    for _, array in archive["arrays"]:
        array.version = chance.choice([1, 2, 3])


def headers_otherwise(archive, chance):
    """Other orders and blanks of the dictionary, as other writers have it."""
    for _, array in archive["arrays"]:
        array.header = chance.choice([
            "{{'shape': {s}, 'fortran_order': {f!r}, 'descr': {d!r}}}",
            "{{'descr':{d!r},'fortran_order':{f!r},'shape':{s}}}",
            "{{ 'fortran_order' : {f!r} , 'descr' : {d!r} , 'shape' : {s} , }}"])
        array.shape_of = chance.choice([repr, shape_without_blanks])


def shape_without_blanks(shape):
    return repr(shape).replace(" ", "")


def shape_of_python_2(shape):
    """numpy in Python 2 on Windows wrote whole numbers so, and numpy reads them."""
    sizes = [f"{size}L" for size in shape]
    return "(" + ", ".join(sizes) + "," * (len(sizes) == 1) + ")"


def headers_of_python_2(archive, _):
    for _, array in archive["arrays"]:
        array.version, array.shape_of = 1, shape_of_python_2


def headers_in_other_quotes(archive, _):
    for _, array in archive["arrays"]:
        array.header = '{{"descr": "{d}", "fortran_order": {f!r}, "shape": {s}}}'


def gender_otherwise(archive, chance):
    other = chance.choice([text_of("female", "|S"), text_of("neutral"), text_of("f", "|S"),
                           Array((), b"\x80\x03X\x04\x00\x00\x00maleq\x00.", "|O")])
    archive["arrays"] = [(n, other if n == "gender" else a) for n, a in archive["arrays"]]


def arrays_more(archive, chance):
    """Those that data sets have besides; of types that are none of ours, too."""
    more = [("dmpls", Array((FRAMES, 8), [0.25] * 8 * FRAMES)), ("marker_labels", text_of("LFHD")),
            ("root_orient", Array((FRAMES, 3), [1.0] * 3 * FRAMES)),
            ("pose_body", Array((FRAMES, 63), [1.0] * 63 * FRAMES)),
            ("markers", Array((2,), b"\x80\x02]q\x00.", "|O")), ("flag", Array((), b"\1", "|b1")),
            ("z", Array((1,), bytes(16), "<c16")), ("times", Array((2,), bytes(16), "<M8[ns]")),
            ("deep/in a folder", Array((2,), [1.0, 2.0])), ("betas_", Array((0, 3), []))]
    for pair in chance.sample(more, 4):
        archive["arrays"].insert(chance.randint(0, len(archive["arrays"])), pair)


def files_more(archive, chance):
    archive["files"] = chance.choice([{"README.txt": b"a text"}, {"folder/": b""}, {"empty": b""}])


def arrays_left_out(archive, chance):
    """Those that say nothing of the motion."""
    out = chance.choice([{"gender"}, {"betas"}, {"gender", "betas"}])
    archive["arrays"] = [(n, a) for n, a in archive["arrays"] if n not in out]


def bytes_the_other_way(archive, chance):
    array_of(archive, chance.choice(["poses", "trans"])).form = ">f4"


def halves(archive, chance):
    array_of(archive, chance.choice(["poses", "trans"])).form = "<f2"


NPZ = [keys_moved, zip_otherwise, floats_of_four_bytes, rate_otherwise, rate_under_another_name,
       joints_apart, columns_first, versions, headers_otherwise, headers_of_python_2,
       headers_in_other_quotes, gender_otherwise, arrays_more, files_more, arrays_left_out,
       bytes_the_other_way, halves]
