/** The choice of the deck in the next picture; detected by the program by default. */
import { getDecks } from "./api.js";
import { deckTitle } from "./deck.js";
import { t } from "./i18n.js";
import { html, useEffect, useState } from "./view.js";

/** @param {{deck: string, onChoose: (deck: string) => void}} props `deck`: empty to detect it automatically */
export function DeckChoice({ deck, onChoose }) {
  const [decks, setDecks] = useState([]);
  useEffect(() => {
    const usable = ({ decks: known }) => setDecks(known.filter(({ problem }) => !problem));
    getDecks().then(usable, () => {}); // the deck is detected even without the list
  }, []);
  if (decks.length === 0) return null;
  return html`<label class="deck-choice">
    <span>${t("home-deck")}</span>
    <select value=${deck} onChange=${(event) => onChoose(event.target.value)}>
      <option value="">${t("home-deck-auto")}</option>
      ${decks.map(({ name }) => html`<option key=${name} value=${name}>${deckTitle(name)}</option>`)}
    </select>
  </label>`;
}
