/** The host's page: camera picture, status, pairings, and control of rounds. */
import { PACKS, loadDeck } from "../deck.js";
import { gameOf, loadGames, rulesName } from "../games.js";
import { textOf, t } from "../i18n.js";
import { start } from "../starting.js";
import { html } from "../view.js";
import { Asks } from "./asks.js";
import { useCamera } from "./camera.js";
import { Follow } from "./follow.js";
import { CameraView } from "./host-camera.js";
import { Health, Screens } from "./host-health.js";
import { RoundPanel } from "./host-round.js";
import { Slip } from "./host-slip.js";
import { People } from "./people.js";
import { Seats } from "./seating.js";
import { nameOfSeat } from "./seats.js";
import { Shell } from "./shell.js";
import { mayWrite } from "./store.js";
import { WatchingOnly } from "./watching-only.js";

/** @param {{now: import("./store.js").Now}} props */
function Host({ now }) {
  const { state, me } = now;
  const { table } = state;
  const host = me?.role === "host";
  const seen = useCamera();
  const writes = mayWrite(now);
  return html`<${Shell} now=${now} title=${table.name} sub=${`${t("live-title-host")} · ${textOf(gameOf(table.game).names)} · ${rulesName(table.rules.name)}`} variant="host">
    <div class="host-body stack gap-4">
      <div class="panels stack gap-4">
        <${CameraView} state=${state} seen=${seen} may=${host} />
        <${Asks} now=${now} writes=${writes} />
        ${me && !writes && html`<${WatchingOnly} />`}
        <div class="pair stack gap-4">
          ${writes && html`<${RoundPanel} now=${now} />`}
          <${Health} now=${now} seen=${seen} />
        </div>
      </div>
      <div class="panels stack gap-4">
        ${host
          ? html`<${Seats} state=${state} me=${me} always />
              <${People} me=${me} table=${table.id} seatName=${(seat) => nameOfSeat(state, seat)} />`
          : me && writes && html`<p class="hint panel stack">${t("host-only-host")}</p>`}
        ${host && html`<${Slip} now=${now} />`}
        <${Screens} table=${table} />
      </div>
    </div>
  <//>`;
}

start(async () => {
  await Promise.all([...PACKS, "western"].map(loadDeck).concat(loadGames()));
  return html`<${Follow} page=${(now) => html`<${Host} now=${now} />`} />`;
});
