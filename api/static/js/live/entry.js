/** Telling the table by hand what happened: only what the server calls legal can be chosen. */
import { Problem, request } from "../api.js";
import { Dialog } from "../dialog.js";
import { t } from "../i18n.js";
import { Notice } from "../notice.js";
import { html, useEffect, useState } from "../view.js";
import { Chooser } from "./chooser.js";
import { nameOfSeat } from "./seats.js";
import { reportsOnly, store } from "./store.js";

/**
 * The legal moves now, or those that may have been made in the place of an event, the likeliest first; fetched anew whenever
 * the table has moved on.
 * @param {number} seq @param {number} [at] the number of an event
 * @returns {{moves: Object[]|null, problem: Problem|null, seq?: number}}
 */
export function useMoves(seq, at) {
  const [loaded, setLoaded] = useState({ moves: null, problem: null });
  useEffect(() => {
    let stale = false;
    const take = (answer) => !stale && setLoaded(answer);
    request("GET", store.path(at ? `/events/${at}/alternatives` : "/moves")).then(
      ({ moves, alternatives }) => take({ seq, moves: moves ?? movesAmong(alternatives), problem: null }),
      (caught) => {
        if (!(caught instanceof Problem)) throw caught;
        take({ seq, moves: null, problem: caught });
      },
    );
    return () => {
      stale = true;
    };
  }, [seq, at]);
  return loaded;
}

/** The moves among what may have happened instead. */
const movesAmong = (alternatives) =>
  alternatives.filter(({ kind }) => kind === "moved").map(({ data, says }) => ({ player: data.player, words: data.words, says }));

/** Whose move it is, where several players may move. */
function Whose({ state, players, onChoose }) {
  return html`<div class="pick-words">
    ${players.map(
      (seat) => html`<button key=${seat} type="button" class="button quiet big" onClick=${() => onChoose(seat)}>${nameOfSeat(state, seat)}</button>`,
    )}
  </div>`;
}

/** @param {{now: import("./store.js").Now, seat?: number, onClose: () => void}} props `seat`: whose page it is told on */
export function Entry({ now, seat, onClose }) {
  const { moves: legal, problem, seq } = useMoves(now.seq);
  const only = reportsOnly(now);
  const moves = only === null ? legal : (legal?.filter(({ player }) => player === only) ?? null);
  const others = moves?.length === 0 && legal.length > 0 ? legal[0].player : null;
  const [chosen, setChosen] = useState(null);
  const players = [...new Set((moves ?? []).map(({ player }) => player))];
  const whose = players.length === 1 ? players[0] : players.includes(chosen) ? chosen : players.includes(seat) ? seat : null;
  const report = ({ player, words }) => store.report([{ kind: "moved", data: { player, words } }]);
  const title = whose === null ? t("live-entry") : t("live-entry-of", { name: nameOfSeat(now.state, whose) });
  return html`<${Dialog} title=${title} class="sheet entry" onClose=${onClose}>
    ${problem && html`<${Notice} problem=${problem} />`}
    ${moves?.length === 0 && html`<p>${others === null ? t("live-entry-none") : t("live-entry-others", { name: nameOfSeat(now.state, others) })}</p>`}
    ${players.length > 1 && whose === null && html`<${Whose} state=${now.state} players=${players} onChoose=${setChosen} />`}
    ${whose !== null &&
    html`<${Chooser} key=${`${seq}.${whose}`} game=${now.state.table.game} moves=${moves.filter(({ player }) => player === whose)} busy=${now.sending} onChoose=${report} />`}
  <//>`;
}
