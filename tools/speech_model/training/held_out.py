"""Voices that are never trained on, nor mixed into one that is."""
HELD_OUT = set("""flite/awb kokoro/af_sarah kokoro/am_puck kokoro/bf_lily kokoro/bm_lewis
    kokoro/ef_dora kokoro/if_sara kokoro/pm_alex kokoro/hf_beta kokoro/jm_kumo kokoro/zf_xiaoyi
    espeak/f4 espeak/m7 espeak/Andy espeak/steph espeak/klatt3 espeak/whisper espeak/pablo
    espeak/linda""".split())
