// The results of a test so far: bars by class, and a table of outcomes. Bars are logarithmic, because interesting
// outcomes are rare.

import { fill, h, table } from "./dom.js";
import { CLASSES, run as runOf } from "./results.js";
import { rateOf } from "./summary.js";
import { count, failure, held, rough, seconds, share as shareOf } from "./words.js";

/** The maximum number of listed outcomes. */
const MOST_LISTED = 64;

/** Returns the explanation of the classes. */
export function key() {
  return h("p", { class: "key dim" }, "sequential: the threads one after another · interleaved: some order of single "
    + "accesses · weak: allowed, but no such order · forbidden: not allowed · other: a value that was never written, also a bug");
}

/** Returns the length of a bar from 0 to 1: 0 for a count of 0, and visible for any other count. */
export function length(number, most) {
  return number === 0 ? 0 : Math.max(0.01, Math.log(number + 1) / Math.log(Math.max(1, most) + 1));
}

/** The classes of a run as a table with bars, which can be updated while it runs. */
export class Histogram {
  #rows = new Map();

  constructor(name) {
    const rows = CLASSES.map((of) => {
      const bar = h("span", { class: `bar ${of}` });
      const number = h("td", {}, "0");
      const share = h("td", {}, "");
      this.#rows.set(of, { bar, number, share });
      return h("tr", { "data-class": of }, h("th", { scope: "row" }, of), number, share,
        h("td", { class: "bars", "aria-hidden": "true" }, bar));
    });
    this.element = h("table", { class: "histogram" },
      h("caption", {}, `${name}: instances by class, bars on a logarithmic scale`),
      h("thead", {}, h("tr", {}, ["class", "instances", "share", ""].map((head, at) =>
        at === 3 ? h("td", { "aria-hidden": "true" }) : h("th", { scope: "col" }, head)))),
      h("tbody", {}, rows));
  }

  show({ classes, instances }) {
    for (const [of, { bar, number, share }] of this.#rows) {
      number.textContent = count(classes[of]);
      share.textContent = shareOf(classes[of], instances);
      bar.style.width = `${length(classes[of], instances) * 100}%`;
    }
  }
}

/** Returns the figures of a run in one line. */
export function figures(run) {
  const per = run.seconds > 0 ? `, ${rough(run.instances / run.seconds)} instances per second` : "";
  const rate = run.found > 0 && run.seconds !== undefined ? `, ${rough(rateOf(run))} per second` : "";
  const took = run.seconds === undefined ? "" : `, ${seconds(run.seconds)}`;
  return `${count(run.instances)} instances in ${count(run.iterations)} dispatches${took}${per}; condition met: ${count(run.found)}${rate}`;
}

/** Returns a table of the outcomes that occurred, the most frequent first. */
export function outcomes(run) {
  const sorted = [...run.outcomes].sort((a, b) => b.count - a.count);
  const rows = sorted.slice(0, MOST_LISTED).map((outcome) => [
    h("code", {}, held(outcome)), outcome.class, count(outcome.count), outcome.found ? "yes" : "",
  ]);
  if (run.other > 0) rows.push(["other", "other", count(run.other), ""]);
  const more = sorted.length - MOST_LISTED;
  return [
    table(`Outcomes of ${run.test}`, ["outcome", "class", "instances", "condition met"], rows, { class: "outcomes" }),
    more > 0 && h("p", { class: "dim" }, `and ${count(more)} less frequent outcomes`),
  ];
}

/** The view of a run while it runs and after it has ended. */
export class Shown {
  #histogram;
  #figures = h("p", { class: "figures" });
  #progress;
  #details = h("div");
  #last = 0;

  constructor(test, iterations) {
    this.#histogram = new Histogram(test);
    this.#progress = h("progress", { max: iterations, value: 0, "aria-label": `Dispatches of ${test}` });
    this.element = h("article", { "data-run": test, "data-state": "waiting" },
      h("h3", {}, test), this.#progress, this.#figures, this.#histogram.element, this.#details);
  }

  /** Shows the results so far, at most ten times per second. */
  counted(job, ran) {
    const now = performance.now();
    if (now - this.#last < 100) return;
    this.#last = now;
    this.element.dataset.state = "running";
    this.#show(runOf(job, 0, ran.iterations, ran.counts, ran.seconds));
  }

  #show(run) {
    this.#progress.value = run.iterations;
    this.#figures.textContent = figures(run);
    this.#histogram.show(run);
  }

  ended(run) {
    this.#show(run);
    this.element.dataset.state = run.failure ? "failed" : "done";
    this.element.dataset.instances = run.instances;
    if (run.failure) this.element.dataset.failure = run.failure.kind;
    this.#progress.hidden = true;
    fill(this.#details,
      run.failure && (run.failure.kind === "stopped"
        ? h("p", { class: "dim" }, "Stopped early.")
        : h("p", { class: "warning" }, `Failed (${failure(run.failure.kind)}): ${run.failure.reason}`)),
      run.instances > 0 && outcomes(run));
  }
}
