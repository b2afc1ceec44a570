import assert from "node:assert";
import { test } from "node:test";
import { ModelShapes } from "../../services/renderer_sink/view/page/src/model_shapes.js";
import { Variants } from "../../services/renderer_sink/view/page/src/variants.js";

const SHAPES = ["eyeBlinkLeft", "eyeBlinkRight", "jawOpen", "browDownLeft"];

// As three-vrm's own, with the expressions of these names.
class Manager {
  constructor(...names) {
    this.expressions = names.map((expressionName) => ({ expressionName, binds: [{}], weight: 0 }));
    this.updates = 0;
  }
  unregisterExpression(one) { this.expressions = this.expressions.filter((other) => other !== one); }
  update() { this.updates += 1; }
}

function shapesOf(manager, morphs = {}) {
  const mesh = { isMesh: true, morphTargetDictionary: morphs,
    morphTargetInfluences: Object.keys(morphs).map(() => 0), geometry: { morphAttributes: {} } };
  const pose = { weights: [0.5, 0.25, 0, 1.5] };
  const avatar = { layout: { shapes: SHAPES }, pose,
    shapeIndex: new Map(SHAPES.map((name, i) => [name.toLowerCase(), i])),
    weight: (name) => pose.weights[SHAPES.indexOf(name)] || 0 };
  const shapes = new ModelShapes({ traverse: (see) => see(mesh) }, {}, { expressions: manager }, avatar,
    () => undefined);
  shapes.apply(avatar);
  return shapes;
}
const weightsOf = (manager) => Object.fromEntries(
  manager.expressions.map(({ expressionName, weight }) => [expressionName, weight]));

test("a VRM's blink of both eyes is left alone where there is one for each", () => {
  const both = new Manager("blink");
  shapesOf(both);
  assert.deepEqual(weightsOf(both), { blink: 0.375 });
  const each = new Manager("blink", "blinkLeft", "aa");
  shapesOf(each);
  assert.deepEqual(weightsOf(each), { blinkLeft: 0.5, aa: 0 });
});

test("an expression of a shape's name is that shape, unless the mesh has it; moods are left alone", () => {
  const own = new Manager("BrowDownLeft", "happy");
  const shapes = shapesOf(own);
  assert.deepEqual(weightsOf(own), { BrowDownLeft: 1 });
  assert.equal(own.updates, 1);
  assert.deepEqual(shapes.missing, ["eyeBlinkLeft", "eyeBlinkRight", "jawOpen"]);
  const morphs = new Manager("BrowDownLeft");
  shapesOf(morphs, { browDownLeft: 0 });
  assert.deepEqual(weightsOf(morphs), {});
});

// One with a mesh a node, and a colour as three.js has it.
function person() {
  const colour = (...rgb) => ({ rgb, clone: () => colour(...rgb),
    copy(other) { this.rgb = other.rgb; }, fromArray(values) { this.rgb = values.slice(0, 3); return this; } });
  const material = (name) => ({ name, color: colour(1, 1, 1), clone() { return material(name); } });
  const skin = material("skin");
  const meshes = ["head", "short", "long"].map((name) =>
    ({ isMesh: true, name, userData: {}, material: skin, parent: null, visible: true }));
  return { meshes, skin, scene: { traverse: (see) => meshes.forEach(see) } };
}
const PARTS = [
  { part: "hair", choices: [{ name: "short", nodes: ["short"] }, { name: "long", nodes: ["long"] }] },
  { part: "skin", choices: [{ name: "own" },
    { name: "dark", materials: { skin: { baseColorFactor: [0.25, 0.5, 0.125, 1] } } }] }];

test("parts of a character are chosen, and go back to what the file has", () => {
  const { meshes, skin, scene } = person();
  const variants = new Variants(scene, PARTS);
  const seen = () => meshes.filter(({ visible }) => visible).map(({ name }) => name);
  assert.deepEqual(variants.wear({}), []);
  assert.deepEqual(seen(), ["head", "short"]);
  assert.deepEqual(variants.wear({ hair: "long", skin: "dark" }), []);
  assert.deepEqual(seen(), ["head", "long"]);
  assert.deepEqual(meshes[0].material.color.rgb, [0.25, 0.5, 0.125]);
  assert.deepEqual(skin.color.rgb, [1, 1, 1]);  // that of other avatars of the file
  variants.wear({ skin: "own" });
  assert.deepEqual(seen(), ["head", "short"]);
  assert.deepEqual(meshes[0].material.color.rgb, [1, 1, 1]);
});

test("what is not known is told, with what there is, and the rest is worn", () => {
  const { scene } = person();
  const variants = new Variants(scene, PARTS);
  assert.deepEqual(variants.wear({ hair: "green", hat: "red", skin: "dark" }),
    ['hair has no "green"; known are short, long', 'there is no part "hat"; known are hair, skin']);
  assert.deepEqual(variants.parts.map(({ chosen }) => chosen), ["short", "dark"]);
  assert.deepEqual(new Variants(scene, undefined).wear({ hat: "red" }),
    ['there is no part "hat"; known are none']);
});
