// The Tune view: tests in randomly generated environments, and the mutants that were killed. The address has the
// parameters; results are stored in this browser under the address.

import * as api from "./api.js";
import { device } from "./device.js";
import { field, fill, h, input, number, select, table } from "./dom.js";
import { Panel } from "./panel.js";
import { LAYOUTS } from "./parameters.js";
import { PERMUTATION, testedOf } from "./results.js";
import { address, names, wholeNumber } from "./route.js";
import * as store from "./store.js";
import { count, moment } from "./words.js";

/** The tuning that is to start as soon as its address is shown. Opening a link alone starts nothing. */
let starting;

const GROUPS = { mutants: "mutant", conformance: "conformance", observations: "observation" };
const TESTS = [["mutants", "mutants"], ["conformance,mutants", "conformance tests and mutants"], ["all", "all"]];
const PERCENTAGES = [["often", "often: from 0 to 100"], ["rounded", "rounded: multiples of 5"], ["always", "always: 0 or 100"]];

/** Returns the parameters of an address. @param {URLSearchParams} query */
function planOf(query, sizes) {
  const slow = sizes.maxWorkgroups <= 32;
  const whole = (name, otherwise, most) => Math.min(most, Math.max(1, wholeNumber(query.get(name)) ?? otherwise));
  const one = (name, options) => options.some(([value]) => value === query.get(name)) ? query.get(name) : options[0][0];
  return {
    tests: query.get("tests") ?? "mutants",
    seed: query.get("seed") ?? "hirace",
    number: whole("number", slow ? 8 : 50, 1000),
    maxWorkgroups: whole("maxWorkgroups", sizes.maxWorkgroups, 65535),
    maxWorkgroupSize: whole("maxWorkgroupSize", sizes.maxWorkgroupSize, 1024),
    percentages: one("percentages", PERCENTAGES),
    layout: one("layout", LAYOUTS),
    iterations: whole("iterations", slow ? 20 : 50, 4294967295),
    seconds: Number(query.get("seconds")) > 0 ? Number(query.get("seconds")) : undefined,
  };
}

/** Returns the tests that a list of names and kinds selects. */
function testsOf(text, all) {
  const words = names(text);
  return all.filter((test) => words.some((word) => word === "all" || word === test.name || GROUPS[word] === test.kind));
}

export async function show(root, { query }) {
  const [{ gpu, notice }, tests] = await Promise.all([device(), api.tests()]);
  const plan = planOf(query, gpu?.sizes ?? { maxWorkgroups: 1024, maxWorkgroupSize: 256 });
  const hash = address("tune", "", plan);
  // Runs of another device, or of another version of the browser, do not belong to this tuning.
  const id = gpu && store.nameOf(`${hash} ${JSON.stringify(gpu.target)}`);
  const kept = gpu && query.size > 0 ? await store.work(id) : undefined;
  const place = h("div");
  let panel;
  const open = async (work) => {
    panel = new Panel(work, gpu, { label: "Killed mutants", links });
    fill(place, panel.element);
    await panel.load();
    if (starting === work.id) panel.start();
    starting = undefined;
  };

  const start = async (asked) => {
    const { seed, number, maxWorkgroups, maxWorkgroupSize, percentages, layout, iterations, seconds } = asked;
    const chosen = testsOf(asked.tests, tests);
    if (chosen.length === 0) throw new Error(`Unknown test: ${asked.tests}`);
    const environments = await api.environments({ seed, number, maxWorkgroups, maxWorkgroupSize, percentages, layout });
    const link = address("tune", "", asked);
    const work = {
      id: store.nameOf(`${link} ${JSON.stringify(gpu.target)}`), verb: "tune", target: gpu.target, specification: "wgsl",
      settings: { seed, iterations, ...(seconds && { seconds }), permutation: PERMUTATION },
      environments, tests: chosen.map(testedOf),
      pieces: environments.flatMap((_, environment) => chosen.map(({ name }) => ({ environment, test: name }))),
      address: link, created: new Date().toISOString(), done: 0, state: "paused",
    };
    if (!await store.work(work.id)) await store.keep(work);
    starting = work.id;
    // The view opens the stored job of its address.
    if (location.hash === link) dispatchEvent(new HashChangeEvent("hashchange"));
    else location.hash = link;
  };

  fill(root, h("h1", { tabindex: -1 }, "Tune"), notice,
    h("p", {}, "Runs tests in randomly generated environments, to find those that kill mutants. This takes from minutes to hours and "
      + "can be paused: results are stored in this browser, and the tuning can be continued later."),
    form(plan, tests, gpu, start, Boolean(kept)), place, await keptTunings(id));
  root.dataset.state = kept ? "open" : "idle";
  if (kept) await open(kept);
  return () => panel?.pause();
}

function form(plan, tests, gpu, start, isOpen) {
  const problem = h("div", { role: "alert" });
  const groups = TESTS.some(([value]) => value === plan.tests) ? TESTS : [...TESTS, [plan.tests, plan.tests]];
  const button = h("button", { type: "submit", class: isOpen ? "" : "main", disabled: !gpu }, isOpen ? "Start another" : "Start");
  const fields = h("div", { class: "fields" },
    field("Tests", select("tests", groups, plan.tests)),
    field("Seed", input("seed", plan.seed), "for environments and dispatches"),
    field("Environments", number("number", plan.number, 1, 1000, { required: true })),
    field("Maximum workgroups", number("maxWorkgroups", plan.maxWorkgroups, 2, 65535, { required: true })),
    field("Maximum workgroup size", number("maxWorkgroupSize", plan.maxWorkgroupSize, 1, 1024, { required: true }), "invocations"),
    field("Percentages", select("percentages", PERCENTAGES, plan.percentages)),
    field("Layout", select("layout", LAYOUTS, plan.layout)),
    field("Dispatches", number("iterations", plan.iterations, 1, 4294967295, { required: true }), "per test and environment"),
    field("Seconds", input("seconds", plan.seconds ?? "", { type: "number", min: 0.1, step: "any" }),
      "time limit per test and environment; empty: unlimited"));
  const submit = async (event) => {
    event.preventDefault();
    const said = Object.fromEntries(new FormData(event.target));
    const asked = planOf(new URLSearchParams(Object.entries(said).filter(([, value]) => value !== "")), gpu.sizes);
    fill(problem);
    try {
      await start(asked);
    } catch (error) {
      fill(problem, h("p", { class: "warning" }, error.message));
    }
  };
  return h("form", { onsubmit: submit },
    h("details", { open: !isOpen }, h("summary", {}, "Parameters"), fields, h("div", { class: "actions" }, button), problem));
}

function links(work) {
  return [
    h("a", { href: address("submit", work.id) }, "Submit or download the results"), " · ",
    h("a", { href: address("conform", "", { tune: work.id }) }, "Run conformance tests in the best environments"),
  ];
}

async function keptTunings(open) {
  const all = (await store.works().catch(() => [])).filter((work) => work.verb === "tune" && work.id !== open);
  if (all.length === 0) return null;
  const rows = all.map((work) => [
    h("a", { href: work.address }, `seed ${work.settings.seed}, ${work.environments.length} environments`),
    `${count(work.done)} of ${count(work.pieces.length)}`, work.target.name, work.target.driver, moment(work.created),
  ]);
  return [h("h2", {}, "Tunings in this browser"),
    table("Tunings in this browser", ["tuning", "runs done", "device", "driver", "started"], rows, { class: "words" })];
}
