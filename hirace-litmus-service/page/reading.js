// Reading of files that a person chooses: results and environments. Pure functions without DOM. The service checks results
// again, and completely, when they are sent.

import { LAYOUTS, PARAMETERS } from "./parameters.js";
import { CLASSES, SCHEMA } from "./results.js";

/** An error in a file, with the path of the value that is wrong. */
export class Invalid extends Error {
  /** @param {string} at empty if the whole file is wrong */
  constructor(at, reason) {
    super(at === "" ? reason : `${at}: ${reason}`);
    this.at = at;
    this.reason = reason;
  }
}

/** The workgroup size of environments that do not state it. */
const PUBLISHED_SIZE = 256;

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isCount = (value) => Number.isInteger(value) && value >= 0;

/** Parses JSON. */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Invalid("", `not JSON: ${error.message}`);
  }
}

function check(is, at, reason) {
  if (!is) throw new Invalid(at, reason);
}

function list(value, at) {
  check(Array.isArray(value), at, "must be a list");
  return value;
}

/**
 * Reads results: a document of this program, or published results, of which only the form is known here.
 * @returns {{document?: object, published?: object}}
 */
export function readResults(text) {
  const value = parse(text);
  check(isObject(value), "", "must be a JSON object");
  if (value.schema === undefined) {
    const entries = Object.keys(value).filter((key) => /^\d+$/.test(key));
    check(entries.length > 0, "schema", `must be ${SCHEMA}: this file is not a report of litmus tests`);
    return { published: value };
  }
  check(value.schema === SCHEMA, "schema", `must be ${SCHEMA}, but is ${String(value.schema)}`);
  for (const key of ["verb", "specification"]) check(typeof value[key] === "string", key, "must be text");
  for (const key of ["name", "vendor", "driver"]) check(typeof value.target?.[key] === "string", `target.${key}`, "must be text");
  check(typeof value.settings?.seed === "string", "settings.seed", "must be text");
  check(isCount(value.settings.iterations), "settings.iterations", "must be an integer, 0 or more");
  list(value.environments, "environments").forEach((environment, at) => checkEnvironment(environment, `environments[${at}]`));
  const names = list(value.tests, "tests").map((test, at) => {
    check(typeof test?.name === "string", `tests[${at}].name`, "must be text");
    return test.name;
  });
  check(list(value.runs, "runs").length > 0, "runs", "the list is empty");
  const known = new Set(names);
  value.runs.forEach((run, at) => checkRun(run, `runs[${at}]`, known, value.environments.length));
  checkSummary(value.summary);
  checkTiming(value.timing, value.runs.length);
  return { document: value };
}

function checkRun(run, at, tests, environments) {
  check(isObject(run), at, "must be an object");
  check(tests.has(run.test), `${at}.test`, "is not in `tests`");
  check(isCount(run.environment) && run.environment < environments, `${at}.environment`, `must be an integer from 0 to ${environments - 1}`);
  for (const key of ["iterations", "instances", "found", "other"]) check(isCount(run[key]), `${at}.${key}`, "must be an integer, 0 or more");
  for (const key of CLASSES) check(isCount(run.classes?.[key]), `${at}.classes.${key}`, "must be an integer, 0 or more");
  list(run.outcomes, `${at}.outcomes`).forEach((outcome, nth) => {
    const place = `${at}.outcomes[${nth}]`;
    for (const key of ["registers", "memory"]) {
      list(outcome?.[key], `${place}.${key}`).forEach((word, of) => check(isCount(word), `${place}.${key}[${of}]`, "must be an integer, 0 or more"));
    }
    check(CLASSES.includes(outcome.class), `${place}.class`, `must be one of ${CLASSES.join(", ")}`);
    check(isCount(outcome.count), `${place}.count`, "must be an integer, 0 or more");
  });
  if (run.failure !== undefined) check(typeof run.failure?.reason === "string", `${at}.failure.reason`, "must be text");
}

function checkSummary(summary) {
  for (const key of ["killed", "total"]) check(isCount(summary?.[key]), `summary.${key}`, "must be an integer, 0 or more");
  list(summary.environments, "summary.environments").forEach((one, at) => {
    for (const key of ["environment", "killed", "total"]) check(isCount(one?.[key]), `summary.environments[${at}].${key}`, "must be an integer, 0 or more");
  });
}

function checkTiming(timing, runs) {
  if (timing === undefined) return;
  check(list(timing?.runs, "timing.runs").length === runs, "timing.runs", `must have the times of ${runs} runs`);
  timing.runs.forEach((seconds, at) => check(typeof seconds === "number" && seconds >= 0, `timing.runs[${at}]`, "must be a number, 0 or more"));
  // Rates may be missing, as in documents that were written by hand.
  list(timing.environments ?? [], "timing.environments").forEach((rate, at) => check(typeof rate === "number", `timing.environments[${at}]`, "must be a number"));
  list(timing.best ?? [], "timing.best").forEach((one, at) => {
    check(typeof one?.test === "string", `timing.best[${at}].test`, "must be text");
    check(isCount(one.environment), `timing.best[${at}].environment`, "must be an integer, 0 or more");
    check(typeof one.rate === "number", `timing.best[${at}].rate`, "must be a number");
  });
}

/** Checks an environment as results have it. */
function checkEnvironment(environment, at) {
  check(isObject(environment), at, "must be an object");
  const layouts = LAYOUTS.map(([name]) => name);
  check(layouts.includes(environment.layout), [at, "layout"].filter(Boolean).join("."), `must be ${layouts.join(" or ")}`);
  checkParameters(environment.parameters, [at, "parameters"].filter(Boolean).join("."));
}

function checkParameters(parameters, at) {
  check(isObject(parameters), at, "must be an object");
  const place = (name) => [at, name].filter(Boolean).join(".");
  const known = new Set([...PARAMETERS.map(([name]) => name), "iterations"]);
  for (const name of Object.keys(parameters)) check(known.has(name), place(name), "unknown parameter");
  for (const [name, least, greatest] of PARAMETERS) {
    const value = parameters[name] ?? (name === "workgroupSize" ? PUBLISHED_SIZE : undefined);
    check(value !== undefined, place(name), "is missing");
    check(Number.isInteger(value) && value >= least && value <= greatest, place(name), `must be an integer from ${least} to ${greatest}`);
  }
  const { testingWorkgroups, maxWorkgroups } = parameters;
  check(testingWorkgroups <= maxWorkgroups, place("testingWorkgroups"), `must be at most maxWorkgroups, which is ${maxWorkgroups}`);
}

/**
 * Reads an environment: an object with a layout and parameters, parameters alone (as in the `params` of published results), or
 * results with one environment.
 * @returns {{layout?: string, parameters: object}}
 */
export function readEnvironment(text) {
  const value = parse(text);
  check(isObject(value), "", "must be a JSON object");
  if (value.environments !== undefined) {
    const { length } = list(value.environments, "environments");
    const reason = `has ${length} environments: open the results in Submit, and choose a run there`;
    check(length === 1, "environments", reason);
    checkEnvironment(value.environments[0], "environments[0]");
    return read(value.environments[0]);
  }
  if (value.parameters === undefined) {
    const parameters = value.params ?? value;
    checkParameters(parameters, value.params === undefined ? "" : "params");
    return read({ parameters });
  }
  checkEnvironment(value, "");
  return read(value);
}

function read({ layout, parameters }) {
  const { iterations, ...own } = parameters;
  return { ...(layout && { layout }), parameters: { workgroupSize: PUBLISHED_SIZE, ...own } };
}
