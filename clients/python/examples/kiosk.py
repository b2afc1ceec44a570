"""A kiosk that answers what people in front of it do, until Ctrl-C.

Start the compositor with a graph that reports them: anim_graph --graph data/graphs/examples/user_acts.graph.txtpb
"""

import asyncio

import posewire

ANSWERS = {"comes": '<gesture name="wave"/>Welcome! Touch the map.', "goes": "Have a good day!"}


async def main() -> None:
    async with posewire.Avatar("127.0.0.1:51002", stream="demo", compositor="127.0.0.1:51000") as avatar:
        async for event in avatar.events():
            if event.type == "user_acted" and event.name in ANSWERS:
                await avatar.say(ANSWERS[event.name], policy="interrupt")


asyncio.run(main())
