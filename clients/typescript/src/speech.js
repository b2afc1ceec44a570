// One text or voice on its way to an avatar, over a WebSocket of its own: docs/sources-and-sinks.md.
import { PosewireError, errorOfClose } from "./errors.js";
import { Mailbox } from "./mailbox.js";
import { iteratorOf } from "./pieces.js";
import { isKnown, isSamples, pcm, soundPart } from "./samples.js";
import { eventOf } from "./speech_events.js";

/** @typedef {import("./types.js").Mark} Mark */
/** @typedef {import("./types.js").Samples} Samples */
/** @typedef {import("./types.js").Sound} Sound */
/** @typedef {import("./types.js").SpeechEvent} SpeechEvent */
/** @typedef {import("./types.js").Spoken} Spoken */
/** @typedef {import("./types.js").Word} Word */

/**
 * What an Avatar makes a Speech of: `begin` is a SayBegin as JSON, `pieces` are written to it.
 * @typedef {{server: import("./server.js").Server, begin: any, after?: Promise<any>, pieces: any,
 *   end: boolean, heard: (word: Word) => void, onEnd: (speech: Speech) => void,
 *   signal?: AbortSignal}} SpeechParts
 */

// A message has at most 1 MiB, and 4 MiB may wait to be spoken.
const MOST_CHARACTERS = 16384;
const MOST_SAMPLE_BYTES = 256 << 10;
const MOST_AHEAD_BYTES = 2 << 20;
const MOST_UNSENT_BYTES = 256 << 10;
const LOOK_AGAIN_MS = 20;
const NORMAL = 1000;
const END = JSON.stringify({ end: {} });

/**
 * A text that is being said, or a voice of the caller's that is being played. Made by `Avatar.say()`.
 * Write to it, iterate over its events, and await `done()`. Iterating gives each event once, and ends
 * after "ended"; events that nobody reads are kept, up to 20,000.
 *
 * Errors of the call are raised by whatever waits for it: writing, iterating and `done()`. Where nothing
 * does, they are written to the console.
 */
