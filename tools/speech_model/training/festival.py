"""Speech of Festival's voices with the times of its phonemes.

python3 festival.py OUT_DIR MINUTES

Recorded diphones, a voice of whole recorded phones (Russian) and two of hidden Markov models, in
eight languages: most have no breath behind p, t and k, which the other voices hardly know. As
voices.py: each sentence is a WAV in OUT_DIR and a line of OUT_DIR/phones.jsonl, in IPA; every prefix
holds all voices alike.
"""
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import texts
from labels import ARPABET
from wav import read_wav, write_wav

# Voice: language, encoding of its texts.
VOICES = {
    "pc_diphone": ("it", "latin-1"), "lp_diphone": ("it", "latin-1"),
    "msu_ru_nsh_clunits": ("ru", "utf-8"), "upc_ca_ona_hts": ("ca", "latin-1"),
    "czech_dita": ("cs", "iso8859-2"), "czech_krb": ("cs", "iso8859-2"),
    "czech_machac": ("cs", "iso8859-2"), "czech_ph": ("cs", "iso8859-2"),
    "hy_fi_mv_diphone": ("fi", "latin-1"), "suo_fi_lj_diphone": ("fi", "latin-1"),
    "hindi_NSK_diphone": ("hi", "utf-8"), "marathi_NSK_diphone": ("hi", "utf-8"),
    "telugu_NSK_diphone": ("te", "utf-8"), "cmu_us_slt_arctic_hts": ("en-us", "latin-1"),
    "ked_diphone": ("en-us", "latin-1")}
IPA = {  # what differs from the letter; length and stress are left out
    "it": "nf ɱ E ɛ O ɔ ng ŋ dZ ʤ tS ʧ S ʃ Z ʒ dz ʣ ts ʦ J ɲ L ʎ",
    "ca": "rr r ax ə E ɛ O ɔ L ʎ S ʃ Z ʒ J ɲ N ŋ x x",
    "cs": "n~ ɲ c~ ʧ s~ ʃ z~ ʒ t~ c d~ ɟ dz~ ʤ dz ʣ ch x c ʦ r~ r h ɦ n* ŋ r~* r",
    "fi": "@ æ 7 ø N ŋ",
    "ru": "ae ə ay ə ur ʊ y ɨ yy ɨ ch ʨ sh ʂ sch ɕ zh ʐ c ʦ h x hh x",
    "hi": "ee e oo o uw u iy i eh e oh o ay ɛ ae æ uh ʊ ih ɪ a ə aa a aw ɔ y j r ɾ ch ʧ zh ʤ sh ʃ th t "
          "dh d tt ʈ T ʈ D ɖ bh b jj ʤ ng ŋ",
}
IPA = {language: dict(zip(pairs.split()[::2], pairs.split()[1::2])) for language, pairs in IPA.items()}
IPA["te"] = IPA["hi"] | {"a": "ʌ"}
IPA["en-us"] = ARPABET
SHIFT_S = {"msu_ru_nsh_clunits": -0.015, "cmu_us_slt_arctic_hts": 0.01}   # see README.md
ROUND = 12   # sentences of a voice at a time

PROGRAM = """
(define (say text base stretch)
  (Parameter.set 'Duration_Stretch stretch)
  (let ((utt (utt.synth (eval (list 'Utterance 'Text text)))) (fd (fopen (string-append base ".seg") "w")))
    (mapcar (lambda (s) (format fd "%s %f\\n" (item.name s) (item.feat s "segment_end")))
            (utt.relation.items utt 'Segment))
    (fclose fd)
    (utt.save.wave utt (string-append base ".wav"))))
"""


def ipa(symbol, language):
    """'' for a pause."""
    if symbol in ("#", "pau"):
        return ""
    bare = symbol.rstrip(":0123456789") or symbol
    if bare not in IPA[language] and language == "ru":   # doubled: soft consonants, stressed vowels
        bare = bare[0]
    return IPA[language].get(bare, bare)


def said(voice, sentences, folder):
    """Yields (samples, rate, [[symbol, begin, end]...]) of each of (text, stretch) that Festival can say."""
    language, encoding = VOICES[voice]
    script = folder / "say.scm"
    lines = [PROGRAM, f"(voice_{voice})"]
    for i, (text, stretch) in enumerate(sentences):
        text = re.sub(r'[\\"]', "", text)
        lines.append(f'(unwind-protect (say "{text}" "{folder}/{i}" {stretch:.3f}) nil)')
    script.write_bytes("\n".join(lines).encode(encoding, "ignore"))
    subprocess.run(["festival", "-b", str(script)], stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    for i in range(len(sentences)):
        wav, seg = folder / f"{i}.wav", folder / f"{i}.seg"
        if wav.exists():
            begin, phones, shift_s = 0.0, [], SHIFT_S.get(voice, 0)
            for line in seg.read_text("latin-1").split("\n")[:-1]:
                symbol, end = line.rsplit(" ", 1)
                phones.append([ipa(symbol, language), begin, float(end) + shift_s])
                begin = phones[-1][2]
            yield (*read_wav(wav), phones)
            wav.unlink()
            seg.unlink()


def main():
    out, minutes = Path(sys.argv[1]), float(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    seconds, number = 0.0, 0
    with (out / "phones.jsonl").open("w") as index, tempfile.TemporaryDirectory() as folder:
        while seconds < minutes * 60:
            number += 1
            for which, (voice, (language, _)) in enumerate(VOICES.items()):
                rng = np.random.default_rng([number, which, 8])
                speak = texts.syllables if language in texts.SYLLABLES else texts.sentence
                sentences = [(speak(rng, language) + " " + speak(rng, language),
                              rng.uniform(0.85, 1.25)) for _ in range(ROUND)]
                for i, (samples, rate, phones) in enumerate(said(voice, sentences, Path(folder))):
                    if not 1 < len(samples) / rate < 40:
                        continue
                    key = f"{voice}_{number:02d}{i:02d}"
                    write_wav(out / f"{key}.wav", samples, rate)
                    index.write(json.dumps({
                        "id": key, "voice": f"festival/{voice}", "language": language,
                        "phones": [[s, round(b, 4), round(e, 4)] for s, b, e in phones]},
                        ensure_ascii=False) + "\n")
                    seconds += len(samples) / rate
            index.flush()


if __name__ == "__main__":
    main()
