/** Photograph a table without a camera; the moves are read from the picture. */
import { FileInput, PICTURES } from "../file-input.js";
import { t } from "../i18n.js";
import { classes, html, useEffect, useState } from "../view.js";
import { SnapSheet } from "./snap-sheet.js";
import { reportsOnly, store, watched } from "./store.js";

const READ_MS = 10_000; // how long "nothing new" is displayed

/** @param {{now: import("./store.js").Now}} props */
export function Snap({ now }) {
  const [looking, setLooking] = useState(false);
  const [last, setLast] = useState(null); // the last picture from which nothing was read
  const [open, setOpen] = useState(false);
  useEffect(() => {
    if (!last || open) return undefined;
    const read = setTimeout(() => setLast(null), READ_MS);
    return () => clearTimeout(read);
  }, [last, open]);
  if (watched(now) || reportsOnly(now) !== null) return null;
  const send = async (file) => {
    setOpen(false);
    setLast(null);
    setLooking(true);
    const answer = await store.show(file);
    setLooking(false);
    if (answer === null || answer.events.length > 0) return;
    setLast({ ...answer, file });
    setOpen(Boolean(answer.reason));
  };
  const photograph = { accept: PICTURES, capture: "environment", disabled: looking || now.sending, onFiles: ([file]) => send(file) };
  return html`
    <${FileInput} class=${classes("quiet", "snap", looking && "looking")} title=${t("snap-take")} aria-label=${t("snap-take")} ...${photograph}>
      <svg viewBox="0 0 24 24" width="26" height="26" aria-hidden="true">
        <path d="M4 8h3.2l1.6-2.5h6.4L16.8 8H20a1 1 0 0 1 1 1v9a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V9a1 1 0 0 1 1-1Z" />
        <circle cx="12" cy="13.2" r="3.4" />
      </svg>
    <//>
    ${looking && html`<p class="snap-result bar-note panel" role="status">${t("snap-looking")}</p>`}
    ${last &&
    !open &&
    html`<div class="snap-result bar-note panel"><p role="status">${t("snap-nothing")}</p><button type="button" class="link" onClick=${() => setOpen(true)}>${t("snap-zones-show")}</button></div>`}
    ${last &&
    open &&
    html`<${SnapSheet} key=${last.file} now=${now} file=${last.file} view=${last.view} reason=${last.reason} onAgain=${send} onClose=${() => (setOpen(false), setLast(null))}>
      <${FileInput} class="primary" ...${photograph}>${t("enroll-again")}<//>
    <//>`}
  `;
}
