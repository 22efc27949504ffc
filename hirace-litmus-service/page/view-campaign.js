// The view of one campaign: the progress of each device, and the worker.

import * as api from "./api.js";
import { device } from "./device.js";
import { facts, fill, h } from "./dom.js";
import { Labour } from "./labour.js";
import { address } from "./route.js";
import { progressTable } from "./view-campaigns.js";
import { duration, many, moment, product, verb } from "./words.js";

export async function show(root, { rest: name }) {
  const path = `/api/campaigns/${encodeURIComponent(name)}`;
  const [{ gpu, notice }, campaign, isClosed] = await Promise.all([device(), api.get(path), api.isClosed()]);
  const progress = h("div");
  const showProgress = (of) => fill(progress, progressTable(of, name));
  showProgress(campaign);
  const labour = new Labour(path, campaign, gpu, isClosed, {
    changes: (state) => {
      root.dataset.state = state;
    },
    rests: async () => {
      const now = await api.get(path).catch(() => undefined);
      if (now) showProgress(now);
    },
  });
  const { settings } = campaign;
  fill(root, h("h1", { tabindex: -1 }, `Campaign ${name}`), notice,
    facts([
      ["Kind", verb(campaign.verb)], ["Created", moment(campaign.created)], ["State", campaign.open ? "open" : "closed"],
      ["Runs per device", `${many(campaign.pieces, "run")}: ${product(campaign)}`],
      ["Each run", `up to ${many(settings.iterations, "dispatch", "dispatches")}${settings.seconds ? `, ${settings.seconds} s` : ""}`],
      ["Time per device", campaign.budget && duration(campaign.budget)],
      ["Seed", settings.seed], ["Specification", campaign.specification],
    ]),
    h("p", {}, h("a", { href: address("analysis", "", { campaign: name }) }, "Analysis of the results")),
    h("p", {}, "Working on a campaign leases a few runs at a time, runs them on this device, and sends the results to the service: counts of "
      + "outcomes, with the name, vendor and driver of the device as shown above."),
    labour.element,
    h("h2", {}, "Progress by device"), progress,
    h("details", {}, h("summary", {}, "Tests"), h("p", {}, campaign.tests.join(", "))));
  root.dataset.state = "idle";
  return () => labour.leave();
}
