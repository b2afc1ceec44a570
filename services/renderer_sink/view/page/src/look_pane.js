// The choices of the character in view: hair, tone of skin, clothes, each as a list to choose from.
import { plainName } from "./texts.js";

const element = (id) => document.getElementById(id);

export class LookPane {
  constructor() { this.shown = ""; }

  // `avatar` may be undefined. Called often; touches the page when something is another.
  show(avatar) {
    const parts = avatar && avatar.model ? avatar.model.variants.parts : [];
    const now = JSON.stringify([avatar && avatar.index, parts.map(({ part, chosen }) => [part, chosen])]);
    if (now === this.shown) return;
    this.shown = now;
    element("look-part").hidden = !parts.length;
    element("look").replaceChildren(...parts.map(({ part, choices, chosen }) => {
      const label = document.createElement("label");
      label.className = "variable";
      const select = document.createElement("select");
      select.append(...choices.map(({ name }) => new Option(plainName(name), name, false, name === chosen)));
      select.onchange = () => avatar.wear({ ...avatar.look, [part]: select.value });
      label.append(plainName(part), select);
      return label;
    }));
  }
}
