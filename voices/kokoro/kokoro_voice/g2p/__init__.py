"""Text to phonemes, in the symbols that Kokoro was trained with."""
