/** Speaks a table's announcements with the browser's voice, as this device is set; off by default. */
import { lang } from "../i18n.js";
import { useEffect, useState } from "../view.js";
import { Announcer, corrects } from "./announcements.js";
import { store } from "./store.js";

const REMEMBERED = "speech";
const SETTLE_MS = 700; // what is corrected within this time is announced as corrected
const CATCH_UP_MS = 1_000; // what arrives so soon after a connection happened while there was none

/** @typedef {{on: boolean, volume: number, captures: boolean, yaku: boolean, points: boolean, corrections: boolean, quiet: boolean, from: string, to: string}} Settings */

/** @type {Settings} `volume`: 0–1; `from`, `to`: when the quiet hours begin and end, as 22:00 */
const USUAL = { on: false, volume: 1, captures: true, yaku: true, points: true, corrections: true, quiet: false, from: "22:00", to: "07:00" };

let settings = remembered();
const listeners = new Set();

function remembered() {
  try {
    return { ...USUAL, ...JSON.parse(localStorage.getItem(REMEMBERED)) };
  } catch {
    return { ...USUAL }; // no storage, or something else in it
  }
}

/** The settings of this device, and a function that changes some. @returns {[Settings, (changes: Object) => void]} */
export function useSpeechSettings() {
  const [, rerender] = useState(0);
  useEffect(() => {
    const listener = () => rerender((n) => n + 1);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, []);
  const change = (changes) => {
    settings = { ...settings, ...changes };
    try {
      localStorage.setItem(REMEMBERED, JSON.stringify(settings));
    } catch {
      // A private window may have no storage; the settings then apply until it is closed.
    }
    for (const listener of listeners) listener();
  };
  return [settings, change];
}

/** Whether a time is within the quiet hours, which may span midnight. @param {{from: string, to: string}} hours @param {Date} time */
export function isQuiet({ from, to }, time) {
  const now = `${time.getHours()}`.padStart(2, "0") + ":" + `${time.getMinutes()}`.padStart(2, "0");
  return from <= to ? from <= now && now < to : from <= now || now < to;
}

const voiceOf = () => globalThis.speechSynthesis?.getVoices().find((voice) => voice.lang.replace("_", "-").split("-")[0] === lang) ?? null;

/** The browser's voice for the page's language; null if there is none. */
export function useVoice() {
  const [voice, setVoice] = useState(voiceOf);
  useEffect(() => {
    const synthesis = globalThis.speechSynthesis;
    const load = () => setVoice(voiceOf());
    synthesis?.addEventListener?.("voiceschanged", load); // browsers load voices late
    return () => synthesis?.removeEventListener?.("voiceschanged", load);
  }, []);
  return voice;
}

/** Speak a text; does nothing without a voice for the page's language. @param {string} text @param {() => void} [onBlocked] the browser wants a tap first */
export function speak(text, onBlocked = () => {}) {
  const voice = voiceOf();
  if (voice === null) return;
  const utterance = Object.assign(new SpeechSynthesisUtterance(text), { voice, lang: voice.lang, volume: settings.volume });
  utterance.onerror = ({ error }) => error === "not-allowed" && onBlocked();
  speechSynthesis.speak(utterance);
}

/** Speaks what happens at the table. @returns {boolean} whether the browser wants a tap before it speaks */
export function useSpeech() {
  const [blocked, setBlocked] = useState(false);
  useEffect(() => {
    const announcer = new Announcer();
    let pending = null;
    let timer;
    let connected = 0;
    let online = store.now.online;
    if (store.now.state) announcer.know(store.now.state);
    const announce = () => {
      const { events, before, after } = pending;
      pending = null;
      const sentences = announcer.announce(events, before, after, settings);
      if (!settings.on || document.hidden || (settings.quiet && isQuiet(settings, new Date()))) return;
      if (corrects(events)) globalThis.speechSynthesis?.cancel(); // it may be about what was corrected
      for (const sentence of sentences) speak(sentence, () => setBlocked(true));
    };
    const stopWatching = store.watch((events, before, after) => {
      clearTimeout(timer);
      if (before === null || events.length === 0 || Date.now() - connected < CATCH_UP_MS) {
        pending = null;
        announcer.know(after);
        return;
      }
      pending = { events: [...(pending?.events ?? []), ...events], before: pending?.before ?? before, after };
      timer = setTimeout(announce, SETTLE_MS);
    });
    const stopFollowing = store.subscribe((now) => {
      if (now.online && !online) connected = Date.now();
      online = now.online;
    });
    const allow = () => setBlocked(false);
    addEventListener("pointerdown", allow);
    return () => {
      clearTimeout(timer);
      stopWatching();
      stopFollowing();
      removeEventListener("pointerdown", allow);
    };
  }, []);
  return blocked;
}
