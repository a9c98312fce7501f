/** Choosing one of the moves that the server lists: what was done, with which card, what it took. */
import { isCard } from "../deck.js";
import { Row } from "../face.js";
import { gameOf } from "../games.js";
import { has, textOf, t } from "../i18n.js";
import { html, useEffect, useState } from "../view.js";
import { after, onward } from "./choices.js";
import { Picker } from "./picker.js";

/** The question that stands over the choice: "Which card was drawn?" after `draw`, what it took after the card. */
function questionOf(entered) {
  const [word, card] = entered;
  if (word === undefined) return t("live-entry-what");
  if (card === undefined) return t(has(`live-entry-${word}`) ? `live-entry-${word}` : "live-entry-which");
  return t(["play", "draw"].includes(word) ? "live-entry-takes" : "live-entry-more");
}

/** The label of a word of a move: the catalog's, else the game's own. @param {string} word @param {string} game */
export function wordLabel(word, game) {
  if (word === "?") return t("live-word-hidden");
  if (has(`live-word-${word}`)) return t(`live-word-${word}`);
  const label = gameOf(game).entry.words[word];
  return label ? textOf(label) : word;
}

/** What a word is called on a button: the move's own sentence where the word tells all of it. */
function labelOf(word, entered, going, game) {
  const those = going.filter(({ words }) => words[entered.length] === word);
  if (those.length === 1 && those[0].words.length === entered.length + 1) return textOf(those[0].says);
  return wordLabel(word, game);
}

/**
 * @param {{moves: {player: number, words: string[], says: Object}[], start?: string[], likely?: number, open?: string,
 *   busy: boolean, onChoose: (move: Object) => void}} props `start`: words that are settled
 *   already; `likely`: how many cards of the first moves are shown before all others
 */
export function Chooser({ game, moves, start = [], likely = 0, open = null, busy, onChoose }) {
  // Where something is put right, even the only other card is shown and tapped: it is the answer.
  const first = start.length > 0 ? start : onward(moves, []);
  const [entered, setEntered] = useState(first);
  const { nexts, whole, going } = after(moves, entered);
  const depth = first.length;
  const say = (word) => setEntered(onward(moves, [...entered, word]));
  const done = whole && nexts.length === 0;
  useEffect(() => {
    if (done && entered.length > depth) onChoose(whole);
  }, [entered.join(" ")]);

  const cards = nexts.filter(isCard);
  const words = nexts.filter((word) => !isCard(word));
  const marked = new Set(going.filter((move) => move.words.length > entered.length + 1).map((move) => move.words[entered.length]));
  return html`<div class="chooser">
    <div class="chooser-head">
      <h3>${done && entered.length > depth ? textOf(whole.says) : questionOf(entered)}</h3>
      ${entered.some(isCard) && html`<${Row} ids=${entered.filter(isCard)} />`}
      ${entered.length > depth && html`<button type="button" class="link" onClick=${() => setEntered(first)}>${t("live-entry-back")}</button>`}
    </div>
    ${cards.length > 0 &&
    html`<${Picker}
      key=${entered.join(" ")}
      ids=${cards}
      likely=${cards.slice(0, likely)}
      marked=${marked}
      open=${cards.includes(open) ? open : null}
      disabled=${busy}
      onPick=${say}
    />`}
    <div class="pick-words">
      ${words.map(
        (word) =>
          html`<button key=${word} type="button" class="button quiet big" data-word=${word} disabled=${busy} onClick=${() => say(word)}>
            ${labelOf(word, entered, going, game)}
          </button>`,
      )}
      ${whole &&
      !(done && entered.length > depth) &&
      html`<button type="button" class="button primary big" data-whole disabled=${busy} onClick=${() => onChoose(whole)}>${textOf(whole.says)}</button>`}
    </div>
  </div>`;
}
