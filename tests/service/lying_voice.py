#!/usr/bin/env python3
"""A voice server for tests that behaves, or misbehaves, as the name of the voice says.

    lying_voice.py [--marks word,phoneme] [--tls FOLDER]

Prints {"port": N} when it listens on 127.0.0.1, with "ca" (PEM) if it serves https, and ends with
its standard input. It speaks 15 characters a second, with a tone that has syllables. VOICES has the
names.

It answers as OpenAI (POST /v1/audio/speech), Kokoro-FastAPI (POST /dev/captioned_speech) and
ElevenLabs (POST /v1/text-to-speech/VOICE/stream/with-timestamps) do, and lists its voices.
GET /lying/state has the number of requests for each voice, and of those that are in progress.
"""

import argparse
import array
import base64
import collections
import http.server
import json
import math
import os
import socket
import ssl
import struct
import sys
import threading
import time

RATE = 24000
VOICES = {
    # Honest.
    "plain": "WAV, in chunks",
    "pcm": "PCM without a header",
    "sse-phonemes": "server-sent events with words and phonemes",
    "sse-words": "server-sent events with words",
    "sse-visemes": "server-sent events with viseme ids that have no end",
    "captioned": "Kokoro-FastAPI's objects",
    "elevenlabs": "ElevenLabs' objects",
    "header-first": "a WAV's header, and its sound two seconds later",
    "slow": "WAV, 1.1 times as fast as it is spoken",
    # Connections.
    "refuse": "resets every connection",
    "reset-once": "resets the first connection",
    "401": "wants another key, and repeats the one that it got",
    "429-once": "429 with Retry-After: 0.1, then a voice",
    "429": "429 with Retry-After: 30",
    "429-second": "429 with Retry-After: 1, always",
    "503-once": "503, then a voice",
    "500": "500 with FastAPI's detail",
    "stall-before": "never sends a header",
    "stall-midway": "stops after half a second of sound",
    "byte-a-second": "one byte a second",
    "cut": "closes within a chunk",
    "redirect": "302 to /elsewhere",
    "redirect-key": "302 to an address with the key",
    "flood": "events without sound that do not end",
    # Sound.
    "html": "a page with status 200",
    "mp3": "audio/mpeg",
    "mp3-as-wav": "MP3 that is called audio/wav",
    "wrong-length": "a WAV that says it has 100 bytes",
    "stereo": "a WAV with two channels",
    "48k": "a WAV of 48 kHz",
    "float-nan": "a WAV of floats, a few of them NaN",
    "odd-bytes": "a WAV in pieces of 1 and 3 bytes that ends within a sample",
    "endless": "a WAV that does not end",
    "empty": "status 200 and no bytes",
    "rate-changes": "24 kHz, and 16 kHz from the second text on",
    "rate-changes-within": "events, of which the second is a WAV of 16 kHz",
    "done-and-open": "events that end, and a connection that does not",
    # Marks.
    "marks-unsorted": "good marks in the wrong order",
    "marks-negative": "a mark before the sound",
    "marks-past-end": "marks that go on for a second after the sound",
    "marks-nan": "a mark at NaN",
    "marks-1e6": "a mark at a million seconds",
    "marks-sparse": "marks for the first tenth of the sound",
    "marks-many": "11,000 marks",
    "broken-base64": "events whose sound is no base64",
    "broken-json": "events that are no JSON",
    "event-error": "an error among the events",
    "long-line": "an event of 100 MB",
}
# How the names of those begin that always answer with events.
EVENTS = ("sse", "marks", "broken", "event", "long", "done", "rate_changes_within")


