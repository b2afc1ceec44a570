"""Phone times of a recording whose text is known, by two aligners that share nothing.

- pocketsphinx: hidden Markov models of English phones (three states, 10 ms); the phones of other
  languages are given as the nearest English ones, of which it has to find the borders alone.
- hama: a neural recogniser of IPA with a CTC output (20 ms); the most likely way through its
  posteriors that says all phones in order. A CTC output is a peak somewhere in the phone, so this
  tells a place, not the borders.
"""
import numpy as np
from hama.asr import ASRModel
from pocketsphinx import Decoder

import phones

# A frame's middle is 12.8 ms behind its start, and a border between two frames is half a step
# before the middle of the second.
SPHINX_OFFSET_S = 0.0128 - 0.005
HAMA_STEP_S = 0.02

# Near relatives of what the recogniser may call a phone.
HAMA_ALIKE = {
    "g": "ɡ", "ɡ": "g", "ɾ": "ɹ", "r": "ɹ", "ʁ": "ɹ", "ɻ": "ɹ", "ɭ": "l", "ʋ": "v", "ɱ": "m",
    "β": "b", "ts": "s", "tɕ": "t͡ʃ", "tʃ": "t͡ʃ", "dʒ": "d͡ʒ", "ɕɕ": "ʃ", "ɕ": "ʃ", "ʂ": "ʃ",
    "ʐ": "ʒ", "ʑ": "ʒ", "x": "h", "ɲ": "n", "ʎ": "l", "ɣ": "g", "ɥ": "w", "əl": "l",
    "əʊ": "oʊ", "o": "oʊ", "e": "eɪ", "ɔ": "ɑ", "a": "ɑ", "ɐ": "ə", "y": "i", "ø": "ɝ", "œ": "ɝ",
    "ɚ": "ɝ", "ɜ": "ɝ", "ɨ": "ɪ", "ᵻ": "ɪ", "ʌ": "ə", "ja": "j", "je": "j", "jo": "j", "ju": "j",
    "ʊɹ": "ɹ", "ɑɹ": "ɹ", "oɹ": "ɹ", "ɔɹ": "ɹ", "ɛɹ": "ɹ", "ɪɹ": "ɹ", "iə": "i", "aɪə": "aɪ",
    "aɪɚ": "aɪ",
}


class Sphinx:
    def __init__(self):
        self._decoder = Decoder(dict=None, lm=None, loglevel="FATAL")
        self._known = set()

    def __call__(self, words, pcm):
        """[(phone, start_s, end_s, score)] with silences; None when it finds no way through.
        The score is a log likelihood a frame."""
        names = []
        for word in words:
            pronunciation = " ".join(phones.ARPABET[p] for p in word)
            name = "w_" + pronunciation.replace(" ", "_")
            if name not in self._known:
                self._decoder.add_word(name, pronunciation, True)
                self._known.add(name)
            names.append(name)
        decoder = self._decoder
        try:
            decoder.set_align_text(" ".join(names))
            self._run(pcm)
            decoder.set_alignment()
            self._run(pcm)
            # Read off at once: what the iterators give does not outlive their step.
            alignment = [(word.name, word.start, word.duration,
                          [(p.duration, p.start, p.score) for p in word])
                         for word in decoder.get_alignment()]
        except RuntimeError:
            return None
        found, spoken = [], iter(words)
        for name, start, duration, states in alignment:
            if name[0] in "<[":
                found.append((phones.SILENCE, start, start + duration, 0))
                continue
            for phone in next(spoken, []):
                parts = [states.pop(0) for _ in phones.ARPABET[phone].split()]
                frames = sum(p[0] for p in parts)
                found.append((phone, parts[0][1], parts[0][1] + frames,
                              sum(p[2] for p in parts) / max(1, frames)))
        if next(spoken, None) is not None:
            return None
        return [(phone, max(0, start / 100 + SPHINX_OFFSET_S), end / 100 + SPHINX_OFFSET_S, score)
                for phone, start, end, score in found]

    def _run(self, pcm):
        self._decoder.start_utt()
        self._decoder.process_raw(pcm, full_utt=True)
        self._decoder.end_utt()


class Hama:
    def __init__(self):
        self._model = ASRModel()
        self._ids = {token: i for i, token in enumerate(self._model.decoder_tokens)}

    def posteriors(self, pcm):
        """Log posteriors, one row each 20 ms."""
        sound = np.frombuffer(pcm, "<i2").astype(np.float32) / 32768
        found, lengths = self._model.session.run(
            ["log_probs", "out_lengths"],
            {"waveform": sound[None], "waveform_lengths": np.array([len(sound)], np.int64)})
        return found[0][:int(np.asarray(lengths).reshape(-1)[0])].astype(np.float64)

    def heard(self, posteriors):
        """What it hears without a text: [(phone, time_s of its peak)]."""
        best = posteriors.copy()
        best[:, self._ids["<blank>"]] -= 0.1
        best = best.argmax(1)
        found = []
        for k, token in enumerate(best):
            if token != (best[k - 1] if k else -1):
                name = self._model.decoder_tokens[token]
                if name not in ("<blank>", "<wb>", " "):
                    found.append((name, (k + 0.5) * HAMA_STEP_S))
        return found

    def align(self, spoken, posteriors):
        """[(phone, time_s of its peak, log posterior there)] of phones in order; None when there
        are more phones than steps."""
        blank = np.logaddexp(posteriors[:, self._ids["<blank>"]], posteriors[:, self._ids["<wb>"]])
        columns = [self._column(posteriors, phone) for phone in spoken]
        if not columns or len(columns) > len(posteriors):
            return None
        steps, states = len(posteriors), 2 * len(columns) + 1
        emit = np.empty((steps, states))
        emit[:, 0::2] = blank[:, None]
        emit[:, 1::2] = np.stack(columns, 1)
        # From one phone straight to the next, unless the two are the same.
        skip = np.zeros(states, bool)
        for i in range(1, len(spoken)):
            skip[2 * i + 1] = spoken[i] != spoken[i - 1]
        score = np.full(states, -np.inf)
        score[:2] = emit[0, :2]
        came = np.zeros((steps, states), np.int8)
        for t in range(1, steps):
            ways = np.full((3, states), -np.inf)
            ways[0] = score
            ways[1, 1:] = score[:-1]
            ways[2, 2:] = np.where(skip[2:], score[:-2], -np.inf)
            came[t] = ways.argmax(0)
            score = ways.max(0) + emit[t]
        state = states - 1 if score[-1] > score[-2] else states - 2
        if not np.isfinite(score[state]):
            return None
        path = np.empty(steps, int)
        for t in range(steps - 1, -1, -1):
            path[t] = state
            state -= int(came[t, state])
        found = []
        for i, phone in enumerate(spoken):
            at = np.flatnonzero(path == 2 * i + 1)
            peak = at[emit[at, 2 * i + 1].argmax()]
            found.append((phone, (peak + 0.5) * HAMA_STEP_S, float(emit[peak, 2 * i + 1])))
        return found

    def _column(self, posteriors, phone):
        alike = {phone, HAMA_ALIKE.get(phone, phone)} & set(self._ids)
        if not alike:
            alike = {"ə"}
        return np.logaddexp.reduce([posteriors[:, self._ids[a]] for a in sorted(alike)], axis=0)
