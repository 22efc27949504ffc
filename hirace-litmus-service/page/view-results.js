// The list of results that were submitted to the service, in pages.

import * as api from "./api.js";
import { facts, fill, h, table } from "./dom.js";
import { address, wholeNumber } from "./route.js";
import { count, moment, software, verb } from "./words.js";

const A_PAGE = 50;

export async function show(root, { query }) {
  const before = wholeNumber(query.get("before"));
  const { submissions, next } = await api.get("/api/submissions", { before, limit: A_PAGE });
  const rows = submissions.map((one) => [
    h("a", { href: address("results", String(one.id)) }, String(one.id)),
    one.device ?? "", one.vendor ?? "", one.driver ?? "", software(one.operating_system), software(one.browser), one.kind === "published" ? "published" : verb(one.verb ?? ""),
    count(one.tests), count(one.environments), count(one.instances),
    one.mutants > 0 ? `${count(one.killed)} of ${count(one.mutants)}` : "",
    one.violations?.length > 0 ? one.violations.join(", ") : "",
    moment(one.received),
  ]);
  const head = ["result", "device", "vendor", "driver", "operating system", "browser", "kind", "tests", "environments", "instances",
    "killed", "forbidden in", "received"];
  fill(root, h("h1", { tabindex: -1 }, "Results"),
    rows.length === 0
      ? h("p", {}, before ? "There are no older results." : "There are no results yet.")
      : table("Results", head, rows, { class: "words" }),
    h("div", { class: "actions" },
      before !== undefined && h("a", { href: "#/results" }, "Newest"),
      next !== undefined && next !== null && h("a", { href: address("results", "", { before: next }), rel: "next" }, "Older")),
    facts([["As data", h("a", { href: `/api/submissions${api.queryText({ before, limit: A_PAGE })}` }, "JSON")]]));
  root.dataset.state = "done";
}
