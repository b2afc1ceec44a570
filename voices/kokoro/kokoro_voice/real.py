"""The speaker with the real model, dictionaries and espeak-ng."""

import logging
import os
import sys
from pathlib import Path

from .g2p.espeak import find_espeak
from .g2p.phonemizer import Phonemizer
from .http.request import SpeechRequest
from .synthesis.engine import Engine
from .synthesis.model import MissingFile, package_dir
from .synthesis.speaker import Speaker
from .voices import DEFAULT_VOICE


def make_speaker(flags):
    """(Speaker, Phonemizer, names of the styles). Speaks once, so that the first request is
    quick."""
    styles = flags.styles or Path(sys.prefix).parent / "styles"
    try:
        package = package_dir("espeakng_loader")
    except MissingFile:
        package = None
    phonemizer = Phonemizer(package_dir("misaki") / "data", find_espeak(flags.espeak, package))
    threads = flags.clause_threads or min(2, len(os.sched_getaffinity(0)))
    engine = Engine(styles, threads)
    speaker = Speaker(engine, phonemizer)
    request = SpeechRequest("Hello.", DEFAULT_VOICE, "en-US")
    list(speaker.speak(request, request.text, speaker.new_stop()))
    logging.info(
        "Kokoro is ready: %d styles, %d threads per clause", len(engine.voice_names()), threads
    )
    return speaker, phonemizer, engine.voice_names()
