// The Explore view: tests in an environment, and their results while they run. The address has the whole state.

import * as api from "./api.js";
import { Chooser } from "./chooser.js";
import { device } from "./device.js";
import { facts, field, fileField, fill, h, input, number, select } from "./dom.js";
import { Exploration } from "./exploration.js";
import { LAYOUTS, PARAMETERS, clamped, difference, exploreQuery, fromQuery } from "./parameters.js";
import { readEnvironment } from "./reading.js";
import { address, names, replace, wholeNumber } from "./route.js";
import { many } from "./words.js";

const FIRST_TEST = "mp-two-locations";
const ITERATIONS = 100;
const SPECIFICATIONS = [["wgsl", "wgsl: the current version"], ["wgsl-2022", "wgsl-2022: the version that the papers tested"]];

const INTRODUCTION = "A litmus test is a few threads that access a few words of memory; a run counts the outcomes. Weak outcomes "
  + "are allowed by the memory model of WGSL, but no order of the accesses gives them. Forbidden outcomes are a bug of the device or its "
  + "compiler. A mutant is a conformance test that was changed so that the model allows its condition. An environment that "
  + "meets the condition (kills the mutant) would also reveal a bug.";

/** Returns the state of an address, with sizes that this device runs in reasonable time where the address states none. */
function stateOf(query, presets, sizes) {
  const preset = presets[query.get("preset")] ? query.get("preset") : "basic";
  const base = presets[preset];
  const says = query.has("preset") || PARAMETERS.some(([name]) => query.has(name));
  return {
    preset,
    parameters: says ? fromQuery(query, base) : clamped(base, sizes),
    layout: query.get("layout") === "single" ? "single" : "parallel",
    seed: query.get("seed") ?? "hirace",
    iterations: wholeNumber(query.get("iterations")) ?? ITERATIONS,
    seconds: Number(query.get("seconds")) > 0 ? Number(query.get("seconds")) : undefined,
    specification: query.get("specification") === "wgsl-2022" ? "wgsl-2022" : "wgsl",
    index: wholeNumber(query.get("environment")) ?? 0,
  };
}

