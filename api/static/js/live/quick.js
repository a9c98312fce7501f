/** Moves without a card, one tap each: a wager, pass, bareta, fold, three pairs. */
import { gameOf } from "../games.js";
import { textOf, t } from "../i18n.js";
import { html } from "../view.js";
import { wordLabel } from "./chooser.js";
import { useMoves } from "./entry.js";
import { store } from "./store.js";

const report = ({ player, words, says }) => store.report([{ kind: "moved", data: { player, words } }], { says });

function Moves({ now, seat }) {
  const mine = (useMoves(now.seq).moves ?? []).filter(({ player }) => player === seat);
  const wagers = mine.filter(({ words }) => words[0] === "wager");
  const plain = mine.filter(({ words }) => words.length === 1 || words[1] === "?"); // a hidden card is not chosen
  if (wagers.length + plain.length === 0) return null;
  return html`<section class="quick stack" aria-label=${t("seat-quick")}>
    ${wagers.length > 0 &&
    html`<h3>${t("live-entry-wager")}</h3>
      <div class="chips">
        ${wagers.map(
          (move) =>
            html`<button key=${move.words[1]} type="button" class="chip" data-wager=${move.words[1]} disabled=${now.sending} aria-label=${textOf(move.says)} onClick=${() => report(move)}>
              ${move.words[1]}
            </button>`,
        )}
      </div>`}
    ${plain.length > 0 &&
    html`<div class="quick-moves">
      ${plain.map(
        (move) =>
          html`<button key=${move.words[0]} type="button" class="button quiet big" data-word=${move.words[0]} disabled=${now.sending} title=${textOf(move.says)} onClick=${() => report(move)}>
            ${wordLabel(move.words[0], now.state.table.game)}
          </button>`,
      )}
    </div>`}
  </section>`;
}

/** @param {{now: import("./store.js").Now, seat: number}} props */
export const Quick = ({ now, seat }) => (gameOf(now.state.table.game).entry.one_tap ? html`<${Moves} now=${now} seat=${seat} />` : null);
