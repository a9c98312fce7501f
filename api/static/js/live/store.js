/**
 * The page's copy of its table: one EventSource, the last state received, and the requests to the server.
 * Nothing is computed here: each state comes from the server, whole or as a change to the one before.
 */
import { postTablePicture, Problem, request } from "../api.js";
import { boot } from "../boot.js";
import { refreshNotices, watchNotices } from "../log-notices.js";
import { onlySeat, writes } from "../roles.js";
import { useEffect, useState } from "../view.js";
import { Outbox } from "./outbox.js";

const DOUBT_MS = 30_000; // more than two heartbeats: after a longer silence the state is fetched (scripts do not receive a stream's comments)
const FIRST_WAIT_MS = 500; // before a lost connection is tried again; doubled each time
const LONGEST_WAIT_MS = 8_000;
const TRIES = 6; // at sending one request, before the page reports that it did not arrive; entries are kept and tried again
const LAST_TABLE = "hanafuda-companion.last-table"; // storage key of the last state of the table that was open last
const UNREADABLE = new Set(["table-impossible", "deck-unknown"]); // refusals of a photograph that has a view to show
const GATEWAYS = new Set([502, 503, 504]); // a proxy's answers while the server is away

/**
 * @typedef {Object} Now everything that a page displays
 * @property {number} seq the number of the newest event, 0 before the first answer
 * @property {Object|null} state the table's view, as `GET /api/tables/{id}` answers it
 * @property {Object|null} camera the last known state of the camera
 * @property {Object|null} me role, name and seat of this browser, as `GET /api/me` answers
 * @property {boolean} online whether the stream is connected
 * @property {number} since when the server last answered, ms since 1970
 * @property {boolean} sending whether a request is under way, or entries wait for a connection
 * @property {import("./outbox.js").Entry[]} unsent the entries that wait for a connection, or for a person because they were refused
 * @property {Problem|null} lost why there is no table to follow (no such table)
 * @property {Problem|null} refused why the server refused the last report
 */

