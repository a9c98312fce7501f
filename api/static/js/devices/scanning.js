/** Scans while the page is open: by the devices, or by a scanner that types like a keyboard. */
import { request } from "../api.js";
import { isCard } from "../deck.js";
import { useLayoutEffect, useRef } from "../view.js";
import { usePolling } from "./polling.js";

const EVERY_MS = 350;
const PAUSE_MS = 800; // maximum time between two keys of one scan; scanners type faster, but a busy browser reports keys late
const SHORTEST = 4;

/** @typedef {{tag: string, sticker: string|null, device: string|null}} Scan `sticker`: the card named in its text */

/** A tag's number or a code's text in the server's format (`companion.store.tag_pairings.tag_of`). @param {string} text */
function tagOf(text) {
  const tidy = text.trim();
  const joined = /^[0-9a-f]{2}([ :-][0-9a-f]{2}){3,}$/i.test(tidy) ? tidy.replace(/[ :-]/g, "") : tidy;
  return /^[0-9a-f]+$/i.test(joined) ? joined.toUpperCase() : joined;
}

/** The card named in a sticker's text; null for any other text. @param {string} tag */
function stickerOf(tag) {
  const [pack, id, ...more] = tag.toLowerCase().split(":");
  return ["hanafuda", "mekurifuda", "kabufuda"].includes(pack) && more.length === 0 && isCard(id) ? id : null;
}

export const scanOf = (text, device) => ({ tag: tagOf(text), sticker: stickerOf(tagOf(text)), device });

/** Whether an element is a text field, in which a person types and not a scanner. @param {EventTarget} target */
const typesThere = (target) => target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable]");

/** Calls `onScan` with the text that a scanner types: characters in quick succession, then Enter. */
function useTyped(onScan) {
  const newest = useRef(onScan);
  newest.current = onScan;
  useLayoutEffect(() => {
    // before the page is painted, because people scan as soon as they see it
    let typed = "";
    let last = 0;
    const key = (event) => {
      if (typesThere(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.timeStamp - last > PAUSE_MS) typed = "";
      last = event.timeStamp;
      if ([...event.key].length === 1) {
        if (typed !== "" || event.key !== " ") event.preventDefault(); // a space would press the focused button
        typed += event.key;
      } else if (event.key === "Enter") {
        if (typed.length >= SHORTEST) {
          event.preventDefault();
          newest.current(scanOf(typed, null));
        }
        typed = "";
      }
    };
    document.addEventListener("keydown", key);
    return () => document.removeEventListener("keydown", key);
  }, []);
}

/**
 * Calls `onScan` with every new scan.
 * @param {string} deck
 * @param {number|null} last the number of the last scan so far; null: this browser may not see the devices' scans
 * @param {boolean} waiting whether a card waits for its tag; meanwhile live tables ignore scans
 * @param {(scan: Scan) => void} onScan
 * @returns {import("../api.js").Problem|null} why scans cannot be fetched
 */
export function useScans(deck, last, waiting, onScan) {
  const seen = useRef(last);
  useTyped(onScan);
  return usePolling(async () => {
    if (last === null) return;
    const after = seen.current ?? last;
    const answer = await request("GET", `/api/tags/last?deck=${encodeURIComponent(deck)}&after=${after}&pairing=${waiting ? 1 : 0}`);
    seen.current = answer.number; // also after a restart of the server, which counts from 1
    for (const { uid, device } of answer.scans) onScan(scanOf(uid, device));
  }, EVERY_MS);
}
