"""Human recordings with their texts, from Debian's packages and the folder of shared data.

The recordings are the voice prompts of Asterisk (16 kHz, CC-BY-SA): five languages, one speaker
each, 25 minutes and more a language. They are installed where the judge runs and never copied into
the repository. es, fr, it and ru are for tuning; English is only judged.
"""
import gzip
import hashlib
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

SOUNDS = Path("/usr/share/asterisk/sounds")
TEXTS = "/usr/share/doc/asterisk-core-sounds-{0}/core-sounds-{0}.txt.gz"
SHARED = next((folder / "shared" / "data" for folder in Path(__file__).resolve().parents[4:]
               if (folder / "shared" / "data").exists()), Path("no shared data"))
RATE_HZ = 16000

# Language: folder of the recordings, and the voice of espeak-ng that knows how its words sound.
LANGUAGES = {
    "en": ("en_US_f_Allison", "en-us"),
    "es": ("es_MX_f_Allison", "es-419"),
    "fr": ("fr_CA_f_June", "fr"),
    "it": ("it_IT_m_Carlo", "it"),
    "ru": ("ru_RU_f_IvrvoiceRU", "ru"),
}
TUNING = ("es", "fr", "it", "ru")

# NVIDIA's two sample recordings, where they lie at hand: sentences of TIMIT.
SHARED_TEXTS = {
    "Mark_neutral.wav": "With tenure, Suzie'd have all the more leisure for yachting, "
                        "but her publications are no good.",
    "Claire_sadness_44.1khz_5_sec.wav": "Are those shy Eurasian footwear, cowboy chaps, "
                                        "or jolly earthmoving headgear?",
}


@dataclass(frozen=True)
class Recording:
    language: str
    speaker: str
    path: Path
    text: str

    @property
    def name(self):
        """Unlike that of any other recording, and good as a file's name."""
        folder = self.path.parent.name
        return "_".join([self.language, *([] if folder in (self.speaker, "data") else [folder]),
                         self.path.stem])

    @property
    def duration_s(self):
        """Of a prompt, from the size of its file (64 kbit/s); else the sound is read."""
        if self.path.suffix == ".g722":
            return self.path.stat().st_size / 8000
        return len(pcm(self.path)) / 2 / RATE_HZ


def texts(language):
    """Name of the sound -> what it says, without those that hold no speech."""
    found = {}
    for line in gzip.open(TEXTS.format(language), "rt", encoding="utf-8-sig", errors="replace"):
        name, colon, text = line.partition(":")
        text = re.sub(r"<[^>]*>", " ", text).strip()
        if colon and not line.startswith(";") and text and not re.search(r"[\[\]()]", text):
            found[name.strip()] = text
    return found


def recordings(language):
    """In an order that is the same everywhere and has nothing to do with what is said, so that the
    first so many are a fair sample."""
    folder, _ = LANGUAGES[language]
    found = [Recording(language, folder, SOUNDS / folder / f"{name}.g722", text)
             for name, text in texts(language).items()]
    return sorted((r for r in found if r.path.exists()),
                  key=lambda r: hashlib.md5(r.name.encode()).hexdigest())


def shared():
    return [Recording("en", name.split("_")[0], SHARED / name, text)
            for name, text in SHARED_TEXTS.items() if (SHARED / name).exists()]


def pcm(path):
    """The sound as 16-bit samples at 16 kHz, mono, in bytes."""
    raw = ["-f", "g722"] if Path(path).suffix == ".g722" else []
    return subprocess.run(
        ["ffmpeg", "-v", "error", "-nostdin", *raw, "-i", str(path), "-f", "s16le", "-ac", "1",
         "-ar", str(RATE_HZ), "-"], stdout=subprocess.PIPE, check=True).stdout
