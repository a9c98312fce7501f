/** Starts the pages of things one plugs in: the devices, and the tags of a deck's cards. */
import { request } from "../api.js";
import { boot } from "../boot.js";
import { loadDeck } from "../deck.js";
import { writes } from "../roles.js";
import { start } from "../starting.js";
import { html } from "../view.js";
import { Devices } from "./devices.js";
import { Tags } from "./tags.js";

/** The page's content, once what it needs is fetched. */
async function content() {
  if (boot.page === "devices") {
    const [answer, { tables }] = await Promise.all([request("GET", "/api/devices"), request("GET", "/api/tables")]);
    return html`<${Devices} first=${answer} tables=${tables} />`;
  }
  const [answer, me, last] = await Promise.all([
    request("GET", `/api/decks/${encodeURIComponent(boot.deck)}/tags`),
    request("GET", "/api/me"), // before anything is drawn: a tap on a card that does nothing yet would be lost
    request("GET", "/api/tags/last").catch(() => ({ number: null })), // nobody who only looks may see it
  ]);
  await loadDeck(answer.pack);
  return html`<${Tags} first=${answer} may=${writes(me)} last=${last.number} />`;
}

start(content);
