// The texts behind request ids, as far as this page has heard of them.

const MOST = 200;
const SHORT = 8;
const LONGEST = 60;

export const shortened = (text, most = LONGEST) =>
  (text.length > most ? `${text.slice(0, most - 1).trimEnd()}\u2026` : text);

export class Texts {
  constructor() { this.byId = new Map(); }

  remember(id, text) {
    if (this.byId.get(id) === text) return;
    this.byId.delete(id);
    this.byId.set(id, text);
    if (this.byId.size > MOST) this.byId.delete(this.byId.keys().next().value);
  }

  // All of its text; empty: it is not known.
  textOf(id) { return this.byId.get(id) || ""; }

  // What a person calls a request: its text, or the first letters of its id.
  nameOf(id) {
    const text = this.byId.get(id);
    if (text) return `\u201c${shortened(text)}\u201d`;
    return id.length > SHORT + 4 ? `${id.slice(0, SHORT)}\u2026` : id;
  }

  // A sentence with such an id in it, which may be in quotes.
  inWords(sentence, id) {
    if (!id) return sentence;
    const name = this.nameOf(id);
    return sentence.replaceAll(`request_id "${id}"`, name).replaceAll(id, name);
  }
}

const OTHERWISE = { own: "original" };

// A name of the graph or of a character as a person would write it: "thumbs_up" is thumbs up.
export function plainName(name) {
  const words = name.replace(/_state$/, "").replace(/([a-z])([A-Z])/g, "$1_$2").replaceAll("_", " ").toLowerCase();
  return OTHERWISE[words] || words;
}
