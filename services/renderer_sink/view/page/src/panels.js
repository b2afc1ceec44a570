// The panes beside the stage: blend shape bars, health, log.

const MOST_LINES = 400;
const element = (id) => document.getElementById(id);

export class Bars {
  constructor(list) {
    this.list = list;
    this.shapes = "";
    this.rows = [];
  }

  // `pick` is called with a shape's name.
  draw(avatar, pick) {
    if (!avatar || !avatar.layout) return;
    const shapes = avatar.layout.shapes.join();
    if (shapes !== this.shapes) {
      this.shapes = shapes;
      this.rows = avatar.layout.shapes.map((name) => {
        const row = document.createElement("button");
        row.className = "shape";
        row.title = `Show ${name} as a curve`;
        row.onclick = () => pick(name);
        const label = document.createElement("span");
        label.textContent = name;
        const track = document.createElement("span");
        track.className = "track";
        const fill = document.createElement("div");
        fill.className = "fill";
        track.append(fill);
        const value = document.createElement("span");
        value.className = "value";
        row.append(label, track, value);
        return { row, fill, value, shown: -1 };
      });
      this.list.replaceChildren(...this.rows.map(({ row }) => row));
    }
    this.rows.forEach((row, i) => {
      const weight = Math.round(avatar.pose.weights[i] * 100) / 100;
      if (weight === row.shown) return;
      row.shown = weight;
      row.fill.style.transform = `scaleX(${Math.min(1, Math.max(0, weight))})`;
      row.value.textContent = weight.toFixed(2);
    });
  }
}

export class Health {
  constructor(list) { this.list = list; }

  // `parts` are [heading, [[name, value, "bad", "warn" or nothing]...]].
  show(parts) {
    const nodes = [];
    for (const [heading, rows] of parts) {
      const head = document.createElement("dt");
      head.className = "head";
      head.textContent = heading;
      nodes.push(head);
      for (const [name, value, mark] of rows) {
        const dt = document.createElement("dt");
        dt.textContent = name;
        const dd = document.createElement("dd");
        dd.textContent = value;
        if (mark) dd.className = mark;
        nodes.push(dt, dd);
      }
    }
    this.list.replaceChildren(...nodes);
  }
}

export class Log {
  constructor(list, texts) {
    this.list = list;
    this.texts = texts;
  }

  // `time_s` is Unix time.
  add(time_s, text, mark = "") {
    const item = document.createElement("li");
    const time = document.createElement("time");
    time.textContent = new Date(time_s * 1000).toLocaleTimeString([], { hour12: false });
    const line = document.createElement("span");
    line.className = mark;
    line.textContent = text;
    item.append(time, line);
    this.list.prepend(item);
    while (this.list.children.length > MOST_LINES) this.list.lastChild.remove();
  }

  addEvent(event) {
    const what = event.type.toLowerCase().replaceAll("_", " ");
    const bad = /UNDERRUN|LOST|OVERDUE|FAILED/.test(event.type) ? "bad"
      : /GAP|INTERRUPTED/.test(event.type) ? "warn" : "";
    const { request_id: id } = event;
    const request = !id || event.detail.includes(id) ? "" : this.texts.nameOf(id);
    const words = [event.name, request, this.texts.inWords(event.detail, id)].filter(Boolean)
      .join(" \u00b7 ");
    const stream = event.stream_id ? `${event.stream_id}: ` : "";
    this.add(event.time_s, `${stream}${what}${words ? ` \u00b7 ${words}` : ""}`, bad);
    if (Number(event.missed) > 0) this.add(event.time_s, `${event.missed} events were missed`, "warn");
  }
}

export function makeTabs(onShow) {
  const tabs = [...document.querySelectorAll("[role=tab]")];
  const show = (tab) => {
    for (const other of tabs) {
      const chosen = other === tab;
      other.setAttribute("aria-selected", chosen);
      other.tabIndex = chosen ? 0 : -1;
      element(other.getAttribute("aria-controls")).hidden = !chosen;
    }
    onShow(tab.id.slice(4));
  };
  tabs.forEach((tab, i) => {
    tab.onclick = () => show(tab);
    tab.onkeydown = ({ key }) => {
      const step = key === "ArrowRight" ? 1 : key === "ArrowLeft" ? -1 : 0;
      if (!step) return;
      const next = tabs[(i + step + tabs.length) % tabs.length];
      next.focus();
      show(next);
    };
  });
}
