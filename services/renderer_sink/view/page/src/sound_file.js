// An audio file, dropped on the page or chosen: the avatar in view says it.
import { OwnVoice } from "./own_voice.js";
import { newId } from "posewire/link";

const element = (id) => document.getElementById(id);
const RATE_HZ = 24000;
const PIECE_S = 0.25;
// What is sent ahead of what is played. Timers of a page that nobody sees may come once a minute;
// the server keeps 87 s.
const AHEAD_S = 4;
const AHEAD_HIDDEN_S = 75;
const PUMP_MS = 100;
const MOST_BYTES = 128 * 1024 * 1024;

const minutes = (s) => `${Math.floor(s / 60)}:${String(Math.floor(s % 60)).padStart(2, "0")}`;

// The samples of a file, mono, as the source takes them. Rejects with what a person should read.
async function read(file) {
  if (file.size > MOST_BYTES) {
    throw new Error(`${file.name} has ${Math.ceil(file.size / 1048576)} MiB; at most ` +
      `${MOST_BYTES / 1048576} are read.`);
  }
  const bytes = await file.arrayBuffer().catch(() => {
    throw new Error(`${file.name} cannot be read; is it a folder?`);
  });
  // It decodes to its own rate.
  const decoder = new OfflineAudioContext(1, 1, RATE_HZ);
  const sound = await decoder.decodeAudioData(bytes).catch(() => {
    throw new Error(`${file.name} is no sound that this browser can read; ` +
      "WAV, MP3 and most others are.");
  });
  if (!sound.length) throw new Error(`${file.name} has no sound in it.`);
  const channels = Array.from({ length: sound.numberOfChannels }, (_, i) => sound.getChannelData(i));
  const samples = new Int16Array(sound.length);
  for (let i = 0; i < samples.length; ++i) {
    let sum = 0;
    for (const channel of channels) sum += channel[i];
    const value = sum / channels.length;
    samples[i] = Math.max(-32768, Math.min(32767, Math.round(value * (value < 0 ? 32768 : 32767))));
  }
  return samples;
}

export class SoundFile {
  // `target` gives the stream and the avatar in view, or null; `note` shows a line under the text
  // field; `texts` remembers what requests are; `onBegin` is called before one is said.
  constructor({ target, note, texts, onBegin }) {
    Object.assign(this, { target, note, texts, onBegin });
    this.playing = null;  // {name, samples, sent, voice, timer, started_s}
    this.button = element("say-file");
    const chooser = element("say-file-chosen");
    this.button.onclick = () => (this.playing ? this.cancel() : chooser.click());
    chooser.onchange = () => {
      const [file] = chooser.files;
      chooser.value = "";  // so that the same one can be chosen again
      if (file) this.say(file);
    };
  }

  // Takes files that are dropped anywhere on the page while `may` says so. A browser would leave the
  // page for them.
  takeDrops(may) {
    const hasFiles = ({ dataTransfer }) => dataTransfer?.types.includes("Files");
    const mark = (on) => document.documentElement.classList.toggle("dropping", on);
    addEventListener("dragover", (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = may() ? "copy" : "none";
      mark(may());
    });
    addEventListener("dragleave", ({ relatedTarget }) => {
      if (!relatedTarget) mark(false);
    });
    addEventListener("drop", (event) => {
      mark(false);
      if (!hasFiles(event)) return;
      event.preventDefault();
      const { files } = event.dataTransfer;
      if (!may()) return;
      if (files.length === 1) this.say(files[0]);
      else this.note(`${files.length} files were dropped; one at a time is said.`, true);
    });
  }

  async say(file) {
    this.cancel();
    this.onBegin();
    const playing = { name: file.name, samples: null, sent: 0, voice: null, started_s: null };
    this.playing = playing;
    this.note(`Reading ${file.name}\u2026`);
    this.show();
    try {
      playing.samples = await read(file);
    } catch (error) {
      if (this.playing === playing) this.finish(error.message, true);
      return;
    }
    if (this.playing === playing) this.speak(playing);
  }

  speak(playing) {
    const request_id = newId();
    this.texts.remember(request_id, playing.name);
    const pump = () => this.pump(playing);
    const mine = (act) => (...more) => this.playing === playing && act(...more);
    playing.voice = new OwnVoice({ ...this.target(), request_id,
      policy: element("say-now").checked ? "interrupt" : "queue", sound: { rate_hz: RATE_HZ } }, {
      opened: mine(() => {
        this.note("");
        playing.timer = setInterval(pump, PUMP_MS);
        document.addEventListener("visibilitychange", pump);
        pump();
      }),
      accepted: mine((ahead) => {
        const what = ahead === 1 ? "what is said now" : `${ahead} texts`;
        if (ahead) this.note(`${playing.name} waits for ${what}.`);
      }),
      started: mine(() => {
        playing.started_s = performance.now() / 1000;
        this.note("");
        pump();
      }),
      noted: mine((text) => this.note(text)),
      ended: mine((why, bad) => this.finish(why, bad)),
    });
    playing.forget = () => {
      clearInterval(playing.timer);
      document.removeEventListener("visibilitychange", pump);
    };
    this.show();
  }

  // Sends what will be needed soon.
  pump(playing) {
    const { samples, voice, started_s } = playing;
    const played_s = started_s === null ? 0 : performance.now() / 1000 - started_s;
    const ahead_s = document.hidden ? AHEAD_HIDDEN_S : AHEAD_S;
    const until = Math.min(samples.length, Math.floor((played_s + ahead_s) * RATE_HZ));
    while (playing.sent < until) {
      const next = Math.min(samples.length, playing.sent + PIECE_S * RATE_HZ);
      voice.send(samples.subarray(playing.sent, next));
      playing.sent = next;
    }
    if (playing.sent === samples.length && !playing.ended) {
      playing.ended = true;
      voice.end();
    }
    this.show(played_s);
  }

  show(played_s = 0) {
    const { playing } = this;
    this.button.textContent = playing ? "Cancel" : "File";
    this.button.title = playing ? `Stop ${playing.name}`
      : "The avatar says an audio file; you can also drop one on the page";
    this.button.setAttribute("aria-label", playing ? this.button.title : "Audio file");
    const progress = element("say-file-progress");
    progress.hidden = !playing;
    if (!playing) return;
    if (!playing.samples) {
      progress.removeAttribute("value");
      return;
    }
    const length_s = playing.samples.length / RATE_HZ;
    progress.max = length_s;
    progress.value = Math.min(length_s, played_s);
    progress.title = `${playing.name}: ${minutes(progress.value)} of ${minutes(length_s)}`;
    progress.setAttribute("aria-valuetext", progress.title);
  }

  finish(why, bad) {
    this.playing?.forget?.();
    this.playing = null;
    this.note(why, bad);
    this.show();
  }

  // The avatar falls silent, too.
  cancel() {
    const { playing } = this;
    if (!playing) return;
    this.finish("", false);
    playing.voice?.cancel();
  }
}
