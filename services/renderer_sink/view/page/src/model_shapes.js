// The shapes of an avatar from a file: finds them by name, and moves them by the stream's weights.
import { ExtraShapes } from "./extra_shapes.js";
import { arkitJawOpen, isAceMouth } from "./mouth.js";
import { expressionOf, shapeOf, sourcesOf } from "./names.js";

export class ModelShapes {
  // `avatar` has the stream's layout; `vrm` is null for other files; `boneOf` finds a bone by name.
  constructor(scene, json, vrm, avatar, boneOf) {
    this.scene = scene;
    this.avatar = avatar;
    this.names = avatar.layout.shapes;
    this.morphs = [];       // {influences, index, sources}: the mean of these shapes
    this.expressions = [];  // {expression, value(weight)}
    this.manager = vrm ? vrm.expressions : null;
    this.weights = new Float32Array(this.names.length);  // as the mesh means them
    this.found = new Set();
    this.bindMorphs();
    if (this.manager) this.bindExpressions();
    const extras = (json.extras || {}).posewire || {};
    this.bindMouth(extras.mouthClose);
    this.extra = new ExtraShapes(scene, extras, boneOf);
    this.missing = this.names.filter((_, s) => !this.found.has(s));
  }

  find(key) { return this.names.findIndex((name) => shapeOf(name) === key); }

  bindMorphs() {
    this.scene.traverse((object) => {
      if (!object.isMesh || !object.morphTargetDictionary) return;
      for (const [name, index] of Object.entries(object.morphTargetDictionary)) {
        const sources = sourcesOf(name, this.names);
        if (!sources.length) continue;
        for (const shape of sources) this.found.add(shape);
        this.morphs.push({ influences: object.morphTargetInfluences, index, sources });
      }
    });
  }

  // An expression is moved by the shape of its name, unless the mesh has that itself, or as a mix of
  // ARKit's shapes. Others are taken out, so that they leave what they share alone.
  bindExpressions() {
    const sided = this.manager.expressions.some(({ expressionName, binds }) =>
      expressionName === "blinkLeft" && binds.length);
    for (const expression of [...this.manager.expressions]) {
      const { expressionName: name, binds } = expression;
      const own = this.find(shapeOf(name)), mix = expressionOf(name);
      const wanted = own >= 0 ? !this.found.has(own) : mix && !(sided && name === "blink");
      if (!wanted || !binds.length) {
        this.manager.unregisterExpression(expression);
        continue;
      }
      if (own >= 0) this.found.add(own);
      else mix((shape) => this.found.add(this.avatar.shapeIndex.get(shape.toLowerCase())) && 0);
      // The presets for an open mouth want the lips apart, which is what ACE's jawOpen says.
      this.expressions.push({ expression, value: own >= 0 ? () => this.weights[own] : mix });
    }
  }

  // The stream's mouthClose is ACE's. Where the file does not tell its own, a mesh that has one of
  // another kind has Apple's, and needs Apple's jawOpen; one that has none could not close its lips
  // again, and keeps ACE's.
  bindMouth(told) {
    const jaw = this.find("jawopen"), close = this.find("mouthclose");
    const pairs = [];
    this.scene.traverse((object) => {
      if (!object.isMesh || !object.morphTargetDictionary) return;
      const pair = ["jawopen", "mouthclose"].map((key) => {
        const name = Object.keys(object.morphTargetDictionary).find((n) => shapeOf(n) === key);
        return (object.geometry.morphAttributes.position || [])[object.morphTargetDictionary[name]];
      });
      if (pair[0] && pair[1]) pairs.push(pair);
    });
    const hasBoth = this.found.has(jaw) && this.found.has(close);
    this.arkitMouth = hasBoth && (told ? told !== "ace" : !isAceMouth(pairs)) ? { jaw, close } : null;
  }

  apply({ pose: { weights } }) {
    this.weights.set(weights);
    if (this.arkitMouth) {
      const { jaw, close } = this.arkitMouth;
      this.weights[jaw] = arkitJawOpen(weights[jaw], weights[close]);
    }
    for (const { influences, index, sources } of this.morphs) {
      let sum = 0;
      for (const shape of sources) sum += this.weights[shape];
      influences[index] = sum / sources.length;
    }
    const weight = (name) => this.avatar.weight(name);
    for (const { expression, value } of this.expressions) {
      expression.weight = Math.max(0, Math.min(1, value(weight)));
    }
    if (this.manager) this.manager.update();
    this.extra.apply();
  }

  // How far the mouth is open, as the mesh is told: the weight of its jawOpen.
  mouthOpen() {
    const own = this.find("jawopen");
    const morph = this.morphs.find(({ sources }) => sources.includes(own));
    return morph ? morph.influences[morph.index] : 0;
  }
}
