// The Analysis view: embeds the analysis page of the service.

import * as api from "./api.js";
import { field, fill, h, input } from "./dom.js";
import { address } from "./route.js";

const FILTERS = ["vendor", "device", "campaign", "submissions"];

/** Elements that no analysis needs and that could have side effects. */
const KEPT_OUT = "script, iframe, object, embed, link, meta, base, form, style, template";

export async function show(root, { query }) {
  const asked = Object.fromEntries(FILTERS.map((name) => [name, query.get(name) ?? ""]));
  const problem = h("div", { role: "alert" });
  const place = h("div", { class: "analysis" });
  const submit = (event) => {
    event.preventDefault();
    location.hash = address("analysis", "", Object.fromEntries(new FormData(event.target)));
  };
  const links = [["json", "JSON"], ["text", "text"], ["html", "a separate page"]].map(([format, name]) => {
    const query = api.queryText({ ...asked, format: format === "json" ? undefined : format });
    return h("a", { href: `/api/analysis${query}` }, name);
  });
  fill(root, h("h1", { tabindex: -1 }, "Analysis"),
    h("p", {}, "Scores, correlations and groups of devices, for the newest 200 submissions, for the newest 200 of those selected "
      + "below, or for a campaign."),
    h("form", { onsubmit: submit },
      h("div", { class: "fields" },
        field("Vendor", input("vendor", asked.vendor)), field("Device", input("device", asked.device)),
        field("Campaign", input("campaign", asked.campaign), "instead of the other fields, which must be empty"),
        field("Results", input("submissions", asked.submissions, { pattern: "[0-9]+(,[0-9]+)*" }), "numbers, separated by commas")),
      h("div", { class: "actions" }, h("button", { type: "submit", class: "main" }, "Show"), h("a", { href: "#/analysis" }, "The newest 200"),
        h("span", {}, "Also as ", links[0], ", ", links[1], " and ", links[2]))),
    problem, place);
  try {
    inside(place, await api.getText("/api/analysis", { ...asked, format: "html" }));
    root.dataset.state = "done";
  } catch (error) {
    root.dataset.state = "failed";
    fill(problem, h("p", { class: "warning" }, error.message));
  }
}

/** Inserts a page into an element in a shadow root, with its own style. */
function inside(place, html) {
  // Styles are removed first: even a page that is only parsed is subject to the policy of this page, which forbids
  // inline styles.
  const styles = [];
  const bare = html.replace(/<style>([^]*?)<\/style>/g, (_, style) => {
    styles.push(style);
    return "";
  });
  const page = new DOMParser().parseFromString(bare, "text/html");
  for (const element of page.querySelectorAll(KEPT_OUT)) element.remove();
  for (const element of page.querySelectorAll("*")) {
    for (const { name, value } of [...element.attributes]) {
      const isLink = name === "href" || name === "xlink:href" || name === "src";
      if (name.startsWith("on") || (isLink && !value.startsWith("#"))) element.removeAttribute(name);
    }
  }
  const main = page.querySelector("main");
  if (!main) throw new Error("The service returned no analysis.");
  const sheet = new CSSStyleSheet();
  // The root of the inserted page is the host element.
  sheet.replaceSync(styles.join("\n").replaceAll(":root", ":host"));
  const shadow = place.attachShadow({ mode: "open" });
  shadow.adoptedStyleSheets = [sheet];
  // The view already has a heading of level 1.
  main.querySelector("h1")?.remove();
  const nav = page.querySelector("nav");
  for (const part of [nav, main]) if (part) shadow.append(document.importNode(part, true));
  shadow.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    if (!link) return;
    event.preventDefault();
    const target = shadow.getElementById(link.getAttribute("href").slice(1));
    target?.setAttribute("tabindex", "-1");
    target?.focus();
    target?.scrollIntoView();
  });
}
