/** Starts the pages for devices and for the tags of a deck's cards. */
import { request } from "../api.js";
import { boot } from "../boot.js";
import { loadDeck } from "../deck.js";
import { writes } from "../roles.js";
import { start } from "../starting.js";
import { html } from "../view.js";
import { Devices } from "./devices.js";
import { Tags } from "./tags.js";

/** Fetch what the page needs and return its content. */
async function content() {
  if (boot.page === "devices") {
    const [answer, { tables }] = await Promise.all([request("GET", "/api/devices"), request("GET", "/api/tables")]);
    return html`<${Devices} first=${answer} tables=${tables} />`;
  }
  const [answer, me, last] = await Promise.all([
    request("GET", `/api/decks/${encodeURIComponent(boot.deck)}/tags`),
    request("GET", "/api/me"), // first, so that no tap on a card is lost
    request("GET", "/api/tags/last").catch(() => ({ number: null })), // viewers may not see it
  ]);
  await loadDeck(answer.pack);
  return html`<${Tags} first=${answer} may=${writes(me)} last=${last.number} />`;
}

start(content);
