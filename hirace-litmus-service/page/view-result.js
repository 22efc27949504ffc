// The view of one result: its origin, and everything that its document shows.

import * as api from "./api.js";
import { details } from "./details.js";
import { facts, fill, h } from "./dom.js";
import { address } from "./route.js";
import { download } from "./view-submit.js";
import { moment } from "./words.js";

/** The maximum number of characters that are shown of another format. */
const MOST_SHOWN = 100_000;

export async function show(root, { rest }) {
  const submission = await api.get(`/api/submissions/${encodeURIComponent(rest)}`);
  const heading = h("h1", { tabindex: -1 }, `Result ${submission.id}`);
  const json = h("a", { href: `/api/submissions/${encodeURIComponent(rest)}` }, "JSON");
  const { document } = submission;
  if (submission.kind !== "hirace.litmus/1") {
    const text = JSON.stringify(document, null, 1);
    const kind = "published JSON of MC Mutants or GPUHarbor";
    fill(root, heading, facts([["Received", moment(submission.received)], ["Kind", kind], ["As data", json]]),
      h("p", {}, h("a", { href: address("analysis", "", { submissions: submission.id }) }, "Analysis")),
      download(text, `litmus-${submission.id}.json`),
      h("pre", { role: "region", tabindex: 0, "aria-label": "The result, as JSON" }, text.slice(0, MOST_SHOWN),
        text.length > MOST_SHOWN && "\n… and more: see the JSON"));
    root.dataset.state = "done";
    return;
  }
  const links = h("p", {}, h("a", { href: address("analysis", "", { submissions: submission.id }) }, "Analysis"));
  const more = [["Received", moment(submission.received)], ["As data", json]];
  fill(root, heading, await details(document, more, links));
  root.dataset.state = "done";
}
