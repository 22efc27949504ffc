// The panel of a job of this browser: its progress, the grid of killed mutants, and buttons to continue and to pause.

import { Messages, fill, h } from "./dom.js";
import { Grid } from "./grid.js";
import { patiently, stayAwake } from "./patience.js";
import { LOST_IN_A_ROW, runPieces } from "./pieces.js";
import * as store from "./store.js";
import { summaryOf } from "./summary.js";
import { capital, count, duration, many, percent } from "./words.js";

export class Panel {
  #work;
  #gpu;
  #runs = [];
  #grid;
  #stop;
  #ended;
  #status = h("p", { class: "figures", tabindex: -1 });
  #messages = new Messages();
  #progress;
  #start;
  #pause;
  #links = h("p", {});

  /**
   * @param {store.Work} work
   * @param {import("./gpu.js").Gpu | undefined} gpu
   * @param {{label: string, links: (work: store.Work) => (string | Node)[]}} about
   */
  constructor(work, gpu, about) {
    this.#work = work;
    this.#gpu = gpu;
    this.about = about;
    this.#progress = h("progress", { max: work.pieces.length, value: 0, "aria-label": "Completed runs" });
    this.#start = h("button", { type: "button", class: "main", onclick: () => this.start() }, "Start");
    this.#pause = h("button", { type: "button", onclick: () => this.pause(), disabled: true }, "Pause");
    this.#grid = new Grid(about.label, work.tests, work.environments.length, work.pieces);
    this.element = h("section", { "data-work": work.id, "aria-label": about.label },
      h("div", { class: "actions" }, this.#start, this.#pause),
      this.#progress, this.#status, this.#messages.element, this.#links,
      h("h2", {}, about.label), this.#grid.element);
  }

  /** Shows the runs that are done. */
  async load() {
    this.#runs = await store.runs(this.#work.id);
    for (const run of this.#runs) this.#grid.show(run);
    this.#show();
    return this;
  }

  get isRunning() {
    return this.#stop !== undefined;
  }

  async start() {
    if (this.isRunning || !this.#gpu) return;
    this.#stop = new AbortController();
    const stop = this.#stop.signal;
    stayAwake(stop);
    this.#messages.say("Running.");
    this.#show();
    this.#pause.focus();
    this.#ended = this.#run(stop).then((end) => this.#end(end), (error) => this.#end("problem", error.message));
    await this.#ended;
  }

  async #run(stop) {
    const work = this.#work;
    await store.keep(work);
    const began = { at: performance.now(), done: this.#runs.length };
    const watcher = {
      stop,
      begins: (piece) => {
        this.#messages.say("Running.");
        this.#grid.begins(piece);
      },
      ended: async (run, job) => {
        work.settings.permutation = job.permutation ?? work.settings.permutation;
        work.done = this.#runs.length + 1;
        await store.keepRun(work, run);
        this.#runs.push(run);
        this.#grid.show(run);
        this.#show(began);
      },
    };
    const isDone = () => new Set(this.#runs.map(({ environment, test }) => `${environment}/${test}`));
    const rest = () => {
      const done = isDone();
      return work.pieces.filter(({ environment, test }) => !done.has(`${environment}/${test}`));
    };
    return patiently(() => runPieces(this.#gpu, { ...work, pieces: rest() }, watcher), stop, (after, problem) => {
      this.#messages.say(`${capital(problem.message)}: retrying in ${after} s. Completed runs are stored.`, "warning");
    });
  }

  async #end(end, reason) {
    this.#stop?.abort();
    this.#stop = undefined;
    this.#grid.rests();
    this.#work.state = end === "done" ? "done" : "paused";
    await store.keep(this.#work).catch(() => {});
    const words = {
      done: "All runs are done",
      stopped: "Paused. Completed runs are stored in this browser",
      lost: `Gave up after the device was lost ${LOST_IN_A_ROW} times in a row. Completed runs are stored, and you can continue`,
      problem: `${capital(reason ?? "")}. Completed runs are stored, and you can continue`,
    };
    this.#messages.say(`${words[end]}.`, end === "done" || end === "stopped" ? "dim" : "warning");
    // A disabled button cannot keep the focus.
    const isLeft = [this.#pause, document.body].includes(document.activeElement);
    this.#show();
    if (isLeft) (this.#start.disabled ? this.#status : this.#start).focus();
  }

  /** Resolves when no test runs any more. */
  async pause() {
    this.#stop?.abort();
    this.#show();
    await this.#ended;
  }

  #show(began) {
    const work = this.#work;
    const done = this.#runs.length;
    const all = work.pieces.length;
    const isPausing = this.#stop?.signal.aborted ?? false;
    this.#progress.value = done;
    this.element.dataset.state = this.isRunning ? (isPausing ? "pausing" : "running") : done === all ? "done" : "paused";
    this.element.dataset.done = done;
    this.#start.textContent = done === 0 ? "Start" : "Continue";
    this.#start.disabled = this.isRunning || done === all || !this.#gpu;
    this.#pause.disabled = !this.isRunning || isPausing;
    const { killed, of, violations, failures } = summaryOf(this.#runs, work.tests);
    const each = began && (performance.now() - began.at) / 1000 / (done - began.done);
    this.#status.textContent = [
      `${count(done)} of ${many(all, "run")} done`,
      of > 0 && `${killed} of ${many(of, "mutant")} killed (${percent(killed / of)})`,
      violations.length > 0 && `FORBIDDEN outcomes in ${violations.join(", ")}`,
      failures > 0 && `${many(failures, "run")} failed`,
      each && done < all && `about ${duration(each * (all - done))} remaining`,
    ].filter(Boolean).join(" · ");
    fill(this.#links, done > 0 && !this.isRunning && this.about.links(work));
  }
}
