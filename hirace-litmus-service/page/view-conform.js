// Conform: conformance tests in the environments that killed their mutants most, from a tuning in this browser.

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
  const intro = h("p", {}, "Runs conformance tests where a tuning killed their mutants at the greatest rate: where a fault of the device "
    + "would most likely show.");
  if (tunings.length === 0) {
    fill(root, title, notice, intro, h("p", { "data-state": "untuned" }, "There is no tuning in this browser yet: ",
      h("a", { href: "#/tune" }, "tune first"), "."));
    return undefined;
  }
  const tuning = tunings.find((work) => work.id === query.get("tune")) ?? tunings[0];
  const seed = query.get("seed") ?? tuning.settings.seed;
  const iterations = Math.max(1, wholeNumber(query.get("iterations")) ?? ITERATIONS);
  const hash = address("conform", "", { tune: tuning.id, seed, iterations });
  const document = await store.document(tuning);
  const { choices, leftOut } = bestEnvironments(document);
  // An older driver's best environments are good ones to begin with, but its name is not this run's.
  const isOther = gpu && JSON.stringify(gpu.target) !== JSON.stringify(tuning.target);
  const place = h("div");
  let panel;

  const prepared = gpu && choices.length > 0 ? workOf(tuning, choices, { seed, iterations, hash, target: gpu.target }) : undefined;
  if (prepared) {
    panel = new Panel(await store.work(prepared.id) ?? prepared, gpu, {
      label: "What conformance tests showed",
      links: (work) => [h("a", { href: address("submit", work.id) }, "Submit or download what is done")],
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
      field("Dispatches", number("iterations", iterations, 1, 4294967295, { required: true }), "of each test in each environment")));
  const rows = choices.map(({ test, environment, mutants }) => [test, String(environment), mutants.join(", ")]);
  fill(root, title, notice, intro, form,
    tuning.done < tuning.pieces.length && h("p", { class: "warning" }, "This tuning is not done: ",
      h("a", { href: tuning.address }, "go on with it"), ", or take what it found so far."),
    isOther && h("p", { class: "warning" }, `It ran on ${tuning.target.name}, ${tuning.target.driver}.`),
    choices.length === 0 && h("p", { class: "warning" }, "No mutant was killed in any environment: tune longer, or with more stress."),
    choices.length > 0 && h("details", {},
      h("summary", {}, `${many(choices.length, "run")}, of ${many(new Set(choices.map(({ test }) => test)).size, "test")}`),
      table("Where each test is run", ["test", "environment of the tuning", "mutants that died there most"], rows, { class: "words" })),
    leftOut.length > 0 && h("p", { class: "dim" }, `Left out, as none of their mutants was killed: ${leftOut.join(", ")}`),
    place);
  root.dataset.state = prepared ? "open" : "idle";
  await panel?.load();
  return () => panel?.pause();
}

/** What is to be run: each environment that was chosen once, in the order of choices. */
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
    // The same tuning with more runs may choose others.
    id: store.nameOf(`${hash} ${JSON.stringify([target, pieces, environments])}`),
    verb: "conform", target, specification: tuning.specification, settings, environments, tests, pieces, address: hash,
    created: new Date().toISOString(), done: 0, state: "paused",
  };
}
