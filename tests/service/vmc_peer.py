"""VMC by vmcp, which is not ours, in a process of its own.

    vmc_peer.py send PORT     a performer: takes frames from standard input, one a line
    vmc_peer.py receive       a marionette: says {"port": N}, then each message as [address, arguments]

A frame is {"loaded": 1, "time": seconds, "root": [x, y, z, qx, qy, qz, qw], "bones": {name: the same},
"shapes": {name: weight}}. Only what it has is sent. Ends when standard input does.
"""

import json
import select
import socket
import sys

try:
    from vmcp import events, protocol
    from vmcp.facades import on_receive
    from vmcp.osc import OSC
    from vmcp.osc.backend.osc4py3 import as_eventloop
    from vmcp.osc.typing import Message
    from vmcp.typing import (Bone, BlendShapeKey, CoordinateVector, ModelState, Quaternion)
except ImportError as e:
    sys.exit(f"vmcp is missing; ./test installs it: {e}")

HOST = "127.0.0.1"


def place(values):
    return CoordinateVector(*values[:3]), Quaternion(*values[3:])


def messages(frame):
    if "loaded" in frame:
        yield protocol.state(ModelState(frame["loaded"]))
    if "time" in frame:
        yield protocol.time(frame["time"])
    if "root" in frame:
        yield protocol.root_transform(*place(frame["root"]))
    for name, values in frame.get("bones", {}).items():
        yield protocol.bone_transform(Bone(name), *place(values))
    if frame.get("shapes"):
        keys = BlendShapeKey("Keys", {name: name for name in frame["shapes"]})
        for name, weight in frame["shapes"].items():
            yield protocol.blendshape(keys[name], weight)
        yield protocol.blendshape_apply()


def send(osc, port):
    sender = osc.create_sender(HOST, port, "out").open()
    for line in sys.stdin:
        sender.send([Message(*parts) for parts in messages(json.loads(line))])
        # The first round encodes, the second writes.
        osc.run()
        osc.run()


def transform(event):
    name = getattr(event.joint, "value", event.joint)
    p, q = event.position, event.rotation
    return [name, p.x, p.y, p.z, q.x, q.y, q.z, q.w]


def state(event):
    values = (event.model_state, event.calibration_state, event.calibration_mode,
              event.tracking_state)
    return [v.value for v in values if v is not None]


READ = {
    events.StateEvent: state,
    events.RelativeTimeEvent: lambda e: [e.delta],
    events.RootTransformEvent: transform,
    events.BoneTransformEvent: transform,
    events.DeviceTransformEvent: transform,
    events.BlendShapeEvent: lambda e: [e.key, e.value],
    events.BlendShapeApplyEvent: lambda e: [],
}


def receive(osc):
    receiver = osc.create_receiver(HOST, 0, "in")
    for kind, read in READ.items():
        on_receive(receiver, kind, lambda event, read=read: print(
            json.dumps([event.address, read(event)])))
    receiver.open()
    channel = as_eventloop.get_channel("in").udpsock
    channel.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
    print(json.dumps({"port": channel.getsockname()[1]}), flush=True)
    while True:
        readable, _, _ = select.select([channel, sys.stdin], [], [])
        if sys.stdin in readable:
            return
        osc.run()
        sys.stdout.flush()


with OSC(as_eventloop).open() as system:
    if sys.argv[1] == "send":
        send(system, int(sys.argv[2]))
    else:
        receive(system)
