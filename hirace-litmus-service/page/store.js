// The results that are stored in this browser: jobs, each of which becomes a document, and their runs. A run is stored
// as soon as it has ended, so that a closed tab loses only the current run.

import { documentOf } from "./results.js";

const NAME = "hirace-litmus";
const WORKS = "works";
const RUNS = "runs";

/** The maximum number of finished runs of Explore: older ones are removed. */
const MOST_EXPLORED = 50;

/**
 * @typedef {{id: string, verb: string, target: object, specification: string, settings: object, environments: object[],
 *   tests: object[], pieces: import("./pieces.js").Piece[], address: string, created: string, done: number,
 *   state: "paused" | "stopped" | "done", sent?: {id: number, runs: number}}} Work
 */

let opening;

/** @returns {Promise<IDBDatabase>} */
function open() {
  opening ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore(WORKS, { keyPath: "id" });
      request.result.createObjectStore(RUNS, { keyPath: ["work", "environment", "test"] }).createIndex("work", "work");
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(new Error(`This browser cannot store results: ${request.error?.message}`));
  });
  opening.catch(() => {
    opening = undefined;
  });
  return opening;
}

/** Runs `body` in a transaction and returns the results of its requests. */
async function within(mode, body) {
  const transaction = (await open()).transaction([WORKS, RUNS], mode);
  const requests = body(transaction.objectStore(WORKS), transaction.objectStore(RUNS));
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve(requests.map(({ result }) => result));
    transaction.onabort = () => reject(new Error(`This browser could not store a result: ${transaction.error?.message}`));
  });
}

/** Returns all jobs, the newest first. @returns {Promise<Work[]>} */
export async function works() {
  const [all] = await within("readonly", (works) => [works.getAll()]);
  const done = await within("readonly", (_, runs) => all.map(({ id }) => runs.index("work").count(id)));
  return all.map((work, at) => ({ ...work, done: done[at] })).sort((a, b) => b.created.localeCompare(a.created));
}

/** @returns {Promise<Work | undefined>} */
export async function work(id) {
  const [work, done] = await within("readonly", (works, runs) => [works.get(id), runs.index("work").count(id)]);
  return work && { ...work, done };
}

/** @param {Work} work */
export async function keep(work) {
  await within("readwrite", (works) => [works.put(work)]);
}

/** Stores a run of a stored job. The number of completed runs is counted on reading, so the job need not be rewritten each time. */
export async function keepRun(work, run) {
  await within("readwrite", (_, runs) => [runs.put({ ...run, work: work.id })]);
}

export async function runs(id) {
  const [all] = await within("readonly", (_, runs) => [runs.index("work").getAll(id)]);
  return all.map(({ work, ...run }) => run);
}

export async function remove(id) {
  await within("readwrite", (works, runs) => [works.delete(id), runs.delete(IDBKeyRange.bound([id], [id, []]))]);
}

/** Removes old runs of Explore. */
export async function prune() {
  const explored = (await works()).filter((work) => work.verb === "run");
  for (const { id } of explored.slice(MOST_EXPLORED)) await remove(id);
}

/** Returns a job and its runs as a document. */
export async function document(work) {
  const { verb, target, specification, settings, environments, tests, pieces, state } = work;
  const all = await runs(work.id);
  const stopped = state === "stopped" || all.length < pieces.length;
  return documentOf({ verb, target, specification, settings, stopped, environments, tests, runs: all });
}

/** Returns a name for a text: equal texts have equal names. */
export function nameOf(text) {
  // FNV-1a over 32 bits, twice with different starts: names need not be secure, and Web Crypto requires https.
  const hash = (start) => {
    let value = start;
    for (const byte of new TextEncoder().encode(text)) value = Math.imul(value ^ byte, 0x01000193);
    return (value >>> 0).toString(16).padStart(8, "0");
  };
  return hash(0x811c9dc5) + hash(0x9747b28c);
}
