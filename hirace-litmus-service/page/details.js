// Everything that a result document shows: facts about it, its tests, runs and environments, with links that run the same in
// Explore.

import * as api from "./api.js";
import { badge, facts, field, fill, h, number, select, table, warning } from "./dom.js";
import { figures, outcomes } from "./histogram.js";
import { PARAMETERS, exploreQuery } from "./parameters.js";
import { timedRuns } from "./results.js";
import { address } from "./route.js";
import { rateOf, summaryOf, violates } from "./summary.js";
import { count, environment as described, failure, many, percent, product, rough, software, verb } from "./words.js";

const ONLY = [["", "all"], ["found", "condition met"], ["forbidden", "forbidden outcomes"], ["failed", "failed"]];

/** The number of runs per page of the list. */
const A_PAGE = 50;

/**
 * Returns everything that a document shows: facts about it, its tests, runs and environments.
 * @param {[string, string | Node][]} more further facts
 */
export async function details(document, more = [], links = undefined) {
  const presets = await api.presets();
  const runs = timedRuns(document);
  const of = { document, runs, summary: summaryOf(runs, document.tests), base: presets.basic };
  return [about(of, more, links), findings(of), runsTable(of), environmentsTable(of)];
}

function about({ document, summary }, more, links) {
  const { target, settings, runs } = document;
  const instances = runs.reduce((sum, run) => sum + run.instances, 0);
  return [
    facts([
      ["Device", target.name], ["Vendor", target.vendor], ["Driver", target.driver],
      ["Operating system", software(target.operating_system)], ["Browser", software(target.browser)],
      ["Kind", `${verb(document.verb)}${document.stopped ? ", stopped early" : ""}`],
      ["Specification", document.specification], ["Seed", settings.seed],
      ["Each test", `up to ${many(settings.iterations, "dispatch", "dispatches")}${settings.seconds ? `, ${settings.seconds} s` : ""}`],
      ["Runs", `${many(runs.length, "run")}: ${product(document)}, ${count(instances)} instances`],
      ["Mutants", summary.total > 0 && `${summary.killed} of ${summary.total} killed (${percent(summary.score)})`],
      ["Mean death rate", document.timing?.death_rate !== undefined && `${rough(document.timing.death_rate)} per second`],
      ["Times", !document.timing && "unknown"],
      ["Failed", summary.failures > 0 && many(summary.failures, "run")],
      ...more,
    ]),
    links,
    summary.violations.length > 0 && warning(`FORBIDDEN outcomes in ${summary.violations.join(", ")}`),
  ];
}

/** Returns a table with a row per test: the sums over all environments. */
function findings({ document, runs }) {
  const { tests } = document;
  const byTest = new Map(tests.map(({ name }) => [name, []]));
  for (const run of runs) byTest.get(run.test)?.push(run);
  const best = new Map((document.timing?.best ?? []).map((one) => [one.test, one]));
  const rows = tests.filter(({ name }) => byTest.get(name).length > 0).map((test) => {
    const of = byTest.get(test.name);
    const sum = (read) => count(of.reduce((sum, run) => sum + read(run), 0));
    const most = best.get(test.name);
    return [
      test.name, test.kind, sum((run) => run.instances), sum((run) => run.classes.sequential),
      sum((run) => run.classes.interleaved), sum((run) => run.classes.weak),
      sum((run) => run.classes.forbidden + run.classes.other), sum((run) => run.found),
      most ? rough(most.rate) : "", most ? String(most.environment) : "",
    ];
  });
  const head = ["test", "kind", "instances", "sequential", "interleaved", "weak", "forbidden", "found", "best per second", "in environment"];
  return [h("h2", {}, "Tests"), table("Tests", head, rows)];
}

/** Returns the list of runs with filters and pages, and the details of one run. */
function runsTable({ document, runs, base }) {
  const { tests, environments, settings, specification } = document;
  const tested = new Map(tests.map((test) => [test.name, test]));
  const place = h("div");
  const detail = h("div");
  const state = { test: "", environment: "", only: "", first: 0 };
  const is = {
    "": () => true,
    found: (run) => run.found > 0,
    forbidden: (run) => violates(run, tested.get(run.test)),
    failed: (run) => run.failure,
  };
  const link = (run) => address("explore", "", exploreQuery({
    tests: [run.test], base, environment: environments[run.environment], seed: settings.seed, iterations: settings.iterations,
    seconds: settings.seconds, specification, index: run.environment,
  }));
  const open = (run) => {
    fill(detail, h("article", {}, h("h3", { tabindex: -1 }, `${run.test} in environment ${run.environment}`), h("p", {}, figures(run)),
      run.failure && warning(`Failed (${failure(run.failure.kind)}): ${run.failure.reason}`),
      outcomes(run)));
    detail.querySelector("h3").focus();
  };
  const row = (run) => [
    h("button", { type: "button", class: "link", onclick: () => open(run) }, run.test), String(run.environment), count(run.iterations),
    count(run.instances), count(run.classes.weak), count(run.found), run.found > 0 && run.seconds !== undefined ? rough(rateOf(run)) : "",
    run.failure ? badge("some", run.failure.kind) : violates(run, tested.get(run.test)) ? badge("never", "forbidden") : "",
    h("a", { href: link(run) }, "Run here"),
  ];
  const list = () => {
    const chosen = runs.filter((run) => (state.test === "" || run.test === state.test)
      && (state.environment === "" || run.environment === Number(state.environment)) && is[state.only](run));
    const shown = chosen.slice(state.first, state.first + A_PAGE);
    const go = (first) => () => {
      state.first = first;
      list();
    };
    const head = ["run of", "environment", "dispatches", "instances", "weak", "found", "per second", "state", "in Explore"];
    fill(place, h("p", { class: "dim", role: "status" }, `${many(chosen.length, "run")}${shown.length < chosen.length
      ? `, from ${count(state.first + 1)} to ${count(state.first + shown.length)}` : ""}`),
    table("Runs", head, shown.map(row)),
    h("div", { class: "actions" },
      state.first > 0 && h("button", { type: "button", onclick: go(Math.max(0, state.first - A_PAGE)) }, "Previous"),
      state.first + A_PAGE < chosen.length && h("button", { type: "button", onclick: go(state.first + A_PAGE) }, "Next")));
  };
  const filters = (name) => (event) => {
    state[name] = event.target.value;
    state.first = 0;
    list();
  };
  list();
  return [h("h2", {}, "Runs"),
    h("div", { class: "fields" },
      field("Test", select("of-test", [["", "all"], ...tests.map(({ name }) => [name, name])], "", filters("test"))),
      field("Environment", number("of-environment", "", 0, environments.length - 1, { oninput: filters("environment") })),
      field("Only", select("only", ONLY, "", filters("only")))),
    place, detail];
}

function environmentsTable({ document, summary }) {
  const killed = new Map(summary.environments.map((one, at) => [one.environment, { ...one, rate: document.timing?.environments?.[at] }]));
  const rows = document.environments.map((environment, at) => {
    const of = killed.get(at);
    return [String(at), described(environment), of ? `${of.killed} of ${of.total}` : "", of?.rate === undefined ? "" : rough(of.rate),
      ...PARAMETERS.map(([name]) => String(environment.parameters[name] ?? ""))];
  });
  const head = ["environment", "layout and size", "killed", "deaths per second", ...PARAMETERS.map(([name]) => name)];
  return [h("h2", {}, "Environments"), table("Environments and their parameters", head, rows)];
}
