// <posewire-avatar>: the stage of a renderer_sink view in a page of one's own. docs/embedding.md
// has its attributes, methods and events.
//
//   <posewire-avatar src="http://127.0.0.1:8080" stream="kiosk" camera="bust"></posewire-avatar>
//
// `renderer_sink view` serves this as /embed.js, which then knows the address that it came from.
import { newId } from "./ids.js";

/** @typedef {import("./element_types.js").AvatarAttributes} AvatarAttributes */
/** @typedef {import("./element_types.js").AvatarEventMap} AvatarEventMap */
/** @typedef {import("./element_types.js").Said} Said */

const script = globalThis.document && /** @type {HTMLScriptElement} */ (document.currentScript);
const HOME = script ? new URL(script.src).origin : "";
// Where a page is made on a server, there are no elements.
const Base = globalThis.HTMLElement || /** @type {typeof HTMLElement} */ (class {});
const SHOWN = ["stream", "camera", "background", "theme", "look"];  // of the address, and so never a token
const PATIENCE_MS = 8000;
const AGAIN_MS = 5000;  // after it was in vain

class PosewireAvatar extends Base {
  static get observedAttributes() { return ["src", "muted", "token", ...SHOWN]; }

  constructor() {
    super();
    /** @type {Map<number, {resolve: (result: any) => void, reject: (why: Error) => void}>} */
    this.calls = new Map();
    /** By request: those who wait for its end. @type {Map<string, (end: any) => void>} */
    this.speeches = new Map();
    this.nextId = 1;
    /** @type {HTMLIFrameElement | null} */
    this.frame = null;
    /** @type {MessagePort | null} */
    this.port = null;
    /** @type {any} */
    this.patience = undefined;
    this.shownToken = false;
    this.isReady = () => {};
    /** @type {(why: Error) => void} */
    this.isNotReady = () => {};
    /** @type {Promise<void>} */
    this.ready = this.loaded();
    this.attachShadow({ mode: "open" }).innerHTML =
      "<style>:host { display: block; min-height: 240px; }" +
      "iframe { display: block; width: 100%; height: 100%; min-height: inherit; border: 0; }</style>";
  }

  // Throws an Error if `src` is not an address.
  get origin() {
    const src = this.getAttribute("src") || HOME;
    if (!/^https?:\/\//.test(src)) {
      throw new Error(`src is "${src}"; give an address such as http://127.0.0.1:8080`);
    }
    return new URL(src).origin;
  }
  get address() {
    const asked = new URLSearchParams([["stage", ""]]);
    for (const name of SHOWN) {
      const value = this.getAttribute(name);
      if (value) asked.set(name, value);
    }
    if (this.hasAttribute("muted")) asked.set("muted", "");
    return `${this.origin}/?${asked}`;
  }

  connectedCallback() { this.load(); }
  disconnectedCallback() { this.leave("the avatar is not in the page"); }
  /** @param {string} name @param {string | null} before @param {string | null} now */
  attributeChangedCallback(name, before, now) {
    if (!this.isConnected || before === now) return;
    if (name === "muted" && this.port) this.ask("mute", { on: now !== null }).catch(() => {});
    else if (name === "camera" && this.port) this.ask("look", { camera: now }).catch(() => {});
    else this.load();
  }

  // The promise of a stage that is about to be loaded.
  loaded() {
    /** @type {Promise<void>} */
    const ready = new Promise((done, fail) => {
      this.isReady = done;
      this.isNotReady = fail;
    });
    ready.catch(() => {});
    return ready;
  }

  load() {
    this.leave("the stage was loaded anew");
    this.ready = this.loaded();
    this.shownToken = false;
    let address;
    try {
      ({ address } = this);
    } catch (error) {
      this.complain(/** @type {Error} */ (error).message);
      return;
    }
    // With its address before it is in the page: an empty one would be loaded first.
    this.frame = document.createElement("iframe");
    this.frame.title = "Avatar";
    // Sound needs a click or a key in a page; with this, one in the outer page counts.
    this.frame.allow = "autoplay";
    this.frame.addEventListener("load", () => this.meet());
    this.frame.src = address;
    this.shadowRoot?.append(this.frame);
    this.patience = setTimeout(() => this.findOut(), PATIENCE_MS);
  }

  /** @param {string} why */
  leave(why) {
    clearTimeout(this.patience);
    if (this.frame) this.frame.remove();
    this.frame = null;
    if (this.port) this.port.close();
    this.port = null;
    this.isNotReady(new Error(why));
    for (const { reject } of this.calls.values()) reject(new Error(why));
    this.calls.clear();
    for (const done of this.speeches.values()) done({ interrupted: true, why });
    this.speeches.clear();
  }

