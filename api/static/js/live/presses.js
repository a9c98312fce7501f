/** Recognizes short, long, and double presses, one key at a time; the same as `hardware/press_timing.py`, for keyboards. */

const LONG_MS = 800; // a key held this long is a long press, reported before it is released
const DOUBLE_MS = 350; // maximum time between the two presses of a double press
const LOCKOUT_MS = 250; // after a press, all keys are ignored this long, in case a hand hits two keys
const STUCK_MS = 5_000; // a key held longer is stuck and does not block the others

export class Presses {
  #waits;
  #onPress;
  #begun = null; // {button, at, up, reported}: a press that is undecided, or whose key is still down
  #lockedUntil = -Infinity;
  #soon;

  /**
   * @param {(button: string, how: "long"|"double") => boolean} waits whether a button has a separate meaning for such a press; if
   *   not, it is reported when its key goes down
   * @param {(button: string, how: "press"|"long"|"double") => void} onPress called with each press
   */
  constructor(waits, onPress) {
    this.#waits = waits;
    this.#onPress = onPress;
  }

  /** Forget keys that are down, because the page does not receive their release. */
  forget() {
    clearTimeout(this.#soon);
    this.#begun = null;
  }

  /** Process a key that went down. @param {string} button */
  down(button) {
    const at = performance.now();
    const begun = this.#begun;
    if (begun?.button === button && begun.up !== null && !begun.reported) {
      clearTimeout(this.#soon);
      Object.assign(begun, { at, up: null, reported: true });
      return this.#say(button, "double");
    }
    const other = begun !== null && begun.button !== button && at - begun.at < STUCK_MS;
    if (at < this.#lockedUntil || other) return;
    clearTimeout(this.#soon);
    this.#begun = { button, at, up: null, reported: false };
    if (!this.#waits(button, "long") && !this.#waits(button, "double")) {
      this.#begun.reported = true;
      this.#say(button, "press");
    } else if (this.#waits(button, "long")) {
      this.#soon = setTimeout(() => {
        this.#begun.reported = true;
        this.#say(button, "long");
      }, LONG_MS);
    }
  }

  /** Process a key that went up. @param {string} button */
  up(button) {
    const begun = this.#begun;
    if (begun?.button !== button || begun.up !== null) return;
    clearTimeout(this.#soon);
    begun.up = performance.now();
    if (begun.reported) this.#begun = null;
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
