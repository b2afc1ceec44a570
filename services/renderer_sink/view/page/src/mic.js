// The microphone of who is before the page: while it is open, the avatar in view speaks with that
// voice.
//
// The avatar's own voice is muted on this page meanwhile: from a loudspeaker it would come back into
// the microphone a third of a second later, and round again. Who wears headphones can hear it.
import { Capture, whyNone } from "./capture.js";
import { LiveSocket } from "./live_socket.js";
import { OwnVoice } from "./own_voice.js";
import { kept } from "./settings.js";
import { newId } from "posewire/link";

const element = (id) => document.getElementById(id);
// A microphone that is switched off gives no noise at all.
const SILENT_S = 3;
const FALL = 0.8;  // of the level, each portion
const OPEN = "The avatar says what you say.";

export class Microphone {
  // `target` gives the stream and the avatar in view, or null; `note` shows a line under the text
  // field; `texts` remembers what requests are; `onBegin` is called before it is opened, and
  // `onState` when it opens or closes.
  constructor({ target, note, texts, onBegin, onState }) {
    Object.assign(this, { target, note, texts, onBegin, onState });
    this.capture = null;  // from the click on, until the next one
    this.voice = null;    // until all that was said has been played
    this.hears = kept.get("hear-microphone") === "yes";
    this.button = element("mic");
    this.button.onclick = () => this.toggle();
    const box = element("mic-hear");
    box.checked = this.hears;
    box.onchange = () => this.setHears(box.checked);
    this.denied = "";
    this.show();
    this.watchPermission();
  }

  get open() { return this.capture !== null; }
  // Whether the avatar is not to be heard on this page.
  get hushes() { return (this.open || this.voice !== null) && !this.hears; }

  setHears(hears) {
    this.hears = hears;
    element("mic-hear").checked = hears;
    kept.set("hear-microphone", hears ? "yes" : "no");
    this.onState();
  }

  async watchPermission() {
    try {
      const permission = await navigator.permissions.query({ name: "microphone" });
      const look = () => {
        this.denied = permission.state === "denied"
          ? "The browser does not let this page hear the microphone; its settings for this page can."
          : "";
        this.show();
      };
      permission.onchange = look;
      look();
    } catch {
      // Not every browser tells before it is asked.
    }
  }

  show() {
    const { button, open } = this;
    const why = whyNone() || this.denied;
    button.setAttribute("aria-pressed", open);
    button.setAttribute("aria-disabled", Boolean(why));
    button.title = why || (open ? "Close the microphone (V)"
      : "The avatar says what you say, in your voice (V)");
    if (!open) this.showLevel(0);
    this.onState();
  }

  showLevel(level) {
    this.level = level;
    // As ears have it: 40 dB are the whole width.
    const seen = level > 0 ? Math.max(0, 1 + Math.log10(level) / 2) : 0;
    element("mic-level").style.transform = `scaleX(${seen.toFixed(2)})`;
  }

  toggle() { return this.open ? this.close() : this.start(); }

  async start() {
    const why = whyNone() || this.denied;
    if (why) return this.note(why, true);
    this.cancel();
    this.onBegin();
    const capture = new Capture();
    this.capture = capture;
    this.note("");
    this.show();
    try {
      await capture.start(() => {
        this.note("The microphone is gone.", true);
        this.close();
      });
    } catch (error) {
      capture.stop();
      if (this.capture !== capture) return undefined;
      this.capture = null;
      this.note(error.message, true);
      this.show();
      return undefined;
    }
    if (this.capture === capture) this.speak(capture);
    return undefined;
  }

  // A voice is live: it takes the place of what is being said.
  speak(capture) {
    const request_id = newId();
    this.texts.remember(request_id, "your microphone");
    this.silent_s = 0;
    this.late = false;
    const voice = new OwnVoice({ ...this.target(), request_id, policy: "interrupt",
      sound: { rate_hz: capture.rate_hz, live: true } }, {
      opened: () => {
        if (this.capture !== capture) return;
        this.note(OPEN);
        voice.socket.feed(capture.portions());
      },
      noted: (text) => this.note(text),
      ended: (text, bad) => {
        if (this.voice !== voice) return;
        this.voice = null;
        this.note(text, bad);
        if (this.capture === capture) this.close();
        this.show();
      },
    }, (address) => new LiveSocket(address, (portion) => this.watch(capture, portion)));
    this.voice = voice;
  }

  // What became of a portion.
  watch(capture, { loudest, late, count }) {
    if (this.capture !== capture || !this.voice) return;
    this.showLevel(Math.max(loudest, this.level * FALL));
    if (late && !this.late) {
      this.note("The network or this machine is too slow: parts of the voice are left out.", true);
    }
    this.late = this.late || late;
    const before = this.silent_s;
    this.silent_s = loudest > 0 ? 0 : before + count / capture.rate_hz;
    if (before < SILENT_S && this.silent_s >= SILENT_S) {
      this.note("The microphone gives no sound; it may be switched off.");
    } else if (before >= SILENT_S && this.silent_s === 0) {
      this.note(OPEN);
    }
  }

  // The avatar says what it has of the voice, and then no more.
  close() {
    if (!this.capture) return;
    this.capture.stop();
    this.capture = null;
    if (this.voice) this.voice.end();
    this.show();
  }

  // The avatar falls silent, too.
  cancel() {
    const { voice } = this;
    this.voice = null;
    this.close();
    if (voice) voice.cancel();
    this.onState();
  }
}
