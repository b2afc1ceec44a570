"""The child process in which espeak-ng's library runs, where there is no espeak-ng program.

    python espeak_child.py LIBRARY DATA_DIR

Reads lines of JSON, {"voice": "fr", "text": "..."}; answers each with a line, {"ipa": "..."} or
{"error": "..."}. Diphthongs and affricates are tied by "^". This process is all of ours that loads
espeak-ng, which is under the GPL.
"""

import ctypes
import json
import sys

UTF8 = 1
IPA_TIED = 0x02 | 0x80 | ord("^") << 8
NO_SOUND = 2  # AUDIO_OUTPUT_SYNCHRONOUS
DONT_EXIT = 0x8000


def main():
    library = ctypes.CDLL(sys.argv[1])
    library.espeak_Initialize.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_char_p, ctypes.c_int]
    library.espeak_SetVoiceByName.argtypes = [ctypes.c_char_p]
    library.espeak_TextToPhonemes.argtypes = [
        ctypes.POINTER(ctypes.c_char_p),
        ctypes.c_int,
        ctypes.c_int,
    ]
    library.espeak_TextToPhonemes.restype = ctypes.c_char_p
    if library.espeak_Initialize(NO_SOUND, 0, sys.argv[2].encode(), DONT_EXIT) < 0:
        sys.exit(f"espeak-ng does not start with its data in {sys.argv[2]}")
    current = None
    for line in sys.stdin:
        request = json.loads(line)
        answer = {}
        if request["voice"] != current:
            current = (
                request["voice"]
                if library.espeak_SetVoiceByName(request["voice"].encode()) == 0
                else None
            )
        if current is None:
            answer["error"] = f"espeak-ng has no voice {request['voice']}"
        else:
            rest = ctypes.c_char_p(request["text"].encode())
            out = []
            while rest.value is not None:
                out.append(
                    (
                        library.espeak_TextToPhonemes(ctypes.byref(rest), UTF8, IPA_TIED) or b""
                    ).decode()
                )
            answer["ipa"] = " ".join(out)
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
