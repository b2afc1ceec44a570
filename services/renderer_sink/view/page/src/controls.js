// What a person can ask of the graph: gestures and faces, variables, arrangements, events, stops.
import { plainName } from "./texts.js";

const REFRESH_MS = 2500;
// What somebody tries first, and how it is done: by a gesture, or by a face.
const FIRST = ["wave", "smile", "nod", "think", "shrug", "thumbs_up"];
const FACES = "facial_gesture_state";
const NO_FACE = "none";
const element = (id) => document.getElementById(id);

export class Controls {
  // `avatarOf` gives the avatar in view, `say` shows a line in the log.
  constructor(link, avatarOf, say) {
    this.link = link;
    this.avatarOf = avatarOf;
    this.say = say;
    this.fields = new Map();
    this.variablesText = "";
    this.gestures = [];
    this.faces = [];  // that the graph has
    this.face = NO_FACE;
    this.playing = new Map();  // names of gestures by stream
    element("gesture-filter").oninput = () => this.showGestures();
    setInterval(() => this.refreshVariables(), REFRESH_MS);
  }

  get target() {
    const avatar = this.avatarOf();
    if (!avatar || !avatar.state.stream_id) return null;
    return { stream_id: avatar.state.stream_id, target_object_id: avatar.state.target_object_id };
  }

  note(text, bad = false) {
    const note = element("control-note");
    note.textContent = text;
    note.classList.toggle("bad", bad);
  }

  // That nobody is there stands over the stage.
  tellError(error) {
    const gone = error.status === "UNAVAILABLE";
    this.note(gone ? "" : error.message, !gone);
  }

  // A request is of a stream, whichever its avatar is.
  stop(request_id) {
    return this.ask("StopRequest", { request_id, target_object_id: undefined });
  }

  async ask(method, params) {
    if (!this.target) return null;
    try {
      const reply = await this.link.call(method, { ...this.target, ...params });
      this.note(reply.note || "");
      return reply;
    } catch (error) {
      this.tellError(error);
      this.say("control", `${method}: ${error.message}`, "bad");
      return null;
    }
  }

  // All there is to choose from; again whenever the server or its graph is another.
  async refresh() {
    try {
      const { gestures } = await this.link.call("ListGestures");
      this.gestures = gestures;
      this.showGestures();
      this.showFirst();
      const { graphs } = await this.link.call("ListGraphs");
      const graph = graphs[0];
      element("graph-name").textContent = graph ? `of ${graph.name}` : "";
      this.showChips("arrangement", graph ? graph.arrangements : [], (arrangement) =>
        this.ask("PlayArrangement", { arrangement }), "none");
      this.showChips("event", graph ? graph.events : [], (event) => this.ask("FireEvent", { event }));
      this.note("");
    } catch (error) {
      this.tellError(error);
    }
    this.variablesText = "";
    this.refreshVariables();
  }

  showChips(kind, names, act, off) {
    element(`${kind}-part`).hidden = names.length === 0;
    const list = element(kind === "event" ? "graph-events" : `${kind}s`);
    list.replaceChildren(...(off ? [...names, off] : names).map((name) => this.chip(name, () => act(name))));
  }

  chip(name, act) {
    const button = document.createElement("button");
    button.textContent = plainName(name);
    button.dataset.name = name;
    button.title = name;
    button.onclick = act;
    return button;
  }

  showGestures() {
    const wanted = element("gesture-filter").value.trim().toLowerCase();
    const names = this.gestures.map(({ name }) => name).filter((name) =>
      name.includes(wanted) || plainName(name).includes(wanted));
    element("gestures").replaceChildren(...["none", ...names].map((name) => this.gestureChip(name)));
    this.markPlaying();
  }

  gestureChip(gesture) { return this.chip(gesture, () => this.ask("SetGesture", { gesture })); }

  // The few that are tried first, as far as the graph has them, and the faces.
  showFirst() {
    const gestures = new Set(this.gestures.map(({ name }) => name));
    const { faces } = this;
    const smile = faces.find((face) => face.toLowerCase() === "smile");
    const chips = FIRST.flatMap((name) => {
      if (name === "smile" && smile) return [this.faceChip(smile, name)];
      return gestures.has(name) ? [this.gestureChip(name)] : [];
    });
    element("first-part").hidden = chips.length === 0;
    element("first").replaceChildren(...chips);
    // Of names that differ in case alone the last is shown: "Smile" is another client's name of "smile".
    const unlike = [...new Map(faces.map((face) => [plainName(face), face])).values()];
    element("face-part").hidden = unlike.length === 0;
    element("faces").replaceChildren(...unlike.map((face) => this.faceChip(face)));
    this.markPlaying();
    this.markFace();
  }

