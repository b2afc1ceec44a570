// Calls and events of the compositor, over a link that is there while somebody needs it.
import { PosewireError } from "./errors.js";
import { Link } from "./link/link.js";
import { Mailbox } from "./mailbox.js";

const IDLE_MS = 1000;  // until a link that nobody needs is closed

/** @typedef {import("./types.js").AvatarEvent} AvatarEvent */

export class Control {
  /** @type {import("./server.js").Server} */
  #server;
  /** @type {Promise<Link> | null} */
  #opening = null;
  /** @type {Link | null} */
  #link = null;
  #users = 0;
  /** @type {any} */
  #idle = undefined;
  #isPresent = false;  // what comes happens now
  /** @type {Map<Mailbox<AvatarEvent>, (event: AvatarEvent) => boolean>} */
  #watchers = new Map();

  /** @param {import("./server.js").Server} server */
  constructor(server) { this.#server = server; }

  /**
   * A method of ControlService.
   * @param {string} method
   * @param {object} params
   * @param {AbortSignal} [signal]
   * @returns {Promise<any>}
   */
  async call(method, params, signal) {
    signal?.throwIfAborted();
    this.#users += 1;
    const answered = this.#opened().then((link) => link.call(method, params)).catch((error) => {
      if (error instanceof PosewireError) throw error;
      throw new PosewireError(error.status || "UNAVAILABLE", error.message);
    }).finally(() => this.#leave());
    if (!signal) return answered;
    return new Promise((resolve, reject) => {
      const stop = () => reject(signal.reason);
      signal.addEventListener("abort", stop, { once: true });
      answered.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
    });
  }

  /**
   * The events from now on.
   * @param {(event: AvatarEvent) => boolean} wanted
   * @param {AbortSignal} [signal]
   * @returns {Mailbox<AvatarEvent>}
   */
  watch(wanted, signal) {
    /** @type {Mailbox<AvatarEvent>} */
    const watcher = new Mailbox(() => this.#unwatch(watcher));
    this.#users += 1;
    this.#watchers.set(watcher, wanted);
    if (signal) {
      const stop = () => {
        watcher.close({ why: signal.reason });
        this.#unwatch(watcher);
      };
      if (signal.aborted) stop();
      else signal.addEventListener("abort", stop, { once: true });
    }
    this.#opened().catch((why) => {
      watcher.close({ why });
      this.#unwatch(watcher);
    });
    return watcher;
  }

  /** @param {Mailbox<AvatarEvent>} watcher */
  #unwatch(watcher) {
    if (this.#watchers.delete(watcher)) this.#leave();
  }

  #leave() {
    this.#users -= 1;
    clearTimeout(this.#idle);
    if (this.#users === 0) this.#idle = setTimeout(() => this.#drop(), IDLE_MS);
  }

  close() {
    for (const watcher of [...this.#watchers.keys()]) {
      watcher.close();
      this.#unwatch(watcher);
    }
    this.#drop();
  }

  #drop() {
    clearTimeout(this.#idle);
    this.#link?.close();
    this.#link = this.#opening = null;
    this.#isPresent = false;
  }

  /** @returns {Promise<Link>} */
  #opened() {
    clearTimeout(this.#idle);
    this.#opening ??= this.#open();
    return this.#opening;
  }

  async #open() {
    try {
      await this.#server.admitted();
      return await this.#connect();
    } catch (error) {
      this.#opening = null;
      throw error;
    }
  }

  /** @returns {Promise<Link>} */
  #connect() {
    const { address, token } = this.#server;
    return new Promise((resolve, reject) => {
      let said = false;
      /** @param {import("./link/types.js").Refusal} [refusal] */
      const refused = (refusal) => {
        if (link === this.#link) this.#drop();
        if (!said) this.#server.explain(refusal, false).then(reject, reject);
        said = true;
      };
      const link = new Link({ address, token,
        onText: (message) => {
          if (message.type === "event" && this.#isPresent) this.#tell(message.event);
          if (message.type !== "present") return;
          this.#isPresent = true;
          said = true;
          resolve(link);
        },
        onState: (connected) => {
          if (connected) return;
          if (said) this.#lost(link);
          else queueMicrotask(refused);  // after onRefused, which may know why
        },
        onRefused: refused });
      this.#link = link;
    });
  }

  /** @param {Link} link */
  #lost(link) {
    if (link !== this.#link) return;
    this.#drop();
    const why = new PosewireError("UNAVAILABLE", `the connection to ${this.#server.address} was lost`);
    for (const watcher of [...this.#watchers.keys()]) {
      watcher.close({ why });
      this.#unwatch(watcher);
    }
  }

  /** @param {any} event of posewire.control.v1, as JSON */
  #tell(event) {
    const told = {
      type: String(event.type || "").toLowerCase(),
      stream: event.stream_id || "",
      target: event.target_object_id || "",
      requestId: event.request_id || "",
      name: event.name || "",
      detail: event.detail || "",
      time_code_s: Number(event.time_code_s || 0),
      time_s: Number(event.time_s || 0),
      missed: Number(event.missed || 0),
    };
    for (const [watcher, wanted] of this.#watchers) if (wanted(told)) watcher.put(told);
  }
}
