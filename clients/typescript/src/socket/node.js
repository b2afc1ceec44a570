// A WebSocket client for Node 20, which has none: RFC 6455 without extensions. Unlike those of
// browsers it shows a token, and knows the reply of a server that opens no socket.
import { createHash, randomBytes } from "node:crypto";
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";

const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const CONTINUATION = 0, TEXT = 1, BINARY = 2, CLOSE = 8, PING = 9, PONG = 10;
const CONNECTING = 0, OPEN = 1, CLOSING = 2, CLOSED = 3;
const LONGEST_MESSAGE = 16 << 20;
const LONGEST_REFUSAL = 64 << 10;
const CONNECT_MS = 10000;
const KEEP_ALIVE_MS = 30000;
const CLOSE_MS = 2000;  // for the server's own close

/** Where the page came from: there is none. */
export const HOME = "";

/**
 * @param {string} url ws: or wss:
 * @param {string} [token]
 * @returns {import("./types.js").Socket}
 */
export function openSocket(url, token) { return new NodeSocket(url, token); }

/**
 * Headers of a request.
 * @param {string} [token]
 * @returns {Record<string, string>}
 */
export function access(token) {
  /** @type {Record<string, string>} */
  const none = {};
  return token ? { Authorization: `Bearer ${token}` } : none;
}

/**
 * Nothing to do: the token goes with each request.
 * @param {string} address
 * @param {string} [token]
 * @returns {Promise<Response | null>}
 */
export async function logIn(address, token) {
  void address, token;
  return null;
}

class NodeSocket {
  /** @param {string} url @param {string} [token] */
  constructor(url, token) {
    this.binaryType = "arraybuffer";
    this.readyState = CONNECTING;
    /** @type {import("../link/types.js").Refusal | undefined} */
    this.refusal = undefined;
    /** @type {((event: any) => void) | null} */
    this.onopen = null;
    /** @type {((event: {data: any}) => void) | null} */
    this.onmessage = null;
    /** @type {((event: {code: number, reason: string}) => void) | null} */
    this.onclose = null;
    /** @type {import("node:stream").Duplex | null} */
    this.stream = null;
    /** @type {Buffer} */
    this.unread = Buffer.alloc(0);
    /** @type {Buffer[]} */
    this.parts = [];  // of a message that is not complete
    this.partsSize = 0;
    this.isText = false;
    this.said = { code: 1006, reason: "" };  // what the server closes with
    const key = randomBytes(16).toString("base64");
    const secure = url.startsWith("wss:");
    this.request = (secure ? requestHttps : requestHttp)(url.replace(/^ws/, "http"), {
      headers: {
        Connection: "Upgrade", Upgrade: "websocket", "Sec-WebSocket-Key": key,
        "Sec-WebSocket-Version": "13", ...(token ? { Authorization: `Bearer ${token}` } : {}),
      },
    });
    this.request.setTimeout(CONNECT_MS, () =>
      this.request.destroy(new Error(`no reply within ${CONNECT_MS / 1000} s`)));
    this.request.on("upgrade", ({ headers }, stream, head) => {
      const wanted = createHash("sha1").update(key + GUID).digest("base64");
      if (headers["sec-websocket-accept"] === wanted) return this.opened(stream, head);
      stream.destroy();
      return this.refused(0, "the reply is not that of a WebSocket server");
    });
    this.request.on("response", (reply) => this.readRefusal(reply));
    this.request.on("error", (error) => {
      const { code } = /** @type {NodeJS.ErrnoException} */ (error);
      this.refused(0, error.message || code || "the connection failed");
    });
    this.request.end();
  }

  get bufferedAmount() { return this.stream ? this.stream.writableLength : 0; }

  /** @param {string | Uint8Array} data */
  send(data) {
    if (this.readyState === CONNECTING) throw new Error("the WebSocket is not open yet");
    if (this.readyState !== OPEN) return;
    this.write(typeof data === "string" ? TEXT : BINARY, Buffer.from(data));
  }

  close(code = 1000, reason = "") {
    if (this.readyState === CONNECTING) {
      this.readyState = CLOSED;
      this.request.destroy();
      queueMicrotask(() => this.onclose?.({ code: 1006, reason: "" }));
    } else if (this.readyState === OPEN) {
      this.readyState = CLOSING;
      this.write(CLOSE, Buffer.concat([Buffer.from([code >> 8, code & 255]), Buffer.from(reason)]));
      setTimeout(() => this.stream?.destroy(), CLOSE_MS).unref();
    }
  }

