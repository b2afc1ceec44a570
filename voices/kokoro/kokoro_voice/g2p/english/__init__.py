"""English text to Kokoro's symbols: readings of what is not a word, senses, and misaki's
dictionary."""
