// The Submit view: the results of this browser, exactly as they are sent, and a button that sends them.

import * as api from "./api.js";
import { announce, facts, fill, h, table, warning } from "./dom.js";
import { textOf } from "./results.js";
import { address } from "./route.js";
import * as store from "./store.js";
import { CLOSED, count, many, moment, percent, product, verb } from "./words.js";

export function show(root, { rest }) {
  return rest ? one(root, rest) : list(root);
}

async function list(root) {
  const works = (await store.works()).filter((work) => work.done > 0);
  const rows = works.map((work) => [
    h("a", { href: address("submit", work.id) }, `${verb(work.verb)}, seed ${work.settings.seed}`),
    `${count(work.done)} of ${count(work.pieces.length)}`,
    work.tests.length === 1 ? work.tests[0].name : many(work.tests.length, "test"),
    work.target.name, moment(work.created),
    work.sent ? h("a", { href: address("results", String(work.sent.id)) }, `result ${work.sent.id}`) : "not sent",
  ]);
  const links = [h("a", { href: "#/explore" }, "explore"), " or ", h("a", { href: "#/tune" }, "tune")];
  fill(root, h("h1", { tabindex: -1 }, "Submit"),
    h("p", {}, "Results are stored only in this browser until you send them."),
    works.length === 0
      ? h("p", {}, "There are no results yet: ", links, ".")
      : table("Results in this browser", ["results", "runs", "tests", "device", "started", "sent"], rows, { class: "words" }));
  root.dataset.state = "list";
}

async function one(root, id) {
  const [work, isClosed] = await Promise.all([store.work(id), api.isClosed()]);
  if (!work) throw new Error("This browser has no results of this name. Results are stored in the browser that ran them.");
  const document = await store.document(work);
  const text = textOf(document);
  const said = h("div", { role: "status" });
  const send = h("button", { type: "button", class: "main", disabled: isClosed }, "Send");
  const sent = (id) => {
    root.dataset.state = "sent";
    send.disabled = true;
    fill(said, h("p", {}, "Sent: ", h("a", { href: address("results", String(id)), "data-result": id }, `result ${id}`)));
    said.querySelector("a").focus();
  };
  send.addEventListener("click", async () => {
    send.disabled = true;
    root.dataset.state = "sending";
    fill(said, h("p", { class: "dim" }, "sending …"));
    let result;
    try {
      result = (await api.post("/api/submissions", text)).id;
    } catch (problem) {
      root.dataset.state = "failed";
      send.disabled = false;
      const at = problem.at ? ` (at ${problem.at})` : "";
      fill(said, warning(`The service refused the results: ${problem.message}${at}. They are still stored in this browser.`));
      send.focus();
      return;
    }
    sent(result);
    work.sent = { id: result, runs: work.done };
    await store.keep(work).catch((problem) => said.append(warning(`This browser could not record that the results were sent: ${problem.message}`)));
  });
  const remove = async () => {
    if (!confirm("Remove these results from this browser?")) return;
    await store.remove(id);
    announce("removed");
    location.hash = "#/submit";
  };
  fill(root, h("h1", { tabindex: -1 }, "Submit"), summary(work, document, text),
    h("div", { class: "actions" }, send, download(text, `hirace-litmus-${work.verb}-${id}.json`),
      h("a", { href: work.address }, "Open in the view that ran them"), h("button", { type: "button", onclick: remove }, "Remove")),
    isClosed && warning(`${CLOSED}: download the results, and send them with `,
      h("code", {}, `hirace litmus submit --token-file TOKEN ${location.origin} FILE`)),
    said,
    h("h2", {}, "What is sent"),
    h("p", {}, "Only the following is sent. As with each request, the service also sees your network address and the user agent of your browser. "
      + "Results are public."),
    h("pre", { role: "region", tabindex: 0, "aria-label": "What is sent, as JSON", id: "sent" }, text));
  root.dataset.state = "ready";
  if (work.sent?.runs === work.done) sent(work.sent.id);
}

function summary(work, document, text) {
  const { target, summary, runs } = document;
  const instances = runs.reduce((sum, run) => sum + run.instances, 0);
  return facts([
    ["Device", target.name], ["Vendor", target.vendor], ["Driver", target.driver],
    ["Runs", `${many(runs.length, "run")}: ${product(document)}, ${count(instances)} instances`],
    ["Mutants", summary.of > 0 && `${summary.killed} of ${summary.of} killed (${percent(summary.score)})`],
    ["Forbidden", summary.violations.length > 0 ? `in ${summary.violations.join(", ")}` : "nothing"],
    ["Failed", summary.failures > 0 && many(summary.failures, "run")],
    ["Seed", work.settings.seed],
    ["Size", `${count(Math.ceil(new Blob([text]).size / 1024))} KiB`],
  ]);
}

/** Returns a button that saves a text as a file; `hirace litmus analyze` reads it. */
export function download(text, name) {
  const save = () => {
    const url = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    h("a", { href: url, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  };
  return h("button", { type: "button", onclick: save }, "Download");
}
