"""Kokoro-82M on onnxruntime."""

import os
import threading

import numpy

from . import model

# Since 1.31 onnxruntime reports its use to its makers, and keeps a database for that in the home
# folder, unless this is set before it is loaded.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
import onnxruntime  # noqa: E402

# Symbols a run takes. The styles have 510 rows, and the model 512 positions with a pad at each end.
MOST_SYMBOLS = 509


class Stopped(Exception):
    """The run was stopped by Stop.cancel()."""


class Stop:
    """Ends a run from another thread, within milliseconds. One per run."""

    def __init__(self):
        self.options = onnxruntime.RunOptions()
        self.cancelled = False

    def cancel(self):
        self.cancelled = True
        self.options.terminate = True


class Engine:
    """Thread-safe. `threads` is the number of threads within one run."""

    def __init__(self, styles_dir, threads=1):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        # Each clause has a length of its own, so patterns of memory would only pile up.
        options.enable_mem_pattern = False
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session = onnxruntime.InferenceSession(
            model.read_model(), options, providers=["CPUExecutionProvider"]
        )
        self.vocabulary = model.read_vocabulary()
        self._files = model.style_files(styles_dir)
        self._styles = {}
        self._lock = threading.Lock()

    def voice_names(self):
        return list(self._files)

    def _style(self, voice):
        with self._lock:
            if voice not in self._styles:
                self._styles[voice] = numpy.fromfile(self._files[voice], "<f4").reshape(-1, 256)
            return self._styles[voice]

    def run(self, symbols, voice, speed, stop):
        """Samples (float32, -1 to 1) and the durations of the symbols with a pad at each end, in
        units of 600 samples. `symbols` must all be in the vocabulary, 1 to MOST_SYMBOLS of them."""
        if not 1 <= len(symbols) <= MOST_SYMBOLS:
            raise ValueError(f"{len(symbols)} symbols; valid: 1 to {MOST_SYMBOLS}")
        tokens = [0] + [self.vocabulary[symbol] for symbol in symbols] + [0]
        feeds = {
            "tokens": numpy.array([tokens], dtype=numpy.int64),
            "style": self._style(voice)[len(symbols) - 1][None],
            "speed": numpy.array([speed], dtype=numpy.float32),
        }
        try:
            audio, durations = self._session.run(["audio", model.DURATIONS], feeds, stop.options)
        except Exception as error:
            if stop.cancelled:
                raise Stopped() from error
            raise
        return audio.ravel(), [int(units) for units in durations.ravel()]
