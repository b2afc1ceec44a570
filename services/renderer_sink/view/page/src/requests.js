// What plays and waits on the avatar in view: requests of the graph, and texts that the source has
// not begun.
import { ask } from "./reply.js";

const element = (id) => document.getElementById(id);

export class Requests {
  // `target` gives the stream and the avatar in view, or null; `stop` ends a request of the graph.
  constructor(target, texts, stop) {
    this.target = target;
    this.texts = texts;
    this.stop = stop;
    this.source = false;  // there is one to ask
    this.waiting = [];    // of the stream `waitingOf`: {request_id, text, speaking}
  }

  // `streams` are those of ListStreams.
  async show(streams) {
    const target = this.target();
    if (target && this.source) await this.askSource(target);
    const stream = target && streams.find(({ stream_id }) => stream_id === target.stream_id);
    const avatars = stream ? stream.avatars.filter(({ target_object_id: id }) =>
      !target.target_object_id || id === target.target_object_id) : [];
    const requests = avatars.flatMap((avatar) => avatar.requests);
    const waiting = this.waiting.filter(({ request_id, speaking }) =>
      !speaking && !requests.some((request) => request.request_id === request_id));
    const list = element("requests");
    if (!requests.length && !waiting.length) {
      list.textContent = "Nothing is being said or played.";
      return;
    }
    list.replaceChildren(
      ...requests.map(({ request_id, state, position_s, buffered_s }) => this.row(request_id,
        `${state}, ${Number(position_s).toFixed(1)} s`, "Stop", () => this.stop(request_id),
        `${Number(buffered_s).toFixed(1)} s ahead`)),
      ...waiting.map(({ request_id }) => this.row(request_id, "waits", "Remove", () =>
        ask("/source/stop", { ...target, request_id }).catch(() => {}))));
  }

  async askSource(target) {
    try {
      this.waiting = (await ask("/source/texts", target)).texts;
    } catch {
      this.waiting = [];  // Whoever says something is told why it cannot be said.
    }
    // A voice has no text; the page may know what else it is.
    for (const { request_id, text } of this.waiting) {
      if (text) this.texts.remember(request_id, text);
    }
  }

  row(id, state, verb, act, more = "") {
    const item = document.createElement("li");
    item.title = [id, more].filter(Boolean).join(", ");
    const name = document.createElement("b");
    const text = this.texts.textOf(id);
    name.textContent = text ? `\u201c${text}\u201d` : "from another program";
    const how = document.createElement("span");
    how.textContent = state;
    const button = document.createElement("button");
    button.textContent = verb;
    button.onclick = act;
    item.append(name, how, button);
    return item;
  }
}
