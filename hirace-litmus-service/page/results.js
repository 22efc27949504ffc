// Result documents, `hirace.litmus/1`, as in hirace-litmus/src/results. Pure functions without DOM.

import { summaryOf, timingOf } from "./summary.js";

export const SCHEMA = "hirace.litmus/1";
export const CLASSES = ["sequential", "interleaved", "weak", "forbidden", "other"];

/** The default permutation of hirace-litmus/src/environment/permutation.rs, until a job states one. */
export const PERMUTATION = Object.freeze({ first: 419, second: 1031 });

/**
 * @typedef {{kind: string, reason: string}} Failed
 * @typedef {{environment: number, test: string, iterations: number, instances: number, seconds?: number, found: number,
 *   classes: Record<string, number>, outcomes: object[], other: number, failure?: Failed}} Run
 */

/**
 * Returns the result of a test in an environment.
 * @param {object} job the job of the test in the environment, or `refusedJob` for a refused test
 * @param {number} environment the index of the environment in the document
 * @param {number} iterations number of dispatches that were counted
 * @param {number[]} counts number of instances with each outcome, by counter; the last counter is for all other outcomes
 * @param {number} seconds
 * @param {Failed} [failure]
 * @returns {Run}
 */
export function run(job, environment, iterations, counts, seconds, failure) {
  const classes = Object.fromEntries(CLASSES.map((name) => [name, 0]));
  const outcomes = [];
  let found = 0;
  job.outcomes.forEach((outcome, counter) => {
    const count = counts[counter] ?? 0;
    if (count === 0) return;
    classes[outcome.class] += count;
    if (outcome.found) found += count;
    const { registers, memory, class: of } = outcome;
    outcomes.push({ registers, memory, class: of, found: outcome.found, count });
  });
  const other = counts[job.outcomes.length] ?? 0;
  classes.other += other;
  const instances = counts.reduce((sum, count) => sum + count, 0);
  return {
    environment, test: job.tested.name, iterations, instances, seconds, found, classes, outcomes, other,
    ...(failure && { failure: { kind: failure.kind, reason: failure.reason } }),
  };
}

/** Returns a stand-in for the job of a test that was refused. */
export function refusedJob(test) {
  return { tested: { name: test }, outcomes: [] };
}

/** Returns the fields of a test that documents have. */
export function testedOf({ name, kind, conformance_test, mutator }) {
  return { name, kind, ...(conformance_test && { conformance_test }), ...(mutator && { mutator }) };
}

/**
 * Returns the document of runs: they are sorted by environment, and then in the order of the tests.
 * @param {{verb: string, target: object, specification: string, settings: object, stopped?: boolean, environments: object[],
 *   tests: object[], runs: Run[]}} of
 */
export function documentOf({ verb, target, specification, settings, stopped, environments, tests, runs }) {
  const order = new Map(tests.map((test, at) => [test.name, at]));
  const inOrder = (a, b) => a.environment - b.environment || order.get(a.test) - order.get(b.test);
  const tested = tests.map(testedOf);
  const sorted = [...runs].sort(inOrder);
  return {
    schema: SCHEMA, verb, target, specification, settings, ...(stopped && { stopped: true }), environments,
    tests: tested, runs: sorted.map(({ seconds, ...run }) => run), summary: summaryOf(sorted, tested),
    timing: timingOf(sorted, tested),
  };
}

/** Returns the runs of a document, each with its time if the document has times. @returns {Run[]} */
export function timedRuns({ runs, timing }) {
  return timing ? runs.map((run, at) => ({ ...run, seconds: timing.runs[at] })) : runs;
}

/**
 * Chooses the environments for each conformance test of a tuning: those that killed its mutants at the highest rate, as
 * in hirace-litmus/src/campaign/conform.rs. Tests without a killed mutant are left out, and returned by name.
 * @returns {{choices: {test: string, environment: number, mutants: string[]}[], leftOut: string[]}}
 */
export function bestEnvironments(document) {
  const best = document.timing?.best ?? [];
  const originOf = new Map(document.tests.filter((test) => test.conformance_test).map((test) => [test.name, test.conformance_test]));
  const texts = document.environments.map((environment) => JSON.stringify(environment));
  const choices = [];
  const leftOut = [];
  for (const test of new Set(originOf.values())) {
    const ofTest = [];
    for (const { test: mutant, environment } of best) {
      if (originOf.get(mutant) !== test || texts[environment] === undefined) continue;
      const known = ofTest.find((choice) => texts[choice.environment] === texts[environment]);
      if (known) known.mutants.push(mutant);
      else ofTest.push({ test, environment, mutants: [mutant] });
    }
    if (ofTest.length === 0) leftOut.push(test);
    choices.push(...ofTest);
  }
  return { choices, leftOut };
}

/**
 * Returns the text of a document with one line per environment, test and run, so that it is readable and small. This
 * text is shown, downloaded and sent.
 */
export function textOf(document) {
  const fields = Object.entries(document).map(([name, value]) => {
    const lines = Array.isArray(value) && value.length > 0;
    const text = lines ? `[\n${value.map((item) => `  ${JSON.stringify(item)}`).join(",\n")}\n ]` : JSON.stringify(value);
    return ` ${JSON.stringify(name)}: ${text}`;
  });
  return `{\n${fields.join(",\n")}\n}\n`;
}
