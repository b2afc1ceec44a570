// What the page's address asks for, as in /?stage&stream=kiosk&camera=bust&background=202830&muted.

const CAMERAS = ["face", "bust", "body", "together"];
const THEMES = ["dark", "light"];

// `search` is the address from its "?" on. What is not understood is as if it were not there;
// `wrong` says so, and what would be right.
export function settingsOf(search) {
  const asked = new URLSearchParams(search);
  const wrong = [];
  const one = (name, read, right) => {
    const text = asked.get(name);
    const value = text ? read(text) : null;
    if (text && value === null) wrong.push(`${name} is "${text}"; ${right} is right`);
    return value;
  };
  const of = (known) => (text) => (known.includes(text) ? text : null);
  return {
    stage: asked.has("stage"),             // no panes, no tools
    stream: asked.get("stream") || null,   // the one to look at; on a bare stage the only one
    camera: one("camera", of(CAMERAS), "face, bust, body or together"),
    background: one("background", backgroundOf, "none or a colour such as 202830"),
    look: one("look", lookOf, "choices such as hair=long,skin=dark") || {},
    muted: asked.has("muted"),
    plain: one("offsets", of(["none"]), "none") !== null,  // a film's character as its simple rig
    theme: one("theme", of(THEMES), "dark or light"),
    wrong,
  };
}

// {part: choice} of "hair=long,skin=dark"; null when it is written otherwise.
export function lookOf(text) {
  const sides = text.split(",").map((choice) => choice.split("=").map((side) => side.trim()));
  if (!sides.every((side) => side.length === 2 && side[0] && side[1])) return null;
  return Object.fromEntries(sides);
}

// "none" (the page behind is seen), "#rrggbb", or null: the room.
export function backgroundOf(text) {
  if (text === "none") return "none";
  const hex = /^#?([0-9a-f]{6}|[0-9a-f]{3})$/i.exec(text || "");
  if (!hex) return null;
  const digits = hex[1].length === 3 ? hex[1].replace(/./g, "$&$&") : hex[1];
  return `#${digits.toLowerCase()}`;
}

// A browser may keep a page from keeping anything, as in the frame of another site.
export const kept = {
  get(name) {
    try {
      return localStorage.getItem(name);
    } catch {
      return null;
    }
  },
  set(name, value) {
    try {
      localStorage.setItem(name, value);
    } catch {
      // It is forgotten with the page.
    }
  },
};
