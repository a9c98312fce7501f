/** Photograph a table without a camera; the moves are read from the picture. */
import { t } from "../i18n.js";
import { classes, html, useEffect, useState } from "../view.js";
import { reportsOnly, store, watched } from "./store.js";

const PICTURES = "image/*,.heic,.heif";
const READ_MS = 6_000; // how long "nothing new" is displayed

/** @param {{now: import("./store.js").Now}} props */
export function Snap({ now }) {
  const [looking, setLooking] = useState(false);
  const [nothing, setNothing] = useState(false);
  useEffect(() => {
    if (!nothing) return undefined;
    const read = setTimeout(() => setNothing(false), READ_MS);
    return () => clearTimeout(read);
  }, [nothing]);
  if (watched(now) || reportsOnly(now) !== null) return null;
  const chosen = async (event) => {
    const [file] = event.target.files;
    event.target.value = ""; // so that choosing the same picture again triggers the event
    if (!file) return;
    setNothing(false);
    setLooking(true);
    const answer = await store.show(file);
    setLooking(false);
    setNothing(answer !== null && answer.events.length === 0);
  };
  return html`
    <label class=${classes("button", "quiet", "snap", looking && "looking")} title=${t("snap-take")}>
      <input type="file" class="unseen" accept=${PICTURES} capture="environment" disabled=${looking || now.sending} aria-label=${t("snap-take")} onChange=${chosen} />
      <svg viewBox="0 0 24 24" width="26" height="26" aria-hidden="true">
        <path d="M4 8h3.2l1.6-2.5h6.4L16.8 8H20a1 1 0 0 1 1 1v9a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V9a1 1 0 0 1 1-1Z" />
        <circle cx="12" cy="13.2" r="3.4" />
      </svg>
    </label>
    ${(looking || nothing) && html`<p class="snap-result" role="status">${t(looking ? "snap-looking" : "snap-nothing")}</p>`}
  `;
}
