/** Statistics of the rounds played; every number opens the rounds behind it. */
import { request } from "./api.js";
import { Chart, MAX_LINES } from "./chart.js";
import { gameOf, rulesName } from "./games.js";
import { decimal, monthOf, percent, t, textOf, tn, whole } from "./i18n.js";
import { Notice } from "./notice.js";
import { loadPeople, nameOfPlayer, PlayerName } from "./people.js";
import { queryOf, roundPath, roundsPath } from "./rounds.js";
import { html, useEffect, useMemo, useRef, useState } from "./view.js";
import { yakuName } from "./yaku.js";

/** The address of the statistics of a filter; without a game it stands for all games. */
const statisticsPath = (filter) => `/stats?${queryOf(filter)}${filter.game ? "" : "&game="}`;

const FILTERS = ["game", "rules", "player", "circle", "since", "until"];

/** A number that opens the rounds behind it. */
const Rounds = ({ filter, href, children }) => html`<td><a href=${href ?? roundsPath(filter)}>${children}</a></td>`;

/** A wide table in a box that scrolls. @param {{title: string, heads: string[], children: *}} props */
const Table = ({ title, heads, note, children }) =>
  html`<section class="stats-section stack panel">
    <h2>${title}</h2>
    <div class="stats-scroll" tabindex="0" role="region" aria-label=${title}>
      <table>
        <thead>
          <tr>
            ${heads.map((head) => html`<th key=${head} scope="col">${head}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${children}
        </tbody>
      </table>
    </div>
    ${note && html`<p class="fine">${note}</p>`}
  </section>`;

const Choice = ({ label, value, options, all, onChoose }) =>
  html`<label class="field-label stack gap-1 hint"
    ><span>${label}</span>
    <select value=${value ?? ""} onChange=${(event) => onChoose(event.target.value || null)}>
      <option value="">${all}</option>
      ${options.map(([name, text]) => html`<option key=${name} value=${name} selected=${name === value}>${text}</option>`)}
    </select>
  </label>`;

const Day = ({ label, value, onChoose }) =>
  html`<label class="field-label stack gap-1 hint"><span>${label}</span> <input type="date" value=${value ?? ""} onChange=${(event) => onChoose(event.target.value || null)} /></label>`;

function Filters({ choices, circles, filter, onChange }) {
  const choose = (name) => (value) => onChange({ ...filter, [name]: value, ...(name === "game" && { rules: null }) });
  const rules = choices.rules.filter(({ game }) => !filter.game || game === filter.game);
  return html`<form class="stats-filters" onSubmit=${(event) => event.preventDefault()}>
    <${Choice} label=${t("stats-game")} value=${filter.game} all=${t("stats-all-games")} onChoose=${choose("game")} options=${choices.games.map((game) => [game, textOf(gameOf(game)?.names) || game])} />
    <${Choice} label=${t("receipt-rules")} value=${filter.rules} all=${t("stats-all-rules")} onChoose=${choose("rules")} options=${rules.map(({ name }) => [name, rulesName(name)])} />
    <${Choice} label=${t("stats-player")} value=${filter.player} all=${t("stats-all-players")} onChoose=${choose("player")} options=${choices.players.map(({ id, name }) => [id, name])} />
    ${circles.length > 0 && html`<${Choice} label=${t("people-circle")} value=${filter.circle} all=${t("people-everybody")} onChoose=${choose("circle")} options=${circles.map(({ id, name }) => [id, name])} />`}
    <${Day} label=${t("stats-since")} value=${filter.since} onChoose=${choose("since")} />
    <${Day} label=${t("stats-until")} value=${filter.until} onChoose=${choose("until")} />
  </form>`;
}

function Players({ players, filter }) {
  const points = Boolean(filter.game); // sums of the points of different games mean nothing
  const dealt = players.some(({ hands }) => hands > 0);
  const heads = ["player", "rounds", "wins", "win-rate", ...(points ? ["points", "average", "best"] : []), "streak", ...(dealt ? ["brights"] : []), "rating"];
  return html`<${Table} title=${t("stats-players")} heads=${heads.map((head) => t(`stats-${head}`))} note=${t(dealt ? "stats-players-note" : "stats-rating-note")}>
    ${players.map((one) => {
      const own = { ...filter, player: one.player };
      return html`<tr key=${one.player}>
        <th scope="row"><a href=${statisticsPath(own)}><${PlayerName} id=${one.player} /></a></th>
        <${Rounds} filter=${own}>${whole(one.rounds)}<//>
        <${Rounds} filter=${{ ...own, won: "1" }}>${whole(one.wins)}<//>
        <${Rounds} filter=${{ ...own, won: "1" }}>${percent(one.wins / one.rounds)}<//>
        ${points &&
        html`<${Rounds} filter=${own}>${whole(one.points)}<//>
          <${Rounds} filter=${own}>${decimal(one.points / one.rounds)}<//>
          <${Rounds} href=${roundPath(one.best)}>${whole(one.best.points)}<//>`}
        <${Rounds} filter=${one.streak ? { ...own, since: one.streak.since, until: one.streak.until } : { ...own, won: "1" }}>${whole(one.streak?.length ?? 0)}<//>
        ${dealt && html`<${Rounds} filter=${{ ...own, dealt: "1" }}>${one.hands > 0 ? decimal(one.brights / one.hands) : "–"}<//>`}
        <${Rounds} filter=${own}>${one.rating ? `${whole(Math.round(one.rating.value))} ± ${whole(Math.round(2 * one.rating.deviation))}` : "–"}<//>
      </tr>`;
    })}
  <//>`;
}

function Calls({ players, filter }) {
  const callers = players.filter(({ called }) => called > 0);
  if (callers.length === 0) return null;
  const heads = ["player", "called", "called-won", "win-rate", ...(filter.game ? ["called-average", "other-average"] : [])];
  return html`<${Table} title=${t("night-calls")} heads=${heads.map((head) => t(`stats-${head}`))}>
    ${callers.map((one) => {
      const own = { ...filter, player: one.player, called: "1" };
      const other = one.rounds - one.called;
      return html`<tr key=${one.player}>
        <th scope="row"><${PlayerName} id=${one.player} /></th>
        <${Rounds} filter=${own}>${whole(one.called)}<//>
        <${Rounds} filter=${{ ...own, won: "1" }}>${whole(one.called_won)}<//>
        <${Rounds} filter=${{ ...own, won: "1" }}>${percent(one.called_won / one.called)}<//>
        ${filter.game &&
        html`<${Rounds} filter=${own}>${decimal(one.called_points / one.called)}<//>
          <${Rounds} filter=${{ ...own, called: "0" }}>${other > 0 ? decimal((one.points - one.called_points) / other) : "–"}<//>`}
      </tr>`;
    })}
  <//>`;
}

function Yaku({ yaku, rounds, filter }) {
  if (yaku.length === 0) return null;
  const heads = ["yaku", "times", "of-rounds", "yaku-won", "value"];
  return html`<${Table} title=${t("stats-yaku")} heads=${heads.map((head) => t(`stats-${head}`))}>
    ${yaku.map((one) => {
      const own = { ...filter, yaku: one.yaku };
      return html`<tr key=${one.yaku}>
        <th scope="row">${yakuName({ yaku: one.yaku, en: one.yaku })}</th>
        <${Rounds} filter=${own}>${whole(one.rounds)}<//>
        <${Rounds} filter=${own}>${percent(one.rounds / rounds)}<//>
        <${Rounds} filter=${{ ...own, won: "1" }}>${whole(one.won)}<//>
        <${Rounds} filter=${own}>${decimal(one.points / one.rounds)}<//>
      </tr>`;
    })}
  <//>`;
}

function Pairs({ pairs, filter }) {
  if (pairs.length === 0) return null;
  const heads = ["pair", "rounds", "wins", "losses", ...(filter.game ? ["difference"] : [])];
  return html`<${Table} title=${t("stats-pairs")} heads=${heads.map((head) => t(`stats-${head}`))}>
    ${pairs.map(({ player, opponent, rounds, wins, losses, points }) => {
      const own = { ...filter, player, opponent };
      return html`<tr key=${`${player}|${opponent}`}>
        <th scope="row">${nameOfPlayer(player)} – ${nameOfPlayer(opponent)}</th>
        <${Rounds} filter=${own}>${whole(rounds)}<//>
        <${Rounds} filter=${{ ...own, won: "1" }}>${whole(wins)}<//>
        <${Rounds} filter=${{ ...own, player: opponent, opponent: player, won: "1" }}>${whole(losses)}<//>
        ${filter.game && html`<${Rounds} filter=${own}>${whole(points)}<//>`}
      </tr>`;
    })}
  <//>`;
}

/** The filter of a month, within the period of a filter. */
function inMonth(filter, month) {
  const [year, number] = month.split("-").map(Number);
  const last = `${month}-${new Date(year, number, 0).getDate()}`;
  const first = `${month}-01`;
  return { ...filter, since: filter.since > first ? filter.since : first, until: filter.until && filter.until < last ? filter.until : last };
}

function Months({ months, players, filter }) {
  const value = filter.game ? "points" : "wins";
  const { names, lines } = useMemo(() => {
    const names = [...new Set(months.map(({ month }) => month))];
    const shown = [...players].sort((one, other) => other.rounds - one.rounds).slice(0, MAX_LINES);
    const lines = shown.map(({ player }) => ({
      name: nameOfPlayer(player),
      values: names.map((month) => months.find((one) => one.month === month && one.player === player)?.[value] ?? null),
    }));
    return { names, lines };
  }, [months]);
  if (names.length === 0) return null;
  const title = t(`stats-months-${value}`);
  const heads = ["month", "player", "rounds", "wins", ...(filter.game ? ["points"] : [])];
  return html`<section class="stats-section stack panel">
      <h2>${title}</h2>
      <${Chart} title=${title} lines=${lines} label=${(n) => (names[n] ? monthOf(names[n]) : "")} />
    </section>
    <${Table} title=${t("stats-months")} heads=${heads.map((head) => t(`stats-${head}`))}>
      ${[...months].reverse().map(({ month, player, rounds, wins, points }) => {
        const own = inMonth({ ...filter, player }, month);
        return html`<tr key=${`${month}|${player}`}>
          <th scope="row">${monthOf(month)}</th>
          <td>${nameOfPlayer(player)}</td>
          <${Rounds} filter=${own}>${whole(rounds)}<//>
          <${Rounds} filter=${{ ...own, won: "1" }}>${whole(wins)}<//>
          ${filter.game && html`<${Rounds} filter=${own}>${whole(points)}<//>`}
        </tr>`;
      })}
    <//>`;
}

export function Statistics() {
  const [choices, setChoices] = useState(null);
  const [circles, setCircles] = useState([]);
  const [filter, setFilter] = useState(null);
  const [found, setFound] = useState(null);
  const [problem, setProblem] = useState(null);
  const latest = useRef(null);
  const show = async (wanted) => {
    setProblem(null);
    setFilter(wanted);
    latest.current = wanted; // an earlier, slower answer must not replace a later one
    try {
      const answer = await request("GET", `/api/stats?${queryOf(wanted)}`);
      if (latest.current === wanted) setFound({ filter: wanted, ...answer });
    } catch (caught) {
      if (latest.current === wanted) setProblem(caught);
    }
  };
  const change = (wanted) => {
    history.replaceState(null, "", statisticsPath(wanted));
    show(wanted);
  };
  const open = async () => {
    setProblem(null);
    try {
      const [answer, people] = await Promise.all([request("GET", "/api/stats/choices"), loadPeople()]);
      setCircles(people.circles);
      const query = new URLSearchParams(location.search);
      setChoices(answer);
      show({ ...Object.fromEntries(FILTERS.map((name) => [name, query.get(name) || null])), ...(query.get("game") === null && { game: answer.games[0] ?? null }) });
    } catch (caught) {
      setProblem(caught);
    }
  };
  useEffect(() => {
    open();
  }, []);
  return html`<div class="stats stack gap-4 page">
    <header>
      <p class="fine crumbs"><a href="/log">${t("nav-log")}</a></p>
      <h1>${t("stats-title")}</h1>
    </header>
    ${choices && filter && html`<${Filters} choices=${choices} circles=${circles} filter=${filter} onChange=${change} />`}
    ${problem &&
    html`<${Notice} problem=${problem}>
      <button type="button" class="button primary" onClick=${() => (choices ? show(filter) : open())}>${t("problem-again")}</button>
    <//>`}
    ${!found && !problem && html`<p class="loading" role="status">${t("app-loading")}</p>`}
    ${found?.rounds === 0 && html`<p>${t("stats-empty")}</p>`}
    ${found?.rounds > 0 &&
    html`<p class="stats-total"><a class="target" href=${roundsPath(found.filter)}>${tn("rule-unit-rounds", found.rounds)}</a></p>
      <${Players} ...${found} />
      <${Months} ...${found} />
      <${Calls} ...${found} />
      <${Yaku} ...${found} />
      <${Pairs} ...${found} />`}
  </div>`;
}
