"""From phones with times to what each frame of 10 ms should say.

Visemes are the 15 of Oculus: what the lips and jaw look like, not what the tongue does. So a rolled
or uvular r is no `rr` (which rounds the lips) but looks as l or k do; h takes the shape of the vowel
behind it. A diphthong is its two vowels, 6 to 4.
"""
import unicodedata

import numpy as np

from nn import CLASSES, LOGITS

KINDS = {  # of a viseme's sounds: which logits they raise
    "stop": "p b t d k g q c ɟ ɡ ɢ ʈ ɖ ʔ ʦ ʣ ʧ ʤ ʨ ʥ",
    "fricative": "f v θ ð s z ʃ ʒ ʂ ʐ ɕ ʑ x ɣ χ ʁ ħ h ɦ ç ʝ ɸ β ʦ ʣ ʧ ʤ ʨ ʥ ɬ ɮ",
    "nasal": "m ɱ n ɲ ɳ ŋ ɴ",
    "bilabial": "p b m ʙ",
    "labiodental": "f v ɱ ʋ",
    "vowel": "a ɑ æ ʌ ɐ ɒ ɔ o ɤ e ɛ ε ə ɘ ɜ ɚ ɝ ø œ ɶ ɵ i ɪ ɨ ᵻ ɯ y ʏ u ʊ ʉ ᵊ",
}
UNVOICED = set("p t k q c ʈ ʔ ʦ ʧ ʨ f θ s ʃ ʂ ɕ x χ ħ h ç ɸ ɬ".split())
SHAPES = {
    "pp": "p b m ʙ ɸ β", "ff": "f v ɱ ʋ", "th": "θ ð", "dd": "t d ʈ ɖ ɾ",
    "kk": "k g q c ɟ ɡ ɢ ʔ x ɣ χ ʁ ħ ç ʝ ɰ ʕ", "ch": "ʃ ʒ ʂ ʐ ɕ ʑ ʧ ʤ ʨ ʥ", "ss": "s z ʦ ʣ",
    "nn": "n ɲ ɳ ŋ ɴ l ɭ ʎ ɫ ɬ ɮ r ɽ ʟ", "rr": "ɹ ɻ ɚ ɝ ɜ", "aa": "a ɑ æ ʌ ɐ ɶ",
    "e": "e ɛ ε ə ɘ ᵊ", "ih": "i ɪ ɨ ᵻ ɯ j", "oh": "o ɔ ɒ œ ɤ", "ou": "u ʊ ʉ y ʏ ø ɵ w ɥ ʍ",
}
SHAPE = {phone: viseme for viseme, phones in SHAPES.items() for phone in phones.split()}
ARPABET = {
    "aa": "ɑ", "ae": "æ", "ah": "ʌ", "ao": "ɔ", "aw": "aʊ", "ax": "ə", "ay": "aɪ", "eh": "ɛ",
    "er": "ɚ", "ey": "eɪ", "ih": "ɪ", "iy": "i", "ow": "oʊ", "oy": "ɔɪ", "uh": "ʊ", "uw": "u",
    "b": "b", "ch": "ʧ", "d": "d", "dh": "ð", "dx": "ɾ", "f": "f", "g": "g", "hh": "h", "jh": "ʤ",
    "k": "k", "l": "l", "m": "m", "n": "n", "ng": "ŋ", "p": "p", "r": "ɹ", "s": "s", "sh": "ʃ",
    "t": "t", "th": "θ", "v": "v", "w": "w", "y": "j", "z": "z", "zh": "ʒ", "pau": "", "sil": "",
}
KOKORO = {"A": "eɪ", "I": "aɪ", "O": "oʊ", "Q": "əʊ", "W": "aʊ", "Y": "ɔɪ"}
AFFRICATES = [("tʃ", "ʧ"), ("dʒ", "ʤ"), ("ts", "ʦ"), ("dz", "ʣ"), ("tɕ", "ʨ"), ("dʑ", "ʥ"),
              ("pf", "f")]
REST = CLASSES.index("sil")
NOISE = CLASSES.index("noise")
EITHER = len(CLASSES)  # a pause in noise: `sil` and `noise` are both right


def sounds(symbol, source):
    """The single IPA sounds of a phone; [] for a pause, None for a mark that belongs to its neighbour."""
    if source == "flite":
        text = ARPABET[symbol]
    elif source == "kokoro":
        if symbol in "ˈˌː̃ʰʲ↓→↗↘\"“”()ᵝ":
            return None
        text = KOKORO.get(symbol, symbol)
    else:
        if symbol.startswith("("):
            return None
        text = symbol
    text = unicodedata.normalize("NFD", text)
    for old, new in AFFRICATES:
        text = text.replace(old, new)
    return [c for c in text if c in SHAPE or c == "h" or c == "ɦ"]


