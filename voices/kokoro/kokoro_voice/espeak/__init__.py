"""The voices of espeak-ng, which runs as a process of its own."""
