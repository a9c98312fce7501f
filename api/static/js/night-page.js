/** One evening: its games round by round, the best hand, the koi-koi calls, and what can be done with it. */
import { getNight, request } from "./api.js";
import { boot } from "./boot.js";
import { Chart } from "./chart.js";
import { Confirm } from "./dialog.js";
import { gameOf, rulesName } from "./games.js";
import { dateOf, day, monthName, t, textOf, timeOfDay } from "./i18n.js";
import { goesOn, playerName, playersLine, resultLine } from "./nights.js";
import { DisputeCard, useDisputes } from "./disputes.js";
import { Guests } from "./night-guests.js";
import { Notice } from "./notice.js";
import { replayPath } from "./rounds.js";
import { roundId, scoreLines, storyOf } from "./story.js";
import { shareStory } from "./story-picture.js";
import { classes, html, useEffect, useMemo, useState } from "./view.js";
import { yakuName } from "./yaku.js";

/** How often a player called, and won the round after it. */
function callsOf(games, name) {
  const rounds = games.flatMap((game) => game.rounds.flatMap(({ seats }) => seats.filter(({ seat, calls }) => calls > 0 && playerName(game, seat) === name)));
  return { name, count: rounds.length, won: rounds.filter(({ won }) => won).length };
}

function Highlights({ night }) {
  const { games } = night;
  const { best, turn } = storyOf(night);
  const names = [...new Set(games.flatMap((game) => game.players.map((_, n) => playerName(game, n + 1))))];
  const calls = names.map((name) => callsOf(games, name)).filter(({ count }) => count > 0);
  if (!best && !turn && calls.length === 0 && night.disputes.opened === 0) return null;
  return html`<dl class="highlights stack gap-3">
    ${best &&
    html`<div>
      <dt>${t("night-best")}</dt>
      <dd><${RoundLink} ...${best} /></dd>
    </div>`}
    ${turn &&
    html`<div>
      <dt>${t("night-turn")}</dt>
      <dd><${RoundLink} ...${turn} /></dd>
    </div>`}
    ${night.disputes.opened > 0 &&
    html`<div>
      <dt>${t("night-disputes")}</dt>
      <dd>${t("night-disputes-count", { settled: night.disputes.settled, count: night.disputes.opened })}</dd>
    </div>`}
    ${calls.length > 0 &&
    html`<div>
      <dt>${t("night-calls")}</dt>
      ${calls.map(({ name, count, won }) => html`<dd key=${name}>${name}: ${t("night-call-result", { count, won })}</dd>`)}
    </div>`}
  </dl>`;
}

/** Open all rounds while the page is printed. */
function useOpenInPrint() {
  useEffect(() => {
    let opened = [];
    const open = () => {
      opened = [...document.querySelectorAll("details.night-round:not([open])")];
      for (const round of opened) round.open = true;
    };
    const close = () => {
      for (const round of opened) round.open = false;
    };
    addEventListener("beforeprint", open);
    addEventListener("afterprint", close);
    return () => {
      removeEventListener("beforeprint", open);
      removeEventListener("afterprint", close);
    };
  }, []);
}

/** The disputes of an evening, if there are any. */
function NightDisputes({ night }) {
  const { disputes } = useDisputes(night.id);
  if (!disputes?.length) return null;
  return html`<section class="night-game-full stack panel">
    <h2>${t("disputes-title")}</h2>
    <ul class="entries stack gap-3">
      ${disputes.map((dispute) => html`<${DisputeCard} key=${`${dispute.table}-${dispute.seq}`} dispute=${dispute} />`)}
    </ul>
    <p><a class="button quiet" href="/disputes">${t("disputes-all")}</a></p>
  </section>`;
}

/** Open the round that a link names. @param {string} hash */
function openRound(hash) {
  const round = document.getElementById(decodeURIComponent(hash.slice(1)));
  if (!round) return;
  round.open = true;
  round.scrollIntoView();
}

/** A link to a round of this page; it changes the address without a reload. @param {{href: string, text: string}} props */
function RoundLink({ href, text }) {
  const open = (event) => {
    event.preventDefault();
    history.replaceState(null, "", href);
    openRound(href);
  };
  return html`<a href=${href} onClick=${open}>${text}</a>`;
}

const Round = ({ game, round }) =>
  html`<details class="night-round" id=${roundId(game, round)}>
    <summary>
      <span class="night-round-number">${t("night-round", { n: round.round })}</span>
      ${round.seats.map(({ seat, points, won }) => html`<b key=${seat} class=${classes(won && "won")}>${points}</b>`)}
    </summary>
    <p>${textOf(round.why)}</p>
    <ul>
      ${round.seats
        .filter(({ yaku }) => yaku.length > 0)
        .map(({ seat, yaku }) => html`<li key=${seat}>${playerName(game, seat)}: ${yaku.map((one) => `${yakuName(one)} ${one.points}`).join(" · ")}</li>`)}
    </ul>
    <p><a class="button quiet" href=${replayPath(game.table, round.round)}>${t("replay-open")}</a></p>
    <p class="fine"><time datetime=${round.time}>${timeOfDay(round.time)}</time>${round.month && ` · ${monthName(round.month)}`} · ${rulesName(round.rules.name)}</p>
  </details>`;

