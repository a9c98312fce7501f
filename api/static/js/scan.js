/** The page of a scan, new or from the log: picture, score, cards, and rules, all correctable. */
import { deleteScan, patchScan } from "./api.js";
import { deckTitle, kindOf } from "./deck.js";
import { Confirm } from "./dialog.js";
import { gameOf, lastSettings, rememberSettings } from "./games.js";
import { History } from "./history.js";
import { day, lang, t, timeOfDay, tn } from "./i18n.js";
import { Keep } from "./keep.js";
import { More } from "./more.js";
import { Notice } from "./notice.js";
import { Picture } from "./picture.js";
import { Rules } from "./rules.js";
import { cardsTwice, withReading } from "./scans.js";
import { Score } from "./score.js";
import { Sheet } from "./sheet.js";
import { Tiles } from "./tiles.js";
import { classes, html, useRef, useState } from "./view.js";

const ADDING = "add";

/** The change for the API from the card chosen in the sheet. */
function correction(selected, id) {
  return selected === ADDING ? { added: [id] } : { corrections: [{ index: selected, card: id }] };
}

/** Sends changes one after the other and keeps the server's latest version of the scan. */
function useChanges(first) {
  const [scan, setScan] = useState(first);
  const [problem, setProblem] = useState(null);
  const [pending, setPending] = useState(0);
  const queue = useRef(Promise.resolve());
  const change = (changes) => {
    setPending((n) => n + 1);
    setProblem(null);
    queue.current = queue.current
      .then(() => patchScan(first.id, changes))
      .then(async (answer) => setScan(withReading(answer)))
      .catch((caught) => setProblem({ caught, changes }))
      .then(() => setPending((n) => n - 1));
  };
  return { scan, change, problem, forget: () => setProblem(null), busy: pending > 0 };
}

function Nothing({ onAdd }) {
  return html`<section class="notice stack panel" role="status">
    <h2>${t("scan-nothing-title")}</h2>
    <p>${t("scan-nothing-text")}</p>
    <div class="buttons">
      <a class="button primary" href="/">${t("scan-another")}</a>
      <button type="button" class="button quiet" onClick=${onAdd}>${t("tiles-add")}</button>
    </div>
  </section>`;
}

function Footer({ scan, onDelete }) {
  const [asking, setAsking] = useState(false);
  return html`<footer class="scan-foot cluster gap-3 between">
    <a class="button quiet" href="/">${t("scan-another")}</a>
    <button type="button" class="link danger stack" onClick=${() => setAsking(true)}>${t("scan-delete")}</button>
    ${asking &&
    html`<${Confirm}
      title=${t("scan-delete-title")}
      text=${t("scan-delete-text")}
      yes=${t("delete")}
      onYes=${() => {
        setAsking(false);
        onDelete();
      }}
      onClose=${() => setAsking(false)}
    />`}
  </footer>`;
}

/** @param {{first: Object}} props `first`: the response of GET /api/scans/{id}, with its reading */
export function Scan({ first }) {
  const { scan, change, problem, forget, busy } = useChanges(first);
  const [selected, setSelected] = useState(null);
  const [lit, setLit] = useState(new Set());
  const [stuck, setStuck] = useState(null);
  const top = useRef(null);
  const last = lastSettings(); // for a scan that was uploaded without a game

  const close = () => setSelected(null);
  const choose = (id) => {
    close();
    change(correction(selected, id));
  };
  const swap = (id, other) => {
    close();
    const name = scan.cards.find(({ index }) => index === selected).card;
    const nameless = other.quad ? null : "removed"; // a card that was added by hand has no other position
    const left = name === null || name === "back" ? nameless : name;
    change({ corrections: [{ index: selected, card: id }, { index: other.index, card: left }] });
  };
  const light = (ids) => {
    setLit(new Set(ids));
    if (ids.length) top.current.scrollIntoView({ behavior: "smooth", block: "start" });
  };
  const rescore = (settings) => {
    rememberSettings(settings);
    change(settings);
  };
  const remove = () =>
    deleteScan(scan.id).then(
      () => location.assign("/log#kept"),
      (caught) => setStuck(caught),
    );

  const card = scan.cards.find(({ index }) => index === selected) ?? null;
  const open = scan.cards.filter((one) => one.card === null);
  const holds = { "card-twice": cardsTwice(scan.cards).length > 0, "photo-unknown-deck": 2 * open.length > scan.cards.length }; // after corrections
  const findings = (scan.reading.quality ?? []).filter(({ code }) => holds[code] ?? true);
  const foreign = scan.cards.some((one) => kindOf(one.card) === null);
  return html`<article class=${classes("scan stack gap-5", busy && "busy")} aria-busy=${busy}>
    <h1 class="unseen">${t("scan-title", { day: day(scan.time), time: timeOfDay(scan.time) })}</h1>
    <div class="scan-picture" ref=${top}>
      <${Picture} scan=${scan} lit=${lit} selected=${selected} onSelect=${setSelected} />
    </div>
    <div class="scan-side stack gap-5">
      ${(problem || stuck) &&
      html`<${Notice} problem=${problem?.caught ?? stuck}>
        ${problem && html`<button type="button" class="button primary" onClick=${() => change(problem.changes)}>${t("problem-again")}</button>`}
        <button type="button" class="button quiet" onClick=${() => (forget(), setStuck(null))}>${t("problem-dismiss")}</button>
      <//>`}
      ${findings.map(({ code, message }) =>
        code === "photo-unknown-deck"
          ? html`<section class="notice stack panel" role="status" data-quality=${code}>
              <h2>${t("scan-unknown-title")}</h2>
              <p>${message[lang] ?? message.en}</p>
              <div class="buttons"><a class="button primary" href="/decks/new">${t("scan-unknown-enroll")}</a></div>
            </section>`
          : html`<p class="hint" role="status" data-quality=${code}>${message[lang] ?? message.en}</p>`,
      )}
      ${scan.cards.length === 0
        ? html`<${Nothing} onAdd=${() => setSelected(ADDING)} />`
        : scan.score &&
          html`<${Score} score=${scan.score} lit=${lit} onLight=${light}>
            ${open.length > 0 &&
            html`<button type="button" class="open-line" onClick=${() => setSelected(open[0].index)}>${tn("scan-open", open.length)}</button>`}
          <//>`}
      ${foreign
        ? html`<p class="hint" role="status">${t("scan-foreign", { deck: deckTitle(scan.reading.deck) })}</p>`
        : html`<section class="house">
            <${Rules} game=${scan.game ?? last.game} rules=${scan.rules ?? { name: last.name ?? last.rules }} onChoose=${rescore} />
            ${gameOf(scan.game ?? last.game).asks.length > 0 && html`<${More} scan=${scan} onChange=${change} />`}
          </section>`}
      ${scan.cards.length > 0 && html`<${Tiles} scan=${scan} onSelect=${setSelected} onAdd=${() => setSelected(ADDING)} />`}
      <${History} scan=${scan} />
      <${Footer} scan=${scan} onDelete=${remove} />
    </div>
    <${Keep} scan=${scan} onChange=${change} />
    ${selected !== null && html`<${Sheet} key=${selected} scan=${scan} card=${card} onChoose=${choose} onSwap=${swap} onClose=${close} />`}
  </article>`;
}
