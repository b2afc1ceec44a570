"""A SourceService in the test's own event loop, that says what it was sent and answers as it is told."""

import asyncio

import grpc

from posewire import _wire

SOURCE = _wire.SOURCE
# Not waited for in a test that passes.
PATIENCE_S = 20


def message(name, /, **fields):
    return _wire.message(f"{SOURCE}.{name}", **fields)


def event(**fields):
    return message("SayEvent", **fields)


def ended(reason, text="", seconds=0.0, detail=""):
    end = message("SayEnded", reason=reason, spoken_text=text, spoken_s=seconds, detail=detail)
    return event(ended=end)


def word(text, start_s, end_s):
    return event(word=message("SayWord", text=text, start_s=start_s, end_s=end_s))


class FakeSource:
    """`say` is an async generator of the events of a call, with the parts and the call's context.
    Without one, each word is told once it has come whole, and takes half a second."""

    def __init__(self, say=None):
        self.say = say or self.say_words
        self.parts = []
        self.stops = []
        self.metadata = {}
        self.stopped = asyncio.Event()
        self.cancelled = asyncio.Event()
        self.answers = {}

    async def __aenter__(self):
        self.server = grpc.aio.server()
        about = {"Say": "unary", "Stop": "unary", "ListVoices": "unary", "SayStream": "stream"}
        handlers = {}
        for name, kind in about.items():
            method = _wire._POOL.FindServiceByName(f"{SOURCE}.SourceService").FindMethodByName(name)
            make = getattr(grpc, f"{kind}_{kind}_rpc_method_handler")
            handlers[name] = make(
                getattr(self, f"on_{name}"),
                request_deserializer=_wire.message_class(method.input_type.full_name).FromString,
                response_serializer=_wire.message_class(method.output_type.full_name).SerializeToString,
            )
        handler = grpc.method_handlers_generic_handler(f"{SOURCE}.SourceService", handlers)
        self.server.add_generic_rpc_handlers((handler,))
        self.address = f"127.0.0.1:{self.server.add_insecure_port('127.0.0.1:0')}"
        await self.server.start()
        return self

    async def __aexit__(self, *error):
        await self.server.stop(None)

    async def on_SayStream(self, parts, context):
        self.metadata = dict(context.invocation_metadata())
        events = self.say(self.recorded(parts), context)
        whole = False
        try:
            async for told in events:
                yield told
            whole = True
        finally:
            if not whole:
                self.cancelled.set()

    async def recorded(self, parts):
        async for part in parts:
            self.parts.append(part)
            yield part

    async def say_words(self, parts, context):
        said = ""
        async for part in parts:
            said += part.text
            if part.HasField("begin"):
                accepted = message("SayAccepted", request_id=part.begin.request_id)
                yield event(accepted=accepted)
        for n, text in enumerate(said.split()):
            yield word(text, n / 2, n / 2 + 0.5)
        yield ended(1, said, len(said.split()) / 2)

    async def on_Say(self, request, context):
        return self.answers.get("Say") or message("SayResponse")

    async def on_Stop(self, request, context):
        self.stops.append(request)
        self.stopped.set()
        return message("StopResponse", texts=1)

    async def on_ListVoices(self, request, context):
        self.metadata = dict(context.invocation_metadata())
        return self.answers["ListVoices"]

    def kinds(self):
        return [part.WhichOneof("part") for part in self.parts]

    def samples(self):
        return b"".join(part.sound.samples for part in self.parts)


async def soon(condition):
    """Waits until a condition holds that is about to; fails when it does not."""

    async def wait():
        while not condition():
            await asyncio.sleep(0.005)

    await asyncio.wait_for(wait(), PATIENCE_S)