export class Speech {
  #server;
  #begin;
  #heard;
  #onEnd;
  /** @type {import("./socket/types.js").Socket | null} */
  #socket = null;
  /** @type {Mailbox<SpeechEvent>} */
  #events = new Mailbox();
  /** @type {Word[]} */
  #words = [];
  /** @type {string[]} */
  #notes = [];
  /** @type {Extract<SpeechEvent, {type: "ended"}> | null} */
  #ended = null;
  #error = "";  // that the server sent before it closed
  /** @type {import("./types.js").Code | undefined} */
  #code = undefined;  // of it
  #started = false;
  #onAccepted = () => {};
  /** @type {Promise<void>} */
  #accepted = new Promise((resolve) => {
    this.#onAccepted = resolve;
  });
  /** @type {(spoken: Spoken) => void} */
  #resolve = () => {};
  /** @type {(why: any) => void} */
  #reject = () => {};
  /** @type {Promise<Spoken>} */
  #over = new Promise((resolve, reject) => {
    this.#resolve = resolve;
    this.#reject = reject;
  });
  #isOver = false;
  #isStopped = false;
  #isWhole = false;    // by end()
  #isEndSent = false;
  #isWatched = false;  // somebody learns of an error
  /** @type {Promise<any>} */
  #tail;               // what is being sent
  /** @type {Promise<any>} */
  #fed = Promise.resolve();  // what `say` was given
  #onGone = () => {};        // for who waits for the next piece

  #frameBytes;
  #rate;
  #rest = new Uint8Array(0);  // of a sample whose other bytes are in the next chunk
  #high = "";                 // the first half of a character whose other half is in the next piece
  #sentBytes = 0;             // of a voice
  #playedBytes = 0;           // of it, at most, at `playedAt`
  #playedAt = 0;

  /** @param {SpeechParts} parts */
  constructor({ server, begin, after, pieces, end, heard, onEnd, signal }) {
    this.#server = server;
    this.#begin = begin;
    this.#heard = heard;
    this.#onEnd = onEnd;
    this.#rate = begin.sound ? begin.sound.rate_hz : 0;
    this.#frameBytes = 2 * (begin.sound ? begin.sound.channels : 1);
    /** @readonly @type {string} */
    this.requestId = begin.request_id;
    this.#over.catch(() => {});
    if (signal) {
      const abort = () => this.#fail(signal.reason);
      if (signal.aborted) queueMicrotask(abort);
      else {
        signal.addEventListener("abort", abort, { once: true });
        this.#over.catch(() => {}).then(() => signal.removeEventListener("abort", abort));
      }
    }
    this.#tail = this.#open(after, signal).catch((error) => this.#fail(error));
    if (pieces !== undefined || end) {
      const single = typeof pieces === "string" || isSamples(pieces) || "samples" in Object(pieces);
      this.#fed = this.#feed(single ? [pieces] : pieces ?? [], end).catch((error) => this.#fail(error));
    }
  }

  /**
   * When the source has given this speech its place, or it is over.
   * @returns {Promise<any>}
   */
  get placed() { return Promise.race([this.#accepted, this.#over.catch(() => {})]); }

  /** Whether the speech is over, in whatever way. */
  get ended() { return this.#isOver; }

  /**
   * Adds text, or to a voice samples or a Sound. Waits while the source is behind. Fails when the
   * speech is over: with its error, or with the code CANCELLED.
   * @param {string | Samples | Sound} chunk
   */
  async write(chunk) {
    await this.#fed;
    await this.#write(chunk);
  }

  /** Has said what was held back, to see how the sentence goes on: the text pauses here. */
  async flush() { await this.#add({ flush: {} }); }

  /**
   * Something happens here in the text. What is unknown is told by a note.
   * @param {Mark} mark
   */
  async mark(mark) {
    if ("emotion" in mark) {
      const { emotion: name, strength = 1 } = mark;
      await this.#add({ mark: { emotion: { name, strength } } });
    } else {
      await this.#add({ mark });
    }
  }

  /** Ends the text; what was written is said. Nothing happens when it has ended already. */
  async end() {
    await this.#fed;
    await this.#finishWriting();
  }

  /**
   * Waits until all is said, or the speech is stopped; does not end the text.
   * @returns {Promise<Spoken>}
   */
  done() {
    this.#isWatched = true;
    return this.#over;
  }

  /**
   * Silences the avatar, drops what was not said yet, and gives how far it came.
   * @returns {Promise<Spoken>}
   */
  async stop() {
    this.#isWatched = true;
    if (this.#isOver) return this.#over;
    this.#isStopped = true;
    this.#onGone();
    // In the stream, a stop waits behind what was sent and not read yet. So another goes by itself, as
    // soon as the source knows this speech; before, the one in the stream makes it known.
    this.#tail = this.#tail.then(() => {
      if (!this.#isOver && !this.#isEndSent) this.#socket?.send(JSON.stringify({ stop: {} }));
    });
    await this.placed;
    if (!this.#isOver) {
      const { stream_id, target_object_id, request_id } = this.#begin;
      try {
        await this.#server.ask("/source/stop", { stream_id, target_object_id, request_id });
      } catch (error) {
        this.cancel();
        throw error;
      }
    }
    return this.#over;
  }

  /** Gives up at once, which stops the avatar; `done()` fails with the code CANCELLED. */
  cancel() {
    this.#isWatched = true;
    this.#fail(new PosewireError("CANCELLED", "the speech was cancelled by its caller"));
  }

  /** @returns {AsyncIterator<SpeechEvent, undefined>} */
  [Symbol.asyncIterator]() {
    this.#isWatched = true;
    const events = this.#events;
    return { next: () => events.next(), return: async () => ({ done: true, value: undefined }) };
  }

  // What goes out.

  /**
   * An error of the iterator stops the avatar, and is that of `done()`.
   * @param {any} pieces
   * @param {boolean} end
   */
  async #feed(pieces, end) {
    const iterator = iteratorOf(pieces);
    const gone = { gone: true, done: true, value: undefined };
    for (;;) {
      const step = await new Promise((resolve, reject) => {
        this.#onGone = () => resolve(gone);
        if (this.#isOver || this.#isStopped) resolve(gone);
        else Promise.resolve(iterator.next()).then(resolve, reject);
      });
      if (step.gone) break;
      if (step.done) {
        if (end) await this.#finishWriting();
        return;
      }
      try {
        await this.#write(step.value);
      } catch (error) {
        if (this.#isOver || this.#isStopped) break;
        leave(iterator);
        throw error;
      }
    }
    leave(iterator);
  }

  /**
   * @param {Promise<any> | undefined} after  The source learns of this speech after that.
   * @param {AbortSignal} [signal]
   */
  async #open(after, signal) {
    signal?.throwIfAborted();
    await this.#server.admitted();
    await after;
    if (this.#isOver) return;
    const socket = this.#server.open("/source/stream");
    this.#socket = socket;
    let isOpen = false;
    await new Promise((done) => {
      socket.onopen = () => {
        isOpen = true;
        socket.send(JSON.stringify({ begin: this.#begin }));
        done(undefined);
      };
      socket.onmessage = ({ data }) => this.#take(JSON.parse(data));
      socket.onclose = async ({ code, reason }) => {
        if (isOpen) this.#closed(code, reason);
        else if (!this.#isOver) this.#fail(await this.#server.explain(socket.refusal));
        done(undefined);
      };
    });
  }

  /** @param {any} chunk */
  async #write(chunk) {
    if (typeof chunk === "string") {
      if (this.#rate) {
        throw new PosewireError("INVALID_ARGUMENT",
          "text was written to a voice: write samples or a Sound");
      }
      let text = this.#high + chunk;
      const last = text.charCodeAt(text.length - 1);
      this.#high = last >= 0xd800 && last < 0xdc00 ? text.slice(-1) : "";
      text = text.slice(0, text.length - this.#high.length);
      for (let at = 0, end; at < text.length; at = end) {
        end = at + MOST_CHARACTERS;
        const code = text.charCodeAt(end - 1);
        if (code >= 0xd800 && code < 0xdc00) end -= 1;
        await this.#send(JSON.stringify({ text: text.slice(at, end) }));
      }
      return;
    }
    if (!this.#rate) {
      throw new PosewireError("INVALID_ARGUMENT", `a ${kindOf(chunk)} was written to a text: ` +
        "write a string, or use say(..., {rate}) for a voice");
    }
    /** @type {Sound} */
    const sound = isSamples(chunk) ? { samples: chunk } : chunk;
    if (!sound || !("samples" in Object(sound))) {
      throw new PosewireError("INVALID_ARGUMENT",
        `a ${kindOf(chunk)} was written to a voice: write samples or a Sound`);
    }
    const bytes = this.#whole(pcm(sound.samples));
    if (isKnown(sound)) {
      await this.#send(JSON.stringify(soundPart(sound, bytes)), bytes.length);
      return;
    }
    const most = MOST_SAMPLE_BYTES - MOST_SAMPLE_BYTES % this.#frameBytes;
    for (let at = 0; at < bytes.length; at += most) {
      const part = bytes.subarray(at, at + most);
      await this.#send(part, part.length);
    }
  }

  /**
   * Whole samples of all channels; the rest waits for the next chunk.
   * @param {Uint8Array} chunk
   */
  #whole(chunk) {
    const bytes = new Uint8Array(this.#rest.length + chunk.length);
    bytes.set(this.#rest);
    bytes.set(chunk, this.#rest.length);
    const size = bytes.length - bytes.length % this.#frameBytes;
    this.#rest = bytes.slice(size);
    return bytes.subarray(0, size);
  }

  /** @param {object} part */
  async #add(part) {
    await this.#fed;
    await this.#send(JSON.stringify(part));
  }

  async #finishWriting() {
    if (this.#isWhole) return;
    if (this.#rest.length) {
      throw new PosewireError("INVALID_ARGUMENT",
        `the voice ends ${this.#rest.length} bytes into a sample of all channels`);
    }
    const sent = this.#send(END);
    this.#isWhole = true;
    await sent.catch((error) => {
      if (!this.#isOver && !this.#isStopped) throw error;
    });
  }

  /**
   * In turn, once there is room.
   * @param {string | Uint8Array} data
   * @param {number} [soundBytes]
   */
  #send(data, soundBytes = 0) {
    if (this.#isWhole) {
      return Promise.reject(new PosewireError("INVALID_ARGUMENT",
        "the text has ended: nothing can be written after end()"));
    }
    const sent = this.#tail.then(async () => {
      while (!this.#isOver && !this.#isStopped && !this.#hasRoom()) {
        await new Promise((done) => { setTimeout(done, LOOK_AGAIN_MS); });
      }
      if (this.#isOver || this.#isStopped) return false;
      this.#sentBytes += soundBytes;
      this.#isEndSent ||= data === END;
      this.#socket?.send(data);
      return true;
    });
    this.#tail = sent;
    return sent.then(async (isSent) => {
      if (isSent) return;
      const { reason } = await this.#over;
      throw new PosewireError("CANCELLED", `the speech is over: ${reason}`);
    });
  }

  /** As far as can be known here: a voice goes on at its rate once it has started. */
  #hasRoom() {
    const now = performance.now() / 1000;
    if (this.#started) {
      const played = (now - this.#playedAt) * this.#rate * this.#frameBytes;
      this.#playedBytes = Math.min(this.#sentBytes, this.#playedBytes + played);
    }
    this.#playedAt = now;
    return this.#sentBytes - this.#playedBytes < MOST_AHEAD_BYTES &&
      (this.#socket?.bufferedAmount || 0) < MOST_UNSENT_BYTES;
  }

  // What comes back.

  /** @param {any} message */
  #take(message) {
    if (message.error !== undefined) {
      this.#error = message.error;
      this.#code = message.status;
      return;
    }
    const event = eventOf(message);
    if (!event || this.#isOver) return;
    if (event.type === "accepted") this.#onAccepted();
    if (event.type === "started") {
      this.#hasRoom();
      this.#started = true;
    }
    if (event.type === "note") this.#notes.push(event.text);
    if (event.type === "ended") this.#ended = event;
    if (event.type === "word") {
      const { text, start_s, end_s } = event;
      this.#words.push({ text, start_s, end_s });
      this.#heard({ text, start_s, end_s });
    }
    this.#events.put(event);
  }

  /** @param {number} code @param {string} reason */
  #closed(code, reason) {
    const ended = this.#ended;
    const failed = code !== NORMAL && (!ended || (ended.reason === "failed" && !this.#started));
    if (!ended || failed) {
      const said = this.#error || reason || (code === NORMAL ? "the server ended the speech early"
        : `the connection to ${this.#server.address} was lost`);
      this.#fail(this.#code ? new PosewireError(this.#code, said) : errorOfClose(code, said));
      return;
    }
    if (this.#isOver) return;
    if (ended.reason === "failed" && !this.#isWatched) {
      console.error(`posewire: speech ${this.requestId} failed: ${ended.detail}`);
    }
    this.#leave();
    this.#events.close();
    this.#resolve({ reason: ended.reason, text: ended.spokenText, seconds: ended.spoken_s,
      detail: ended.detail, requestId: this.requestId, words: this.#words, notes: this.#notes });
  }

  /** @param {any} why */
  #fail(why) {
    if (this.#isOver) return;
    this.#leave();
    this.#events.close({ why });
    this.#reject(why);
    this.#socket?.close(NORMAL);
    setTimeout(() => {
      if (!this.#isWatched) console.error(`posewire: speech ${this.requestId}: ${why?.message || why}`);
    });
  }

  #leave() {
    this.#isOver = true;
    this.#onGone();
    this.#onEnd(this);
  }
}

/** @param {any} value */
const kindOf = (value) => value?.constructor?.name || typeof value;

/**
 * Tells an iterator that nobody goes on; it may be in the middle of something.
 * @param {import("./pieces.js").AnyIterator} iterator
 */
function leave(iterator) {
  try {
    Promise.resolve(iterator.return?.()).catch(() => {});
  } catch {
    // The iterator failed while it cleaned up, and nobody is left to be told.
  }
}
