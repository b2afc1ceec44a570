// What was recorded, as files to keep. A link alone would leave the server's errors to the browser,
// which shows none of their words.
import { refusalOf } from "./reply.js";

const KINDS = ["animdata", "jsonl", "glb", "bvh", "vrma", "mp4", "wav"];
// "kiosk-2026-11-23T04-05-06": of Unix time in this place's own time.
export function nameOf(stream, at) {
  const local = new Date((at - new Date(at * 1000).getTimezoneOffset() * 60) * 1000);
  const when = local.toISOString().slice(0, 19).replaceAll(":", "-");
  return `${stream.replace(/[^\w.-]+/g, "_").slice(0, 60) || "posewire"}-${when}`;
}

const KEEP_MS = 60000;  // until a browser has surely begun to write the file
const element = (id) => document.getElementById(id);

export class Saves {
  // `log` shows a line in the log.
  constructor(log) {
    this.log = log;
    for (const kind of KINDS) {
      element(`save-${kind}`).onclick = (event) => {
        event.preventDefault();
        this.save(event.currentTarget);
      };
    }
  }

  // Whether the server can draw films; else they are not offered.
  offerFilms(can) { element("save-mp4").hidden = !can; }

  // `from` and `to` are Unix times of the avatar `index`, whose stream is `stream`.
  offer(index, stream, from, to) {
    for (const kind of KINDS) {
      const link = element(`save-${kind}`);
      link.href = `/avatars/${index}/clip.${kind}?from=${from.toFixed(4)}&to=${to.toFixed(4)}`;
      link.download = `${nameOf(stream, from)}.${kind}`;
    }
    this.note("");
    element("saves").hidden = false;
  }

  hide() { element("saves").hidden = true; }

  note(text) {
    element("save-note").textContent = text;
    if (text) this.log(text);
  }

  async save({ href, download }) {
    this.note("");
    if (download.endsWith(".mp4")) element("save-note").textContent = "the film is being drawn";
    let reply;
    try {
      reply = await fetch(href);
      if (!reply.ok) throw await refusalOf(reply);
      this.hand(await reply.blob(), download);
      this.note("");
    } catch (error) {
      this.note(`${download}: ${reply ? error.message : "the viewer's server does not answer"}`);
    }
  }

  hand(blob, name) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), KEEP_MS);
  }
}
