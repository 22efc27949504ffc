// The runs of Explore: they are shown while they run, and stored in this browser when they have ended.

import { fill, h } from "./dom.js";
import { Shown, key } from "./histogram.js";
import { runPieces } from "./pieces.js";
import { PERMUTATION, testedOf } from "./results.js";
import * as store from "./store.js";
import { address } from "./route.js";
import { capital, environment as described, many } from "./words.js";

export class Exploration {
  #gpu;
  #plan;
  #changes;
  #stop;
  #message = h("div", { role: "status" });
  #shown = h("div");

  /**
   * @param {import("./gpu.js").Gpu | undefined} gpu
   * @param {{plan: () => object, changes: (state: "running" | "done" | "failed") => void}} of
   */
  constructor(gpu, { plan, changes }) {
    this.#gpu = gpu;
    this.#plan = plan;
    this.#changes = changes;
    this.element = h("section", { "aria-label": "Results of the tests" }, this.#message, this.#shown);
  }

  stop() {
    this.#stop?.abort();
  }

  async start() {
    if (this.#stop || !this.#gpu) return;
    const plan = this.#plan();
    this.#stop = new AbortController();
    this.#changes("running");
    const shown = new Map(plan.tests.map(({ name }) => [name, new Shown(name, plan.iterations)]));
    fill(this.#shown, h("h2", {}, described({ layout: plan.layout, parameters: plan.parameters })), key(),
      [...shown.values()].map(({ element }) => element));
    fill(this.#message, h("p", { class: "dim" }, `Running ${many(plan.tests.length, "test")}.`));
    const runs = [];
    let permutation;
    const ended = (run, job) => {
      permutation ??= job.permutation;
      runs.push(run);
      shown.get(run.test).ended(run);
    };
    let ending;
    try {
      const end = await runPieces(this.#gpu, piecesOf(plan), {
        stop: this.#stop.signal, ended, stopped: ended,
        counted: ({ test }, job, ran) => shown.get(test).counted(job, ran),
      });
      ending = { end };
    } catch (problem) {
      ending = { end: "problem", reason: problem.message };
    }
    this.#stop = undefined;
    const failed = runs.filter((run) => run.failure && run.failure.kind !== "stopped").length;
    const kept = runs.some((run) => run.instances > 0) && await this.#kept(plan, ending.end, runs, permutation);
    this.#says(ending, failed, kept);
    this.#changes(isFailure(ending) || failed > 0 ? "failed" : "done");
  }

  #says(ending, failed, kept) {
    const words = {
      done: "All tests are done.",
      stopped: "Stopped.",
      lost: "The device was lost too often. The remaining tests were not run.",
      problem: `${capital(ending.reason ?? "")}.`,
    };
    fill(this.#message,
      h("p", { class: isFailure(ending) ? "warning" : "dim" }, words[ending.end], failed > 0 && ` ${many(failed, "test")} failed.`), kept);
  }

  /** Stores the runs and returns a link to them. */
  async #kept(plan, end, runs, permutation) {
    if (plan.index > 0) {
      return h("p", { class: "dim" }, `These runs use the dispatches of environment ${plan.index} of a campaign and are not stored: `
        + "stored results of a single environment have the number 0. Remove `environment` from the address to store results.");
    }
    const { seed, iterations, seconds, specification, layout, parameters } = plan;
    const settings = { seed, iterations, ...(seconds && { seconds }), permutation: permutation ?? PERMUTATION };
    const ran = plan.tests.filter(({ name }) => runs.some((run) => run.test === name));
    const created = new Date().toISOString();
    const work = {
      id: store.nameOf(created + plan.address), verb: "run", target: this.#gpu.target, specification, settings,
      environments: [{ layout, parameters }], tests: ran.map(testedOf), pieces: ran.map(({ name }) => ({ environment: 0, test: name })),
      address: plan.address, created, done: runs.length, state: end === "done" ? "done" : "stopped",
    };
    try {
      await store.keep(work);
      for (const run of runs) await store.keepRun(work, run);
      await store.prune();
    } catch (error) {
      return h("p", { class: "warning" }, error.message);
    }
    return h("p", {}, h("a", { href: address("submit", work.id), "data-submit": work.id }, "Submit or download these results"));
  }
}

function isFailure({ end }) {
  return end === "lost" || end === "problem";
}

function piecesOf({ tests, index, layout, parameters, seed, iterations, seconds, specification }) {
  const environments = [];
  environments[index] = { layout, parameters };
  return {
    pieces: tests.map(({ name }) => ({ environment: index, test: name })),
    environments, settings: { seed, iterations, seconds }, specification,
  };
}
