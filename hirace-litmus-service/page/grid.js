// The grid of killed mutants: a row per test, a column per environment.

import { h, scrolling } from "./dom.js";
import { rateOf, violates } from "./summary.js";
import { rough } from "./words.js";

/** The highest rate that colors distinguish, in kills per second. */
const MOST = 1e6;

const KEY = "● killed: a stronger color is a higher rate · − not killed, or a conformance test without "
  + "forbidden outcomes · ✗ forbidden outcomes · ! failed · empty: not run";

export class Grid {
  #cells = new Map();
  #tests = new Map();

  /** @param {object[]} tests @param {number} environments @param {{environment: number, test: string}[]} pieces */
  constructor(label, tests, environments, pieces) {
    const isToRun = new Set(pieces.map(key));
    const numbers = Array.from({ length: environments }, (_, at) => at);
    const row = (test) => {
      this.#tests.set(test.name, test);
      return h("tr", {}, h("th", { scope: "row", title: test.name }, test.name), numbers.map((environment) => {
        const of = key({ environment, test: test.name });
        if (!isToRun.has(of)) return h("td", {});
        const cell = h("td", { "data-cell": of, "data-state": "waiting" });
        this.#cells.set(of, cell);
        return cell;
      }));
    };
    this.element = h("div", {},
      scrolling(label, h("table", { class: "grid" },
        h("thead", {}, h("tr", {}, ["test \\ environment", ...numbers].map((head) => h("th", { scope: "col" }, String(head))))),
        h("tbody", {}, tests.map(row)))),
      h("p", { class: "key dim" }, KEY));
  }

  /** Marks a run as started. */
  begins(piece) {
    for (const cell of this.element.querySelectorAll(".now")) cell.classList.remove("now");
    this.#cells.get(key(piece))?.classList.add("now");
  }

  rests() {
    for (const cell of this.element.querySelectorAll(".now")) cell.classList.remove("now");
  }

  /** Shows a run that has ended. */
  show(run) {
    const cell = this.#cells.get(key(run));
    if (!cell) return;
    const { state, sign, said } = shown(run, this.#tests.get(run.test));
    cell.className = state;
    cell.dataset.state = state;
    cell.replaceChildren(h("span", { "aria-hidden": "true" }, sign), h("span", { class: "hidden" }, said));
    cell.title = `${run.test} in environment ${run.environment}: ${said}`;
    if (state === "killed") {
      const part = Math.log(rateOf(run) + 1) / Math.log(MOST);
      cell.style.setProperty("--part", String(0.15 + 0.4 * Math.min(1, part)));
    }
  }
}

function key({ environment, test }) {
  return `${environment}/${test}`;
}

function shown(run, test) {
  if (violates(run, test)) return { state: "forbidden", sign: "✗", said: "forbidden outcomes" };
  if (run.found > 0) {
    const said = `${test.conformance_test ? "killed" : "found"}, ${rough(rateOf(run))} per second`;
    return { state: "killed", sign: "●", said };
  }
  if (run.failure) return { state: "failed", sign: "!", said: `failed, ${run.failure.kind}: ${run.failure.reason}` };
  return { state: "none", sign: "−", said: test.conformance_test ? "not killed" : "condition not met" };
}
