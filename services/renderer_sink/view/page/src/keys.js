// What keys do, wherever the focus is but in a field that takes them itself.
import { SHOT, TOGETHER } from "./stage.js";

// What one press does to the camera.
const TURN_RAD = 0.12;
const NEARER = 1.12;

// True for what needs the key for itself: Enter presses a button, so that the space bar is free.
function takes(target, key) {
  if (/^(SELECT|TEXTAREA)$/.test(target.tagName)) return true;
  if (target.tagName !== "INPUT") return false;
  if (target.type === "range") return false;
  return target.type !== "checkbox" || key === " ";
}

export function wireKeys(page) {
  const element = (id) => document.getElementById(id);
  const press = (id) => element(id).click();
  const turn = (round, up, nearer) => () => {
    page.stage.turn(round, up, nearer);
    page.markLook();
  };
  const keys = {
    "1": () => page.look("face"), "2": () => page.look("bust"), "3": () => page.look("body"),
    "4": () => page.look(SHOT), "5": () => page.look(TOGETHER),
    " ": () => press("pause"), l: () => press("live"), s: () => press("skeleton"),
    n: () => press("names"), m: () => press("sound"), v: () => press("mic"), r: () => press("record"),
    t: () => press("theme"), "?": () => press("help-open"),
    a: turn(-TURN_RAD, 0), d: turn(TURN_RAD, 0), w: turn(0, TURN_RAD), x: turn(0, -TURN_RAD),
    "+": turn(0, 0, NEARER), "=": turn(0, 0, NEARER), "-": turn(0, 0, 1 / NEARER),
    "[": () => page.chooseNext(-1), "]": () => page.chooseNext(1),
  };
  addEventListener("keydown", (event) => {
    const { target, key } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || element("help").open) return;
    if (takes(target, key)) return;
    if ((key === "ArrowLeft" || key === "ArrowRight") && target.tagName !== "INPUT" &&
        target.getAttribute("role") !== "tab") {
      const sign = key === "ArrowLeft" ? -1 : 1;
      page.past.step(sign * (event.shiftKey ? 1 : 1 / 30));
      event.preventDefault();
      return;
    }
    const act = keys[key.length === 1 ? key.toLowerCase() : key];
    if (!act) return;
    event.preventDefault();
    act();
  });
  // A button is pressed as the space bar comes up again.
  addEventListener("keyup", (event) => {
    if (event.key === " " && event.target.tagName === "BUTTON" && !element("help").open) {
      event.preventDefault();
    }
  });
}
