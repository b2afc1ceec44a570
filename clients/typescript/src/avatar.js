// An avatar: what it says, and what it does.
import { Control } from "./control.js";
import { PosewireError } from "./errors.js";
import { newId } from "./ids.js";
import { Mailbox } from "./mailbox.js";
import { Server } from "./server.js";
import { Speech } from "./speech.js";

/** @typedef {import("./types.js").AvatarEvent} AvatarEvent */
/** @typedef {import("./types.js").AvatarOptions} AvatarOptions */
/** @typedef {import("./types.js").Call} Call */
/** @typedef {import("./types.js").OpenOptions} OpenOptions */
/** @typedef {import("./types.js").PlayOptions} PlayOptions */
/** @typedef {import("./types.js").Samples} Samples */
/** @typedef {import("./types.js").SayOptions} SayOptions */
/** @typedef {import("./types.js").Sound} Sound */
/** @typedef {import("./types.js").Spoken} Spoken */
/** @typedef {import("./types.js").Value} Value */
/** @typedef {import("./types.js").Voice} Voice */
/** @typedef {import("./types.js").Word} Word */
/** @template T @typedef {import("./types.js").Pieces<T>} Pieces */

/**
 * An avatar that a `renderer_sink view --say-to` shows. `stream` and `target` say which; `voice`,
 * `language` and `speed` go for all that it says, unless said otherwise. Nothing is connected before
 * the first call.
 *
 *     const avatar = new Avatar("http://127.0.0.1:8080", { stream: "demo" });
 *     await avatar.speak("Hello.");
 */
export class Avatar {
  #server;
  #control;
  /** @type {Speech[]} */
  #open = [];
  /** @type {Set<Mailbox<Word>>} */
  #listeners = new Set();

  /**
   * @param {string} [address] of `renderer_sink view`; in a page, its own server unless given
   * @param {AvatarOptions} [options]
   */
  constructor(address, { stream = "", target = "", voice, language, speed, token } = {}) {
    this.#server = new Server(address, token);
    this.#control = new Control(this.#server);
    this.stream = stream;
    this.target = target;
    this.voice = voice;
    this.language = language;
    this.speed = speed;
  }

  /**
   * Says a text, to its end: a string, or what yields pieces of it, such as an LLM's stream. Pieces may
   * be cut anywhere; the avatar begins with the first clause. An error of the iterator stops the avatar
   * and is raised here; so does the signal. A speech that is stopped or interrupted meanwhile, or whose
   * voice fails midway, is no error: see `Spoken.reason`.
   * @param {string | Pieces<string>} text
   * @param {SayOptions} [options]
   * @returns {Promise<Spoken>}
   */
  speak(text, options) { return this.say(text, options).done(); }

