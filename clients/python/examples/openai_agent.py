"""An agent with an OpenAI-compatible LLM (pip install openai; OPENAI_API_KEY, OPENAI_BASE_URL).

python openai_agent.py "Why is the sky blue?"
"""

import asyncio
import sys

import openai

import posewire


async def main(question: str) -> None:
    chat, ask = openai.AsyncOpenAI().chat.completions, [{"role": "user", "content": question}]
    answer = await chat.create(model="gpt-4o-mini", messages=ask, stream=True)
    async with posewire.Avatar("127.0.0.1:51002", stream="demo") as avatar:
        await avatar.speak(chunk.choices[0].delta.content or "" async for chunk in answer)


asyncio.run(main(sys.argv[1]))
