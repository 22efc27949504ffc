// Waiting for a time, and retrying while the service is unavailable.

import { Problem } from "./api.js";

const LONGEST = 60;

/** Waits for a number of seconds, or until stopped. */
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
 * Runs `body`, and retries it with increasing delays while the service is unavailable. `waits` is called before each
 * delay.
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

/** Keeps the screen on if the browser can: a sleeping phone runs nothing. */
export async function stayAwake(stop) {
  const ask = async () => {
    if (document.hidden || stop.aborted) return;
    const lock = await navigator.wakeLock?.request("screen").catch(() => undefined);
    stop.addEventListener("abort", () => lock?.release().catch(() => {}));
  };
  document.addEventListener("visibilitychange", ask, { signal: stop });
  await ask();
}
