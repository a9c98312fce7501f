/** The lobby: open a table, go to an open one, or invite other phones. */
import { getNight, getRules, request } from "../api.js";
import { useAttempt } from "../attempt.js";
import { DeckChoice } from "../deck-choice.js";
import { Face } from "../face.js";
import { allGames, gameOf, rulesName } from "../games.js";
import { HowToPlayButton } from "../how-to-play.js";
import { day, listed, textOf, t, timeOfDay, tn } from "../i18n.js";
import { Invite } from "../invite.js";
import { Notice } from "../notice.js";
import { loadPeople } from "../people.js";
import { classes, html, useEffect, useState } from "../view.js";
import { People } from "./people.js";
import { idOf, NOBODY, SeatChooser } from "./seat-chooser.js";
import { nameOfTable } from "./seats.js";
import { WatchingOnly } from "./watching-only.js";

const LONGEST_NAME = 80;
const FAN = ["maple-deer", "susuki-moon", "pine-crane"];

const clamp = (n, { fewest, most }) => Math.min(Math.max(n, fewest), most);

/** The choice of rules for a game: presets, saved rules, and `linked`: rules of a link, for example of a share code. */
function RulesChoice({ game, rules, saved, linked, onChoose }) {
  const savedRules = saved.filter((one) => one.saved && one.game === game);
  const known = [...gameOf(game).presets, ...savedRules].some(({ name }) => name === linked?.name);
  return html`<div class="stack gap-1">
    <label class="field-label stack gap-1 hint">
      <span>${t("house-title")}</span>
      <select name="rules" value=${rules} onChange=${(event) => onChoose(event.target.value)}>
        ${gameOf(game).presets.map(({ name }) => html`<option key=${name} value=${name}>${rulesName(name)}</option>`)}
        ${savedRules.map(({ name }) => html`<option key=${name} value=${name}>${rulesName(name)}</option>`)}
        ${linked?.game === game && !known && html`<option value=${linked.name}>${linked.label}</option>`}
      </select>
    </label>
    <div class="cluster between"><${HowToPlayButton} rules=${rules} /><a class="target" href="/rules">${t("lobby-rules-all")}</a></div>
  </div>`;
}

/** The name that this phone's user has typed, empty without one. @param {{id: string|null, name: string, role: string}} me */
const ownName = ({ id, name, role }) => (id === null || name === role ? "" : name);

/** @param {{again: string|null, me: Object}} props `again`: the id of the evening whose last game to play again; `me`: this phone, which plays */
function Open({ again, me }) {
  const [game, setGame] = useState(allGames()[0].game);
  const [rules, setRules] = useState(gameOf(game).presets[0].name);
  const [seats, setSeats] = useState([{ name: ownName(me), player: null }, NOBODY]);
  const [people, setPeople] = useState({ players: [], circles: [] });
  const [circle, setCircle] = useState("");
  const [name, setName] = useState("");
  const [deck, setDeck] = useState("");
  const [saved, setSaved] = useState([]);
  const [linked, setLinked] = useState(null);
  const [problem, attempt, setProblem] = useAttempt();
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    request("GET", "/api/rules").then(({ rules: all }) => setSaved(all), () => {});
    loadPeople().then(setPeople, () => {}); // without them names can be typed
    const wanted = new URLSearchParams(location.search).get("rules");
    if (wanted) link(wanted).catch(setProblem);
    if (again) playAgain(again).catch(setProblem);
  }, []);
  /** Choose rules that may have no name here. @param {string} wanted a name or a share code */
  const link = async (wanted) => {
    const found = await getRules(wanted);
    setLinked({ name: wanted, game: found.game, label: rulesName(found.name), players: found.players });
    choose(found.game);
    setRules(wanted);
  };
  /** Take the players, rules and deck of the last game of an evening. @param {string} night its id */
  const playAgain = async (night) => {
    const last = (await getNight(night)).games.at(-1);
    const { table } = (await request("GET", `/api/tables/${encodeURIComponent(last.table)}`)).state;
    const exact = table.next_rules ?? table.rules;
    const { rules: all } = await request("GET", "/api/rules");
    choose(last.game);
    if (all.some(({ name, hash }) => name === exact.name && hash === exact.hash)) setRules(exact.name);
    else await link(exact.code);
    setSeats(last.players.map((name, n) => ({ name, player: last.player_ids[n] })));
    setDeck(last.deck ?? "");
  };
  const chooseCircle = (id) => {
    const found = people.circles.find((one) => one.id === id);
    setCircle(id);
    if (!found?.game) return;
    choose(found.game);
    if (found.rules) link(found.rules).catch(setProblem);
  };
  const choose = (chosen) => {
    const { usual } = gameOf(chosen).players;
    setGame(chosen);
    setRules(gameOf(chosen).presets[0].name);
    setSeats((before) => [...before, ...Array(usual).fill(NOBODY)].slice(0, usual));
  };
  const open = async (event) => {
    event.preventDefault();
    setBusy(true);
    const players = seats.map((one, n) => one.name.trim() || t("live-seat", { seat: n + 1 }));
    const playerIds = seats.map((one) => (one.name.trim() ? (one.player ?? idOf(one.name, people.players)) : ""));
    const opened = await attempt(async () => {
      const answer = await request("POST", "/api/tables", { game, rules, players, player_ids: playerIds, name: name.trim() || null, deck: deck || null });
      const own = seats.findIndex((one) => one.name.trim() !== "" && one.name.trim() === ownName(me));
      if (own >= 0) await request("PATCH", `/api/pairings/${encodeURIComponent(me.id)}`, { seat: own + 1, table: answer.id });
      location.assign(`/t/${encodeURIComponent(answer.id)}${own >= 0 ? `/seat/${own + 1}` : ""}`);
    });
    setBusy(opened); // until the table's page is there
  };
  const { players: allowed } = [linked, ...saved].find((one) => one?.name === rules) ?? {};
  const limits = allowed ? { fewest: allowed[0], most: allowed.at(-1) } : gameOf(game).players;
  useEffect(() => setSeats((before) => [...before, ...Array(limits.fewest).fill(NOBODY)].slice(0, clamp(before.length, limits))), [limits.fewest, limits.most]);
  const members = people.circles.find(({ id }) => id === circle)?.players;
  const offered = people.players.filter(({ id, hidden }) => !hidden && (!members || members.includes(id)));
  const named = seats.map((one) => one.name.trim()).filter(Boolean);
  return html`<form class="open-table panel stack gap-4" onSubmit=${open}>
    <h2>${t("lobby-open")}</h2>
    ${again && named.length === seats.length && html`<button type="submit" class="button primary big" disabled=${busy}>${t("lobby-again", { names: listed(named) })}</button>`}
    <fieldset class="games stack">
      <legend class="unseen">${t("stats-game")}</legend>
      ${allGames().map(
        (one) =>
          html`<label key=${one.game} class=${classes("game-choice centered", one.game === game && "chosen")}>
            <input type="radio" name="game" value=${one.game} checked=${one.game === game} onChange=${() => choose(one.game)} />
            <span>${textOf(one.names)}</span>
          </label>`,
      )}
    </fieldset>
    <${RulesChoice} game=${game} rules=${rules} saved=${saved} linked=${linked} onChoose=${setRules} />
    ${people.circles.length > 0 &&
    html`<label class="field-label stack gap-1 hint">
      <span>${t("people-circle")}</span>
      <select name="circle" value=${circle} onChange=${(event) => chooseCircle(event.target.value)}>
        <option value="">${t("people-everybody")}</option>
        ${people.circles.map(({ id, name: named }) => html`<option key=${id} value=${id}>${named}</option>`)}
      </select>
    </label>`}
    <${SeatChooser} seats=${seats} limits=${limits} players=${offered} onChange=${setSeats} />
    <details class="more-options">
      <summary>${t("lobby-options")}</summary>
      <label class="field-label stack gap-1 hint">
        <span>${t("lobby-name")}</span>
        <input name="name" value=${name} maxlength=${LONGEST_NAME} onInput=${(event) => setName(event.target.value)} />
      </label>
      <${DeckChoice} deck=${deck} onChoose=${setDeck} />
    </details>
    ${problem &&
    html`<${Notice} problem=${problem} />`}
    <button type="submit" class="button primary big" disabled=${busy}>${t("lobby-do-open")}</button>
  </form>`;
}

