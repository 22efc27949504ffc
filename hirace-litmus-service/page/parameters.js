// The parameters of an environment, by the names of the published formats.

import { wholeNumber } from "./route.js";

/** Name, least, greatest, what it means. */
export const PARAMETERS = [
  ["testingWorkgroups", 1, 65535, "workgroups that run instances; the others stress"],
  ["maxWorkgroups", 1, 65535, "the most workgroups of a dispatch"],
  ["workgroupSize", 1, 1024, "invocations of a workgroup"],
  ["shufflePct", 0, 100, "how often the ids of workgroups are shuffled"],
  ["barrierPct", 0, 100, "how often threads of a test wait for each other before they begin"],
  ["memStressPct", 0, 100, "how often the workgroups that do not test stress memory"],
  ["preStressPct", 0, 100, "how often testing invocations stress memory before they begin"],
  ["scratchMemorySize", 1, 268435456, "words of the memory that is stressed"],
  ["memStride", 1, 16, "words between the locations of a test"],
  ["stressLineSize", 1, 268435456, "words of a region of which one word is stressed"],
  ["stressTargetLines", 1, 65536, "how many such words are stressed"],
  ["memStressIterations", 0, 32000, "turns of the loop that stresses"],
  ["preStressIterations", 0, 32000, "turns of the loop that stresses before a test"],
  ["stressStrategyBalancePct", 0, 100, "how often targets are given to workgroups in turns rather than in chunks"],
  ["memStressStoreFirstPct", 0, 100, "how often the first access of a turn is a store"],
  ["memStressStoreSecondPct", 0, 100, "how often the second one is"],
  ["preStressStoreFirstPct", 0, 100, "how often the first access of a turn before a test is a store"],
  ["preStressStoreSecondPct", 0, 100, "how often the second one is"],
];

export const LAYOUTS = [["parallel", "parallel"], ["single", "single instances"]];

/** Parameters that a device of these sizes takes in good time. */
export function clamped(parameters, { maxWorkgroups, maxWorkgroupSize }) {
  return {
    ...parameters,
    testingWorkgroups: Math.min(parameters.testingWorkgroups, maxWorkgroups),
    maxWorkgroups: Math.min(parameters.maxWorkgroups, maxWorkgroups),
    workgroupSize: Math.min(parameters.workgroupSize, maxWorkgroupSize),
  };
}

/** What an address sets. */
export function fromQuery(query, base) {
  const set = PARAMETERS.map(([name]) => [name, wholeNumber(query.get(name))]);
  return { ...base, ...Object.fromEntries(set.filter(([, value]) => value !== undefined)) };
}

/** Those that differ from `base`: as much as an address has to say. */
export function difference(parameters, base) {
  const differs = ([name]) => parameters[name] !== base[name];
  return Object.fromEntries(PARAMETERS.filter(differs).map(([name]) => [name, parameters[name]]));
}

/** An address of Explore that shows a test in an environment. */
export function exploreQuery({ tests, preset = "basic", base, environment, ...rest }) {
  const { seed, iterations, seconds, specification, index } = rest;
  return {
    test: tests.join(","), preset, seed, iterations, seconds,
    layout: environment.layout === "parallel" ? undefined : environment.layout,
    specification: specification === "wgsl" ? undefined : specification,
    environment: index || undefined,
    ...difference(environment.parameters, base),
  };
}