  /**
   * Begins to say a text, as `speak` does, and returns without waiting. Without a text, write to the
   * Speech and `end()` it. With `rate` the caller's own voice is played: see `play`.
   * @param {string | Pieces<string> | Pieces<Samples | Sound> | Samples | Sound} [text]
   * @param {OpenOptions} [options]
   * @returns {Speech}
   */
  say(text, { requestId, policy, phonemes = false, voice = this.voice, language = this.language,
    speed = this.speed, rate = 0, channels = 1, live = false, end, signal } = {}) {
    const begin = { stream_id: this.stream, target_object_id: this.target,
      request_id: requestId || newId("say"), voice, language, speed, policy, phonemes,
      ...(rate ? { sound: { rate_hz: rate, channels, live } } : {}) };
    // Each has a connection of its own, which alone would not keep them in order.
    const after = this.#open.at(-1)?.placed;
    const speech = new Speech({ server: this.#server, begin, after, pieces: text,
      end: end ?? text !== undefined, signal, heard: (word) => this.#hear(word),
      onEnd: (one) => { this.#open = this.#open.filter((other) => other !== one); } });
    this.#open.push(speech);
    return speech;
  }

  /**
   * Plays the caller's own voice, to its end: samples or Sounds, or what yields them. At most 2 MiB are
   * sent ahead of what is heard. Otherwise as `speak`.
   * @param {Samples | Sound | Pieces<Samples | Sound>} chunks
   * @param {PlayOptions} options
   * @returns {Promise<Spoken>}
   */
  async play(chunks, options) {
    if (!(options?.rate > 0)) {
      throw new PosewireError("INVALID_ARGUMENT",
        `rate is ${options?.rate}; give the rate of the samples in Hz`);
    }
    return this.say(chunks, options).done();
  }

  /**
   * Silences the avatar. Stops what this object says or is to say, and gives how far it came with what
   * was being said. When it says nothing, stops all that others have the avatar say, and gives null.
   * @returns {Promise<Spoken | null>}
   */
  async interrupt() {
    const speeches = [...this.#open];
    if (!speeches.length) {
      await this.#server.ask("/source/stop", { stream_id: this.stream, target_object_id: this.target });
      return null;
    }
    // Those that wait first, so that none of them begins.
    const results = await Promise.all(speeches.reverse().map((speech) => speech.stop()));
    return results[results.length - 1];
  }

  /**
   * The words of all that this object says, as they are heard, from this call on, until `close()`.
   * @returns {AsyncIterableIterator<Word>}
   */
  words() {
    /** @type {Mailbox<Word>} */
    const listener = new Mailbox(() => this.#listeners.delete(listener));
    this.#listeners.add(listener);
    return listener;
  }

  /**
   * The voices that `voice` may name; the first is the source's own.
   * @param {Call} [options]
   * @returns {Promise<Voice[]>}
   */
  async voices({ signal } = {}) {
    const { voices = [], details = [], default_voice } =
      await this.#server.ask("/source/voices", undefined, signal);
    const known = details.length ? details : voices.map((/** @type {string} */ name) => ({ name }));
    return known.map((/** @type {Partial<Voice>} */ voice) => ({ name: "", description: "", sex: "",
      languages: [], marks: "", engine: "", ...voice }))
      .sort((/** @type {Voice} */ a, /** @type {Voice} */ b) =>
        Number(b.name === default_voice) - Number(a.name === default_voice));
  }

  /**
   * Plays a gesture; "none" ends it.
   * @param {string} name
   * @param {Call} [options]
   */
  async gesture(name, { signal } = {}) {
    await this.#control.call("SetGesture", { ...this.#one(), gesture: name }, signal);
  }

  /**
   * Shows a facial gesture, as the variable `facial_gesture_state`.
   * @param {string} name
   * @param {Call} [options]
   */
  async expression(name, options) { await this.set("facial_gesture_state", name, options); }

  /**
   * Sets a variable of the graph, and gives its value as it was understood.
   * @param {string} name
   * @param {Value} value
   * @param {Call} [options]
   * @returns {Promise<string>}
   */
  async set(name, value, { signal } = {}) {
    const answer = await this.#control.call("SetVariable",
      { ...this.#one(), name, value: String(value) }, signal);
    return answer.value || "";
  }

  /**
   * Fires an event of the graph.
   * @param {string} name
   * @param {Call} [options]
   */
  async event(name, { signal } = {}) {
    await this.#control.call("FireEvent", { ...this.#one(), event: name }, signal);
  }

  /**
   * What happens to the avatars of the stream, from now on, until the loop is left. With a target,
   * events of other avatars are left out. Fails when the connection is lost.
   * @param {Call} [options]
   * @returns {AsyncIterableIterator<AvatarEvent>}
   */
  events({ signal } = {}) {
    const { stream_id, target_object_id } = this.#one();
    return this.#control.watch(({ stream, target }) => stream === stream_id &&
      (!target_object_id || !target || target === target_object_id), signal);
  }

  /** Stops what is still being said, and disconnects. Iterating over words and events ends. */
  close() {
    for (const speech of this.#open) speech.cancel();
    for (const listener of this.#listeners) listener.close();
    this.#listeners.clear();
    this.#control.close();
  }

  /** @param {Word} word */
  #hear(word) {
    for (const listener of this.#listeners) listener.put(word);
  }

  #one() {
    if (!this.stream) {
      throw new PosewireError("INVALID_ARGUMENT",
        "stream is empty: the compositor needs to know which one");
    }
    return { stream_id: this.stream, target_object_id: this.target };
  }
}
