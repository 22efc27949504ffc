// One campaign: how far each device is, and work on it.

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
      ["Done by", verb(campaign.verb)], ["Created", moment(campaign.created)], ["State", campaign.open ? "open" : "ended"],
      ["Runs for a device", `${many(campaign.pieces, "run")}: ${product(campaign)}`],
      ["Each run", `up to ${many(settings.iterations, "dispatch", "dispatches")}${settings.seconds ? `, ${settings.seconds} s` : ""}`],
      ["Time for a device", campaign.budget && duration(campaign.budget)],
      ["Seed", settings.seed], ["Judged by", campaign.specification],
    ]),
    h("p", {}, h("a", { href: address("analysis", "", { campaign: name }) }, "Analysis of its results")),
    h("p", {}, "Working on it takes a few runs at a time, runs them on this device, and sends what comes of each to the service: counts of "
      + "outcomes, with the device's name, vendor and driver as above."),
    labour.element,
    h("h2", {}, "Progress by device"), progress,
    h("details", {}, h("summary", {}, "Tests"), h("p", {}, campaign.tests.join(", "))));
  root.dataset.state = "idle";
  return () => labour.leave();
}
