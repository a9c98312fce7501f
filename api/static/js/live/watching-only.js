/** For a phone that can only watch: how to keep score, and how to become a host. */
import { t } from "../i18n.js";
import { html } from "../view.js";

export const WatchingOnly = () =>
  html`<section class="panel stack watching-only">
    <h2>${t("watching-title")}</h2>
    <p>${t("hint-keep-score")}</p>
    <p>${t("join-to-host")}</p>
    <p class="buttons"><a class="button quiet" href="/join?to=/tables">${t("live-join")}</a></p>
  </section>`;
