"""What the tests of the clients share: running a program to its end."""

import subprocess


def run(*command, timeout=300, **options):
    """Runs to the end; gives the output, and fails with it."""
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=timeout, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command[0]} ... gave {done.returncode}:\n{done.stdout[-8000:]}")
    return done.stdout
