// The run of one test in one environment, for a number of dispatches or for a time, as in hirace-litmus/src/run/one.rs.

import { Random, draw } from "./draw.js";
import { Failure, ofError } from "./failure.js";
import { Ready } from "./ready.js";

/** The target duration of the dispatches that are submitted at once, in milliseconds: much longer than their latency, and short
 * enough that a run can be stopped and is not mistaken for a hang. */
const AT_ONCE = 200;

/** The maximum number of dispatches at once: browsers keep only a limited number of unread results in flight. */
const MOST_AT_ONCE = 100;

/**
 * @typedef {{counts: number[], iterations: number, seconds: number, failure?: Failure}} Ran
 */

/**
 * Runs a job. `seen` is called with the result so far after each batch. Never throws: failures are part of the result.
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
    // The device may be in any state now, which must not affect the next test.
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
    // Browsers have timers with a resolution of 0.1 milliseconds at best.
    ran.seconds = Number((ran.seconds + took / 1000).toFixed(6));
    ran.iterations += count;
    seen?.(ran);
    if (took < AT_ONCE / 2) atOnce = Math.min(atOnce * 2, MOST_AT_ONCE);
    else if (took > AT_ONCE * 2) atOnce = Math.max(1, Math.floor(atOnce / 2));
    await pause();
  }
}

/** Checks that each instance that ran has one outcome. */
function check(counted, instances) {
  const sum = counted.reduce((sum, number) => sum + number, 0);
  if (sum !== instances) throw new Failure("checksum", `${sum} outcomes were counted for ${instances} instances`);
}

/** Lets the browser draw and handle clicks. Messages are not throttled in hidden tabs, unlike timers. */
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
