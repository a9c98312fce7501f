/** The lobby: open a table, go to an open one, or invite other phones. */
import { getRules, Problem, request } from "../api.js";
import { DeckChoice } from "../deck-choice.js";
import { Face } from "../face.js";
import { allGames, gameOf, rulesName } from "../games.js";
import { day, textOf, t, timeOfDay, tn } from "../i18n.js";
import { Invite } from "../invite.js";
import { Notice } from "../notice.js";
import { classes, html, useEffect, useState } from "../view.js";
import { People } from "./people.js";
import { nameOfTable } from "./seats.js";
import { WatchingOnly } from "./watching-only.js";

const LONGEST_NAME = 80;
const FAN = ["maple-deer", "susuki-moon", "pine-crane"];

function Players({ names, limits, onChange }) {
  const { fewest: least, most } = limits;
  const put = (n, name) => onChange(names.map((old, at) => (at === n ? name : old)));
  return html`<fieldset class="players">
    <legend>${t("lobby-players")}</legend>
    ${names.map(
      (name, n) =>
        html`<label key=${n} class=${`player seat-${n + 1}`}>
          <span class="unseen">${t("live-seat", { seat: n + 1 })}</span>
          <input name=${`player-${n + 1}`} value=${name} maxlength=${LONGEST_NAME} placeholder=${t("live-seat", { seat: n + 1 })} autocomplete="off" onInput=${(event) => put(n, event.target.value)} />
        </label>`,
    )}
    ${most > least &&
    html`<div class="buttons">
      <button type="button" class="button quiet" disabled=${names.length >= most} onClick=${() => onChange([...names, ""])}>${t("lobby-more")}</button>
      <button type="button" class="button quiet" disabled=${names.length <= least} onClick=${() => onChange(names.slice(0, -1))}>${t("lobby-fewer")}</button>
    </div>`}
  </fieldset>`;
}

/** The choice of rules for a game: presets, saved rules, and `linked`: rules of a link, for example of a share code. */
function RulesChoice({ game, rules, saved, linked, onChoose }) {
  const savedRules = saved.filter((one) => one.game === game);
  const known = [...gameOf(game).presets, ...savedRules].some(({ name }) => name === linked?.name);
  return html`<div class="rules-choice">
    <label class="field-label">
      <span>${t("lobby-rules")}</span>
      <select name="rules" value=${rules} onChange=${(event) => onChoose(event.target.value)}>
        ${gameOf(game).presets.map(({ name }) => html`<option key=${name} value=${name}>${rulesName(name)}</option>`)}
        ${savedRules.map(({ name }) => html`<option key=${name} value=${name}>${rulesName(name)}</option>`)}
        ${linked?.game === game && !known && html`<option value=${linked.name}>${linked.label}</option>`}
      </select>
    </label>
    <a href="/rules">${t("lobby-rules-all")}</a>
  </div>`;
}

function Open() {
  const [game, setGame] = useState(allGames()[0].game);
  const [rules, setRules] = useState(gameOf(game).presets[0].name);
  const [names, setNames] = useState(["", ""]);
  const [name, setName] = useState("");
  const [deck, setDeck] = useState("");
  const [saved, setSaved] = useState([]);
  const [linked, setLinked] = useState(null);
  const [problem, setProblem] = useState(null);
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    request("GET", "/api/rules").then(({ rules: all }) => setSaved(all.filter((one) => one.saved)), () => {});
    const wanted = new URLSearchParams(location.search).get("rules");
    if (!wanted) return;
    getRules(wanted).then((found) => {
      setLinked({ name: wanted, game: found.game, label: rulesName(found.name) });
      choose(found.game);
      setRules(wanted);
    }, setProblem);
  }, []);
  const choose = (chosen) => {
    const { usual } = gameOf(chosen).players;
    setGame(chosen);
    setRules(gameOf(chosen).presets[0].name);
    setNames([...names, ...Array(usual).fill("")].slice(0, usual));
  };
  const open = async (event) => {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    const players = names.map((one, n) => one.trim() || t("live-seat", { seat: n + 1 }));
    try {
      const answer = await request("POST", "/api/tables", { game, rules, players, name: name.trim() || null, deck: deck || null });
      location.assign(`/t/${encodeURIComponent(answer.id)}`);
    } catch (caught) {
      if (!(caught instanceof Problem)) throw caught;
      setProblem(caught);
      setBusy(false);
    }
  };
  return html`<form class="open-table" onSubmit=${open}>
    <h2>${t("lobby-open")}</h2>
    <fieldset class="games">
      <legend class="unseen">${t("lobby-game")}</legend>
      ${allGames().map(
        (one) =>
          html`<label key=${one.game} class=${classes("game-choice", one.game === game && "chosen")}>
            <input type="radio" name="game" value=${one.game} checked=${one.game === game} onChange=${() => choose(one.game)} />
            <span>${textOf(one.names)}</span>
          </label>`,
      )}
    </fieldset>
    <${RulesChoice} game=${game} rules=${rules} saved=${saved} linked=${linked} onChoose=${setRules} />
    <${Players} names=${names} limits=${gameOf(game).players} onChange=${setNames} />
    <details class="more-options">
      <summary>${t("lobby-options")}</summary>
      <label class="field-label">
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
  return html`<li>
    <a class="table-card" href=${`/t/${encodeURIComponent(table.id)}`}>
      <b>${nameOfTable(table)}</b>
      ${table.name && html`<span>${table.players.join(" · ")}</span>`}
      <small>${textOf(gameOf(table.game).names)} · ${t("history-taken", { day: day(table.last), time: timeOfDay(table.last) })}</small>
      ${table.following > 0 && html`<em>${tn("lobby-following", table.following)}</em>`}
    </a>
    <span class="table-seats">
      ${table.players.map((name, n) => html`<a key=${n} class=${`seat-link seat-${n + 1}`} href=${`/t/${encodeURIComponent(table.id)}/seat/${n + 1}`}>${name}${mine(n + 1) && html` <small>${t("lobby-your-seat")}</small>`}</a>`)}
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
  return html`<div class="lobby">
    <section class="lobby-head">
      <div class="fan" aria-hidden="true">${FAN.map((id) => html`<${Face} key=${id} id=${id} />`)}</div>
      <div>
        <h1>${t("lobby-title")}</h1>
        <p class="hint">${t("lobby-text")}</p>
      </div>
    </section>
    ${problem && html`<${Notice} problem=${problem}><button type="button" class="button primary" onClick=${load}>${t("problem-again")}</button><//>`}
    <div class="lobby-body">
      ${tables?.length > 0 &&
      html`<section class="open-tables">
        <h2>${t("lobby-tables")}</h2>
        <ul>
          ${tables.map((table) => html`<${One} key=${table.id} table=${table} me=${me} />`)}
        </ul>
      </section>`}
      ${me?.role === "host" && html`<${Open} />`}
      ${me?.role === "viewer" && html`<${WatchingOnly} />`}
      ${me?.role === "scorer" && html`<p class="hint panel">${t("lobby-only-host")}</p>`}
      <section class="lobby-invite">
        ${me?.role === "host" && html`<${People} me=${me} table=${null} />`}
        <${Invite} path="/tables" label=${t("lobby-invite")} />
      </section>
    </div>
  </div>`;
}
