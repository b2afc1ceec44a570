"""Legal mutations of WAV (RIFF; Microsoft's Multimedia Programming Interface 1.0, EBU Tech 3306),
and the sizes that streaming writers leave. A file is {"fmt", "samples", chunks before and after
the data, and its sizes}."""

import math
import struct

PCM_GUID = struct.pack("<H", 1) + b"\0\0\0\0\x10\0\x80\0\0\xaa\0\x38\x9b\x71"
RATE_HZ = 16000


def wav_voice():
    return {"samples": [round(8000 * math.sin(k / 9)) + 1 for k in range(RATE_HZ)], "fmt": "plain",
            "first": [], "middle": [], "last": [], "form": b"RIFF", "riff": None, "data": None}


def chunk(name, data):
    return name + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)


def written_wav(wav, _):
    form = struct.pack("<HHIIHH", 1, 1, RATE_HZ, 2 * RATE_HZ, 2, 16)
    if wav["fmt"] == "longer":
        form += struct.pack("<H", 0)
    elif wav["fmt"] == "extensible":
        form = struct.pack("<H", 0xFFFE) + form[2:] + struct.pack("<HHI", 22, 16, wav["mask"])
        form += PCM_GUID
    data = struct.pack(f"<{len(wav['samples'])}h", *wav["samples"])
    size = len(data) if wav["data"] is None else wav["data"]
    inner = b"".join([*wav["first"], chunk(b"fmt ", form), *wav["middle"],
                      b"data" + struct.pack("<I", size) + data, *wav["last"]])
    if wav["form"] != b"RIFF":
        ds64 = struct.pack("<QQQI", len(inner) + 40, len(data), len(wav["samples"]), 0)
        inner = chunk(b"ds64", ds64) + inner
    whole = 4 + len(inner) if wav["riff"] is None else wav["riff"]
    return "wav", wav["form"] + struct.pack("<I", whole) + b"WAVE" + inner


def some_chunks(chance):
    chunks = [chunk(b"JUNK", bytes(28)), chunk(b"LIST", b"INFOISFT\x0e\0\0\0Lavf58.29.100\0"),
              chunk(b"bext", bytes(602)), chunk(b"odd ", b"abc"), chunk(b"PAD ", b""),
              chunk(b"iXML", b"<data/>"), chunk(b"LIST", b"adtldatafmt "),
              chunk(b"cue ", bytes(28))]
    return chance.sample(chunks, chance.randint(1, 3))


def wav_chunks_first(wav, chance):
    wav["first"] = some_chunks(chance)


def wav_chunks_between(wav, chance):
    wav["middle"] = [*some_chunks(chance), chunk(b"fact", struct.pack("<I", len(wav["samples"])))]


def wav_chunks_last(wav, chance):
    if wav["data"] in (None, len(wav["samples"]) * 2):
        wav["last"] = some_chunks(chance)


def wav_longer_form(wav, _):
    wav["fmt"] = "longer"


def wav_extensible(wav, chance):
    wav["fmt"], wav["mask"] = "extensible", chance.choice([0, 1, 4])


def wav_of_64_bits(wav, chance):
    wav["form"] = chance.choice([b"RF64", b"BW64"])
    wav["riff"] = 0xFFFFFFFF
    if chance.random() < 0.5 or wav["data"] == 0xFFFFFFFF:
        wav["data"] = 0xFFFFFFFF


def wav_size_not_known(wav, chance):
    """As written to a pipe."""
    if not wav["last"]:
        wav["data"] = chance.choice([0, 0x7FFFFFFF, 0xFFFFFFFF, 0x7FFFF000, 2000000000])
    wav["riff"] = chance.choice([0, 0xFFFFFFFF, 0x7FFFFFFF, 36])


WAV = [wav_chunks_first, wav_chunks_between, wav_chunks_last, wav_longer_form, wav_extensible,
       wav_of_64_bits, wav_size_not_known]
