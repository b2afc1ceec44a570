// The way of a voice into an avatar: a WebSocket to the source, for as long as the voice lasts
// (docs/sources-and-sinks.md, "From a page"). Samples are mono, 16 bit.
import { ask } from "./reply.js";

// Why a voice ended, as a person may want to know it; others are told as they are.
const ENDINGS = {
  COMPLETED: "",
  STOPPED: "The voice was stopped.",
  INTERRUPTED: "The voice was stopped: a newer text or voice took its place.",
};

export class OwnVoice {
  // `begin` are the fields of SayBegin. `open` makes the socket to an address. What it calls, all of it
  // optional:
  //   opened()            samples are taken from now on
  //   accepted(ahead)     so many texts come before it
  //   started()           its first sound is played
  //   noted(text)         something was left out
  //   ended(why, bad)     last, once: why it ended, empty when all was said; `bad` for errors
  constructor(begin, handlers, open = (address) => new WebSocket(address)) {
    this.handlers = handlers;
    this.over = false;
    this.open = false;
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    this.socket = open(`${scheme}//${location.host}/source/stream`);
    this.socket.onopen = () => {
      this.open = true;
      this.socket.send(JSON.stringify({ begin }));
      this.tell("opened");
    };
    this.socket.onmessage = ({ data }) => this.take(JSON.parse(data));
    this.socket.onclose = () => this.lost();
  }

  tell(what, ...more) { this.handlers[what]?.(...more); }

  take(event) {
    if (event.accepted) this.tell("accepted", event.accepted.ahead || 0);
    if (event.started) this.tell("started");
    if (event.note) this.tell("noted", event.note.text);
    if (event.error !== undefined) this.finish(event.error, true);
    if (event.ended) {
      const { reason, detail } = event.ended;
      const known = Object.hasOwn(ENDINGS, reason);
      this.finish(known ? ENDINGS[reason] : detail || `The voice ended: ${reason}.`, !known);
    }
  }

  finish(why, bad) {
    if (this.over) return;
    this.over = true;
    this.tell("ended", why, bad);
  }

  // It was closed; before it was opened, the reason is only in the answer to a plain request.
  async lost() {
    if (this.over) return;
    let why = "The connection to the viewer's server is gone.";
    if (!this.open) {
      why = await ask("/source/stream").then(() => why, ({ status, message }) =>
        (status && status !== 426 ? message : "The viewer's server is not there."));
    }
    this.finish(why, true);
  }

  // An Int16Array, once it is opened.
  send(samples) {
    if (!this.over) this.socket.send(samples);
  }

  // All has been sent; `ended` comes when it has been said.
  end() {
    if (!this.open) this.cancel();
    else if (!this.over) this.socket.send(JSON.stringify({ end: {} }));
  }

  // Stops the avatar.
  cancel() {
    this.finish("", false);
    this.socket.close();
  }
}
