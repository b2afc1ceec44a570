"""Finds espeak-ng's library and asks it for its voices."""

import logging

from ..g2p.espeak import EspeakFailed
from ..synthesis.model import MissingFile, package_dir
from .process import SYSTEM_LIBRARY, SpeechProcess, speech_command
from .speaker import EspeakSpeaker
from .voices import EspeakVoices


def start_espeak(choice="auto", required=False):
    """(EspeakVoices, EspeakSpeaker, SpeechProcess). `choice` is the flag --espeak: the library is
    that of PyPI's espeakng-loader where that is installed and no program is chosen, else the
    system's. Without a library there are no voices, and no speaker, unless it is `required`."""
    from . import resample  # noqa: F401 (now, so that the first request need not wait for numpy)

    package = None
    if choice in ("auto", "package"):
        try:
            package = package_dir("espeakng_loader")
        except MissingFile:
            if choice == "package":
                raise
    process = SpeechProcess(speech_command(package))
    try:
        voices = EspeakVoices(process.voices())
    except EspeakFailed as error:
        process.close()
        found = f"{error}; valid: run voices/kokoro/install, or install {SYSTEM_LIBRARY}"
        if required:
            raise EspeakFailed(found) from error
        logging.warning("espeak-ng's voices are not offered: %s", found)
        return EspeakVoices(), None, None
    logging.info("espeak-ng is ready: %d voices", len(voices.all()))
    return voices, EspeakSpeaker(process, voices.ids()), process
