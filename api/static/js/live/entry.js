/** Enter a move by hand; only legal moves can be chosen. */
import { Problem, request } from "../api.js";
import { Dialog } from "../dialog.js";
import { t, textOf } from "../i18n.js";
import { Notice } from "../notice.js";
import { html, useEffect, useState } from "../view.js";
import { Chooser } from "./chooser.js";
import { nameOfSeat } from "./seats.js";
import { mayUndo, reportsOnly, store } from "./store.js";

/**
 * The current legal moves, or the possible replacements of an event, most likely first; fetched again after each event.
 * @param {number} seq @param {number} [at] number of the event to replace
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

/** The moves among the possible corrections. */
const movesAmong = (alternatives) =>
  alternatives.filter(({ kind }) => kind === "moved").map(({ data, says }) => ({ player: data.player, words: data.words, says }));

/** The choice of the player, if several may move. */
function Whose({ state, players, onChoose }) {
  return html`<div class="pick-words stack">
    ${players.map(
      (seat) => html`<button key=${seat} type="button" class="button quiet big" onClick=${() => onChoose(seat)}>${nameOfSeat(state, seat)}</button>`,
    )}
  </div>`;
}

/** What was entered last, with one tap to take it back. @param {{now: import("./store.js").Now}} props */
function JustEntered({ now }) {
  const { undo } = now.state;
  if (undo?.kind !== "moved" || !mayUndo(now, undo)) return null;
  return html`<p class="just-entered cluster between">
    <span class="fine">${t("labeled", { label: t("live-just-entered"), text: textOf(undo.says) })}</span>
    <button type="button" class="button quiet" disabled=${now.sending} onClick=${() => store.takeBack()}>↶ ${t("live-undo")}</button>
  </p>`;
}

/**
 * @param {{now: import("./store.js").Now, seat?: number, onTurnOver: () => void, onClose: () => void}} props `seat`: the seat of this page,
 *   if any; `onTurnOver`: called when its player has entered the whole turn
 */
export function Entry({ now, seat, onTurnOver, onClose }) {
  const { moves: legal, problem, seq } = useMoves(now.seq);
  const only = reportsOnly(now);
  const moves = only === null ? legal : (legal?.filter(({ player }) => player === only) ?? null);
  const others = moves?.length === 0 && legal.length > 0 ? legal[0].player : null;
  const [chosen, setChosen] = useState(undefined); // null: asks whose move it is
  useEffect(() => setChosen(undefined), [now.seq]);
  const players = [...new Set((moves ?? []).map(({ player }) => player))];
  const likely = [seat, now.state.round?.to_move, players.length === 1 ? players[0] : null];
  const whose = (chosen === undefined ? likely : [chosen]).find((one) => players.includes(one)) ?? null;
  const report = async ({ player, words, says }) => {
    const accepted = await store.report([{ kind: "moved", data: { player, words } }], { says });
    if (accepted && store.now.unsent.length > 0) onClose(); // without a connection there are no further moves to choose from
    else if (accepted && player === seat && store.now.state.round.to_move !== seat) onTurnOver();
  };
  const title = whose === null ? t(players.length > 1 ? "live-entry-whose" : "live-entry") : t("labeled", { label: nameOfSeat(now.state, whose), text: t("live-entry-what") });
  return html`<${Dialog} title=${title} class="sheet entry panel pad-0" onClose=${onClose}>
    <${JustEntered} now=${now} />
    ${problem && html`<${Notice} problem=${problem} />`}
    ${moves?.length === 0 && html`<p>${others === null ? t("live-entry-none") : t("live-entry-others", { name: nameOfSeat(now.state, others) })}</p>`}
    ${players.length > 1 && whose === null && html`<${Whose} state=${now.state} players=${players} onChoose=${setChosen} />`}
    ${whose !== null &&
    html`<${Chooser} key=${`${seq}.${whose}`} game=${now.state.table.game} moves=${moves.filter(({ player }) => player === whose)} busy=${now.sending} onChoose=${report} />
    ${players.length > 1 && html`<button type="button" class="link" onClick=${() => setChosen(null)}>${t("live-entry-other")}</button>`}`}
  <//>`;
}
