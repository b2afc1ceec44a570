// The page as the frame of another page: does what that page asks, and tells it what happens.
//
// The server names the origins that may frame it (frame-ancestors), so that a parent is one of
// them. It hands over a port, once; from then on nothing but the port is listened to. What goes
// over it: {id, ask, params}, answered by {id, result} or {id, error}; and {event, detail}.
import { settingsOf } from "./settings.js";

// What a page around this one may ask.
export function asksOf(page) {
  const call = (method, params) => {
    return page.link.call(method, { ...page.wantedTarget(), ...params });
  };
  return {
    say: async ({ text, voice, now, requestId }) => {
      if (!page.hello.say_to) throw new Error("renderer_sink view was started without --say-to");
      page.wantedTarget();
      if (page.wantsSound !== false) page.sound(true);
      const said = await page.speech.speak(text, { now, request_id: requestId,
        voice: voice || page.speech.voiceFor(page.avatar?.layout?.avatar_name) });
      page.embedded.said(said.request_id);
      return { requestId: said.request_id, ahead: said.ahead, notes: said.notes };
    },
    interrupt: () => page.wantedTarget() && page.speech.quiet(),
    gesture: ({ name }) => call("SetGesture", { gesture: name }),
    event: ({ name }) => call("FireEvent", { event: name }),
    set: ({ name, value }) => call("SetVariable", { name, value }),
    look: ({ camera }) => {
      const { camera: known, wrong } = settingsOf(`?camera=${camera || ""}`);
      wrong.forEach((text) => console.warn(text));
      page.look(known || "bust");
    },
    mute: ({ on }) => page.sound(!on),
  };
}

// A text that neither the source nor the graph knows has been dropped when two looks have missed it:
// the first may have come as it went from the one to the other.
const MISSED = 2;

export class Embedded {
  // `asks` are functions by name, which may return promises; `onPort` is called when there is
  // somebody to tell.
  constructor(asks, onPort) {
    this.asks = asks;
    this.port = null;
    this.texts = new Map();  // that were said here and have not ended, and how often each was missed
    if (window.parent === window) return;
    addEventListener("message", ({ source, data, ports }) => {
      if (source !== window.parent || data !== "posewire" || ports.length !== 1) return;
      if (this.port) this.port.close();
      [this.port] = ports;
      this.port.onmessage = (message) => this.answer(message.data);
      onPort();
    });
  }

  async answer({ id, ask, params }) {
    const { port } = this;
    try {
      if (!Object.hasOwn(this.asks, ask)) throw new Error(`the stage cannot ${ask}`);
      port.postMessage({ id, result: await this.asks[ask](params || {}) });
    } catch (error) {
      port.postMessage({ id, error: error.message });
    }
  }

  said(requestId) { if (this.port) this.texts.set(requestId, 0); }

  // Tells the end of texts that were dropped while they waited, of which the graph never heard.
  // `playing` are the ids of the graph's requests; `waiting` gets those that the source has.
  async missDropped(playing, waiting) {
    if (!this.texts.size) return;
    const known = new Set(playing);
    for (const id of await waiting().catch(() => [])) known.add(id);
    for (const [requestId, missed] of this.texts) {
      if (known.has(requestId)) {
        this.texts.set(requestId, 0);
      } else if (missed + 1 < MISSED) {
        this.texts.set(requestId, missed + 1);
      } else {
        this.texts.delete(requestId);
        this.tell("requestend", { requestId, interrupted: true, why: "it was dropped before it began" });
      }
    }
  }

  tell(event, detail = {}) {
    if (this.port) this.port.postMessage({ event, detail });
  }

  // An event of ControlService, of the stream in view.
  tellEvent({ type, stream_id, request_id, name, detail }) {
    if (!this.port) return;
    const request = { stream: stream_id, requestId: request_id };
    if (/^REQUEST_(ENDED|INTERRUPTED)$/.test(type)) this.texts.delete(request_id);
    switch (type) {
      case "REQUEST_STARTED": return this.tell("requeststart", request);
      case "REQUEST_ENDED": return this.tell("requestend", { ...request, interrupted: false, why: "" });
      case "REQUEST_INTERRUPTED":
        return this.tell("requestend", { ...request, interrupted: true, why: detail });
      case "GESTURE_STARTED": return this.tell("gesturestart", { stream: stream_id, gesture: name });
      case "GESTURE_ENDED":
      case "GESTURE_INTERRUPTED":
        return this.tell("gestureend", { stream: stream_id, gesture: name,
          interrupted: type === "GESTURE_INTERRUPTED" });
      default: return undefined;
    }
  }
}
