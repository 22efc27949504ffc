// Waiting: for a while, and for a service that is away for a while.

import { Problem } from "./api.js";

const LONGEST = 60;

/** Waits so many seconds, or until it is stopped. */
export function wait(seconds, stop) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, seconds * 1000);
    stop?.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
    if (stop?.aborted) resolve();
  });
}

/**
 * Does `body`, and does it anew, later each time, as long as the service is away. `waits` hears of it.
 * @template T
 * @param {() => Promise<T>} body
 * @param {AbortSignal} stop
 * @param {(seconds: number, problem: Problem) => void} waits
 * @returns {Promise<T | "stopped">}
 */
export async function patiently(body, stop, waits) {
  for (let seconds = 2; ; seconds = Math.min(seconds * 2, LONGEST)) {
    try {
      return await body();
    } catch (problem) {
      if (!(problem instanceof Problem) || !problem.isPassing) throw problem;
      waits(seconds, problem);
      await wait(seconds, stop);
      if (stop.aborted) return "stopped";
    }
  }
}

/** Keeps the screen on, where the browser can: a phone that sleeps runs nothing. */
export async function stayAwake(stop) {
  const ask = async () => {
    if (document.hidden || stop.aborted) return;
    const lock = await navigator.wakeLock?.request("screen").catch(() => undefined);
    stop.addEventListener("abort", () => lock?.release().catch(() => {}));
  };
  document.addEventListener("visibilitychange", ask, { signal: stop });
  await ask();
}
