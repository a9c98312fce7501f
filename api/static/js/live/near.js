/** A player's near yaku, as computed by the server. */
import { inDeckOrder, nameOf } from "../deck.js";
import { Face } from "../face.js";
import { t, tn } from "../i18n.js";
import { html, useState } from "../view.js";
import { YakuName } from "../yaku.js";
import { Ghost } from "./cards.js";
import { whereIs } from "./seats.js";

const MAX_NEAR = 3;
const MAX_HAVE = 4; // above this, their number is displayed instead of their faces
const MAX_NEEDS = 6;

/** A near yaku: the cards that the player has, and the missing cards with their locations. */
export function NearOne({ near, round }) {
  const have = new Set(near.have ?? []);
  const visible = have.size > MAX_HAVE ? [] : [...have];
  const needs = inDeckOrder(near.needs.slice(0, MAX_NEEDS));
  return html`<li class="near-one stack gap-1">
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
  const visible = all ? near : near.slice(0, MAX_NEAR);
  return html`<section class="nearly">
    <h2>${t("score-near")}</h2>
    <ul>
      ${visible.map((one) => html`<${NearOne} key=${one.yaku} near=${one} round=${round} />`)}
    </ul>
    ${near.length > MAX_NEAR &&
    html`<button type="button" class="link" aria-expanded=${all} onClick=${() => setAll(!all)}>
      ${all ? t("score-near-less") : tn("score-near-more", near.length - MAX_NEAR)}
    </button>`}
  </section>`;
}
