// What was told and not read yet, for one reader.

const MOST_WAITING = 20000;

/**
 * Iterated over once; each item comes once. The oldest are dropped beyond 20,000 that nobody reads.
 * @template T
 * @implements {AsyncIterableIterator<T>}
 */
export class Mailbox {
  /** @type {T[]} */
  #items = [];
  #head = 0;
  /** @type {{resolve: (result: IteratorResult<T, undefined>) => void, reject: (why: any) => void}[]} */
  #readers = [];
  #closed = false;
  /** @type {{why: any} | null} */
  #error = null;
  #dropped = false;
  /** @type {() => void} */
  #onLeave;

  /** @param {() => void} [onLeave] when the reader goes */
  constructor(onLeave = () => {}) { this.#onLeave = onLeave; }

  /** @param {T} value */
  put(value) {
    if (this.#closed) return;
    const reader = this.#readers.shift();
    if (reader) {
      reader.resolve({ done: false, value });
      return;
    }
    this.#items.push(value);
    if (this.#items.length - this.#head > MOST_WAITING) {
      if (!this.#dropped) {
        console.warn(`posewire: events are not read: the oldest of ${MOST_WAITING} are dropped`);
      }
      this.#dropped = true;
      this.#take();
    }
  }

  /** @param {{why: any} | null} [error] raised once all has been read */
  close(error = null) {
    if (this.#closed) return;
    this.#closed = true;
    this.#error = error;
    for (const reader of this.#readers.splice(0)) {
      if (error) reader.reject(error.why);
      else reader.resolve({ done: true, value: undefined });
    }
  }

  #take() {
    const value = this.#items[this.#head];
    this.#head += 1;
    if (this.#head > 1024 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return value;
  }

  /** @returns {Promise<IteratorResult<T, undefined>>} */
  next() {
    if (this.#head < this.#items.length) return Promise.resolve({ done: false, value: this.#take() });
    if (!this.#closed) return new Promise((resolve, reject) => this.#readers.push({ resolve, reject }));
    if (this.#error) return Promise.reject(this.#error.why);
    return Promise.resolve({ done: true, value: undefined });
  }

  /** @returns {Promise<IteratorResult<T, undefined>>} */
  return() {
    this.#items = [];
    this.#head = 0;
    this.close();
    this.#onLeave();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator]() { return this; }
}
