/** Entries that the server has not confirmed: kept in this browser, also over a reload, in the order in which they were made. */

const PREFIX = "hanafuda-companion.unsent.";

/**
 * @typedef {Object} Entry events that were reported together
 * @property {string} key makes the request idempotent: however often it is sent, it counts once
 * @property {{kind: string, data: Object}[]} events
 * @property {number} seen the newest event that the person saw, counting the entries before this one
 * @property {boolean} strict whether the entry is refused if the table is at another event than `seen`
 * @property {Object|null} says what a move does, as a message
 * @property {number} at when it was made, ms since 1970
 * @property {boolean} waits whether it did not arrive when it was made
 * @property {{slug: string, status: number, detail: string, members: Object}|null} problem why the server refused it later
 */

const memory = new Map(); // where the browser stores nothing, entries live as long as the page

function read(key) {
  try {
    return JSON.parse(localStorage.getItem(key)) ?? memory.get(key) ?? [];
  } catch {
    return memory.get(key) ?? [];
  }
}

function write(key, entries) {
  memory.set(key, entries);
  try {
    if (entries.length > 0) localStorage.setItem(key, JSON.stringify(entries));
    else localStorage.removeItem(key);
  } catch {
    // no storage, or it is full
  }
}

export class Outbox {
  #key;

  /** @param {string} table its id */
  constructor(table) {
    this.#key = PREFIX + table;
    write(this.#key, this.entries().map((entry) => ({ ...entry, waits: true }))); // the page was left before an answer came
  }

  /** @returns {Entry[]} oldest first; read each time, because another tab may have sent them */
  entries() {
    return read(this.#key);
  }

  /** @param {Entry} entry */
  add(entry) {
    write(this.#key, [...this.entries(), entry]);
  }

  /** @param {string} key @param {Partial<Entry>} parts */
  change(key, parts) {
    write(this.#key, this.entries().map((entry) => (entry.key === key ? { ...entry, ...parts } : entry)));
  }

  /** @param {string} key */
  remove(key) {
    write(this.#key, this.entries().filter((entry) => entry.key !== key));
  }

  /**
   * Remove an accepted entry. Entries made after it in the same state of the table follow its events.
   * @param {Entry} entry @param {{seq: number, events: Object[]}} answer
   */
  accept(entry, { seq, events }) {
    const inStep = seq - events.length === entry.seen;
    const rest = this.entries().filter(({ key }) => key !== entry.key);
    write(this.#key, rest.map((other) => (inStep && other.seen === entry.seen ? { ...other, seen: seq } : other)));
  }
}
