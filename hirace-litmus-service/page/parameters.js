// The parameters of an environment, with the names of the published formats.

import { wholeNumber } from "./route.js";

/** Name, minimum, maximum, and help text of each parameter. */
export const PARAMETERS = [
  ["testingWorkgroups", 1, 65535, "workgroups that run instances; the others stress memory"],
  ["maxWorkgroups", 1, 65535, "maximum number of workgroups of a dispatch"],
  ["workgroupSize", 1, 1024, "invocations per workgroup"],
  ["shufflePct", 0, 100, "percentage of dispatches that shuffle the ids of workgroups"],
  ["barrierPct", 0, 100, "percentage of dispatches in which the threads of a test wait for each other before they start"],
  ["memStressPct", 0, 100, "percentage of dispatches in which the workgroups that do not test stress memory"],
  ["preStressPct", 0, 100, "percentage of dispatches in which testing invocations stress memory before they start"],
  ["scratchMemorySize", 1, 268435456, "size of the stressed memory in words"],
  ["memStride", 1, 16, "distance between the locations of a test in words"],
  ["stressLineSize", 1, 268435456, "size of a region with one stressed word, in words"],
  ["stressTargetLines", 1, 65536, "number of stressed words"],
  ["memStressIterations", 0, 32000, "iterations of the stress loop"],
  ["preStressIterations", 0, 32000, "iterations of the stress loop before a test"],
  ["stressStrategyBalancePct", 0, 100, "percentage of dispatches that assign stressed words round-robin instead of in chunks"],
  ["memStressStoreFirstPct", 0, 100, "percentage of dispatches in which the first access of an iteration is a store"],
  ["memStressStoreSecondPct", 0, 100, "percentage of dispatches in which the second access is a store"],
  ["preStressStoreFirstPct", 0, 100, "percentage of dispatches in which the first access of an iteration before a test is a store"],
  ["preStressStoreSecondPct", 0, 100, "percentage of dispatches in which the second access before a test is a store"],
];

export const LAYOUTS = [["parallel", "parallel"], ["single", "single instance"]];

/** Limits parameters to sizes that the device runs in reasonable time. */
export function clamped(parameters, { maxWorkgroups, maxWorkgroupSize }) {
  return {
    ...parameters,
    testingWorkgroups: Math.min(parameters.testingWorkgroups, maxWorkgroups),
    maxWorkgroups: Math.min(parameters.maxWorkgroups, maxWorkgroups),
    workgroupSize: Math.min(parameters.workgroupSize, maxWorkgroupSize),
  };
}

/** Returns the parameters that an address sets. */
export function fromQuery(query, base) {
  const set = PARAMETERS.map(([name]) => [name, wholeNumber(query.get(name))]);
  return { ...base, ...Object.fromEntries(set.filter(([, value]) => value !== undefined)) };
}

/** Returns the parameters that differ from `base`: only these are part of an address. */
export function difference(parameters, base) {
  const differs = ([name]) => parameters[name] !== base[name];
  return Object.fromEntries(PARAMETERS.filter(differs).map(([name]) => [name, parameters[name]]));
}

/** Returns the query of an Explore address that shows a test in an environment. */
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
