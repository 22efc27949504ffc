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
// What it cannot evaluate it only mentions, and goes on with some value: its answer is of another kernel.
const errors = [];
console.error = console.warn = console.log = (what) => errors.push(String(what).slice(0, 100));
let races = 0;
try {
    const found = detectRaces(code, entry, workgroups, groups);
    races = found.races.length;
    errors.push(...found.errors.map((error) => String(error).slice(0, 100)));
} catch (error) {
    errors.push(String(error.message).slice(0, 100));
}
writeFileSync(answer, JSON.stringify({ races, errors }));
