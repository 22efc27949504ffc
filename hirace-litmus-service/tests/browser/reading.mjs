// Compares what the page computes from results with a document of Rust, and checks which files it refuses, and where.
//
//     node reading.mjs FILE

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { platform } from "../../page/platform.js";
import { Invalid, readEnvironment, readResults } from "../../page/reading.js";
import { documentOf, timedRuns } from "../../page/results.js";

const text = readFileSync(process.argv[2], "utf8");
const document = JSON.parse(text);
assert.deepEqual(readResults(text).document, document);
assert.deepEqual(documentOf({ ...document, runs: timedRuns(document) }), document);

/** Returns the document with another value at a path. */
function changed(path, value) {
  const copy = structuredClone(document);
  const last = path.pop();
  const at = path.reduce((of, key) => of[key], copy);
  if (value === undefined) delete at[last];
  else at[last] = value;
  return JSON.stringify(copy);
}

const refused = [
  [["schema"], "hirace.litmus/2", "schema"], [["target", "name"], undefined, "target.name"],
  [["settings", "iterations"], -1, "settings.iterations"], [["environments", 0, "layout"], "round", "environments[0].layout"],
  [["environments", 0, "parameters", "barrierPct"], 101, "environments[0].parameters.barrierPct"],
  [["environments", 0, "parameters", "stride"], 1, "environments[0].parameters.stride"],
  [["environments", 0, "parameters", "testingWorkgroups"], 60000, "environments[0].parameters.testingWorkgroups"],
  [["tests", 0, "name"], 7, "tests[0].name"], [["runs"], [], "runs"], [["runs", 0, "test"], "other", "runs[0].test"],
  [["runs", 0, "environment"], 9, "runs[0].environment"], [["runs", 0, "instances"], "many", "runs[0].instances"],
  [["runs", 0, "classes", "weak"], undefined, "runs[0].classes.weak"], [["runs", 0, "outcomes", 0, "registers"], 1, "runs[0].outcomes[0].registers"],
  [["summary"], undefined, "summary.killed"], [["summary", "environments"], undefined, "summary.environments"],
  [["summary", "environments", 0, "killed"], "all", "summary.environments[0].killed"],
  [["timing", "environments"], 3, "timing.environments"], [["timing", "best", 0, "rate"], undefined, "timing.best[0].rate"],
  [["timing", "runs"], [1], "timing.runs"], [["timing", "runs", 0], null, "timing.runs[0]"],
];
for (const [path, value, at] of refused) {
  assert.throws(() => readResults(changed(path, value)), (error) => error instanceof Invalid && error.at === at, at);
}
for (const key of ["environments", "best"]) assert.ok(readResults(changed(["timing", key], undefined)).document);
assert.throws(() => readResults("{"), /not JSON/);
assert.throws(() => readResults('{"tests": []}'), /schema/);
assert.ok(readResults('{"0": {"params": {}}}').published);

const [environment] = document.environments;
const { iterations, ...parameters } = environment.parameters;
assert.deepEqual(readEnvironment(JSON.stringify(environment)), { layout: environment.layout, parameters });
assert.deepEqual(readEnvironment(JSON.stringify(parameters)), { parameters });
assert.deepEqual(readEnvironment(JSON.stringify({ params: { ...parameters, iterations: 3 } })), { parameters });
assert.deepEqual(readEnvironment(text), { layout: environment.layout, parameters });
const { memStride, ...less } = parameters;
assert.throws(() => readEnvironment(JSON.stringify({ ...environment, parameters: less })), /^Invalid|parameters\.memStride: is missing/);
assert.throws(() => readEnvironment(changed(["environments"], [environment, environment])), /environments: has 2 environments/);

const chrome = {
  brands: [{ brand: "Not A(Brand", version: "8" }, { brand: "Chromium", version: "130" }, { brand: "Google Chrome", version: "130" }],
  platform: "Windows", getHighEntropyValues: async () => ({ platformVersion: "15.0.0" }),
};
const systems = [
  [{ userAgentData: chrome, userAgent: "" },
    { operating_system: { name: "Windows", version: "11" }, browser: { name: "Google Chrome", version: "130" } }],
  [{ userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0" },
    { operating_system: { name: "Linux" }, browser: { name: "Firefox", version: "133.0" } }],
  [{ userAgent: "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1" },
    { operating_system: { name: "iOS", version: "17.4" }, browser: { name: "Safari", version: "17.4" } }],
  [{}, {}],
];
for (const [navigator, expected] of systems) assert.deepEqual(await platform(navigator), expected);
console.log("read");
