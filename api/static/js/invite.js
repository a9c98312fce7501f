/** A page of this server for other phones: its QR code, and its address as text. */
import { boot } from "./boot.js";
import { t } from "./i18n.js";
import { html } from "./view.js";

/** @param {{path: string, label: string}} props */
export const Invite = ({ path, label }) =>
  html`<figure class="invite stack center">
    <img src=${`/qr.svg?path=${encodeURIComponent(path)}`} alt=${t("live-qr", { address: boot.address + path })} width="240" height="240" />
    <figcaption><span>${label}</span> <code>${(boot.address + path).replace(/^https?:\/\//, "")}</code></figcaption>
  </figure>`;
