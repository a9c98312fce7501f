/** Starts the page named in the boot record. */
import { getDispute, getEnrollment, getNight, getReplay, getRules, getScan } from "./api.js";
import { boot } from "./boot.js";
import { loadDeck, loadDeckOf } from "./deck.js";
import { Decks } from "./decks.js";
import { Dispute } from "./dispute.js";
import { Disputes } from "./disputes.js";
import { Enroll } from "./enroll.js";
import { loadGames } from "./games.js";
import { Home } from "./home.js";
import { House } from "./house.js";
import { Log } from "./log.js";
import { NightPage } from "./night-page.js";
import { cardsOfReplay, Replay } from "./replay.js";
import { Players } from "./players.js";
import { Rounds } from "./rounds.js";
import { RulesEditor } from "./rules-editor.js";
import { RulesList } from "./rules-list.js";
import { Scan } from "./scan.js";
import { cardsOf, withReading } from "./scans.js";
import { start } from "./starting.js";
import { Statistics } from "./statistics.js";
import { html } from "./view.js";

/** Fetch a deck that is being enrolled; if it has expired on the server, return the Problem instead. */
async function learning(id) {
  try {
    const first = await getEnrollment(id);
    await loadDeck(first.pack);
    return { first, lost: null };
  } catch (caught) {
    if (caught.slug !== "no-such-enrollment") throw caught;
    return { first: null, lost: caught };
  }
}

/** Fetch what the page needs and return its content. */
async function content() {
  const [scan, rules, night, replay, dispute, learnt] = await Promise.all([
    boot.scan && getScan(boot.scan),
    boot.rules && getRules(boot.rules),
    boot.night && getNight(boot.night),
    boot.page === "replay" && getReplay(boot.table, boot.round),
    boot.dispute && getDispute(boot.table, boot.dispute),
    boot.enrollment ? learning(boot.enrollment) : { first: null, lost: null },
    loadDeck(),
    loadGames(),
  ]);
  await loadDeckOf(scan ? cardsOf(scan) : replay ? cardsOfReplay(replay) : []);
  const pages = {
    decks: () => html`<${Decks} />`,
    dispute: () => html`<${Dispute} first=${dispute} />`,
    disputes: () => html`<${Disputes} />`,
    enroll: () => html`<${Enroll} ...${learnt} />`,
    home: () => html`<${Home} />`,
    log: () => html`<${Log} />`,
    night: () => html`<${NightPage} first=${night} />`,
    replay: () => html`<${Replay} replay=${replay} />`,
    players: () => html`<${Players} />`,
    rounds: () => html`<${Rounds} />`,
    rules: () => html`<${House} rules=${rules} />`,
    "rules-editor": () => html`<${RulesEditor} rules=${rules} />`,
    "rules-list": () => html`<${RulesList} />`,
    scan: () => html`<${Scan} first=${withReading(scan)} />`,
    statistics: () => html`<${Statistics} />`,
  };
  return pages[boot.page]();
}

addEventListener("popstate", () => location.reload()); // from a new scan back to the previous page
start(content);
