/** Choose one of the legal moves: the action, its card, what it captured. */
import { isCard } from "../deck.js";
import { Row } from "../face.js";
import { gameOf } from "../games.js";
import { has, textOf, t } from "../i18n.js";
import { html, useEffect, useState } from "../view.js";
import { after, onward } from "./choices.js";
import { Picker } from "./picker.js";

/** The question above the choice: after `draw`, "Draw a card"; after the card, what it captured. */
function questionOf(entered, game) {
  const [word, card] = entered;
  if (word === undefined) return t("live-entry-what");
  if (card === undefined) return word === "wager" ? t("live-entry-wager") : wordLabel(word, game);
  return t(["play", "draw"].includes(word) ? "live-entry-takes" : "live-entry-more");
}

/** The label of a word of a move: the game's own, or the catalog's. @param {string} word @param {string} game */
export function wordLabel(word, game) {
  if (word === "?") return t("live-word-hidden");
  const label = gameOf(game).entry.words[word];
  if (label) return textOf(label);
  return has(`live-word-${word}`) ? t(`live-word-${word}`) : word;
}

/** The label of a word's button: the text of the move if the word determines the move. */
function labelOf(word, entered, going, game) {
  if (/^\d+$/.test(word)) return word; // stones, under the question how many
  const those = going.filter(({ words }) => words[entered.length] === word);
  if (those.length === 1 && those[0].words.length === entered.length + 1) return textOf(those[0].says);
  return wordLabel(word, game);
}

/**
 * @param {{moves: {player: number, words: string[], says: Object}[], start?: string[], likely?: number,
 *   busy: boolean, onChoose: (move: Object) => void}} props `start`: words that are already
 *   chosen; `likely`: number of cards, from the first moves, that are displayed before all others
 */
export function Chooser({ game, moves, start = [], likely = 0, busy, onChoose }) {
  // In a correction even a single alternative must be tapped, because it is the answer.
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
  const { rare } = gameOf(game).entry;
  const words = nexts.filter((word) => !isCard(word)).sort((a, b) => rare.indexOf(a) - rare.indexOf(b));
  const marked = new Set(going.filter((move) => move.words.length > entered.length + 1).map((move) => move.words[entered.length]));
  return html`<div class="chooser stack gap-3">
    <div class="chooser-head cluster gap-3">
      <h3>${done && entered.length > depth ? textOf(whole.says) : questionOf(entered, game)}</h3>
      ${entered.some(isCard) && html`<${Row} ids=${entered.filter(isCard)} />`}
      ${entered.length > depth && html`<button type="button" class="link" onClick=${() => setEntered(first)}>${t("sheet-clash-back")}</button>`}
    </div>
    ${cards.length > 0 &&
    html`<${Picker}
      key=${entered.join(" ")}
      ids=${cards}
      likely=${cards.slice(0, likely)}
      marked=${marked}
      disabled=${busy}
      onPick=${say}
    />`}
    <div class="pick-words stack">
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
