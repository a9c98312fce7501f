/** The players and circles of the house, by id. */
import { request } from "./api.js";
import { classes, html } from "./view.js";

/**
 * @typedef {Object} Player
 * @property {string} id @property {string} name @property {number|null} color @property {string|null} emoji
 * @property {string|null} picture the address of the picture
 */

let players = new Map();
let circles = new Map();

/** Fetch the players, claims and circles. @param {string} [night] the night whose claims to fetch; by default those that wait for a host */
export async function loadPeople(night) {
  const people = await request("GET", `/api/players${night ? `?night=${encodeURIComponent(night)}` : ""}`);
  players = new Map(people.players.map((one) => [one.id, one]));
  circles = new Map(people.circles.map((one) => [one.id, one]));
  return people;
}

/** @param {string} id @returns {Player} */
export const playerOf = (id) => players.get(id) ?? { id, name: id, color: null, emoji: null, picture: null };

export const nameOfPlayer = (id) => playerOf(id).name;
export const nameOfCircle = (id) => circles.get(id)?.name ?? id;

/** A player's picture, emoji, or first letter, in the player's color. @param {{player: Player}} props */
export const Avatar = ({ player: { name, color, emoji, picture } }) =>
  html`<span class=${classes("avatar", color && `color-${color}`)} aria-hidden="true">${picture ? html`<img src=${picture} alt="" />` : (emoji ?? [...name][0])}</span>`;

/** A player's emoji or picture, for those who have one. @param {{player: Player}} props */
export const Mark = ({ player }) => (player.emoji || player.picture) && html`<${Avatar} player=${player} /> `;

/** A player's name after the emoji or picture. @param {{id: string}} props */
export const PlayerName = ({ id }) => html`<span class="player-name"><${Mark} player=${playerOf(id)} />${nameOfPlayer(id)}</span>`;
