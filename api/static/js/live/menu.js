/** Links to a table's other pages, and a QR code for other phones. */
import { boot } from "../boot.js";
import { lang, textOf, t } from "../i18n.js";
import { gameOf, rulesName, shortHash } from "../games.js";
import { HowToPlayButton } from "../how-to-play.js";
import { Invite } from "../invite.js";
import { html } from "../view.js";
import { nameOfSeat } from "./seats.js";
import { mayWrite } from "./store.js";
import { useWakeState } from "./wake.js";

/** A link to a page of this table, marked if it is the current page. */
function PageLink({ path, children }) {
  return html`<li><a class="way centered panel plain-link" href=${path} aria-current=${path === location.pathname ? "page" : undefined}>${children}</a></li>`;
}

/**
 * @param {{now: import("./store.js").Now, onCamera: () => void, onKeys: () => void, onOdds: () => void, onRules: () => void, onSpeech: () => void}} props `onCamera`: opens the
 *   QR code for a phone as the camera; `onKeys`: the choice of
 *   keys; `onOdds`: the agreement on the odds; `onRules`: the change of rules; `onSpeech`: the settings of speech
 */
export function Menu({ now, onCamera, onKeys, onOdds, onRules, onSpeech }) {
  const { table } = now.state;
  const wake = useWakeState();
  const base = `/t/${encodeURIComponent(table.id)}`;
  return html`
    <p class="hint">
      ${textOf(gameOf(table.game).names)} · <a href=${`/r/${encodeURIComponent(table.rules.code)}`}>${rulesName(table.rules.name)}</a>
      <code class="hash">${shortHash(table.rules)}</code>
    </p>
    <${HowToPlayButton} rules=${table.rules.code} />
    ${table.next_rules && html`<p class="hint">${t("evening-rules-upcoming", { rules: rulesName(table.next_rules.name) })}</p>`}
    ${now.me?.role === "host" && html`<button type="button" class="button quiet" onClick=${onRules}>${t("evening-rules-open")}</button> <button type="button" class="button quiet" onClick=${onCamera}>${t("camera-use-phone")}</button>`}
    <p class="hint" data-wake=${wake}>${t(`wake-${wake}`)}</p>
    <ul class="ways">
      <${PageLink} path=${base}>${t("live-title-table")}<//>
      ${table.players.map(({ seat }) => html`<${PageLink} key=${seat} path=${`${base}/seat/${seat}`}>${nameOfSeat(now.state, seat)}<//>`)}
      <${PageLink} path=${`${base}/display`}>${t("live-title-display")}<//>
      <${PageLink} path=${`${base}/host`}>${t("live-title-host")}<//>
      <${PageLink} path=${`/nights/${encodeURIComponent(table.night)}`}>${t("live-night")}<//>
    </ul>
    <${Invite} path=${base} label=${t("live-invite")} />
    <div class="buttons">
      <a class="button quiet" href=${`/join?to=${encodeURIComponent(location.pathname)}`}>${t("live-join")}</a>
      <button type="button" class="button quiet" onClick=${onSpeech}>${t("speech-title")}</button>
      ${gameOf(table.game).odds && html`<button type="button" class="button quiet" onClick=${onOdds}>${t("wall-odds-title")}</button>`}
      ${mayWrite(now) && html`<button type="button" class="button quiet" onClick=${onKeys}>${t("keys-title")}</button>`}
      ${Object.entries(boot.languages)
        .filter(([code]) => code !== lang)
        .map(([code, name]) => html`<a key=${code} class="button quiet" href=${`?lang=${code}`} lang=${code} hreflang=${code}>${name}</a>`)}
    </div>
  `;
}
