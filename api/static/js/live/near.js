/** What a player is near to, as the one scorer answered it. */
import { inDeckOrder, nameOf } from "../deck.js";
import { Face } from "../face.js";
import { t, tn } from "../i18n.js";
import { html, useState } from "../view.js";
import { YakuName } from "../yaku.js";
import { Ghost } from "./cards.js";
import { whereIs } from "./seats.js";

const NEAR_SHOWN = 3;
const HAVE_SHOWN = 4; // of a yaku of many cards the number says more than their faces
const NEEDS_SHOWN = 6;

/** A yaku that is not made yet: what is there, and the missing cards with where they are. */
export function NearOne({ near, round }) {
  const have = new Set(near.have ?? []);
  const visible = have.size > HAVE_SHOWN ? [] : [...have];
  const needs = inDeckOrder(near.needs.slice(0, NEEDS_SHOWN));
  return html`<li class="near-one">
    <span class="made-head"><${YakuName} names=${near} /> ${near.points !== undefined && html`<b class="points">${tn("points", near.points)}</b>`}</span>
    <span class="near-cards">
      ${inDeckOrder(visible).map((id) => html`<${Face} key=${id} id=${id} alt=${nameOf(id)} />`)}
      ${visible.length < have.size && html`<span class="have">${have.size} +</span>`}
      ${near.needs.length > near.count && html`<span class="have">${tn("live-any-of", near.count)}</span>`}
      ${needs.map((id) => html`<${Ghost} key=${id} id=${id} where=${whereIs(round, id)} near=${round.field.includes(id)} />`)}
    </span>
  </li>`;
}

/** @param {{near: Object[], round: Object}} props */
export function Near({ near, round }) {
  const [all, setAll] = useState(false);
  const visible = all ? near : near.slice(0, NEAR_SHOWN);
  return html`<section class="nearly">
    <h2>${t("live-near")}</h2>
    <ul>
      ${visible.map((one) => html`<${NearOne} key=${one.yaku} near=${one} round=${round} />`)}
    </ul>
    ${near.length > NEAR_SHOWN &&
    html`<button type="button" class="link" aria-expanded=${all} onClick=${() => setAll(!all)}>
      ${all ? t("score-near-less") : tn("score-near-more", near.length - NEAR_SHOWN)}
    </button>`}
  </section>`;
}
