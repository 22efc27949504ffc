// Asks `detectRaces` of the npm package wgsl_reflect about one launch, given as JSON on standard input.
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { join } from "node:path";

const [packageFolder, answer] = process.argv.slice(2);
const module = pathToFileURL(join(packageFolder, "wgsl_reflect.module.js"));
const { detectRaces } = await import(module);
const { code, entry, workgroups, buffers } = JSON.parse(readFileSync(0, "utf8"));
const groups = {};
for (const { group, binding, words } of buffers) {
    (groups[group] ??= {})[binding] = new Uint32Array(words);
}
const { races, errors } = detectRaces(code, entry, workgroups, groups);
// The package writes to standard output what it stumbles over.
writeFileSync(answer, JSON.stringify({ races: races.length, errors }));