def tone(seconds, rate=RATE):
    """A buzz of 120 Hz whose loudness rises and falls four times a second; 16 bit."""
    period = rate // 4
    syllable = array.array("h", (
        int(9000 * (0.25 + math.sin(math.pi * i / period) ** 2)
            * sum(math.sin(2 * math.pi * 120 * k * i / rate) / k for k in (1, 2, 3)) / 1.9)
        for i in range(period)))
    count = int(seconds * rate)
    return (syllable.tobytes() * (count // period + 1))[:2 * count]


def wav_header(rate=RATE, channels=1, bits=16, kind=1, size=0xFFFFFFFF):
    frame = channels * bits // 8
    return (b"RIFF" + struct.pack("<I", 0xFFFFFFFF) + b"WAVEfmt "
            + struct.pack("<IHHIIHH", 16, kind, channels, rate, rate * frame, frame, bits) + b"data"
            + struct.pack("<I", size))


def words_of(text, speed):
    """(word, start, end), the space after a word left out."""
    at = 0
    for word in text.split(" "):
        yield word, at / 15 / speed, (at + len(word)) / 15 / speed
        at += len(word) + 1


def marks_of(text, seconds, speed, phonemes=True):
    event = {"type": "speech.audio.marks", "start": 0.0, "end": round(seconds, 4), "text": text,
             "words": [], "phonemes": []}
    for word, start, end in words_of(text, speed):
        event["words"].append({"text": word, "start": round(start, 4), "end": round(end, 4)})
        letters = [c for c in word.lower() if c.isalpha()] if phonemes else []
        for i, c in enumerate(letters):
            step = (end - start) / len(letters)
            event["phonemes"].append({"ph": c, "start": round(start + i * step, 4),
                                      "end": round(start + (i + 1) * step, 4)})
            if c in "aeiou":
                event["phonemes"][-1]["stress"] = 1
    return event


def spoil(event, how):
    """The lies about marks."""
    marks = event["phonemes"]
    if how == "marks-unsorted":
        marks.reverse()
    elif how == "marks-negative":
        marks[0]["start"] = -3
    elif how == "marks-past-end":
        end = event["end"]
        marks.append({"ph": "a", "start": end, "end": end + 1})
        del event["end"]
    elif how == "marks-nan":
        marks[1]["start"] = math.nan
    elif how == "marks-1e6":
        marks[-1]["end"] = 1e6
    elif how == "marks-sparse":
        del marks[len(marks) // 10 + 1:]
        event["words"] = []
    elif how == "marks-many":
        event["phonemes"] = [{"ph": "a", "start": i / 1e5, "end": (i + 1) / 1e5}
                             for i in range(11000)]
    elif how == "sse-visemes":
        event["phonemes"] = [{"viseme": 1 + i % 21, "start": p["start"]}
                             for i, p in enumerate(marks)]
    return event


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def head(self, kind, status=200, length=None, **headers):
        self.send_response(status)
        if kind:
            self.send_header("Content-Type", kind)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        if length is None:
            self.send_header("Transfer-Encoding", "chunked")
        else:
            self.send_header("Content-Length", str(length))
        self.end_headers()

    def whole(self, kind, body, status=200, **headers):
        self.head(kind, status, len(body), **headers)
        self.wfile.write(body)

    def json(self, value, status=200, **headers):
        self.whole("application/json", json.dumps(value).encode(), status, **headers)

    def chunk(self, data):
        if data:
            self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    def chunks(self, kind, pieces):
        self.head(kind)
        for piece in pieces:
            self.chunk(piece)
        self.wfile.write(b"0\r\n\r\n")

    def hold(self):
        """Until the client closes."""
        self.close_connection = True
        self.connection.settimeout(0.05)
        while not self.server.over.is_set():
            try:
                if not self.connection.recv(1):
                    return
            except TimeoutError:
                pass

    def reset(self):
        self.close_connection = True
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()

    def do_GET(self):
        server, path = self.server, self.path.split("?")[0]
        if path == "/lying/state":
            with server.lock:
                self.json({"requests": server.requests, "open": server.open})
        elif path == "/v1/models":
            own = {"posewire": {"marks": server.marks}} if server.marks else {}
            self.json({"object": "list", "data": [{"id": "tts-1", "object": "model", **own}]})
        elif path == "/v1/audio/voices":
            self.json({"voices": [{"name": name, "languages": ["pt-BR" if name == "pcm" else "en-US"],
                                   "marks": ["phoneme"] if name == "sse-phonemes" else []}
                                  for name in VOICES]})
        elif path == "/v1/voices":
            self.json({"voices": [{"voice_id": "elevenlabs", "name": "Eleven",
                                   "verified_languages": [{"language": "en"}]}]})
        else:
            self.json({"detail": "Not Found"}, 404)

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        parts = self.path.split("?")[0].split("/")
        eleven = parts[1:3] == ["v1", "text-to-speech"]
        self.voice = parts[3] if eleven else body["voice"]
        self.text = body["text"] if eleven else body["input"]
        self.speed = body.get("speed", body.get("voice_settings", {}).get("speed", 1))
        self.body = body
        server = self.server
        with server.lock:
            server.requests[self.voice] += 1
            server.open += 1
            self.nth = server.requests[self.voice]
        try:
            self.speak(self.path.split("?")[0], eleven)
        except OSError:
            self.close_connection = True
        finally:
            with server.lock:
                server.open -= 1

    def speak(self, path, eleven):
        name = self.voice.replace("-", "_")
        if name not in {v.replace("-", "_") for v in VOICES}:
            self.json({"error": {"message": f"no voice {self.voice}", "type": "invalid"}}, 400)
        elif hasattr(self, f"do_{name}"):
            getattr(self, f"do_{name}")()
        elif eleven:
            self.say_eleven()
        elif path == "/dev/captioned_speech":
            self.say_captioned()
        elif self.body.get("stream_format") == "sse" or name.startswith(EVENTS):
            self.say_events(name.replace("_", "-"))
        else:
            self.say_wav()

    @property
    def seconds(self):
        return len(self.text) / 15 / self.speed

    # Honest.

    def say_wav(self, rate=RATE):
        sound = wav_header(rate) + tone(self.seconds, rate)
        self.chunks("audio/wav", (sound[i:i + 4000] for i in range(0, len(sound), 4000)))

    def do_pcm(self):
        self.whole("audio/pcm; rate=24000", tone(self.seconds))

    def do_header_first(self):
        self.head("audio/wav")
        self.chunk(wav_header())
        self.server.over.wait(2)
        self.chunk(tone(self.seconds))
        self.wfile.write(b"0\r\n\r\n")

    def do_slow(self):
        self.head("audio/wav")
        self.chunk(wav_header())
        sound, step = tone(self.seconds), 2 * RATE // 10
        for i in range(0, len(sound), step):
            self.chunk(sound[i:i + step])
            time.sleep(0.1 / 1.1)
        self.wfile.write(b"0\r\n\r\n")

    def say_events(self, how):
        def send(event):
            self.chunk(b"data: " + json.dumps(event).encode() + b"\n\n")

        self.head("text/event-stream")
        marks = marks_of(self.text, self.seconds, self.speed, phonemes="words" not in how)
        send(spoil(marks, how))
        sound = tone(self.seconds)
        if self.body["response_format"] == "wav":
            sound = wav_header() + sound
        for i in range(0, len(sound), 1920):
            piece = base64.b64encode(sound[i:i + 1920]).decode()
            if i > 0 and how == "rate-changes-within":
                piece = base64.b64encode(wav_header(16000) + sound[i:i + 1920]).decode()
            elif how == "broken-base64":
                piece = "*" + piece
            elif how == "event-error":
                send({"type": "error", "error": {"message": "the model fell over"}})
            elif how == "broken-json":
                self.chunk(b"data: {\"type\":\n\n")
            elif how == "long-line":
                for _ in range(100):
                    self.chunk(b"data: " + bytes(1 << 20))
            send({"type": "speech.audio.delta", "audio": piece})
        send({"type": "speech.audio.done", "usage": {}})
        if how == "done-and-open":
            self.hold()
        self.wfile.write(b"0\r\n\r\n")

    def say_captioned(self):
        self.head("application/json")
        sound = wav_header() + tone(self.seconds)
        words = [{"word": w, "start_time": s, "end_time": e}
                 for w, s, e in words_of(self.text, self.speed)]
        cut = len(sound) // 2 + 1
        for piece, times in ((sound[:cut], words), (sound[cut:], None)):
            self.chunk(json.dumps({"audio": base64.b64encode(piece).decode(), "audio_format":
                                   "audio/wav", "timestamps": times}).encode() + b"\n")
        self.wfile.write(b"0\r\n\r\n")

    def say_eleven(self):
        self.head("application/json")
        sound, text = tone(self.seconds), self.text
        half = len(text) // 2
        for part, begin in ((text[:half], 0), (text[half:], half)):
            times = [(begin + i) / 15 / self.speed for i in range(len(part) + 1)]
            first = int(times[0] * RATE) * 2
            last = len(sound) if begin else int(times[-1] * RATE) * 2
            self.chunk(json.dumps({
                "audio_base64": base64.b64encode(sound[first:last]).decode(),
                "alignment": {"characters": list(part), "character_start_times_seconds": times[:-1],
                              "character_end_times_seconds": times[1:]},
                "normalized_alignment": None}).encode() + b"\n")
        self.wfile.write(b"0\r\n\r\n")

    # Connections.

    do_refuse = reset

    def do_reset_once(self):
        self.reset() if self.nth == 1 else self.say_wav()

    def do_401(self):
        key = self.headers.get("Authorization") or self.headers.get("xi-api-key") or "nothing"
        self.json({"error": {"message": f"Incorrect API key provided: {key}.\n" + 300 * "x"}}, 401)

    def do_429_once(self):
        if self.nth == 1:
            self.json({"error": {"message": "slow down"}}, 429, Retry_After="0.1")
        else:
            self.say_wav()

    def do_429(self):
        self.json({"error": {"message": "slow down"}}, 429, Retry_After="30")

    def do_503_once(self):
        self.json({"detail": "loading"}, 503) if self.nth == 1 else self.say_wav()

    def do_500(self):
        self.json({"detail": [{"msg": "the model fell over"}]}, 500)

    def do_429_second(self):
        self.json({"error": {"message": "slow down"}}, 429, Retry_After="1")

    do_stall_before = hold

    def do_stall_midway(self):
        self.head("audio/wav")
        self.chunk(wav_header() + tone(0.5))
        self.hold()

    def do_byte_a_second(self):
        self.head("audio/wav")
        for byte in wav_header() + tone(self.seconds):
            self.chunk(bytes([byte]))
            if self.server.over.wait(1):
                return

    def do_cut(self):
        self.head("audio/wav")
        self.wfile.write(b"100000\r\n" + wav_header() + tone(0.5))
        self.close_connection = True

    def do_redirect_key(self):
        self.whole(None, b"", 302, Location="/?" + (self.headers.get("Authorization") or ""))

    def do_flood(self):
        self.head("text/event-stream")
        while not self.server.over.is_set():
            self.chunk(b'data: {"type": "nothing"}\n\n' * 4000)

    def do_redirect(self):
        self.whole(None, b"", 302, Location="/elsewhere")

    # Sound.

    def do_html(self):
        self.whole("text/html", b"<html>Sign in</html>")

    def do_mp3(self):
        self.whole("audio/mpeg", b"\xff\xf3\x84\xc4" + bytes(4000))

    def do_mp3_as_wav(self):
        self.whole("audio/wav", b"\xff\xf3\x84\xc4" + bytes(4000))

    def do_wrong_length(self):
        self.whole("audio/wav", wav_header(size=100) + tone(self.seconds))

    def do_stereo(self):
        sound = tone(self.seconds)
        both = b"".join(sound[i:i + 2] * 2 for i in range(0, len(sound), 2))
        self.whole("audio/wav", wav_header(channels=2) + both)

    def do_48k(self):
        self.say_wav(48000)

    def do_float_nan(self):
        samples = [s / 32768 for s in array.array("h", tone(self.seconds))]
        samples[10::1000] = [math.nan] * len(samples[10::1000])
        self.whole("audio/wav", wav_header(bits=32, kind=3)
                   + struct.pack(f"<{len(samples)}f", *samples))

    def do_odd_bytes(self):
        sound = wav_header() + tone(self.seconds) + b"\x01"
        self.chunks("audio/wav", (sound[i:j] for k in range(0, len(sound), 4)
                                  for i, j in ((k, k + 1), (k + 1, k + 4))))

    def do_endless(self):
        self.head("audio/wav")
        self.chunk(wav_header())
        piece = tone(1)
        while not self.server.over.is_set():
            self.chunk(piece)

    def do_empty(self):
        self.whole("audio/wav", b"")

    def do_rate_changes(self):
        self.say_wav(RATE if self.nth == 1 else 16000)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, marks=(), tls=None):
        super().__init__(("127.0.0.1", 0), Handler)
        self.marks, self.ca = list(marks), None
        self.lock, self.over = threading.Lock(), threading.Event()
        self.requests, self.open = collections.Counter(), 0
        if tls:
            sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
            from certificates import Ca
            ca = Ca(tls, "ca")
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*ca.issue("server"))
            self.socket = context.wrap_socket(self.socket, server_side=True)
            self.ca = str(ca.cert)

    def handle_error(self, *_):
        pass


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--marks", default="", help="what GET /v1/models lists: word,phoneme")
    parser.add_argument("--tls", metavar="FOLDER", help="https, with certificates made in FOLDER")
    arguments = parser.parse_args()
    server = Server([m for m in arguments.marks.split(",") if m], arguments.tls)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(json.dumps({"port": server.server_port, **({"ca": server.ca} if server.ca else {})}),
          flush=True)
    sys.stdin.read()
    server.over.set()


if __name__ == "__main__":
    main()