/** Whether a request did not reach the server. @param {Problem} problem */
const isAway = ({ slug, status }) => slug === "offline" || (slug === "" && GATEWAYS.has(status));

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** A key for a request, so that it has no second effect when it is sent again. */
function newKey() {
  // crypto.randomUUID is missing on plain HTTP
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * The state after a change: it has only the new lines of the lists that grow all evening.
 * @param {Object} before the state that the change came after
 * @param {{from: {history: number, trail: number, rounds: number}, state: Object}} change
 */
function joined(before, { from, state }) {
  const whole = (was, at, answer) => [...was.slice(0, at), ...answer];
  return {
    ...state,
    history: whole(before.history, from.history, state.history),
    trail: whole(before.trail, from.trail, state.trail),
    night: { ...state.night, rounds: whole(before.night.rounds, from.rounds, state.night.rounds) },
  };
}

class Store {
  #path;
  #page;
  #listeners = new Set();
  #watchers = new Set();
  #stream = null;
  #wait = FIRST_WAIT_MS;
  #again = null;
  #outbox;
  #delivery = null;
  #refusals = new Map(); // the Problems of entries that were refused at once, by key
  #table;

  /** @param {string} table its id */
  constructor(table) {
    this.#table = table;
    this.#outbox = new Outbox(table);
    this.#path = `/api/tables/${encodeURIComponent(table)}`;
    this.#page = `/t/${encodeURIComponent(table)}`;
    /** @type {Now} */
    this.now = { seq: 0, state: null, camera: null, me: null, online: false, since: 0, sending: false, unsent: [], lost: null, refused: null };
  }

  /** The API path of a part of this table: `store.path("/moves")`. @param {string} [more] */
  path(more = "") {
    return this.#path + more;
  }

  /** Start to follow the table. */
  open() {
    this.#showUnsent();
    this.#connect();
    this.#identify();
    request("GET", this.path("/camera")).then((camera) => this.#set({ camera }), () => {}); // there may be none
    // A phone that wakes up or is back in the network fetches the state at once.
    for (const sign of ["online", "pageshow", "focus"]) addEventListener(sign, () => this.#check());
    addEventListener("offline", () => this.#set({ online: false }));
    document.addEventListener("visibilitychange", () => (document.hidden ? this.#remember() : this.#check()));
    addEventListener("pagehide", () => this.#remember());
    setInterval(() => Date.now() - this.now.since > DOUBT_MS && this.#check(), DOUBT_MS / 5);
    return this;
  }

  /** Call `listener` with every new Now; returns a function that stops it. @param {(now: Now) => void} listener */
  subscribe(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Call `watcher` with the events of each change (empty after a snapshot) and the states before and after it, for animations and
   * announcements.
   * @param {(events: Object[], before: Object|null, after: Object) => void} watcher
   */
  watch(watcher) {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  #set(changes) {
    this.now = { ...this.now, ...changes };
    for (const listener of this.#listeners) listener(this.now);
  }

  #take({ seq, state, events = [] }, anew = false) {
    if (!anew && seq <= this.now.seq) return this.#set({ online: true, since: Date.now(), lost: null });
    const before = this.now.state;
    this.#set({ seq, state, online: true, since: Date.now(), lost: null });
    for (const watcher of this.#watchers) watcher(events, before, state);
  }

  /** Apply a change that follows the current state; if events between them are missing, fetch the state. */
  #follow(change) {
    if (!change.from || change.seq <= this.now.seq) this.#take(change);
    else if (change.after === this.now.seq) this.#take({ ...change, state: joined(this.now.state, change) });
    else this.refresh();
  }

  /** Keep the state for a page that is opened without a connection. */
  #remember() {
    const { seq, state, me, since } = this.now;
    if (state === null) return;
    try {
      localStorage.setItem(LAST_TABLE, JSON.stringify({ table: this.#table, seq, state, me, since }));
    } catch {
      // no storage, or it is full
    }
  }

  /** Display the state that this browser saw last. */
  #recall() {
    try {
      const { table, ...last } = JSON.parse(localStorage.getItem(LAST_TABLE)) ?? {};
      if (table === this.#table) this.#set(last);
    } catch {
      // nothing usable is stored
    }
  }

  #connect() {
    clearTimeout(this.#again);
    this.#stream?.close();
    const stream = new EventSource(this.path("/events"));
    this.#stream = stream;
    const on = (name, take) => stream.addEventListener(name, (event) => take(JSON.parse(event.data)));
    stream.onopen = () => {
      this.#wait = FIRST_WAIT_MS;
      if (this.now.me) this.#identify(); // the stream ends where a host has changed what this phone may do
      this.#set({ online: true, since: Date.now() });
      watchNotices(true);
      if (this.now.unsent.length > 0) this.#check();
    };
    on("notices", () => refreshNotices());
    on("snapshot", (answer) => this.#take(answer, true));
    on("change", (answer) => this.#follow(answer));
    // The game was over, and a new one has been dealt: the same page of the next table.
    on("next", ({ table }) => this.now.unsent.length > 0 || location.replace(location.pathname.replace(this.#page, `/t/${table}`)));
    on("camera", (camera) => this.#set({ camera, since: Date.now() }));
    stream.addEventListener("resync", () => this.refresh());
    stream.onerror = () => {
      this.#set({ online: false });
      // The browser tries again by itself after a broken connection; after a refusal it gives up, and we try.
      if (stream.readyState === EventSource.CLOSED) this.#later();
    };
  }

  /** Fetch the role of this phone, which determines what it may see. */
  async #identify() {
    const before = this.now.me;
    try {
      const me = await request("GET", "/api/me");
      this.#set({ me });
      const pageOf = (seat) => `${this.#page}/seat/${seat}`;
      if (before?.seat && me.seat && me.seat !== before.seat && location.pathname === pageOf(before.seat)) location.replace(pageOf(me.seat)); // a host moved the player
      if (before && ["role", "seat", "table"].some((what) => before[what] !== me[what])) this.#take(await request("GET", this.path()), true);
    } catch (caught) {
      if (!(caught instanceof Problem)) throw caught; // repeated with the next connection
    }
  }

  #later() {
    clearTimeout(this.#again);
    this.#again = setTimeout(() => this.#check(), this.#wait);
    this.#wait = Math.min(2 * this.#wait, LONGEST_WAIT_MS);
  }

  /** Fetch the state; if the stream missed something or is closed, open a new one. */
  async #check() {
    const known = this.now.seq;
    try {
      const answer = await request("GET", this.path());
      const behind = answer.seq > Math.max(known, this.now.seq);
      this.#take(answer);
      if (behind || this.#stream.readyState !== EventSource.OPEN) this.#connect();
      await this.#deliver();
    } catch (caught) {
      this.#set(caught.status === 404 ? { online: false, lost: caught } : { online: false });
      if (caught.slug === "offline" && this.now.state === null) this.#recall();
      this.#later();
    }
  }

  /** Fetch the state as it is now. @returns {Promise<void>} */
  async refresh() {
    try {
      this.#take(await request("GET", this.path()));
    } catch {
      this.#later();
    }
  }

  /**
   * Report events. Without a connection they are kept, displayed as not sent yet, and sent later: with the same key each time, so
   * that they count once. Throws the Problem if the server refuses them at once; after `out-of-step` the newer state has already
   * been fetched.
   * @param {{kind: string, data: Object}[]} events
   * @param {{strict?: boolean, says?: Object|null}} [options] `strict`: refuse them if the table went on in the meantime; `says`: what
   *   a move does
   * @returns {Promise<boolean>} whether they arrived; false: they are kept
   */
  async send(events, { strict = true, says = null } = {}) {
    const waits = this.#outbox.entries().some((one) => one.waits);
    const entry = { key: newKey(), events, seen: this.now.seq, strict, says, at: Date.now(), waits, problem: null };
    this.#outbox.add(entry);
    await this.#deliver();
    const refusal = this.#refusals.get(entry.key);
    this.#refusals.delete(entry.key);
    if (refusal) throw refusal;
    return this.#outbox.entries().every(({ key }) => key !== entry.key);
  }

  /** Send the entries in order, up to the first that does not arrive or was refused after it waited. */
  #deliver() {
    this.#delivery ??= this.#sendAll().finally(() => {
      this.#delivery = null;
      this.#showUnsent();
    });
    return this.#delivery;
  }

  async #sendAll() {
    for (let [entry] = this.#outbox.entries(); entry && !entry.problem; [entry] = this.#outbox.entries()) {
      this.#set({ sending: true });
      try {
        const { key, events, seen, strict } = entry;
        const answer = await request("POST", this.path("/events"), { expect: strict ? seen : null, key, events });
        this.#outbox.accept(entry, answer);
        this.#take(answer);
      } catch (caught) {
        if (!(caught instanceof Problem)) throw caught;
        if (isAway(caught)) {
          this.#outbox.change(entry.key, { waits: true });
          return this.#later();
        }
        if (caught.slug === "out-of-step") await this.refresh();
        const { slug, status, detail, members } = caught;
        if (entry.waits) this.#outbox.change(entry.key, { problem: { slug, status, detail, members } });
        else {
          this.#outbox.remove(entry.key);
          this.#refusals.set(entry.key, caught);
        }
      }
    }
  }

  #showUnsent() {
    const unsent = this.#outbox.entries().filter(({ waits }) => waits);
    this.#set({ unsent, sending: unsent.length > 0 });
  }

  /** Drop an entry that waits. @param {string} key */
  discard(key) {
    this.#outbox.remove(key);
    this.#showUnsent();
    this.#deliver();
  }

  /** Send an entry that was refused again, after the newest event. @param {string} key */
  insist(key) {
    this.#outbox.change(key, { problem: null, seen: this.now.seq });
    this.#showUnsent();
    this.#deliver();
  }

  /** Undo the last action. */
  async undo() {
    const { undo } = this.now.state;
    if (undo) await this.send([{ kind: "undone", data: { of: undo.seq } }]);
  }

  /**
   * The same for a tap: a refusal is displayed by the page (`refused`) and not thrown.
   * @returns {Promise<boolean>} whether it was accepted, or is kept until there is a connection
   */
  report(events, options) {
    return this.#tried(() => this.send(events, options));
  }

  /** Undo the last action, as a tap. @returns {Promise<boolean>} */
  takeBack() {
    return this.#tried(() => this.undo());
  }

  /** Redo what was undone last. @returns {Promise<boolean>} */
  bringBack() {
    const { redo } = this.now.state;
    return this.#tried(() => this.send([{ kind: "undone", data: { of: redo.seq } }]));
  }

  /**
   * Report that a button was pressed; the server decides what it means. Throws the Problem if it means nothing now.
   * @param {string} button @param {"press"|"long"|"double"} how @param {number|null} seat whose button it is
   * @returns {Promise<{did: {en: string, ja: string}}>}
   */
  press(button, how, seat) {
    const at = performance.now();
    const pressed = { button, how, seat, key: newKey(), source: "keyboard" };
    return this.#post("/presses", () => ({ ...pressed, ago_ms: performance.now() - at }));
  }

  /** Change the rules from the next round on. Throws the Problem of a refusal. @param {string} rules a name or share code */
  changeRules(rules) {
    return this.#post("/rules", { expect: this.now.seq, key: newKey(), rules });
  }

  /** Reset the table to what the camera sees, as a tap. @returns {Promise<boolean>} */
  rescan() {
    return this.#tried(() => this.#post("/rescan", {}));
  }

  /**
   * Send a photograph of the table, as a tap; what is recognized comes by the stream.
   * @param {File} file
   * @returns {Promise<{events: Object[], view: Object, reason?: Problem}|null>} the referee's events, the zones and cards, and why
   *   the picture cannot show the table; null if the picture was refused for another reason
   */
  async show(file) {
    let answer = null;
    this.#set({ sending: true });
    await this.#tried(async () => {
      try {
        answer = await postTablePicture(this.path("/pictures"), file);
      } catch (caught) {
        if (!UNREADABLE.has(caught.slug)) throw caught;
        answer = { events: [], view: caught.members.view, reason: caught };
      }
    });
    this.#showUnsent();
    return answer;
  }

  /** Dismiss the refusal. */
  dismiss() {
    this.#set({ refused: null });
  }

  async #tried(act) {
    this.#set({ refused: null });
    try {
      await act();
      return true;
    } catch (caught) {
      if (!(caught instanceof Problem)) throw caught;
      this.#set({ refused: caught });
      return false;
    }
  }

  /** @param {string} more @param {Object|(() => Object)} body the body, or a function that makes it at each try */
  async #post(more, body) {
    this.#set({ sending: true });
    try {
      for (let tries = 1, wait = FIRST_WAIT_MS; ; tries++, wait *= 2) {
        try {
          const answer = await request("POST", this.path(more), typeof body === "function" ? body() : body);
          if (answer.state) this.#take(answer);
          return answer;
        } catch (caught) {
          if (caught.slug === "out-of-step") await this.refresh();
          if (!(caught instanceof Problem) || caught.slug !== "offline" || tries === TRIES) throw caught;
          await pause(wait);
        }
      }
    } finally {
      this.#showUnsent();
    }
  }
}

/** The table of this page; null on the pages of no table. */
export const store = boot.table === null ? null : new Store(boot.table).open();

/** The page's data, as a hook. @returns {Now} */
export function useLive() {
  const [now, setNow] = useState(store.now);
  useEffect(() => {
    setNow(store.now); // what came since the first render
    return store.subscribe(setNow);
  }, []);
  return now;
}

/** Whether a camera watches the table, so that nothing needs to be entered by hand. @param {Now} now */
export const watched = ({ camera }) => camera !== null && ["watching", "hands"].includes(camera.state);

/** Whether this browser may write. @param {Now} now */
export const mayWrite = ({ me }) => writes(me);

/** The seat whose moves alone this browser may report, null where it may report everybody's. @param {Now} now */
export const reportsOnly = ({ me }) => onlySeat(me);

/** Whether this browser may undo. @param {Now} now @param {{seats: number[]}|null} what the view's `undo` or `redo` */
export const mayUndo = (now, what) => what !== null && (reportsOnly(now) === null || what.seats.includes(reportsOnly(now)));

/** The address of the pairing page, which returns to this page. */
export const joinPath = () => `/join?to=${encodeURIComponent(location.pathname)}`;
