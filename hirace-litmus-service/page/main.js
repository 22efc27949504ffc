// The page: selects the view for an address, and shows the links between views.

import { announce, fill, h } from "./dom.js";
import { parse } from "./route.js";
import * as analysis from "./view-analysis.js";
import * as campaign from "./view-campaign.js";
import * as campaigns from "./view-campaigns.js";
import * as conform from "./view-conform.js";
import * as explore from "./view-explore.js";
import * as result from "./view-result.js";
import * as results from "./view-results.js";
import * as submit from "./view-submit.js";
import * as tune from "./view-tune.js";

/**
 * A view fills `root` and returns a function to call when the user leaves it.
 * @typedef {{title: string, show: (root: HTMLElement, route: import("./route.js").Route) => Promise<(() => void) | void>}} View
 */

/** @type {Record<string, {title: string, of: (rest: string) => {show: View["show"]}}>} */
const VIEWS = {
  explore: { title: "Explore", of: () => explore },
  tune: { title: "Tune", of: () => tune },
  conform: { title: "Conform", of: () => conform },
  submit: { title: "Submit", of: () => submit },
  results: { title: "Results", of: (rest) => rest ? result : results },
  analysis: { title: "Analysis", of: () => analysis },
  campaigns: { title: "Campaigns", of: (rest) => rest ? campaign : campaigns },
};

const root = document.getElementById("view");
const links = document.getElementById("links");
let leave;
let turn = 0;

async function show(isFirst) {
  leave?.();
  leave = undefined;
  const own = ++turn;
  const route = parse(location.hash || "#/explore");
  const view = VIEWS[route.view];
  for (const link of links.querySelectorAll("a")) {
    if (link.dataset.view === route.view) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const title = view ? [view.title, route.rest].filter(Boolean).join(" ") : "Page not found";
  document.title = `${title} · hirace litmus`;
  // Each view has its own element, so that a slowly loading view cannot write into the next one.
  const place = h("div", { "data-view": route.view });
  fill(root, place);
  if (!view) {
    fill(place, h("h1", {}, "Page not found"), h("p", {}, h("a", { href: "#/explore" }, "Explore tests")));
    return;
  }
  place.setAttribute("aria-busy", "true");
  const heading = h("h1", { tabindex: -1 }, view.title);
  fill(place, heading, h("p", { class: "dim" }, "loading …"));
  if (!isFirst) {
    heading.focus();
    announce(`opening ${title}`);
  }
  let left;
  try {
    left = await view.of(route.rest).show(place, route);
  } catch (error) {
    fill(place, h("h1", { tabindex: -1 }, view.title), h("p", { class: "warning", role: "alert", "data-problem": "" }, error.message),
      h("p", {}, h("button", { type: "button", onclick: () => show(false) }, "Retry")));
  }
  place.removeAttribute("aria-busy");
  if (own !== turn) {
    left?.();
    return;
  }
  leave = left;
  // The view has replaced the heading that had the focus.
  if (!isFirst && document.activeElement === document.body) place.querySelector("h1")?.focus();
}

document.getElementById("skip").addEventListener("click", (event) => {
  // The part after the `#` is the address of the view.
  event.preventDefault();
  root.focus();
});
fill(links, Object.entries(VIEWS).map(([name, { title }]) => h("li", {}, h("a", { href: `#/${name}`, "data-view": name }, title))));
addEventListener("hashchange", () => show(false));
addEventListener("pagehide", () => leave?.());
addEventListener("pageshow", (event) => {
  if (event.persisted) show(true);
});
show(true);
