// Draws the things of the scene, in the shapes that the server gives them (/prop.glb).
import * as THREE from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import { isShownBy } from "./props.js";

const addressOf = ({ shape, size: [width, height, depth] }) =>
  `/prop.glb?${new URLSearchParams({ shape, width, height, depth })}`;

export class Things {
  constructor(stage) {
    this.stage = stage;
    this.loader = new GLTFLoader();
    this.groups = new Map();  // what is in view, by avatar and name
    this.meshes = new Map();  // promises of what their shapes and sizes look like, by address
  }

  // Shows what the avatars in view are told of where it is now; all else goes.
  show(avatars) {
    const kept = new Set();
    for (const avatar of avatars) {
      for (const prop of avatar.pose ? avatar.pose.props : []) {
        if (!isShownBy(avatar, prop, avatars)) continue;
        const key = `${avatar.index} ${prop.name}`;
        kept.add(key);
        if (!this.groups.has(key)) this.groups.set(key, new THREE.Group());
        const group = this.groups.get(key);
        if (group.parent !== avatar.root) avatar.root.add(group);
        const [w, x, y, z] = prop.rotation;
        group.position.fromArray(prop.position);
        group.quaternion.set(x, y, z, w);
        this.fill(group, addressOf(prop));
      }
    }
    for (const [key, group] of this.groups) {
      if (kept.has(key)) continue;
      group.removeFromParent();
      this.groups.delete(key);
      this.drop(group.userData.address);
    }
  }

  // Until its mesh is there a thing looks as it did before.
  fill(group, address) {
    const before = group.userData.address;
    if (before === address) return;
    group.userData.address = address;
    this.drop(before);
    if (!this.meshes.has(address)) this.meshes.set(address, this.load(address));
    this.meshes.get(address).then((mesh) => {
      if (group.userData.address !== address) return;
      group.clear().add(mesh.clone());
      this.stage.stale = true;
    }, (error) => console.warn(`a thing of the scene cannot be shown: ${error.message || error}`));
  }

  // Asks again, up to 5 times, if the server has too many downloads at once.
  async load(address, tries = 5) {
    const { scene } = await this.loader.loadAsync(address).catch(async (error) => {
      if (error.response?.status !== 503 || tries === 0) throw error;
      await new Promise((done) => setTimeout(done, 1000));
      return { scene: null };
    });
    if (scene === null) return this.load(address, tries - 1);
    if (this.stage.plain) {
      scene.traverse((object) => {
        if (object.isMesh) object.material = this.stage.plain.of(object.material, object.geometry);
      });
    }
    return scene;
  }

  // Frees what nothing looks like any more.
  drop(address) {
    if (!this.meshes.has(address)) return;
    for (const { userData } of this.groups.values()) if (userData.address === address) return;
    this.meshes.get(address).then((mesh) => mesh.traverse((object) => {
      if (!object.isMesh) return;
      object.geometry.dispose();
      const uniforms = Object.values(object.material.uniforms ?? {}).map(({ value }) => value);
      for (const value of [...Object.values(object.material), ...uniforms]) if (value?.isTexture) value.dispose();
      object.material.dispose();
    }), () => {});
    this.meshes.delete(address);
  }
}
