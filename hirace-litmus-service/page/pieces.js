// Pieces of a campaign: tests in environments, one after the other.

import * as api from "./api.js";
import { ofProblem } from "./failure.js";
import { refusedJob, run } from "./results.js";
import { runJob } from "./runner.js";

/** The number of consecutive pieces that may lose or hang the device before the run gives up. */
export const LOST_IN_A_ROW = 3;

/**
 * @typedef {{environment: number, test: string}} Piece
 * @typedef {{pieces: Piece[], environments: object[], settings: {seed: string, iterations: number, seconds?: number},
 *   specification: string}} Plan
 */

/**
 * Runs pieces in order. A piece that is stopped in the middle has not ended: the caller can keep its result, or run it
 * again from the start.
 * @param {import("./gpu.js").Gpu} gpu
 * @param {Plan} plan
 * @param {{stop: AbortSignal, begins?: (piece: Piece, job?: object) => void,
 *   counted?: (piece: Piece, job: object, ran: import("./runner.js").Ran) => void,
 *   ended: (run: import("./results.js").Run, job: object) => unknown,
 *   stopped?: (run: import("./results.js").Run, job: object) => void}} watcher
 * @returns {Promise<"done" | "stopped" | "lost">}
 * @throws {api.Problem} if the service gives no job
 */
export async function runPieces(gpu, plan, { stop, begins, counted, ended, stopped }) {
  const { pieces, environments, settings: { seed, iterations, seconds }, specification } = plan;
  const jobOf = ({ environment: index, test }) => api.job({
    test, environment: environments[index], index, seed, specification, limits: gpu.limits,
  });
  let lost = 0;
  let next = pieces.length > 0 ? early(jobOf(pieces[0])) : undefined;
  for (const [at, piece] of pieces.entries()) {
    if (stop.aborted) return "stopped";
    const asked = next;
    let job;
    let refusal;
    try {
      job = await asked;
    } catch (problem) {
      refusal = problem instanceof api.Problem ? ofProblem(problem) : undefined;
      if (!refusal) throw problem;
    }
    // The service prepares the next job while the device runs this one.
    next = at + 1 < pieces.length ? early(jobOf(pieces[at + 1])) : undefined;
    begins?.(piece, job);
    const ran = job
      ? await runJob(gpu, job, { iterations, seconds, stop, seen: (ran) => counted?.(piece, job, ran) })
      : { counts: [], iterations: 0, seconds: 0, failure: refusal };
    const of = job ?? refusedJob(piece.test);
    const came = run(of, piece.environment, ran.iterations, ran.counts, ran.seconds, ran.failure);
    if (ran.failure?.kind === "stopped") {
      stopped?.(came, of);
      return "stopped";
    }
    await ended(came, of);
    lost = ["lost", "hangs"].includes(ran.failure?.kind) ? lost + 1 : 0;
    if (lost === LOST_IN_A_ROW) return "lost";
  }
  return "done";
}

/** Marks a promise as handled, because it may be rejected before anything awaits it. */
function early(promise) {
  promise.catch(() => {});
  return promise;
}
