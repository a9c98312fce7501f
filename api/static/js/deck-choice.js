/** Which deck the next picture is of: the program tells by itself, unless a person says. */
import { getDecks } from "./api.js";
import { t } from "./i18n.js";
import { html, useEffect, useState } from "./view.js";

/** @param {{deck: string, onChoose: (deck: string) => void}} props `deck`: empty where the program is to tell */
export function DeckChoice({ deck, onChoose }) {
  const [decks, setDecks] = useState([]);
  useEffect(() => {
    const usable = ({ decks: known }) => setDecks(known.filter(({ problem }) => !problem));
    getDecks().then(usable, () => {}); // without the list the program still tells by itself
  }, []);
  if (decks.length === 0) return null;
  return html`<label class="deck-choice">
    <span>${t("home-deck")}</span>
    <select value=${deck} onChange=${(event) => onChoose(event.target.value)}>
      <option value="">${t("home-deck-auto")}</option>
      ${decks.map(({ name }) => html`<option key=${name} value=${name}>${name}</option>`)}
    </select>
  </label>`;
}
