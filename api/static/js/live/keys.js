/** Keys of a keyboard, or of a button box that types, as buttons; the server decides their meaning. */
import { Problem } from "../api.js";
import { boot } from "../boot.js";
import { Dialog } from "../dialog.js";
import { gameOf } from "../games.js";
import { textOf, t } from "../i18n.js";
import { sentenceOf } from "../notice.js";
import { classes, html, useEffect, useLayoutEffect, useState } from "../view.js";
import { Presses } from "./presses.js";
import { store } from "./store.js";

const NAMES = { "koi-koi": "keys-koi-koi", stop: "live-call-stop", pass: "live-word-pass", undo: "live-undo", next: "keys-next" };
const USUAL = { "koi-koi": "k", stop: "s", pass: "p", undo: "u", next: "n" };
const RESERVED = new Set(["Tab", "Escape", "Enter", " ", "Shift", "Control", "Alt", "AltGraph", "Meta", "CapsLock", "Process", "Unidentified", "Dead"]); // keys that operate the page
const TYPED_IN = "input:not([type=checkbox], [type=radio], [type=button], [type=range], [type=file]), textarea, select, [contenteditable]";
const TOAST_MS = 2_500;
const REFUSED_MS = 5_000;

/** Storage key; each page has its own keys, because two seats in one browser have different boxes. */
const REMEMBERED = `keys.${boot.page}${boot.seat ?? ""}`;

/** @returns {Object<string, string|null>} the key of each button */
function remembered() {
  try {
    return { ...USUAL, ...JSON.parse(localStorage.getItem(REMEMBERED)) };
  } catch {
    return { ...USUAL };
  }
}

/** The identity of a key, the same for k and K. @param {KeyboardEvent} event */
const keyOf = (event) => (event.key.length === 1 ? event.key.toLowerCase() : event.key);

/** The label of a key. @param {string} key */
const keyLabel = (key) => (key.length === 1 ? key.toUpperCase() : key);

/**
 * Handles keys and briefly displays the effect of each.
 * @param {{game: string, deaf: boolean}} props `deaf`: ignore keys, because they are being chosen
 */
export function Keys({ game, deaf }) {
  const [toast, setToast] = useState(null);
  useEffect(() => {
    if (!toast) return undefined;
    const soon = setTimeout(() => setToast(null), toast.refused ? REFUSED_MS : TOAST_MS);
    return () => clearTimeout(soon);
  }, [toast]);
  useLayoutEffect(() => {
    if (deaf) return undefined;
    const keys = Object.entries(remembered());
    const buttonOf = (event) => keys.find(([, key]) => key === keyOf(event))?.[0];
    const waits = (button, how) => button === "undo" || (how === "long" && gameOf(game).entry.long.includes(button));
    const send = async (button, how) => {
      try {
        const { did } = await store.press(button, how, boot.seat);
        setToast({ button, says: textOf(did) });
      } catch (caught) {
        if (!(caught instanceof Problem)) throw caught;
        setToast({ button, says: sentenceOf(caught), refused: true });
      }
    };
    const presses = new Presses(waits, send);
    const down = (event) => {
      const button = buttonOf(event);
      if (!button || event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
      if (event.target.closest?.(TYPED_IN)) return;
      event.preventDefault(); // so that a key like PageDown does not scroll the page
      if (!event.repeat) presses.down(button);
    };
    const up = (event) => buttonOf(event) && presses.up(buttonOf(event));
    const forget = () => presses.forget();
    addEventListener("keydown", down);
    addEventListener("keyup", up);
    addEventListener("blur", forget);
    return () => {
      forget();
      removeEventListener("keydown", down);
      removeEventListener("keyup", up);
      removeEventListener("blur", forget);
    };
  }, [game, deaf]);
  return html`<p class=${classes("toast", toast && "visible", toast?.refused && "refused")} role="status" data-button=${toast?.button}>
    ${toast && html`<b>${t(NAMES[toast.button])}</b> ${toast.says}`}
  </p>`;
}

/** The sheet to choose keys: tap a button, then press its key. @param {{onClose: () => void}} props */
export function KeySheet({ onClose }) {
  const [keys, setKeys] = useState(remembered);
  const [asked, setAsked] = useState(null);
  const [taken, setTaken] = useState(null); // the rejected key, which operates the page
  const keep = (changed) => {
    setKeys(changed);
    localStorage.setItem(REMEMBERED, JSON.stringify(changed));
  };
  useLayoutEffect(() => {
    if (!asked) return undefined;
    const choose = (event) => {
      event.preventDefault();
      event.stopPropagation();
      if (event.repeat) return;
      const key = keyOf(event);
      if (key === "Escape") return setAsked(null);
      if (RESERVED.has(key)) return setTaken(key);
      // A key belongs to one button, so it is removed from any other.
      const others = Object.fromEntries(Object.entries(keys).map(([button, had]) => [button, had === key ? null : had]));
      keep({ ...others, [asked]: key });
      setTaken(null);
      setAsked(null);
    };
    addEventListener("keydown", choose, true);
    return () => removeEventListener("keydown", choose, true);
  }, [asked, keys]);
  const ask = (button) => {
    setTaken(null);
    setAsked(button);
  };
  return html`<${Dialog} title=${t("keys-title")} class="keys" onClose=${onClose}>
    <p class="hint">${t("keys-hint")}</p>
    <ul>
      ${Object.keys(USUAL).map(
        (button) =>
          html`<li key=${button} class=${classes(asked === button && "asked")}>
            <span>${t(NAMES[button])}</span>
            <button type="button" class="button quiet" data-button=${button} aria-pressed=${asked === button} onClick=${() => ask(button)}>
              ${asked === button ? t("keys-press", { button: t(NAMES[button]) }) : keys[button] ? html`<kbd>${keyLabel(keys[button])}</kbd>` : t("keys-none")}
            </button>
          </li>`,
      )}
    </ul>
    ${taken && html`<p class="hint taken" role="alert">${t("keys-taken")}</p>`}
    <div class="buttons"><button type="button" class="button quiet" onClick=${() => keep({ ...USUAL })}>${t("rules-edit-reset")}</button></div>
  <//>`;
}
