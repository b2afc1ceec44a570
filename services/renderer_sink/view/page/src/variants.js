// Parts of a character with choices (hair, tone of skin, clothes), from the file's
// extras.posewire.variants: nodes that a choice shows, and base colours of materials. Of each part the
// first is shown until another is chosen (docs/characters.md).

const nameOf = (object) => object.userData.name || object.name;

export class Variants {
  // Of an avatar that is not drawn yet: its materials become its own.
  constructor(scene, list = []) {
    this.parts = list.map(({ part, choices }) => ({ part, choices, chosen: choices[0].name }));
    this.meshes = [];  // {mesh, nodes: names of what it is part of, materials: [{material, own}]}
    if (!this.parts.length) return;
    const coloured = new Set(this.parts.flatMap(({ choices }) => choices)
      .flatMap(({ materials = {} }) => Object.keys(materials)));
    const copies = new Map();
    const copyOf = (material) => {
      if (!coloured.has(material.name)) return material;
      if (!copies.has(material)) copies.set(material, material.clone());
      return copies.get(material);
    };
    scene.traverse((mesh) => {
      if (!mesh.isMesh) return;
      const { material } = mesh;
      mesh.material = Array.isArray(material) ? material.map(copyOf) : copyOf(material);
      const nodes = new Set();
      for (let above = mesh; above; above = above.parent) nodes.add(nameOf(above));
      this.meshes.push({ mesh, nodes });
    });
    this.own = new Map([...copies.values()].map((copy) => [copy.name, copy.color.clone()]));
  }

  // `mesh` is drawn from now on in the place of `before`.
  replace(before, mesh) {
    for (const one of this.meshes) if (one.mesh === before) one.mesh = mesh;
  }

  // `look` maps parts to choices; parts that it does not name are as the character has them. What is
  // not known is left alone; the result tells of it.
  wear(look) {
    const unknown = [];
    for (const part of this.parts) part.chosen = part.choices[0].name;
    for (const [name, choice] of Object.entries(look)) {
      const part = this.parts.find((one) => one.part === name);
      const known = part ? part.choices : this.parts;
      if (!part || !part.choices.some((one) => one.name === choice)) {
        unknown.push(`${part ? `${name} has no "${choice}"` : `there is no part "${name}"`}; known are ` +
          `${known.map((one) => one.part || one.name).join(", ") || "none"}`);
        continue;
      }
      part.chosen = choice;
    }
    this.show();
    return unknown;
  }

  // The choices that show nodes, as a stream's look says them: "hair=long".
  get nodes() {
    return this.parts.filter(({ choices }) => choices.some(({ nodes = [] }) => nodes.length))
      .map(({ part, chosen }) => `${part}=${chosen}`).join();
  }

  show() {
    const hidden = new Set(), shown = new Set(), colours = new Map(this.own);
    for (const { choices, chosen } of this.parts) {
      for (const { name, nodes = [], materials = {} } of choices) {
        for (const node of nodes) (name === chosen ? shown : hidden).add(node);
        if (name !== chosen) continue;
        for (const [material, { baseColorFactor }] of Object.entries(materials)) {
          if (baseColorFactor && this.own.has(material)) {
            colours.set(material, this.own.get(material).clone().fromArray(baseColorFactor));
          }
        }
      }
    }
    for (const { mesh, nodes } of this.meshes) {
      mesh.userData.hidden = [...nodes].some((node) => hidden.has(node) && !shown.has(node));
      mesh.visible = !mesh.userData.hidden;
      for (const material of Array.isArray(mesh.material) ? mesh.material : [mesh.material]) {
        const colour = colours.get(material.name);
        if (colour) (material.uniforms?.base?.value || material.color).copy(colour);
      }
    }
  }
}
