// What calls take and give. Times are seconds, rotations w x y z, lengths metres.

/** A word. Seconds from the beginning of the speech, or of the Sound that it is given with. */
export interface Word {
  text: string;
  start_s: number;
  end_s: number;
}

/** A sound of speech: IPA, or ARPAbet where the voice has that. Times are as those of Word. */
export interface Phoneme {
  phone: string;
  start_s: number;
  end_s: number;
}

/**
 * Signed 16 bit, interleaved (bytes: little-endian; they may be cut anywhere), or floats from -1 to 1.
 */
export type Samples = Uint8Array | ArrayBuffer | Int16Array | Float32Array;

/**
 * A stretch of the caller's own voice, and what is known of it. Words move brows, head and hands,
 * phonemes the lips. Without words they are guessed from the text; without phonemes, lips follow the
 * sound. With `endsClause` the next sound is of another clause. With any of these, `samples` are at
 * most 512 KiB.
 */
export interface Sound {
  samples: Samples;
  text?: string;
  words?: Word[];
  phonemes?: Phoneme[];
  endsClause?: boolean;
}

/** Something that happens where it stands in the text; an emotion and a language go on from there. */
export type Mark =
  | { gesture: string }
  | { expression: string }
  | { emotion: string; strength?: number }
  | { pause_s: number }
  | { language: string };

/** `interrupted`: by a text with the policy "interrupt", or another source. `failed`: see `detail`. */
export type Reason = "completed" | "stopped" | "interrupted" | "failed";

/**
 * What happens to a speech. `accepted`: the source has taken it, and says `ahead` others first.
 * `started`: its first sound is played now, in Unix time. `clause`: one has been made; `end_s` is an
 * estimate while its sound is. `word` and `phoneme`: it is played now. `note`: for people, what was
 * left out or assumed. `ended` is the last.
 */
export type SpeechEvent =
  | { type: "accepted"; requestId: string; ahead: number }
  | { type: "started"; time_s: number }
  | { type: "clause"; index: number; text: string; start_s: number; end_s: number }
  | ({ type: "word" } & Word)
  | ({ type: "phoneme" } & Phoneme)
  | { type: "note"; text: string }
  | { type: "ended"; reason: Reason; spokenText: string; spoken_s: number; detail: string };

/**
 * What became of a speech. `text` is what was heard, to the word that was last begun, in `seconds` of
 * speech: what an agent puts into its memory after an interruption. `detail` is for people.
 */
export interface Spoken {
  reason: Reason;
  text: string;
  seconds: number;
  detail: string;
  requestId: string;
  words: Word[];
  /** What was left out or assumed. */
  notes: string[];
}

/**
 * Something that happened to the avatars of the stream. `type` is as in posewire.control.v1, in lower
 * case: "request_started", "gesture_ended", "user_acted". `time_code_s` is in the avatar's time codes,
 * `time_s` Unix time. `missed` events before this one were not told.
 */
export interface AvatarEvent {
  type: string;
  stream: string;
  target: string;
  requestId: string;
  name: string;
  detail: string;
  time_code_s: number;
  time_s: number;
  missed: number;
}

/** A voice of the source. Empty fields are not known; `marks` is what its lips move by. */
export interface Voice {
  name: string;
  description: string;
  sex: string;
  languages: string[];
  marks: string;
  engine: string;
}

/** How the avatar speaks; what is not given is the source's own. */
export interface Manner {
  /** A name of `voices()`. */
  voice?: string;
  /** BCP 47, such as "es". */
  language?: string;
  /** 0.5 to 2. */
  speed?: number;
}

export interface AvatarOptions extends Manner {
  /** Which avatar: a stream of `renderer_sink view`; empty: the source's own, for speaking alone. */
  stream?: string;
  /** Where the stream has several avatars. */
  target?: string;
  /** A token of `renderer_sink view --tokens`, or a code of /login/code. */
  token?: string;
}

export interface Call {
  /** Aborting it ends the call, whose promise then fails with the signal's reason. */
  signal?: AbortSignal;
}

export interface SayOptions extends Manner, Call {
  /** Empty: a new one. */
  requestId?: string;
  /** Waits for what is being said, or takes its place; the source's own (queue) unless given. */
  policy?: "queue" | "interrupt";
  /** Also tells phonemes, where the voice knows them. */
  phonemes?: boolean;
}

export interface OpenOptions extends SayOptions {
  /** Hz: a voice of the caller's own is played, and what is written is samples. */
  rate?: number;
  /** Of that voice; several are mixed. 1 unless given. */
  channels?: number;
  /** That voice comes as it is spoken, and is to be heard as soon as can be. */
  live?: boolean;
  /** False: the speech stays open for `write()` after what it was given. */
  end?: boolean;
}

export interface PlayOptions extends Call {
  /** Hz, 8000 to 192000. */
  rate: number;
  channels?: number;
  requestId?: string;
  policy?: "queue" | "interrupt";
}

/** What yields pieces, such as a generator, an array or a ReadableStream. */
export type Pieces<T> = Iterable<T> | AsyncIterable<T> | ReadableStream<T>;

/** A value of a variable: a number, a choice by its name, a flag, or the numbers of a vector. */
export type Value = string | number | boolean | readonly number[];

/** Names of gRPC's statuses. */
export type Code =
  | "CANCELLED" | "UNKNOWN" | "INVALID_ARGUMENT" | "DEADLINE_EXCEEDED" | "NOT_FOUND"
  | "ALREADY_EXISTS" | "PERMISSION_DENIED" | "RESOURCE_EXHAUSTED" | "FAILED_PRECONDITION"
  | "ABORTED" | "OUT_OF_RANGE" | "UNIMPLEMENTED" | "INTERNAL" | "UNAVAILABLE" | "DATA_LOSS"
  | "UNAUTHENTICATED";