  /** @param {import("node:http").IncomingMessage} reply */
  readRefusal(reply) {
    /** @type {Buffer[]} */
    const chunks = [];
    let size = 0;
    reply.on("data", (chunk) => {
      size += chunk.length;
      if (size <= LONGEST_REFUSAL) chunks.push(chunk);
      else reply.destroy();
    });
    reply.on("close", () => {
      let said;
      try {
        said = JSON.parse(Buffer.concat(chunks).toString()).error;
      } catch {
        // No JSON: the reply of somebody between here and the server.
      }
      this.refused(reply.statusCode || 0, said || `the server says ${reply.statusCode}`);
    });
  }

  /** @param {number} status @param {string} message */
  refused(status, message) {
    if (this.readyState !== CONNECTING) return;
    this.refusal = { status, message };
    this.ended();
  }

  /** @param {import("node:stream").Duplex} stream @param {Buffer} head */
  opened(stream, head) {
    this.request.setTimeout(0);
    if (this.readyState !== CONNECTING) {
      stream.destroy();
      return;
    }
    this.stream = stream;
    const { setNoDelay, setKeepAlive } = /** @type {import("node:net").Socket} */ (stream);
    setNoDelay?.call(stream, true);
    setKeepAlive?.call(stream, true, KEEP_ALIVE_MS);
    stream.on("error", () => {});  // "close" comes too
    stream.on("close", () => this.ended());
    stream.on("end", () => stream.end());
    this.readyState = OPEN;
    this.onopen?.({});
    stream.on("data", (chunk) => this.read(chunk));
    if (head.length) this.read(head);
  }

  ended() {
    if (this.readyState === CLOSED) return;
    this.readyState = CLOSED;
    this.onclose?.(this.said);
  }

  /** @param {number} code @param {string} reason */
  fail(code, reason) {
    this.said = { code, reason };
    this.close(code, reason);
    this.stream?.destroy();
  }

  /** @param {Buffer} chunk */
  read(chunk) {
    this.unread = this.unread.length ? Buffer.concat([this.unread, chunk]) : chunk;
    for (;;) {
      const bytes = this.unread;
      if (bytes.length < 2) return;
      let size = bytes[1] & 127, at = 2;
      if (bytes[1] & 128) return this.fail(1002, "a frame of the server is masked");
      if (bytes[0] & 0x70) return this.fail(1002, "an extension that was not asked for");
      if (size >= 126) {
        at = size === 126 ? 4 : 10;
        if (bytes.length < at) return;
        size = size === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
      }
      if (size + this.partsSize > LONGEST_MESSAGE) {
        return this.fail(1009, `a message is longer than ${LONGEST_MESSAGE} bytes`);
      }
      if (bytes.length < at + size) return;
      this.unread = bytes.subarray(at + size);
      this.take(bytes[0] & 15, (bytes[0] & 128) !== 0, bytes.subarray(at, at + size));
      if (this.readyState === CLOSED) return;
    }
  }

  /** @param {number} kind @param {boolean} isLast @param {Buffer} bytes */
  take(kind, isLast, bytes) {
    if (kind === PING) return this.write(PONG, bytes);
    if (kind === PONG) return;
    if (kind === CLOSE) {
      this.said = bytes.length < 2 ? { code: 1005, reason: "" }
        : { code: bytes.readUInt16BE(0), reason: bytes.toString("utf8", 2) };
      this.close(1000);
      this.stream?.end();
      return;
    }
    if (kind !== CONTINUATION) this.isText = kind === TEXT;
    this.parts.push(bytes);
    this.partsSize += bytes.length;
    if (!isLast) return;
    const whole = this.parts.length === 1 ? bytes : Buffer.concat(this.parts);
    this.parts = [];
    this.partsSize = 0;
    if (this.readyState !== OPEN) return;
    this.onmessage?.({ data: this.isText ? whole.toString() : new Uint8Array(whole).buffer });
  }

  /** @param {number} kind @param {Buffer} bytes */
  write(kind, bytes) {
    if (!this.stream || !this.stream.writable) return;
    const mask = randomBytes(4);
    const long = bytes.length > 65535 ? 8 : bytes.length > 125 ? 2 : 0;
    const head = Buffer.alloc(2 + long);
    head[0] = 128 | kind;
    head[1] = 128 | (long === 8 ? 127 : long === 2 ? 126 : bytes.length);
    if (long === 2) head.writeUInt16BE(bytes.length, 2);
    if (long === 8) head.writeBigUInt64BE(BigInt(bytes.length), 2);
    const masked = Buffer.allocUnsafe(bytes.length);
    for (let i = 0; i < bytes.length; ++i) masked[i] = bytes[i] ^ mask[i & 3];
    this.stream.write(Buffer.concat([head, mask, masked]));
  }
}
