"""From clauses of text to sound with marks, on worker threads."""
