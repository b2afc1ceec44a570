"""The manual page of a program of ours, by what it says of itself: man_page.py PROGRAM > PROGRAM.1

Its commands are found in its help, and asked for theirs.
"""

import os
import re
import subprocess
import sys

# The settings of whoever builds are not those of whoever reads.
ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith("POSEWIRE_")}


def ask(*args):
    return subprocess.run(args, check=True, capture_output=True, text=True, env=ENVIRONMENT).stdout


def escaped(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in text.split("\n"))


def verbatim(text):
    return f".EX\n{escaped(text.strip(chr(10)))}\n.EE\n"


def commands(help_text):
    part = re.search(r"^(?:Commands|Subcommands):\n((?: .*\n)+)", help_text, re.M)
    return re.findall(r"^  (\w+) ", part[1], re.M) if part else []


def page(program):
    name = os.path.basename(program)
    version = ask(program, "--version").split()[1]
    try:
        text = ask(program, "--help-all")
    except subprocess.CalledProcessError:
        text = ask(program, "--help")
    summary = text.strip().split("\n")[0].rstrip(".")
    out = [f'.TH {name.upper()} 1 "" "Posewire {version}" "Posewire"\n',
           f".SH NAME\n{name} \\- {escaped(summary)}\n",
           f".SH DESCRIPTION\n{verbatim(text)}"]
    for command in commands(ask(program, "--help")):
        out.append(f".SH {name} {command}\n{verbatim(ask(program, command, '--help'))}")
    out.append(".SH SEE ALSO\n" + ", ".join(
        f"{other}(1)" for other in ("a2f_source", "anim_graph", "animclip", "renderer_sink")
        if other != name) + "\n")
    return "".join(out)


if __name__ == "__main__":
    sys.stdout.write(page(sys.argv[1]))