/** An open table; `me`: this browser, whose own seat is linked. */
function One({ table, me }) {
  const mine = (seat) => me?.seat === seat && (me.table === null || me.table === table.id);
  return html`<li class="panel pad-0">
    <a class="table-card plain-link" href=${`/t/${encodeURIComponent(table.id)}`}>
      <b>${nameOfTable(table)}</b>
      ${table.name && html`<span>${table.players.join(" · ")}</span>`}
      <small>${textOf(gameOf(table.game).names)} · ${t("history-taken", { day: day(table.last), time: timeOfDay(table.last) })}</small>
      ${table.following > 0 && html`<em>${tn("lobby-following", table.following)}</em>`}
    </a>
    <span class="table-seats cluster gap-0">
      ${table.players.map((name, n) => html`<a key=${n} class=${`seat-link centered plain-link seat-${n + 1}`} href=${`/t/${encodeURIComponent(table.id)}/seat/${n + 1}`}>${name}${mine(n + 1) && html` <small>${t("lobby-your-seat")}</small>`}</a>`)}
    </span>
  </li>`;
}

export function Lobby() {
  const [tables, setTables] = useState(null);
  const [me, setMe] = useState(null);
  const [problem, setProblem] = useState(null);
  const load = () => {
    setProblem(null);
    request("GET", "/api/tables").then(({ tables: found }) => setTables(found), setProblem);
    request("GET", "/api/me").then(setMe, setProblem);
  };
  useEffect(load, []);
  const again = new URLSearchParams(location.search).get("again");
  const form = me?.role === "host" && html`<${Open} again=${again} me=${me} />`;
  return html`<div class="lobby stack gap-4 page">
    <section class="lobby-head cluster gap-4">
      <div class="fan" aria-hidden="true">${FAN.map((id) => html`<${Face} key=${id} id=${id} />`)}</div>
      <div>
        <h1>${t("nav-tables")}</h1>
        <p class="hint">${t("lobby-text")}</p>
      </div>
    </section>
    ${problem && html`<${Notice} problem=${problem}><button type="button" class="button primary" onClick=${load}>${t("problem-again")}</button><//>`}
    <div class="lobby-body stack gap-4">
      ${again && form}
      ${tables?.length > 0 &&
      html`<section class="stack">
        <h2>${t("lobby-tables")}</h2>
        <ul>
          ${tables.map((table) => html`<${One} key=${table.id} table=${table} me=${me} />`)}
        </ul>
      </section>`}
      ${!again && form}
      ${me?.role === "viewer" && html`<${WatchingOnly} />`}
      ${me?.role === "scorer" && html`<p class="hint panel stack">${t("lobby-only-host")}</p>`}
      <section class="stack gap-3">
        ${me?.role === "host" && html`<${People} me=${me} table=${null} />`}
        <${Invite} path="/tables" label=${t("lobby-invite")} />
      </section>
    </div>
  </div>`;
}
