"""An agent with a model that Ollama runs (ollama run llama3.2), without an event loop.

python ollama_agent.py "Why is the sky blue?"
"""

import json
import sys
import urllib.request

import posewire


def answer(question):
    body = json.dumps({"model": "llama3.2", "prompt": question}).encode()
    with urllib.request.urlopen("http://127.0.0.1:11434/api/generate", body) as lines:
        for line in lines:
            yield json.loads(line)["response"]


posewire.say("127.0.0.1:51002", answer(sys.argv[1]), stream="demo")