def segments(utterance):
    """[sound or '' (a pause), begin, end] of an utterance's line, marks and diphthongs resolved."""
    source = utterance["voice"].split("/")[0]
    out, waits = [], None   # since when a mark of stress waits for its vowel
    for symbol, begin, end in utterance["phones"]:
        single = sounds(symbol, source)
        if symbol in ("ˈ", "ˌ"):
            waits = begin if waits is None else waits
            continue
        if single is None:
            if out and end > begin:
                out[-1][2] = end
            continue
        begin, waits = (begin if waits is None else waits), None
        if not single:
            if out and not out[-1][0]:
                out[-1][2] = end
            else:
                out.append(["", begin, end])
            continue
        if source == "kokoro" and len(out) > 1 and not out[-1][0]:
            begin = close_seam(out, single[0], begin)
        shares = [0.6, 0.4] if len(single) == 2 else [1 / len(single)] * len(single)
        at = begin
        for sound, share in zip(single, shares):
            out.append([sound, at, at + share * (end - begin)])
            at = out[-1][2]
        out[-1][2] = end
    return out


def close_seam(out, sound, begin):
    """Kokoro's seam between words: 40 ms of it are a stop's hold; a short one is no pause."""
    seam = out[-1]
    length = seam[2] - seam[1]
    short = length < 0.09
    if sound in KINDS["stop"].split() or sound == "m":
        begin -= min(length, 0.04)
    elif short:
        begin -= length / 2
    seam[2] = begin
    if short:
        out.pop()
        out[-1][2] = begin
    return begin


def held_before(out, samples, rate):
    """espeak-ng reports p, t, k at their burst: the silence of the hold before it is theirs too."""
    for i, (sound, begin, _) in enumerate(out):
        if sound and sound in "ptkqcʈʧʦʨ" and i:
            last = int(begin * rate) - int(0.001 * rate)
            first = last
            while first > 0 and last - first < 0.09 * rate and abs(samples[first]) < 3e-3:
                first -= 1
            quiet = (last - first) / rate
            if 0.01 < quiet:
                begin = max(begin - quiet, out[i - 1][1] + 0.01, 0)
                out[i][1], out[i - 1][2] = begin, min(out[i - 1][2], begin)
    return out


def timeline(utterance, samples, rate):
    """Per millisecond of the sound: class [ms], logits [ms][7] and weight [ms]."""
    out = segments(utterance)
    if utterance["voice"].startswith("espeak"):
        out = held_before(out, samples, rate)
    total = int(len(samples) / rate * 1000)
    classes = np.full(total, REST)
    logits = np.zeros((total, len(LOGITS) - 1), np.float32)
    weight = np.ones(total, np.float32)
    chunk = rate // 1000
    power = (samples[:total * chunk].reshape(total, chunk) ** 2).mean(axis=1)
    power = np.convolve(power, np.ones(11) / 11, "same") + 1e-12
    quiet = power < np.percentile(power, 95) * 10 ** -4.0
    for i, (sound, begin, end) in enumerate(out):
        a, b = (int(np.clip(round(t * 1000), 0, total)) for t in (begin, end))
        if not sound:
            weight[a:b] = np.where(quiet[a:b], 1, 0)       # what still sounds is nobody's
            continue
        shape = sound
        if sound in "hɦ":
            shape = next((s for s, _, _ in out[i + 1:i + 2] if s and s not in "hɦ"), "ə")
        classes[a:b] = CLASSES.index(SHAPE[shape])
        for column, name in enumerate(LOGITS[:-1]):
            logits[a:b, column] = (sound not in UNVOICED if name == "voiced" else
                                   sound in KINDS[name].split())
        bilabial = LOGITS.index("bilabial")
        if sound in "pb":                                   # the burst opens the lips
            logits[max(a, b - 8):b, bilabial] = 0.5
        elif sound in "βɸ":                                 # they come near and may touch
            logits[a:b, bilabial] = 0.5
            weight[a:b] = 0.5
        elif b - a > 100:                                   # a long phone that hides a pause
            rest = a + 60 + np.flatnonzero(quiet[a + 60:b])
            weight[rest] = 0
    return classes, logits, weight


def frames(classes, logits, weight, count):
    """Targets of `count` frames: [count][classes + 1], [count][7], [count]; soft over 20 ms at borders."""
    total = len(classes)
    one = np.zeros((total + 1, EITHER + 1), np.float32)
    one[1:][np.arange(total), classes] = 1
    sums = np.cumsum(one, axis=0)
    flags = np.cumsum(np.concatenate([np.zeros((1, logits.shape[1])), logits]), axis=0)
    heavy = np.cumsum(np.concatenate([[0], weight]))
    k = np.arange(count)
    a, b = np.clip(10 * k - 5, 0, total - 1), np.clip(10 * k + 15, 1, total)
    c, d = np.clip(10 * k, 0, total - 1), np.clip(10 * k + 10, 1, total)
    d, b = np.maximum(d, c + 1), np.maximum(b, a + 1)
    return ((sums[b] - sums[a]) / (b - a)[:, None], (flags[d] - flags[c]) / (d - c)[:, None],
            (heavy[d] - heavy[c]) / (d - c))
