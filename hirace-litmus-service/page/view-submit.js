// The Submit view: the results of this browser, exactly as they are sent, and a button that sends them. Results of a file can
// be looked at and sent too.

import * as api from "./api.js";
import { details } from "./details.js";
import { announce, facts, fileField, fill, h, table, warning } from "./dom.js";
import { readResults } from "./reading.js";
import { textOf } from "./results.js";
import { address } from "./route.js";
import * as store from "./store.js";
import { CLOSED, count, many, moment, percent, product, software, verb } from "./words.js";

export function show(root, { rest }) {
  return rest ? one(root, rest) : list(root);
}

async function list(root) {
  const [all, isClosed] = await Promise.all([store.works(), api.isClosed()]);
  const works = all.filter((work) => work.done > 0);
  const opened = h("section", { "aria-label": "Results of the file" });
  const open = async (text) => {
    fill(opened);
    root.dataset.state = "list";
    const { document, published } = readResults(text);
    const { send, said } = sender(root, text, isClosed);
    fill(opened, h("div", { class: "actions" }, send), isClosed && closed(), said,
      document ? await details(document)
        : h("p", {}, `${many(Object.keys(published).length, "entry", "entries")} in the format of MC Mutants or GPUHarbor.`));
    root.dataset.state = "opened";
    return "The results of the file are shown below.";
  };
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
      : table("Results in this browser", ["results", "runs", "tests", "device", "started", "sent"], rows, { class: "words" }),
    h("h2", {}, "Results of a file"),
    fileField("File", "results-file", "JSON: a report of hirace litmus, a download of this page, or results that MC Mutants or GPUHarbor published",
      open),
    opened);
  root.dataset.state = "list";
}

/** Returns the message of a service that accepts results only with its token. */
function closed() {
  return warning(`${CLOSED}: download the results, and send them with `,
    h("code", {}, `hirace litmus submit --token-file TOKEN ${location.origin} FILE`));
}

/**
 * Creates a button that sends results, and the place for what comes of it. `stays` is said if the service refuses the results.
 * @param {{stays?: string, after?: (id: number) => unknown}} of `after` is called when the results were sent
 */
function sender(root, text, isClosed, { stays = "", after } = {}) {
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
      const at = problem.location ? ` (at ${problem.location})` : "";
      fill(said, warning(`The service refused the results: ${problem.message}${at}.${stays}`));
      send.focus();
      return;
    }
    sent(result);
    await after?.(result);
  });
  return { send, said, sent };
}

async function one(root, id) {
  const [work, isClosed] = await Promise.all([store.work(id), api.isClosed()]);
  if (!work) throw new Error("This browser has no results of this name. Results are stored in the browser that ran them.");
  const document = await store.document(work);
  const text = textOf(document);
  const { send, said, sent } = sender(root, text, isClosed, {
    stays: " They are still stored in this browser.",
    after: async (result) => {
      work.sent = { id: result, runs: work.done };
      await store.keep(work).catch((problem) => said.append(warning(`This browser could not record that the results were sent: ${problem.message}`)));
    },
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
    isClosed && closed(),
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
    ["Operating system", software(target.operating_system)], ["Browser", software(target.browser)],
    ["Runs", `${many(runs.length, "run")}: ${product(document)}, ${count(instances)} instances`],
    ["Mutants", summary.total > 0 && `${summary.killed} of ${summary.total} killed (${percent(summary.score)})`],
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
