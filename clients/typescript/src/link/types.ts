// What the WebSocket of `renderer_sink view` brings: docs/view.md.

/** The skeleton and the shapes of one avatar's frames; `avatar` is its place. */
export interface Layout {
  avatar: number;
  /** Frames name the layout that they have. */
  layout: number;
  /** Unix time of code 0, seconds. */
  epoch_s: number;
  audio_hz: number;
  joints: string[];
  /** By joint; -1: none. Parents precede their children. */
  parents: number[];
  /** 7 a joint: x y z in metres, w x y z. */
  rest: number[];
  shapes: string[];
  rig: string;
  /** Of the glTF file of who is shown; empty: the plain figure. */
  avatar_url: string;
  avatar_name: string;
  /** Of its refined surface; empty: none. */
  surface_url: string;
}

/** A thing of the scene, in the avatar's space: metres, w x y z. */
export interface Prop {
  name: string;
  shape: string;
  heldBy: string;
  position: number[];
  rotation: number[];
  size: number[];
}

/** Joints that are not at rest, or not of their size: x y z by joint. */
export type Moved = Map<number, [number, number, number]>;

/** Parts that a frame does not have are null. */
export interface Frame {
  /** Unix time, seconds. */
  at: number;
  /** A step of more than 1 is a loss. */
  number: number;
  /** The server left the pose out, since this client is slow. */
  dropped: boolean;
  /** 4 a joint: w x y z, times 32767. */
  rotations: Int16Array | null;
  translations: Moved | null;
  scales: Moved | null;
  /** One a shape, mostly 0 to 1. */
  weights: Float32Array | null;
  /** x y z, w x y z, focal length, focus distance. */
  camera: Float32Array | null;
  /** Mono, at the layout's `audio_hz`; `voiceAt` is the Unix time of the first sample. */
  voice: Int16Array | null;
  voiceAt: number;
  props: Prop[];
}

/** A text message; docs/view.md has the fields of each type. */
export interface Message {
  type: string;
  [field: string]: any;
}

export interface LinkOptions {
  /** Such as "http://127.0.0.1:8080"; the page's own server unless given. */
  address?: string;
  /** A token of `renderer_sink view --tokens`. Node alone can show one; pages have a session. */
  token?: string;
  /** Gets all text messages but answers. */
  onText?: (message: Message) => void;
  /** Gets binary messages: frames, and offsets where they were asked for. */
  onFrame?: (bytes: ArrayBuffer) => void;
  /** Connected, or not. */
  onState?: (connected: boolean) => void;
  /** The server did not let us in, as far as can be known: it may want a login. */
  onRefused?: (refusal?: Refusal) => void;
}

/** The reply of a server that opened no WebSocket. Only Node learns it. */
export interface Refusal {
  /** Of HTTP; 0: there was no reply. */
  status: number;
  message: string;
}
