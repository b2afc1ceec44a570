// The names of the avatars at their feet, where there are several; over the tools where their feet
// are out of sight.
import * as THREE from "three";

const BELOW_M = 0.06;
const TOOLS_PX = 84;

export class Labels {
  constructor(list, stage) {
    this.list = list;
    this.stage = stage;
    this.point = new THREE.Vector3();
    this.rows = [];
  }

  // Over `avatars`, which are those in view.
  draw(avatars) {
    const names = avatars.length > 1 ? avatars.map(({ name }) => name) : [];
    if (names.join("\n") !== this.names) {
      this.names = names.join("\n");
      this.rows = names.map((name) => {
        const row = document.createElement("span");
        row.textContent = name;
        return row;
      });
      this.list.replaceChildren(...this.rows);
    }
    const { clientWidth: width, clientHeight: height } = this.list;
    this.rows.forEach((row, i) => {
      this.point.copy(avatars[i].root.position).add(avatars[i].gone).setY(-BELOW_M).project(this.stage.camera);
      row.hidden = this.point.z > 1;
      const x = (this.point.x * 0.5 + 0.5) * width;
      const y = Math.min((0.5 - this.point.y * 0.5) * height, height - TOOLS_PX);
      row.style.transform = `translate(${x.toFixed(0)}px, ${y.toFixed(0)}px) translate(-50%, -50%)`;
    });
  }
}
