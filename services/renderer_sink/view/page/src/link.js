// The WebSocket to the server: reconnects by itself, and pairs calls with their answers.

const NOT_ADMITTED = 1008;  // the session has ended
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 2000;

export class Link {
  // onText gets parsed messages, onFrame ArrayBuffers, onState true or false. onRefused is called
  // when the server may want a login.
  constructor({ onText, onFrame, onState, onRefused }) {
    this.handlers = { onText, onFrame, onState, onRefused };
    this.calls = new Map();
    this.nextId = 1;
    this.pause_ms = FIRST_PAUSE_MS;
    this.connections = 0;
    this.bytes = 0;
    this.open();
  }

  open() {
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    this.socket = new WebSocket(`${scheme}//${location.host}/ws`);
    this.socket.binaryType = "arraybuffer";
    let opened = false;
    this.socket.onopen = () => {
      opened = true;
      this.pause_ms = FIRST_PAUSE_MS;
      this.connections += 1;
      this.handlers.onState(true);
    };
    this.socket.onmessage = ({ data }) => {
      if (typeof data !== "string") {
        this.bytes += data.byteLength;
        this.handlers.onFrame(data);
        return;
      }
      this.bytes += data.length;
      const message = JSON.parse(data);
      if (message.type === "answer") this.answer(message);
      else this.handlers.onText(message);
    };
    this.socket.onclose = ({ code }) => {
      const gone = Object.assign(new Error("the server has gone"), { status: "UNAVAILABLE" });
      for (const { reject } of this.calls.values()) reject(gone);
      this.calls.clear();
      this.handlers.onState(false);
      if (code === NOT_ADMITTED || !opened) this.handlers.onRefused();
      setTimeout(() => this.open(), this.pause_ms);
      this.pause_ms = Math.min(LONGEST_PAUSE_MS, this.pause_ms * 1.6);
    };
  }

  answer({ id, result, error, status }) {
    const call = this.calls.get(id);
    if (!call) return;
    this.calls.delete(id);
    if (error === undefined) call.resolve(result);
    else call.reject(Object.assign(new Error(error), { status }));
  }

  // What has no answer.
  tell(message) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  // A method of ControlService; resolves with its response.
  call(method, params = {}) {
    if (this.socket.readyState !== WebSocket.OPEN) {
      return Promise.reject(new Error("the server is not there"));
    }
    const id = this.nextId++;
    this.socket.send(JSON.stringify({ id, call: method, params }));
    return new Promise((resolve, reject) => this.calls.set(id, { resolve, reject }));
  }
}
