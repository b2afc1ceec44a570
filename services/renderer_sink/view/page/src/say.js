// Has the avatar in view say what is typed, through the source that the server knows.
import { refusalOf } from "./reply.js";

const element = (id) => document.getElementById(id);
const utf8 = new TextEncoder();
const STOPPED = 409;  // the answer to a text that was stopped before it began

export class Say {
  // `target` gives the stream and the avatar in view, or null; `log` shows a line in the log.
  constructor(target, log) {
    this.target = target;
    this.log = log;
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

  async ask(path, params) {
    const reply = await fetch(path, params === undefined ? {} : {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(params),
    });
    if (!reply.ok) throw await refusalOf(reply);
    return reply.json();
  }

  async refresh() {
    try {
      const { voices, default_voice, max_text_bytes } = await this.ask("/source/voices");
      this.mostBytes = max_text_bytes;
      const select = element("say-voice");
      const chosen = select.value || default_voice;
      select.replaceChildren(...voices.map((voice) => new Option(voice, voice)));
      select.value = voices.includes(chosen) ? chosen : default_voice;
      this.note("");
    } catch (error) {
      this.note(error.message, true);
    }
  }

  async say() {
    const field = element("say-text");
    const text = field.value.trim();
    if (!text) return field.focus();
    const bytes = utf8.encode(text).length;
    if (this.mostBytes && bytes > this.mostBytes) {
      return this.note(`The text has ${bytes} bytes; at most ${this.mostBytes} are taken.`, true);
    }
    const button = element("say-go");
    button.disabled = true;
    this.asked += 1;
    try {
      const said = await this.ask("/source/say", {
        ...this.target(),
        text,
        voice: element("say-voice").value,
        policy: element("say-now").checked ? "interrupt" : "queue",
      });
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

  async stop() {
    try {
      await this.ask("/source/stop", { ...this.target() });
      this.note("");
    } catch (error) {
      this.note(error.message, true);
    }
  }
}
