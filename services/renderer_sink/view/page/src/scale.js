// The times beneath the scrubber: how far back each place of it is.

const STEPS_S = [1, 2, 5, 10, 20, 30, 60];
const MARK_PX = 46;  // what one takes, with room around it

// The marks of a scrubber of so many pixels that goes back `span_s`: whole seconds before now, the
// farthest first.
export function marksOf(span_s, width) {
  const most = Math.max(1, Math.floor(width / MARK_PX));
  const step = STEPS_S.find((s) => span_s / s <= most) || STEPS_S[STEPS_S.length - 1];
  const marks = [];
  for (let back = Math.floor(span_s / step) * step; back >= 0; back -= step) marks.push(back);
  return marks;
}

export class Scale {
  constructor(list) {
    this.list = list;
    this.span_s = 0;
  }

  show(span_s) {
    const width = this.list.clientWidth;
    if (span_s === this.span_s && width === this.width) return;
    this.span_s = span_s;
    this.width = width;
    this.list.replaceChildren(...marksOf(span_s, width).map((back) => {
      const mark = document.createElement("span");
      mark.textContent = back ? `\u2212${back} s` : "now";
      mark.style.setProperty("--at", 1 - back / span_s);
      return mark;
    }));
  }
}
