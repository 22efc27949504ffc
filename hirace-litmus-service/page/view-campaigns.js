// The list of campaigns, which many browsers work on together.

import * as api from "./api.js";
import { fill, h, table } from "./dom.js";
import { address } from "./route.js";
import { count, moment, software } from "./words.js";

export async function show(root) {
  const { campaigns } = await api.get("/api/campaigns");
  const rows = campaigns.map((one) => [
    h("a", { href: address("campaigns", one.name) }, one.name), one.open ? "open" : "closed", count(one.tests), count(one.environments),
    count(one.pieces), count(one.targets.length), moment(one.created),
  ]);
  fill(root, h("h1", { tabindex: -1 }, "Campaigns"),
    h("p", {}, "A campaign is a set of tests in environments. Each device runs all of them, and everyone with such a device can contribute runs."),
    rows.length === 0 ? h("p", {}, "There are no campaigns yet.")
      : table("Campaigns", ["campaign", "state", "tests", "environments", "runs per device", "devices", "created"], rows));
  root.dataset.state = "done";
}

/** Returns a table with the progress of each device. */
export function progressTable({ targets, pieces }, name) {
  if (targets.length === 0) return h("p", {}, "No device has completed a run yet.");
  const rows = targets.map(({ target, done }) => [
    target.name, target.vendor, target.driver, software(target.operating_system), software(target.browser), `${count(done)} of ${count(pieces)}`,
    h("progress", { max: pieces, value: done, "aria-label": `Progress of ${target.name}` }),
    h("a", { href: `/api/campaigns/${encodeURIComponent(name)}/results${api.queryText({ ...target, operating_system: software(target.operating_system), browser: software(target.browser) })}` }, "JSON"),
  ]);
  return table("Progress by device", ["device", "vendor", "driver", "operating system", "browser", "done", "progress", "results"], rows, { class: "words" });
}
