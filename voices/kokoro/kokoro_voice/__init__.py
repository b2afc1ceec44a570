"""An OpenAI-compatible voice server around Kokoro-82M. See ../README.md."""

__version__ = "0.1.0"
