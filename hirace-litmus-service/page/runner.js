// One test in one environment, for a number of dispatches or for a time, as hirace-litmus/src/run/one.rs does it.

import { Random, draw } from "./draw.js";
import { Failure, ofError } from "./failure.js";
import { Ready } from "./ready.js";

/** How long the dispatches that are sent at once should take, in milliseconds: much longer than to wait for them, and short
 * enough to be stopped, and not to be taken for one that hangs. */
const AT_ONCE = 200;

/** The most of them: more that are not read back are more than a browser keeps in flight. */
const MOST_AT_ONCE = 100;

/**
 * @typedef {{counts: number[], iterations: number, seconds: number, failure?: Failure}} Ran
 */

/**
 * Runs a job. `seen` has what came of it so far, after each batch. It never throws: what fails is in what it gives.
 * @param {import("./gpu.js").Gpu} gpu
 * @param {{iterations: number, seconds?: number, stop: AbortSignal, seen?: (ran: Ran) => void}} plan
 * @returns {Promise<Ran>}
 */
export function runJob(gpu, job, plan) {
  return gpu.alone(() => runAlone(gpu, job, plan));
}

async function runAlone(gpu, job, plan) {
  const ran = { counts: new Array(job.words.counters).fill(0), iterations: 0, seconds: 0 };
  let ready;
  try {
    ready = await Ready.of(await gpu.open(), job, plan.stop);
    await turns(ready, job, plan, ran);
    ready.destroy();
  } catch (error) {
    ran.failure = ofError(error);
    // Whatever state it is in now, the next test is not to suffer from it.
    gpu.drop();
  }
  return ran;
}

async function turns(ready, job, { iterations, seconds, stop, seen }, ran) {
  const random = new Random(BigInt(`0x${job.seed}`));
  const started = performance.now();
  const isTimeLeft = () => seconds === undefined || performance.now() - started < seconds * 1000;
  let atOnce = 1;
  while (ran.iterations < iterations && isTimeLeft()) {
    if (stop.aborted) throw new Failure("stopped", "stopped");
    const count = Math.min(atOnce, ready.most, iterations - ran.iterations);
    const drawn = Array.from({ length: count }, () => draw(random, job));
    const began = performance.now();
    const counted = await ready.iterate(drawn, stop);
    const took = performance.now() - began;
    check(counted, job.instances * count);
    counted.forEach((number, counter) => {
      ran.counts[counter] += number;
    });
    // Browsers give moments to a ten thousandth of a second at best.
    ran.seconds = Number((ran.seconds + took / 1000).toFixed(6));
    ran.iterations += count;
    seen?.(ran);
    if (took < AT_ONCE / 2) atOnce = Math.min(atOnce * 2, MOST_AT_ONCE);
    else if (took > AT_ONCE * 2) atOnce = Math.max(1, Math.floor(atOnce / 2));
    await pause();
  }
}

/** Each instance that ran has one outcome. */
function check(counted, instances) {
  const sum = counted.reduce((sum, number) => sum + number, 0);
  if (sum !== instances) throw new Failure("checksum", `${sum} outcomes were counted of ${instances} instances`);
}

/** Lets the browser draw and take clicks. A message is not slowed down in a hidden tab, as a timer would be. */
function pause() {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
