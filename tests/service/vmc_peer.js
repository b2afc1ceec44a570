// VMC by osc.js, which is not ours: the same as vmc_peer.py, in Node.
//
//   node vmc_peer.js send PORT
//   node vmc_peer.js receive
//
// Bones go out as a bundle in a bundle, the rest as single messages. What is received keeps its type
// tags: [address, arguments, "sfffffff"].
"use strict";

const readline = require("node:readline");
let osc;
try {
  osc = require("osc");
} catch (error) {
  console.error(`osc is missing; ./test installs it: ${error.message}`);
  process.exit(1);
}

const HOST = "127.0.0.1";
const [what, to] = process.argv.slice(2);
const ATONCE = { raw: [0, 1] };

const port = new osc.UDPPort({
  localAddress: HOST, localPort: 0, remoteAddress: HOST, remotePort: Number(to) || 0, metadata: true,
});
port.on("error", (error) => {
  console.error(error);
  process.exit(1);
});

const message = (address, types, ...values) =>
  ({ address, args: values.map((value, i) => ({ type: types[i], value })) });

function send(frame) {
  if ("loaded" in frame) port.send(message("/VMC/Ext/OK", "i", frame.loaded));
  if ("time" in frame) port.send(message("/VMC/Ext/T", "f", frame.time));
  if (frame.root) port.send(message("/VMC/Ext/Root/Pos", "sfffffff", "root", ...frame.root));
  const bones = Object.entries(frame.bones ?? {}).map(([name, values]) =>
    message("/VMC/Ext/Bone/Pos", "sfffffff", name, ...values));
  if (bones.length > 0) {
    const time = message("/VMC/Ext/T", "f", frame.time ?? 0);
    port.send({ timeTag: ATONCE, packets: [time, { timeTag: ATONCE, packets: bones }] });
  }
  for (const [name, weight] of Object.entries(frame.shapes ?? {})) {
    port.send(message("/VMC/Ext/Blend/Val", "sf", name, weight));
  }
  if (frame.shapes) port.send(message("/VMC/Ext/Blend/Apply", ""));
}

port.on("ready", () => {
  const lines = readline.createInterface({ input: process.stdin });
  lines.on("close", () => port.close());
  if (what === "send") {
    lines.on("line", (line) => send(JSON.parse(line)));
    return;
  }
  port.socket.setRecvBufferSize(1 << 20);
  console.log(JSON.stringify({ port: port.socket.address().port }));
  port.on("message", ({ address, args }) => console.log(JSON.stringify(
    [address, args.map((arg) => arg.value), args.map((arg) => arg.type).join("")])));
});
port.open();
