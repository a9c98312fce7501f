/** Links to a table's other pages, and a QR code for other phones. */
import { boot } from "../boot.js";
import { lang, textOf, t } from "../i18n.js";
import { gameOf, rulesName } from "../games.js";
import { HowToPlayButton } from "../how-to-play.js";
import { Invite } from "../invite.js";
import { html } from "../view.js";
import { Seats } from "./seating.js";
import { nameOfSeat } from "./seats.js";
import { mayWrite } from "./store.js";
import { useWakeState } from "./wake.js";

/** A link to a page of this table, marked if it is the current page. */
function PageLink({ path, children }) {
  return html`<li><a class="way centered panel plain-link" href=${path} aria-current=${path === location.pathname ? "page" : undefined}>${children}</a></li>`;
}

/** @param {{now: import("./store.js").Now, onOpen: (sheet: "camera"|"keys"|"odds"|"rules"|"speech") => void}} props */
export function Menu({ now, onOpen }) {
  const opener = (sheet, text) => html`<button type="button" class="button quiet" data-open=${sheet} onClick=${() => onOpen(sheet)}>${text}</button>`;
  const { table } = now.state;
  const wake = useWakeState();
  const base = `/t/${encodeURIComponent(table.id)}`;
  return html`
    <p class="hint">
      ${textOf(gameOf(table.game).names)} · <a href=${`/r/${encodeURIComponent(table.rules.code)}`}>${rulesName(table.rules.name)}</a>
    </p>
    <${HowToPlayButton} rules=${table.rules.code} />
    ${table.next_rules && html`<p class="hint">${t("evening-rules-upcoming", { rules: rulesName(table.next_rules.name) })}</p>`}
    ${now.me?.role === "host" && html`${opener("rules", t("evening-rules-open"))} ${opener("camera", t("camera-use-phone"))}`}
    <p class="hint" data-wake=${wake}>${t(`wake-${wake}`)}</p>
    <ul class="ways">
      <${PageLink} path=${base}>${t("live-title-table")}<//>
      ${table.players.map(({ seat }) => html`<${PageLink} key=${seat} path=${`${base}/seat/${seat}`}>${nameOfSeat(now.state, seat)}<//>`)}
      <${PageLink} path=${`${base}/display`}>${t("live-title-display")}<//>
      <${PageLink} path=${`${base}/host`}>${t("live-title-host")}<//>
      <${PageLink} path=${`/nights/${encodeURIComponent(table.night)}`}>${t("live-night")}<//>
    </ul>
    ${now.me?.role === "host" ? html`<${Seats} state=${now.state} me=${now.me} always />` : html`<${Invite} path=${base} label=${t("live-invite")} />`}
    <div class="buttons">
      <a class="button quiet" href=${`/join?to=${encodeURIComponent(location.pathname)}`}>${t("live-join")}</a>
      ${opener("speech", t("speech-title"))}
      ${gameOf(table.game).odds && html`${opener("odds", t("wall-odds-title"))}`}
      ${mayWrite(now) && html`${opener("keys", t("keys-title"))}`}
      ${Object.entries(boot.languages)
        .filter(([code]) => code !== lang)
        .map(([code, name]) => html`<a key=${code} class="button quiet" href=${`?lang=${code}`} lang=${code} hreflang=${code}>${name}</a>`)}
    </div>
  `;
}
