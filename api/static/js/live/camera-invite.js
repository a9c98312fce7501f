/** The QR code with which a phone becomes the camera of a table. */
import { Dialog } from "../dialog.js";
import { t } from "../i18n.js";
import { sentenceOf } from "../notice.js";
import { html } from "../view.js";
import { Qr, useInvitation } from "./pairings.js";

/** @param {{table: string, onClose: () => void}} props */
export function CameraInvite({ table, onClose }) {
  const { made, problem } = useInvitation({ role: "camera", table });
  return html`<${Dialog} title=${t("camera-use-phone")} class="camera-invite" onClose=${onClose}>
    <p>${t("camera-invite-text")}</p>
    ${problem && html`<p class="banner refused" role="alert">${sentenceOf(problem)}</p>`}
    ${made && html`<div class="scannable" data-link=${made.link}><${Qr} svg=${made.qr} label=${t("camera-use-phone")} /></div>`}
  <//>`;
}
