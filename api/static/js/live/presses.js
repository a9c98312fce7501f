/** What a person means by a key: a press, a long or a double one; one key at a time. As `hardware/press_timing.py`, for keyboards. */

const LONG_MS = 800; // a key held for so long is a long press, told before it is let go
const DOUBLE_MS = 350; // the second press of a double one begins within so long after the first ended
const LOCKOUT_MS = 250; // after a press no key counts for so long: a hand that falls on two keys
const STUCK_MS = 5_000; // a key held for longer is stuck, and does not lock the others out

export class Presses {
  #waits;
  #onPress;
  #begun = null; // {button, at, up, told}: a press that is not decided yet, or whose key is still down
  #lockedUntil = -Infinity;
  #soon;

  /**
   * @param {(button: string, how: "long"|"double") => boolean} waits whether a button means something else, pressed so: one that does
   *   not is told as its key goes down
   * @param {(button: string, how: "press"|"long"|"double") => void} onPress called with each press
   */
  constructor(waits, onPress) {
    this.#waits = waits;
    this.#onPress = onPress;
  }

  /** Forget keys that are down: the page was away when they came up. */
  forget() {
    clearTimeout(this.#soon);
    this.#begun = null;
  }

  /** A key went down. @param {string} button */
  down(button) {
    const at = performance.now();
    const begun = this.#begun;
    if (begun?.button === button && begun.up !== null && !begun.told) {
      clearTimeout(this.#soon);
      Object.assign(begun, { at, up: null, told: true });
      return this.#say(button, "double");
    }
    const other = begun !== null && begun.button !== button && at - begun.at < STUCK_MS;
    if (at < this.#lockedUntil || other) return;
    clearTimeout(this.#soon);
    this.#begun = { button, at, up: null, told: false };
    if (!this.#waits(button, "long") && !this.#waits(button, "double")) {
      this.#begun.told = true;
      this.#say(button, "press");
    } else if (this.#waits(button, "long")) {
      this.#soon = setTimeout(() => {
        this.#begun.told = true;
        this.#say(button, "long");
      }, LONG_MS);
    }
  }

  /** A key went up. @param {string} button */
  up(button) {
    const begun = this.#begun;
    if (begun?.button !== button || begun.up !== null) return;
    clearTimeout(this.#soon);
    begun.up = performance.now();
    if (begun.told) this.#begun = null;
    else if (this.#waits(button, "double")) this.#soon = setTimeout(() => this.#once(), DOUBLE_MS);
    else this.#once();
  }

  #once() {
    const { button } = this.#begun;
    this.#begun = null;
    this.#say(button, "press");
  }

  #say(button, how) {
    this.#lockedUntil = performance.now() + LOCKOUT_MS;
    this.#onPress(button, how);
  }
}
