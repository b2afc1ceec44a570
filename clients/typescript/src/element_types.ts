// <posewire-avatar> as programs see it: docs/embedding.md.

/** What `say` gives once the text was taken. `ahead` texts are said before it. */
export interface Said {
  requestId: string;
  ahead: number;
  /** What was left out of the text. */
  notes: string[];
  /** Of the text, in whatever way; never fails. */
  ended: Promise<{ interrupted: boolean; why: string }>;
}

export interface AvatarEventMap {
  /** The stage is connected to its server. */
  ready: CustomEvent<Record<string, never>>;
  /** The first picture with the avatar has been drawn. */
  shown: CustomEvent<Record<string, never>>;
  state: CustomEvent<{
    stream: string;
    state: "connecting" | "connected" | "lost" | "refused" | "ended" | "waiting";
    why: string;
  }>;
  /** Of all that is pushed, said here or elsewhere. */
  requeststart: CustomEvent<{ stream: string; requestId: string }>;
  requestend: CustomEvent<{ stream?: string; requestId: string; interrupted: boolean; why: string }>;
  gesturestart: CustomEvent<{ stream: string; gesture: string }>;
  gestureend: CustomEvent<{ stream: string; gesture: string; interrupted: boolean }>;
  /** Whether the voice is heard. */
  sound: CustomEvent<{ on: boolean }>;
  /** No stage came, and why; or the stream is not shown there. */
  error: CustomEvent<{ message: string }>;
}

/** The attributes, all of them text; `muted` is there or not. */
export interface AvatarAttributes {
  src?: string;
  stream?: string;
  camera?: "face" | "bust" | "body" | "together";
  /** "none", or a colour as #202830. */
  background?: string;
  muted?: "" | boolean;
  /** As "hair=long,skin=dark". */
  look?: string;
  token?: string;
  theme?: "dark" | "light";
}

/** The element. Its promises fail with an Error whose message says why. */
export interface AvatarElement extends HTMLElement {
  /** The stage is there. Another promise after each failure. */
  readonly ready: Promise<void>;
  /** Has the text said, after what is being said, or with `now` instead of it. */
  say(text: string, options?: { voice?: string; now?: boolean }): Promise<Said>;
  /** Ends what is being said, and drops what waits. */
  interrupt(): Promise<void>;
  /** Plays a gesture; "none" ends it. */
  gesture(name: string): Promise<void>;
  /** Fires an event of the graph. */
  event(name: string): Promise<void>;
  /** Sets a variable of the graph. */
  set(name: string, value: string | number | boolean): Promise<void>;
  /** Turns the voice on, from a click, or off. `say` does it by itself. */
  sound(on?: boolean): Promise<void>;

  addEventListener<K extends keyof AvatarEventMap>(
    type: K,
    listener: (this: AvatarElement, event: AvatarEventMap[K]) => any,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener<K extends Exclude<keyof HTMLElementEventMap, keyof AvatarEventMap>>(
    type: K,
    listener: (this: AvatarElement, event: HTMLElementEventMap[K]) => any,
    options?: boolean | AddEventListenerOptions,
  ): void;
  removeEventListener<K extends keyof AvatarEventMap>(
    type: K,
    listener: (this: AvatarElement, event: AvatarEventMap[K]) => any,
    options?: boolean | EventListenerOptions,
  ): void;
  removeEventListener<K extends Exclude<keyof HTMLElementEventMap, keyof AvatarEventMap>>(
    type: K,
    listener: (this: AvatarElement, event: HTMLElementEventMap[K]) => any,
    options?: boolean | EventListenerOptions,
  ): void;
}

export interface AvatarElementConstructor {
  new (): AvatarElement;
  prototype: AvatarElement;
}

declare global {
  interface HTMLElementTagNameMap {
    "posewire-avatar": AvatarElement;
  }
}
