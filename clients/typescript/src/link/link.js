// The WebSocket of `renderer_sink view`: reconnects by itself, and pairs calls with their answers.
import { HOME, openSocket } from "#socket";

const OPEN = 1;
const NOT_ADMITTED = 1008;  // the session has ended
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 2000;

/** @typedef {import("./types.js").LinkOptions} LinkOptions */

/** Connects at once, and again whenever the connection is lost, until `close()`. */
export class Link {
  /** @param {LinkOptions} [options] */
  constructor({ address = HOME, token, onText, onFrame, onState, onRefused } = {}) {
    if (!/^https?:\/\//.test(address)) {
      throw new TypeError(`address is "${address}"; give one such as http://127.0.0.1:8080`);
    }
    /** @private */
    this.url = `${address.replace(/^http/, "ws").replace(/\/$/, "")}/ws`;
    /** @private */
    this.token = token;
    /** @private */
    this.handlers = { onText, onFrame, onState, onRefused };
    /** @private @type {Map<number, {resolve: (result: any) => void, reject: (why: Error) => void}>} */
    this.calls = new Map();
    /** @private */
    this.nextId = 1;
    /** @private */
    this.pause_ms = FIRST_PAUSE_MS;
    /** @private @type {any} */
    this.again = undefined;
    /** @private */
    this.closed = false;
    /** How often it was connected. */
    this.connections = 0;
    /** Received. */
    this.bytes = 0;
    /** @private */
    this.socket = this.open();
  }

  /** @private */
  open() {
    const socket = openSocket(this.url, this.token);
    socket.binaryType = "arraybuffer";
    let opened = false;
    socket.onopen = () => {
      opened = true;
      this.pause_ms = FIRST_PAUSE_MS;
      this.connections += 1;
      this.handlers.onState?.(true);
    };
    socket.onmessage = ({ data }) => {
      if (this.closed) return;
      if (typeof data !== "string") {
        this.bytes += data.byteLength;
        this.handlers.onFrame?.(data);
        return;
      }
      this.bytes += data.length;
      const message = JSON.parse(data);
      if (message.type === "answer") this.answer(message);
      else this.handlers.onText?.(message);
    };
    socket.onclose = ({ code }) => {
      this.giveUpCalls("the server has gone");
      if (this.closed) return;
      this.handlers.onState?.(false);
      if (code === NOT_ADMITTED || !opened) this.handlers.onRefused?.(socket.refusal);
      if (this.closed) return;
      this.again = setTimeout(() => { this.socket = this.open(); }, this.pause_ms);
      this.pause_ms = Math.min(LONGEST_PAUSE_MS, this.pause_ms * 1.6);
    };
    return socket;
  }

  /** Ends the connection for good; calls without an answer fail. */
  close() {
    this.closed = true;
    clearTimeout(this.again);
    this.giveUpCalls("the link was closed");
    this.socket.close(1000);
  }

  /** @private @param {string} why */
  giveUpCalls(why) {
    const gone = Object.assign(new Error(why), { status: "UNAVAILABLE" });
    for (const { reject } of this.calls.values()) reject(gone);
    this.calls.clear();
  }

  /** @private @param {{id: number, result?: any, error?: string, status?: string}} answer */
  answer({ id, result, error, status }) {
    const call = this.calls.get(id);
    if (!call) return;
    this.calls.delete(id);
    if (error === undefined) call.resolve(result);
    else call.reject(Object.assign(new Error(error), { status }));
  }

  /**
   * Sends what has no answer, such as `{offsets: 0}`; nothing while it is not connected.
   * @param {object} message
   */
  tell(message) {
    if (this.socket.readyState === OPEN) this.socket.send(JSON.stringify(message));
  }

  /**
   * A method of posewire.control.v1.ControlService; resolves with its response. Fails with an Error
   * that has the name of the gRPC status as `status`; without one while it is not connected.
   * @param {string} method
   * @param {object} [params] fields of the request, named as in the protocol
   * @returns {Promise<any>}
   */
  call(method, params = {}) {
    if (this.socket.readyState !== OPEN) {
      return Promise.reject(new Error("the server is not there"));
    }
    const id = this.nextId++;
    this.socket.send(JSON.stringify({ id, call: method, params }));
    return new Promise((resolve, reject) => this.calls.set(id, { resolve, reject }));
  }
}
