// <posewire-avatar>: the stage of a renderer_sink view in a page of one's own. docs/embedding.md
// has its attributes, methods and events.
//
//   <script src="http://127.0.0.1:8080/embed.js"></script>
//   <posewire-avatar stream="kiosk" camera="bust" background="none"></posewire-avatar>
import { newId } from "./texts.js";

const HOME = document.currentScript ? new URL(document.currentScript.src).origin : "";
const SHOWN = ["stream", "camera", "background", "theme", "look"];  // of the address, and so never a token
const PATIENCE_MS = 8000;
const AGAIN_MS = 5000;  // after it was in vain

class PosewireAvatar extends HTMLElement {
  static get observedAttributes() { return ["src", "muted", "token", ...SHOWN]; }

  constructor() {
    super();
    this.calls = new Map();
    this.speeches = new Map();  // by request: those who wait for its end
    this.nextId = 1;
    this.loaded();
    this.attachShadow({ mode: "open" }).innerHTML =
      "<style>:host { display: block; min-height: 240px; }" +
      "iframe { display: block; width: 100%; height: 100%; min-height: inherit; border: 0; }</style>";
  }

  // Throws where `src` is no address.
  get origin() {
    const src = this.getAttribute("src") || HOME;
    if (!/^https?:\/\//.test(src)) {
      throw new Error(`src is "${src}"; an address such as http://127.0.0.1:8080 is right`);
    }
    return new URL(src).origin;
  }
  get address() {
    const asked = new URLSearchParams([["stage", ""]]);
    for (const name of SHOWN) if (this.getAttribute(name)) asked.set(name, this.getAttribute(name));
    if (this.hasAttribute("muted")) asked.set("muted", "");
    return `${this.origin}/?${asked}`;
  }

  connectedCallback() { this.load(); }
  disconnectedCallback() { this.leave("the avatar is not in the page"); }
  attributeChangedCallback(name, before, now) {
    if (!this.isConnected || before === now) return;
    if (name === "muted" && this.port) this.ask("mute", { on: now !== null }).catch(() => {});
    else if (name === "camera" && this.port) this.ask("look", { camera: now }).catch(() => {});
    else this.load();
  }

  // The promise of a stage that is about to be loaded.
  loaded() {
    this.ready = new Promise((done, fail) => {
      this.isReady = done;
      this.isNotReady = fail;
    });
    this.ready.catch(() => {});
  }

  load() {
    this.leave("the stage was loaded anew");
    this.loaded();
    this.shownToken = false;
    let address;
    try {
      ({ address } = this);
    } catch (error) {
      this.complain(error.message);
      return;
    }
    // With its address before it is in the page: an empty one would be loaded first.
    this.frame = document.createElement("iframe");
    this.frame.title = "Avatar";
    // Sound needs a click or a key in a page; with this, one in the outer page counts.
    this.frame.allow = "autoplay";
    this.frame.addEventListener("load", () => this.meet());
    this.frame.src = address;
    this.shadowRoot.append(this.frame);
    this.patience = setTimeout(() => this.findOut(), PATIENCE_MS);
  }

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

  // Gives the stage its end of a channel that nobody else hears.
  meet() {
    if (!this.frame) return;
    if (this.port) this.port.close();
    const { port1, port2 } = new MessageChannel();
    this.port = port1;
    port1.onmessage = ({ data }) => this.take(data);
    this.frame.contentWindow.postMessage("posewire", this.origin, [port2]);
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
  logIn(why) {
    const token = this.getAttribute("token");
    if (token && !this.shownToken) {
      this.shownToken = true;
      this.port.postMessage({ token });
    } else {
      this.refused(why || `${this.origin} asks for a login, and the element has no token`);
    }
  }

  // The form stays, for whoever has a token. A wrong token is not tried again by itself.
  refused(why) {
    clearTimeout(this.patience);
    console.error(`posewire-avatar: ${why}`);
    this.isNotReady(new Error(why));
    this.loaded();
    this.fire("error", { message: why });
  }

  complain(why) {
    console.error(`posewire-avatar: ${why}`);
    this.leave(why);
    this.fire("error", { message: why });
    this.patience = setTimeout(() => this.load(), AGAIN_MS);
  }

  take({ id, result, error, event, detail }) {
    if (event !== undefined) return this.heard(event, detail);
    const call = this.calls.get(id);
    if (!call) return undefined;
    this.calls.delete(id);
    return error === undefined ? call.resolve(result) : call.reject(new Error(error));
  }

  heard(event, detail) {
    if (event === "login") return this.logIn(detail.message);
    if (event === "refused") return this.refused(detail.message);
    if (event === "ready") {
      clearTimeout(this.patience);
      this.shownToken = false;
      this.isReady();
    }
    if (event === "requestend" && this.speeches.has(detail.requestId)) {
      this.speeches.get(detail.requestId)(detail);
      this.speeches.delete(detail.requestId);
    }
    return this.fire(event, detail);
  }

  fire(event, detail) { this.dispatchEvent(new CustomEvent(event, { detail })); }

  async ask(what, params = {}) {
    if (!this.isConnected) throw new Error("the avatar is not in the page");
    await this.ready;
    const id = this.nextId++;
    return new Promise((resolve, reject) => {
      this.calls.set(id, { resolve, reject });
      this.port.postMessage({ id, ask: what, params });
    });
  }

  // Resolves when the text is taken, with its requestId and `ended`, a promise of its end. `now`
  // has it said instead of what is being said.
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
  // Ends what is being said, and drops what waits.
  interrupt() { return this.ask("interrupt"); }
  // A name of ListGestures, or "none".
  gesture(name) { return this.ask("gesture", { name }); }
  // An event of the graph.
  event(name) { return this.ask("event", { name }); }
  // A variable of the graph.
  set(name, value) { return this.ask("set", { name, value: String(value) }); }
}

customElements.define("posewire-avatar", PosewireAvatar);
