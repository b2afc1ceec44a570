// The WebSocket client that the npm package has for Node, against a server that is made here byte by
// byte: node --test, with SOCKET_MODULE the URL of the client.
import assert from "node:assert";
import { createHash } from "node:crypto";
import { createServer } from "node:net";
import test from "node:test";

const { openSocket } = await import(process.env.SOCKET_MODULE);
const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

const frame = (head, payload, mask = 0) => {
  const bytes = Buffer.from(payload);
  if (bytes.length < 126) return Buffer.concat([Buffer.from([head, mask | bytes.length]), bytes]);
  const size = Buffer.alloc(10);
  size.set([head, 127]);
  size.writeBigUInt64BE(BigInt(bytes.length), 2);
  return Buffer.concat([size, bytes]);
};

// Serves one connection: `serve` gets its stream, and `reply` is what answers the handshake.
async function served({ reply, serve = () => {}, token }, use) {
  let head = "";
  const server = createServer((stream) => {
    stream.on("error", () => {});
    stream.once("data", (data) => {
      head = data.toString();
      const key = head.match(/sec-websocket-key: (.*)\r\n/i)[1];
      const accept = createHash("sha1").update(key + GUID).digest("base64");
      stream.write(reply || "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n" +
        `Connection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`);
      if (reply) stream.end();
      else serve(stream);
    });
  });
  await new Promise((done) => { server.listen(0, "127.0.0.1", done); });
  const socket = openSocket(`ws://127.0.0.1:${server.address().port}/path`, token);
  const got = [];
  const closed = new Promise((done) => { socket.onclose = done; });
  socket.onmessage = ({ data }) => got.push(typeof data === "string" ? data : [...new Uint8Array(data)]);
  await use({ socket, got, closed, head: () => head });
  await closed;
  server.close();
}

// What a client sent, unmasked: [[opcode, bytes]].
function framesOf(bytes) {
  const frames = [];
  for (let at = 0; at < bytes.length;) {
    assert.ok(bytes[at + 1] & 128, "a client masks");
    let size = bytes[at + 1] & 127, p = at + 2;
    if (size === 126) { size = bytes.readUInt16BE(p); p += 2; }
    else if (size === 127) { size = Number(bytes.readBigUInt64BE(p)); p += 8; }
    if (bytes.length < p + 4 + size) break;
    const mask = bytes.subarray(p, p + 4);
    frames.push([bytes[at] & 15, Buffer.from(bytes.subarray(p + 4, p + 4 + size).map((b, i) => b ^ mask[i & 3]))]);
    at = p + 4 + size;
  }
  return frames;
}

test("messages come whole, however they are cut, and a token goes along", async () => {
  const all = Buffer.concat([frame(0x01, "Gr\u00fc"), frame(0x89, "ping"), frame(0x80, "\u00dfe"),
    frame(0x82, [0, 1, 255]), frame(0x81, ""), frame(0x82, new Uint8Array(70000).fill(7)),
    frame(0x88, Buffer.from([3, 232, 111, 107]))]);
  for (const step of [1, 7, all.length]) {
    let sent = Buffer.alloc(0);
    await served({ token: "secret", serve: (stream) => {
      stream.on("data", (data) => { sent = Buffer.concat([sent, data]); });
      for (let at = 0; at < all.length; at += step) stream.write(all.subarray(at, at + step));
    } }, async ({ got, closed, head }) => {
      assert.deepStrictEqual(await closed, { code: 1000, reason: "ok" });
      assert.match(head(), /^GET \/path HTTP/);
      assert.match(head(), /Authorization: Bearer secret\r\n/);
      assert.deepStrictEqual(got.slice(0, 3), ["Gr\u00fc\u00dfe", [0, 1, 255], ""]);
      assert.strictEqual(got[3].length, 70000);
    });
    assert.deepStrictEqual(framesOf(sent).map(([kind, bytes]) => [kind, bytes.toString("latin1")]),
      [[10, "ping"], [8, "\x03\xe8"]]);
  }
});

test("what is sent arrives as it was, of any length", async () => {
  const texts = ["", "a".repeat(125), "b".repeat(126), "c".repeat(65536), "\u{1f600}"];
  let sent = Buffer.alloc(0);
  await served({ serve: (stream) => stream.on("data", (data) => {
    sent = Buffer.concat([sent, data]);
    if (framesOf(sent).length > texts.length + 1) stream.write(frame(0x88, ""));
  }) }, async ({ socket, closed }) => {
    socket.onopen = () => {
      texts.forEach((text) => socket.send(text));
      socket.send(Uint8Array.of(1, 2, 3));
      socket.close();
    };
    assert.strictEqual((await closed).code, 1005);
  });
  const frames = framesOf(sent);
  assert.deepStrictEqual(frames.slice(0, -2).map(([kind, bytes]) => [kind, bytes.toString()]),
    texts.map((text) => [1, text]));
  assert.deepStrictEqual(frames.at(-2), [2, Buffer.from([1, 2, 3])]);
});

test("a server that breaks the protocol is left", async () => {
  const long = Buffer.alloc(10);
  long.set([0x82, 127]);
  long.writeBigUInt64BE(17n << 20n, 2);
  for (const [bytes, code] of [[frame(0x81, "masked", 128), 1002], [frame(0xc1, "packed"), 1002], [long, 1009],
    [Buffer.concat([frame(0x02, new Uint8Array(9 << 20)), frame(0x80, new Uint8Array(8 << 20))]), 1009]]) {
    await served({ serve: (stream) => stream.write(bytes) }, async ({ got, closed }) => {
      assert.strictEqual((await closed).code, code);
      assert.deepStrictEqual(got, []);
    });
  }
});

test("a refusal has its status and its reason", async () => {
  const wrong = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
    "Sec-WebSocket-Accept: d3Jvbmc=\r\n\r\n";
  for (const [reply, refusal] of [
    ['HTTP/1.1 401 No\r\nContent-Length: 15\r\n\r\n{"error":"why"}', { status: 401, message: "why" }],
    ["HTTP/1.1 502 No\r\n\r\n<html>", { status: 502, message: "the server says 502" }],
    [wrong, { status: 0, message: "the reply is not that of a WebSocket server" }]]) {
    await served({ reply }, async ({ socket, closed }) => {
      assert.strictEqual((await closed).code, 1006);
      assert.deepStrictEqual(socket.refusal, refusal);
    });
  }
});

test("a connection that is cut is told, and one that is given up ends", async () => {
  await served({ serve: (stream) => stream.destroy() }, async ({ closed }) => {
    assert.deepStrictEqual(await closed, { code: 1006, reason: "" });
  });
  await served({}, async ({ socket, closed }) => {
    socket.close();
    assert.strictEqual((await closed).code, 1006);
    assert.throws(() => openSocket("ws://127.0.0.1:1/").send("x"), /not open yet/);
  });
});
