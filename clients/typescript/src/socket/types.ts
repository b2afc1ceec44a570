import type { Refusal } from "../link/types.js";

/** What of a browser's WebSocket is used. */
export interface Socket {
  binaryType: string;
  readonly readyState: number;
  /** Not written yet. */
  readonly bufferedAmount: number;
  /** Why the server opened none, where that can be known. */
  readonly refusal?: Refusal;
  onopen: ((event: any) => void) | null;
  onmessage: ((event: { data: any }) => void) | null;
  onclose: ((event: { code: number; reason: string }) => void) | null;
  send(data: string | Uint8Array): void;
  close(code?: number, reason?: string): void;
}