  // Puts a face on; once more takes it off.
  faceChip(face, name = face) {
    const chip = this.chip(name, () =>
      this.set(FACES, face === this.face && face !== NO_FACE ? NO_FACE : face));
    chip.dataset.face = face;
    return chip;
  }

  markFace() {
    for (const chip of document.querySelectorAll("[data-face]")) {
      chip.classList.toggle("playing", chip.dataset.face === this.face && this.face !== NO_FACE);
    }
  }

  // Of a stream that came anew, or is another, no gesture is known to play.
  forget(stream_id) {
    this.playing.delete(stream_id);
    this.markPlaying();
  }

  markPlaying() {
    const avatar = this.avatarOf();
    const playing = avatar && this.playing.get(avatar.state.stream_id);
    for (const button of document.querySelectorAll("#gestures button, #first button:not([data-face])")) {
      button.classList.toggle("playing", Boolean(playing) && playing.has(button.dataset.name));
    }
  }

  onEvent(event) {
    const { stream_id, type, name } = event;
    if (type === "GESTURE_STARTED") {
      if (!this.playing.has(stream_id)) this.playing.set(stream_id, new Set());
      this.playing.get(stream_id).add(name);
    }
    if (type === "GESTURE_ENDED" || type === "GESTURE_INTERRUPTED") {
      this.playing.get(stream_id)?.delete(name);
    }
    if (type === "RELOADED") this.refresh();
    this.markPlaying();
  }

  async refreshVariables() {
    if (!this.target || element("pane-control").hidden || document.hidden) return;
    let reply;
    try {
      reply = await this.link.call("ListVariables", this.target);
    } catch {
      return;
    }
    const shape = JSON.stringify(reply.variables.map(({ value, ...rest }) => rest));
    const faces = reply.variables.find(({ name }) => name === FACES);
    if (shape !== this.variablesText) {
      this.variablesText = shape;
      this.fields.clear();
      element("variables").replaceChildren(...reply.variables.map((v) => this.variable(v)));
      this.faces = faces && faces.type === "choice" ? faces.values : [];
      this.showFirst();
    }
    for (const { name, value } of reply.variables) this.fields.get(name)(value);
    this.face = faces ? faces.value : NO_FACE;
    this.markFace();
  }

  async set(name, value) {
    await this.ask("SetVariable", { name, value: String(value) });
    if (name === FACES) await this.refreshVariables();
  }

  // A row for one variable; fields gets a function that shows a value.
  variable(info) {
    const row = document.createElement("div");
    row.className = "variable";
    const id = `variable-${info.name}`;
    const label = document.createElement("label");
    label.htmlFor = id;
    label.textContent = plainName(info.name);
    label.title = [info.name, info.description].filter(Boolean).join(": ");
    const field = document.createElement("div");
    field.className = "field";
    const { inputs, show } = this.fieldOf(info);
    inputs[0].id = id;
    field.append(...inputs);
    row.append(label, field);
    this.fields.set(info.name, show);
    return row;
  }

  fieldOf(info) {
    if (info.type === "flag") {
      const box = document.createElement("input");
      box.type = "checkbox";
      box.onchange = () => this.set(info.name, box.checked);
      return { inputs: [box], show: (value) => { box.checked = value === "true"; } };
    }
    if (info.type === "choice") {
      const select = document.createElement("select");
      select.append(...info.values.map((value) => new Option(plainName(value), value)));
      select.onchange = () => this.set(info.name, select.value);
      return { inputs: [select], show: (value) => {
        if (document.activeElement === select) return;
        if (![...select.options].some((o) => o.value === value)) select.append(new Option(plainName(value), value));
        select.value = value;
      } };
    }
    if (info.type === "number" && info.min !== undefined && info.max !== undefined) {
      const range = document.createElement("input");
      range.type = "range";
      range.min = info.min;
      range.max = info.max;
      range.step = (info.max - info.min) / 200 || "any";
      const output = document.createElement("output");
      const text = (value) => `${Number(Number(value).toFixed(3))}${info.unit ? ` ${info.unit}` : ""}`;
      range.oninput = () => { output.textContent = text(range.value); };
      range.onchange = () => this.set(info.name, range.value);
      return { inputs: [range, output], show: (value) => {
        if (document.activeElement === range && range.matches(":active")) return;
        range.value = value;
        output.textContent = text(value);
      } };
    }
    const input = document.createElement("input");
    input.type = "text";
    input.onchange = () => this.set(info.name, input.value);
    return { inputs: [input], show: (value) => {
      if (document.activeElement !== input) input.value = value;
    } };
  }
}
