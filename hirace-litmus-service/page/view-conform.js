// The Conform view: conformance tests in the environments with the highest kill rates of their mutants, from a tuning
// in this browser.

import { device } from "./device.js";
import { field, fill, h, input, number, select, table } from "./dom.js";
import { Panel } from "./panel.js";
import { PERMUTATION, bestEnvironments } from "./results.js";
import { address, wholeNumber } from "./route.js";
import * as store from "./store.js";
import { count, many, moment } from "./words.js";

const ITERATIONS = 100;

export async function show(root, { query }) {
  const [{ gpu, notice }, works] = await Promise.all([device(), store.works()]);
  const tunings = works.filter((work) => work.verb === "tune" && work.done > 0);
  const title = h("h1", { tabindex: -1 }, "Conform");
  const intro = h("p", {}, "Runs conformance tests in the environments in which a tuning killed their mutants at the highest "
    + "rate. A bug of the device is most likely to show there.");
  if (tunings.length === 0) {
    fill(root, title, notice, intro, h("p", { "data-state": "untuned" }, "This browser has no tuning yet: ",
      h("a", { href: "#/tune" }, "tune first"), "."));
    return undefined;
  }
  const tuning = tunings.find((work) => work.id === query.get("tune")) ?? tunings[0];
  const seed = query.get("seed") ?? tuning.settings.seed;
  const iterations = Math.max(1, wholeNumber(query.get("iterations")) ?? ITERATIONS);
  const hash = address("conform", "", { tune: tuning.id, seed, iterations });
  const document = await store.document(tuning);
  const { choices, leftOut } = bestEnvironments(document);
  // The best environments of an older driver are a good start, but results must name the current driver.
  const isOther = gpu && JSON.stringify(gpu.target) !== JSON.stringify(tuning.target);
  const place = h("div");
  let panel;

  const prepared = gpu && choices.length > 0 ? workOf(tuning, choices, { seed, iterations, hash, target: gpu.target }) : undefined;
  if (prepared) {
    panel = new Panel(await store.work(prepared.id) ?? prepared, gpu, {
      label: "Results of conformance tests",
      links: (work) => [h("a", { href: address("submit", work.id) }, "Submit or download the results")],
    });
    fill(place, panel.element);
  }

  const option = ({ id, settings, done, pieces, created }) =>
    [id, `seed ${settings.seed}, ${count(done)} of ${count(pieces.length)} runs, ${moment(created)}`];
  const change = () => {
    location.hash = address("conform", "", Object.fromEntries(new FormData(form)));
  };
  const form = h("form", { onsubmit: (event) => event.preventDefault(), onchange: change },
    field("Tuning", select("tune", tunings.map(option), tuning.id)),
    h("div", { class: "fields" },
      field("Seed", input("seed", seed)),
      field("Dispatches", number("iterations", iterations, 1, 4294967295, { required: true }), "per test and environment")));
  const rows = choices.map(({ test, environment, mutants }) => [test, String(environment), mutants.join(", ")]);
  fill(root, title, notice, intro, form,
    tuning.done < tuning.pieces.length && h("p", { class: "warning" }, "This tuning is incomplete: ",
      h("a", { href: tuning.address }, "continue it"), ", or use its results so far."),
    isOther && h("p", { class: "warning" }, `The tuning ran on ${tuning.target.name}, ${tuning.target.driver}.`),
    choices.length === 0 && h("p", { class: "warning" }, "No mutant was killed in any environment. Tune longer, or with more stress."),
    choices.length > 0 && h("details", {},
      h("summary", {}, `${many(choices.length, "run")} of ${many(new Set(choices.map(({ test }) => test)).size, "test")}`),
      table("Environments of the tests", ["test", "environment of the tuning", "mutants killed most there"], rows, { class: "words" })),
    leftOut.length > 0 && h("p", { class: "dim" }, `Left out because none of their mutants was killed: ${leftOut.join(", ")}`),
    place);
  root.dataset.state = prepared ? "open" : "idle";
  await panel?.load();
  return () => panel?.pause();
}

/** Returns the job: each chosen environment once, in the order of the choices. */
function workOf(tuning, choices, { seed, iterations, hash, target }) {
  const environments = [];
  const texts = [];
  const pieces = choices.map(({ test, environment }) => {
    const text = JSON.stringify(tuning.environments[environment]);
    if (!texts.includes(text)) {
      texts.push(text);
      environments.push(tuning.environments[environment]);
    }
    return { environment: texts.indexOf(text), test };
  });
  const tests = [...new Set(choices.map(({ test }) => test))].map((name) => ({ name, kind: "conformance" }));
  const settings = { seed, iterations, permutation: PERMUTATION };
  return {
    // The same tuning with more runs may choose other environments.
    id: store.nameOf(`${hash} ${JSON.stringify([target, pieces, environments])}`),
    verb: "conform", target, specification: tuning.specification, settings, environments, tests, pieces, address: hash,
    created: new Date().toISOString(), done: 0, state: "paused",
  };
}
