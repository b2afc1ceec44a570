// Has the avatar in view say what is typed, through the source that the server knows.
import { newId } from "posewire/link";
import { ask } from "./reply.js";

const element = (id) => document.getElementById(id);
const utf8 = new TextEncoder();
const STOPPED = 409;  // the answer to a text that was stopped before it began

export class Say {
  // `target` gives the stream and the avatar in view, or null; `log` shows a line in the log;
  // `texts` remembers what was said.
  constructor(target, log, texts) {
    this.target = target;
    this.log = log;
    this.texts = texts;
    this.voices = [];
    this.defaultVoice = "";
    this.chosen = false;   // by the person before the page
    this.mostBytes = 0;  // of a text; 0: not known yet
    this.asked = 0;      // texts without an answer yet
    const form = element("say-form");
    form.onsubmit = (event) => {
      event.preventDefault();
      this.say();
    };
    element("say-text").onkeydown = (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      form.requestSubmit();
    };
    element("say-stop").onclick = () => this.stop();
    element("say-voice").onchange = () => { this.chosen = true; };
  }

  // `address` of the source; empty: there is none, and nothing to type into.
  offer(address) {
    element("say-part").hidden = !address;
    if (address) this.refresh();
  }

  note(text, bad = false) {
    const note = element("say-note");
    note.textContent = text;
    note.classList.toggle("bad", bad);
    if (bad) this.log("say", text, "bad");
  }

  async refresh() {
    try {
      const reply = await ask("/source/voices");
      this.mostBytes = reply.max_text_bytes;
      this.defaultVoice = reply.default_voice;
      this.voices = reply.details && reply.details.length ? reply.details
        : reply.voices.map((name) => ({ name, description: "", sex: "" }));
      const select = element("say-voice");
      const before = select.value;
      select.replaceChildren(...this.voices.map(({ name, description }) =>
        new Option(description ? `${name}: ${description}` : name, name)));
      if (this.chosen && this.voices.some(({ name }) => name === before)) select.value = before;
      else this.fit();
      this.note("");
    } catch (error) {
      this.note(error.message, true);
    }
  }

  // The voice for who is in view, "woman", "man" or a file's name, until somebody chooses one.
  voiceFor(who) {
    const sex = { woman: "female", man: "male" }[who];
    const own = this.voices.find(({ name }) => name === this.defaultVoice);
    if (!sex || (own && own.sex === sex)) return this.defaultVoice;
    const fitting = this.voices.find((voice) => voice.sex === sex);
    return fitting ? fitting.name : this.defaultVoice;
  }

  fit(who = this.who) {
    this.who = who;
    if (!this.chosen) element("say-voice").value = this.voiceFor(who);
  }

  // Has a text said; the source's own voice if none is named.
  async speak(text, { voice = "", now = false, request_id = newId() } = {}) {
    this.texts.remember(request_id, text);
    return ask("/source/say", { ...this.target(), request_id, text, voice,
      policy: now ? "interrupt" : "queue" });
  }

  async say() {
    const field = element("say-text");
    const text = field.value.trim();
    if (!text) return field.focus();
    const bytes = utf8.encode(text).length;
    if (this.mostBytes && bytes > this.mostBytes) {
      const limit = `at most ${this.mostBytes} are accepted`;
      return this.note(`The text has ${bytes} bytes; ${limit}.`, true);
    }
    const button = element("say-go");
    button.disabled = true;
    this.asked += 1;
    try {
      const said = await this.speak(text, { voice: element("say-voice").value,
        now: element("say-now").checked });
      const ahead = said.ahead === 1 ? "after the one before it" : `after ${said.ahead} others`;
      this.note([said.ahead ? `Will be said ${ahead}.` : "", ...said.notes].join(" ").trim());
      if (field.value.trim() === text) field.value = "";
      if (!this.mostBytes) this.refresh();
    } catch (error) {
      this.note(error.message, error.status !== STOPPED);
    }
    this.asked -= 1;
    button.disabled = this.asked > 0;
    return undefined;
  }

  quiet() { return ask("/source/stop", { ...this.target() }); }

  async stop() {
    // Before it is asked: what it ends may tell of its end before the answer is there.
    this.note("");
    try {
      await this.quiet();
    } catch (error) {
      this.note(error.message, true);
    }
  }
}