function Game({ night, game }) {
  const lines = useMemo(() => scoreLines(game), [game]);
  return html`<section class="night-game-full stack panel">
    <h2>${textOf(gameOf(game.game).names)} <small>${rulesName(game.rules.name)}</small></h2>
    ${game.played === 0
      ? html`<p>${t("night-none-yet")}</p>`
      : html`<p class="night-result">${resultLine(game)}</p>
          ${game.rounds.length > 1 && html`<${Chart} title=${t("night-score-line")} lines=${lines} />`}
          <div class="night-round night-head">
            <span></span>
            ${game.players.map((_, n) => html`<b key=${n}>${playerName(game, n + 1)}</b>`)}
          </div>
          ${game.rounds.map((round) => html`<${Round} key=${round.round} game=${game} round=${round} />`)}
          <div class="night-round night-sum">
            <span>${t("display-total")}</span>
            ${game.points.map((points, n) => html`<b key=${n} class=${classes(game.winners.includes(n + 1) && "won")}>${points}</b>`)}
          </div>`}
    <p class="buttons">
      <a class="button quiet" href=${`/t/${encodeURIComponent(game.table)}`}>${goesOn({ status: game.status, games: [game] }) ? t("night-continue") : t("live-history")}</a>
      <a class="button quiet" href=${`/api/tables/${encodeURIComponent(game.table)}/records`} download>${t("night-records")}</a>
    </p>
  </section>`;
}

/** @param {{first: Object}} props the evening as it was fetched first */
export function NightPage({ first }) {
  const [night, setNight] = useState(first);
  const [me, setMe] = useState(null);
  const [problem, setProblem] = useState(null);
  const [deleting, setDeleting] = useState(false);
  useEffect(() => {
    request("GET", "/api/me").then(setMe, () => {}); // without it the page shows, and offers nothing to do
  }, []);
  useEffect(() => {
    openRound(location.hash);
  }, []);
  useOpenInPrint();
  const act = async (action) => {
    setProblem(null);
    try {
      const answer = await request("POST", `/api/nights/${encodeURIComponent(night.id)}/${action}`, {});
      if (action === "rematch") location.assign(`/t/${encodeURIComponent(answer.id)}${me.seat ? `/seat/${me.seat}` : ""}`);
      else setNight(answer);
    } catch (caught) {
      setProblem(caught);
    }
  };
  const host = me?.role === "host";
  const scorer = host || (me?.role === "scorer" && me.seat === null);
  const deleted = night.status === "deleted";
  return html`<div class="night stack gap-4 page narrow">
    <header>
      <p class="fine crumbs"><a href="/log">${t("nav-log")}</a> · ${day(night.began)}, <time datetime=${night.began}>${timeOfDay(night.began)}</time>${night.status === "closed" && ` · ${t("night-closed")}`}</p>
      <h1>${night.name ?? playersLine(night)}</h1>
      <p class="printed-date">${dateOf(night.began)}, ${timeOfDay(night.began)}${night.name && ` · ${playersLine(night)}`}</p>
    </header>
    ${problem && html`<${Notice} problem=${problem} />`}
    ${deleted && html`<p class="notice stack panel">${t("night-deleted")}</p>`}
    <${Highlights} night=${night} />
    ${night.games.map((game) => html`<${Game} key=${game.table} night=${night} game=${game} />`)}
    <${NightDisputes} night=${night} />
    <${Guests} night=${night} me=${me} onChange=${async () => setNight(await getNight(night.id))} />
    <div class="buttons">
      ${host && !deleted && html`<button type="button" class="button primary" data-rematch onClick=${() => act("rematch")}>${t("night-rematch")}</button>`}
      ${night.games.some(({ played }) => played > 0) &&
      html`<button type="button" class="button quiet" data-share onClick=${() => shareStory(night)}>${t("night-share")}</button>
        <button type="button" class="button quiet" onClick=${() => print()}>${t("print")}</button>`}
      ${scorer && night.status === "open" && html`<button type="button" class="button quiet" data-close onClick=${() => act("close")}>${t("night-close")}</button>`}
      ${scorer && night.status === "closed" && html`<button type="button" class="button quiet" data-reopen onClick=${() => act("reopen")}>${t("night-reopen")}</button>`}
      ${host && !deleted && html`<button type="button" class="button quiet" onClick=${() => setDeleting(true)}>${t("delete")}</button>`}
      ${host && deleted && html`<button type="button" class="button primary" onClick=${() => act("restore")}>${t("log-restore")}</button>`}
    </div>
    <figure class="printed-code">
      <img src=${`/qr.svg?path=${encodeURIComponent(`/nights/${night.id}`)}`} alt="" width="120" height="120" />
      <figcaption>${`${boot.address}/nights/${night.id}`}</figcaption>
    </figure>
    ${deleting &&
    html`<${Confirm}
      title=${t("night-delete-title")}
      text=${t("night-delete-text")}
      yes=${t("delete")}
      onYes=${() => {
        setDeleting(false);
        act("delete");
      }}
      onClose=${() => setDeleting(false)}
    />`}
  </div>`;
}