  // Sends the stage its end of a private channel.
  meet() {
    if (!this.frame) return;
    if (this.port) this.port.close();
    const { port1, port2 } = new MessageChannel();
    this.port = port1;
    port1.onmessage = ({ data }) => this.take(data);
    this.frame.contentWindow?.postMessage("posewire", this.origin, [port2]);
  }

  // Nothing came of the stage: why, as far as a page can know.
  async findOut() {
    const { frame, origin } = this;
    const answers = await fetch(`${origin}/healthz`, { mode: "no-cors" }).then(() => true, () => false);
    if (frame !== this.frame) return;
    const page = location.origin;
    if (!answers) this.complain(`nothing answers at ${origin}: is renderer_sink view running there?`);
    else if (!/^https?:/.test(page)) this.complain("a page from a file has no origin; serve it by http");
    else {
      this.complain(`${origin} does not show itself in pages of ${page}; start renderer_sink view ` +
        `with --http-allow-origin ${page}`);
    }
  }

  // The stage shows its form. Goes by the port, to the frame's origin alone, once for each stage.
  /** @param {string} [why] */
  logIn(why) {
    const token = this.getAttribute("token");
    if (token && !this.shownToken) {
      this.shownToken = true;
      this.port?.postMessage({ token });
    } else {
      this.refused(why || `${this.origin} asks for a login, and the element has no token`);
    }
  }

  /**
   * The form stays, so that a person can enter a token. A wrong token is not tried again.
   * @param {string} why
   */
  refused(why) {
    clearTimeout(this.patience);
    console.error(`posewire-avatar: ${why}`);
    this.isNotReady(new Error(why));
    this.ready = this.loaded();
    this.fire("error", { message: why });
  }

  /** @param {string} why */
  complain(why) {
    console.error(`posewire-avatar: ${why}`);
    this.leave(why);
    this.fire("error", { message: why });
    this.patience = setTimeout(() => this.load(), AGAIN_MS);
  }

  /** @param {any} message */
  take({ id, result, error, event, detail }) {
    if (event !== undefined) return this.heard(event, detail);
    const call = this.calls.get(id);
    if (!call) return undefined;
    this.calls.delete(id);
    return error === undefined ? call.resolve(result) : call.reject(new Error(error));
  }

  /** @param {string} event @param {any} detail */
  heard(event, detail) {
    if (event === "login") return this.logIn(detail.message);
    if (event === "refused") return this.refused(detail.message);
    if (event === "ready") {
      clearTimeout(this.patience);
      this.shownToken = false;
      this.isReady();
    }
    if (event === "requestend") {
      this.speeches.get(detail.requestId)?.(detail);
      this.speeches.delete(detail.requestId);
    }
    return this.fire(event, detail);
  }

  /** @param {string} event @param {any} detail */
  fire(event, detail) { this.dispatchEvent(new CustomEvent(event, { detail })); }

  /**
   * @param {string} what
   * @param {object} [params]
   * @returns {Promise<any>}
   */
  async ask(what, params = {}) {
    if (!this.isConnected) throw new Error("the avatar is not in the page");
    await this.ready;
    const { port } = this;
    if (!port) throw new Error("the stage is not there");
    const id = this.nextId++;
    return new Promise((resolve, reject) => {
      this.calls.set(id, { resolve, reject });
      port.postMessage({ id, ask: what, params });
    });
  }

  /**
   * @param {string} text
   * @param {{voice?: string, now?: boolean}} [options]
   * @returns {Promise<Said>}
   */
  async say(text, { voice = "", now = false } = {}) {
    const requestId = newId();
    const ended = new Promise((done) => { this.speeches.set(requestId, done); });
    try {
      return { ...await this.ask("say", { text, voice, now, requestId }), ended };
    } catch (error) {
      this.speeches.delete(requestId);
      throw error;
    }
  }
  interrupt() { return this.ask("interrupt"); }
  /** @param {string} name */
  gesture(name) { return this.ask("gesture", { name }); }
  /** @param {boolean} [on] */
  sound(on = true) { return this.ask("mute", { on: !on }); }
  /** @param {string} name */
  event(name) { return this.ask("event", { name }); }
  /** @param {string} name @param {string | number | boolean} value */
  set(name, value) { return this.ask("set", { name, value: String(value) }); }
}

/** @type {import("./element_types.js").AvatarElementConstructor} */
export const AvatarElement = PosewireAvatar;
/** @typedef {import("./element_types.js").AvatarElement} AvatarElement */

if (globalThis.customElements && !customElements.get("posewire-avatar")) {
  customElements.define("posewire-avatar", PosewireAvatar);
}
