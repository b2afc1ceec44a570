"""An OpenAI-compatible voice server around Kokoro-82M. See ../README.md."""