export async function show(root, { query }) {
  const specification = query.get("specification") === "wgsl-2022" ? "wgsl-2022" : "wgsl";
  const [{ gpu, notice }, tests, presets] = await Promise.all([device(), api.tests(specification), api.presets()]);
  const sizes = gpu?.sizes ?? { maxWorkgroups: 1024, maxWorkgroupSize: 256 };
  const state = stateOf(query, presets, sizes);
  const asked = names(query.get("test"));
  const unknown = asked.filter((name) => !tests.some((test) => test.name === name));
  const first = tests.some((test) => test.name === FIRST_TEST) ? FIRST_TEST : tests[0]?.name;
  const chooser = new Chooser(tests, asked.length > 0 ? asked : [first], () => changed());
  const differs = h("p", { class: "dim" });
  const missing = h("div", { role: "alert" });
  const permalink = h("a", { id: "permalink" }, "Link to this");
  const inputs = new Map();

  const hash = () => address("explore", "", exploreQuery({
    tests: chooser.names, ...state, base: presets[state.preset],
    environment: { layout: state.layout, parameters: state.parameters },
  }));
  const changed = () => {
    const count = Object.keys(difference(state.parameters, presets[state.preset])).length;
    differs.textContent = count === 0 ? "All parameters have the values of the preset." : `${many(count, "parameter")} differ from the preset.`;
    if (count === 1) differs.textContent = "One parameter differs from the preset.";
    if (chooser.names.length > 0) fill(missing);
    permalink.href = hash();
    replace(hash());
  };
  const setParameters = (parameters) => {
    state.parameters = parameters;
    for (const [name, control] of inputs) control.value = parameters[name];
    changed();
  };
  /** Returns a listener that sets a part of the state. */
  const sets = (name, read) => (event) => {
    state[name] = read(event.target.value);
    changed();
  };

  /** The kinds of tests depend on the specification, so the view is shown again. */
  const judgedBy = ({ target }) => {
    state.specification = target.value;
    location.hash = hash();
  };

  const parameterFields = PARAMETERS.map(([name, least, greatest, help]) => {
    const control = number(name, state.parameters[name], least, greatest, {
      required: true,
      onchange: ({ target }) => {
        if (target.validity.valid) state.parameters = { ...state.parameters, [name]: Number(target.value) };
        changed();
      },
    });
    inputs.set(name, control);
    return field(name, control, help);
  });
  const preset = select("preset", Object.keys(presets).map((name) => [name, name]), state.preset, ({ target }) => {
    state.preset = target.value;
    setParameters(clamped(presets[state.preset], sizes));
  });
  const drawSeed = input("draw-seed", state.seed);
  const drawNumber = number("draw-number", 0, 0, 9999);
  const drawn = h("span", { role: "status", class: "dim" });
  const drawOne = async () => {
    const at = Number(drawNumber.value) || 0;
    try {
      const all = await api.environments({ seed: drawSeed.value, number: at + 1, ...sizes, percentages: "often", layout: state.layout });
      setParameters({ ...presets[state.preset], ...all[at].parameters });
      drawn.textContent = `environment ${at} of this seed, with up to ${sizes.maxWorkgroups} workgroups of ${sizes.maxWorkgroupSize}`;
    } catch (problem) {
      drawn.textContent = problem.message;
    }
  };

  const layout = select("layout", LAYOUTS, state.layout, sets("layout", String));
  const load = (text) => {
    const environment = readEnvironment(text);
    state.layout = environment.layout ?? state.layout;
    layout.value = state.layout;
    setParameters(environment.parameters);
    return "The parameters of the file are set.";
  };

  const iterations = number("iterations", state.iterations, 1, 4294967295, {
    required: true, onchange: sets("iterations", (text) => Number(text) || 1),
  });
  const seconds = input("seconds", state.seconds ?? "", {
    type: "number", min: 0.1, step: "any", onchange: sets("seconds", (text) => Number(text) > 0 ? Number(text) : undefined),
  });

  const exploration = new Exploration(gpu, {
    plan: () => ({ ...state, tests: chooser.names.map((name) => tests.find((test) => test.name === name)), address: hash() }),
    changes: (of) => {
      root.dataset.state = of;
      const isLeft = [stopButton, document.body].includes(document.activeElement);
      runButton.disabled = !gpu || of === "running";
      stopButton.disabled = of !== "running";
      if (of === "running") stopButton.focus();
      else if (isLeft) runButton.focus();
    },
  });
  const runButton = h("button", { type: "submit", class: "main", disabled: !gpu }, "Run");
  const stopButton = h("button", { type: "button", disabled: true, onclick: () => exploration.stop() }, "Stop");
  const details = h("details", { open: false }, h("summary", {}, "All parameters"), h("div", { class: "fields" }, parameterFields));
  const form = h("form", {
    onsubmit: (event) => {
      event.preventDefault();
      if (chooser.names.length === 0) fill(missing, h("p", { class: "warning" }, "No test is selected. Select one above."));
      else exploration.start();
    },
  },
  chooser.element,
  h("fieldset", {}, h("legend", {}, "Environment"),
    h("div", { class: "fields" },
      field("Preset", preset, "sets all parameters"),
      field("Layout", layout, "one instance per testing invocation, or one per dispatch"),
      field("Seed of a random environment", drawSeed),
      field("Number of the environment", drawNumber, "from 0, in the sequence of the seed"),
      fileField("Parameters from a file", "parameters-file", "JSON: an environment, or results with one environment", load)),
    h("div", { class: "actions" }, h("button", { type: "button", onclick: drawOne }, "Use these parameters"), drawn),
    differs, details),
  h("fieldset", {}, h("legend", {}, "Run"),
    h("div", { class: "fields" },
      field("Seed", input("seed", state.seed, { onchange: sets("seed", String) }), "for the random choices of dispatches"),
      field("Dispatches", iterations, "per test"),
      field("Seconds", seconds, "time limit per test; empty: unlimited"),
      field("Specification", select("specification", SPECIFICATIONS, state.specification, judgedBy), "classifies outcomes")),
    h("div", { class: "actions" }, runButton, stopButton, permalink), missing,
    state.index > 0 && facts([["Environment", `${state.index} of a campaign, which determines the dispatches`]])));
  // A browser cannot point at an invalid field in a closed box.
  form.addEventListener("invalid", (event) => {
    if (details.contains(event.target)) details.open = true;
  }, true);

  fill(root, h("h1", { tabindex: -1 }, "Explore"), h("p", {}, INTRODUCTION), notice,
    unknown.length > 0 && h("p", { class: "warning" }, `Unknown tests: ${unknown.join(", ")}`),
    form, exploration.element);
  root.dataset.state = "idle";
  changed();
  return () => exploration.stop();
}
