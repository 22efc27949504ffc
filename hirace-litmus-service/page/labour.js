// Work on a campaign: takes leases of a few pieces, runs them, sends what comes of each, and goes on until all is done.

import * as api from "./api.js";
import { announce, fill, h } from "./dom.js";
import { Shown } from "./histogram.js";
import { patiently, stayAwake, wait } from "./patience.js";
import { LOST_IN_A_ROW, runPieces } from "./pieces.js";
import { capital, many } from "./words.js";

/** Pieces of a lease: few, so that what a closed tab leaves behind is soon somebody else's. */
const AT_ONCE = 8;

/** How many seconds there are at most between two questions for what others have left. */
const LONGEST = 15;

/** What the service answers when it does not know a lease any more. */
const GONE = [404, 410];

export class Labour {
  #path;
  #campaign;
  #gpu;
  #on;
  #stop;
  #lease;
  #kept = 0;
  #start;
  #pause;
  #progress = h("progress", { "aria-label": "Runs of this part", max: 1, value: 0, hidden: true });
  #status = h("p", { class: "figures", tabindex: -1 });
  #message = h("div", { role: "status" });
  #shown = h("div");

  /**
   * @param {string} path of the campaign's API
   * @param {object} campaign
   * @param {import("./gpu.js").Gpu | undefined} gpu
   * @param {{changes: (state: string) => void, rests: () => void}} on
   */
  constructor(path, campaign, gpu, on) {
    this.#path = path;
    this.#campaign = campaign;
    this.#gpu = gpu;
    this.#on = on;
    const isOff = !gpu || !campaign.open;
    this.#start = h("button", { type: "button", class: "main", disabled: isOff, onclick: () => this.start() }, "Work on it");
    this.#pause = h("button", { type: "button", disabled: true, onclick: () => this.stop() }, "Stop");
    this.element = h("section", { "aria-label": "Work on it" }, h("div", { class: "actions" }, this.#start, this.#pause),
      this.#progress, this.#status, this.#message, this.#shown);
  }

  stop() {
    this.#stop?.abort();
    this.#pause.disabled = true;
  }

  /** The view is left: what is leased is given back, also if the tab is being closed. */
  leave() {
    this.stop();
    this.#giveBack();
  }

  async start() {
    if (this.#stop || !this.#gpu) return;
    this.#stop = new AbortController();
    const { signal } = this.#stop;
    this.#start.disabled = true;
    this.#pause.disabled = false;
    this.#pause.focus();
    this.#on.changes("running");
    fill(this.#message);
    stayAwake(signal);
    let end;
    try {
      end = await this.#work(signal);
    } catch (error) {
      end = error.message;
    }
    await this.#giveBack();
    this.#stop.abort();
    this.#stop = undefined;
    this.#progress.hidden = true;
    // A button that is off cannot keep the focus.
    const isLeft = [this.#pause, document.body].includes(document.activeElement);
    this.#start.disabled = end === "done";
    this.#pause.disabled = true;
    const words = {
      done: "All of it is done for this device.",
      stopped: "Stopped. What was not run is left to others.",
      lost: `The device was lost ${LOST_IN_A_ROW} times in a row: given up.`,
    };
    const isFailure = !["done", "stopped"].includes(end);
    fill(this.#message, h("p", { class: isFailure ? "warning" : "dim" }, words[end] ?? end));
    if (isLeft) (this.#start.disabled ? this.#status : this.#start).focus();
    this.#on.changes(isFailure ? "failed" : end);
    this.#on.rests();
  }

  /** @returns {Promise<"done" | "stopped" | "lost">} */
  async #work(stop) {
    const away = (seconds, problem) => this.#says(`${problem.message}: it is asked anew in ${seconds} s`);
    while (!stop.aborted) {
      const body = { target: this.#gpu.target, most: AT_ONCE };
      const leased = await patiently(() => api.post(`${this.#path}/leases`, body), stop, away);
      if (leased === "stopped") break;
      if (leased.done) return "done";
      if (!leased.lease) {
        // Others may give back what they have before their lease is over.
        const seconds = Math.min(LONGEST, Math.max(1, leased.wait ?? LONGEST));
        this.#says(`Others work on all that is left: it is asked anew in ${Math.ceil(seconds)} s`);
        await wait(seconds, stop);
        continue;
      }
      const end = await this.#part(leased, stop, away);
      if (end !== "done") return end;
      this.#on.rests();
    }
    return "stopped";
  }

  /** Runs the pieces of a lease, until it is over. */
  async #part({ lease, pieces }, stop, away) {
    const campaign = this.#campaign;
    const { tests } = campaign;
    this.#lease = lease;
    this.#progress.hidden = false;
    this.#progress.max = pieces.length;
    this.#progress.value = 0;
    // A lease that is somebody else's ends this part, but not the work.
    const part = new AbortController();
    const end = () => part.abort();
    stop.addEventListener("abort", end);
    let shown;
    let sent = 0;
    const pieceOf = (number) => ({ test: tests[number % tests.length], environment: Math.floor(number / tests.length) });
    const left = () => pieces.slice(sent).map(pieceOf);
    try {
      const ended = await patiently(() => runPieces(this.#gpu, { ...campaign, pieces: left() }, {
        stop: part.signal,
        begins: ({ test, environment }) => {
          shown = new Shown(test, campaign.settings.iterations);
          fill(this.#shown, shown.element);
          this.#says(`Running ${test} in environment ${environment}`, false);
        },
        counted: (_, job, ran) => shown.counted(job, ran),
        ended: async (run) => {
          shown.ended(run);
          const isLast = sent + 1 === pieces.length;
          const isKept = await this.#send(run, isLast, part.signal, away);
          sent += 1;
          this.#progress.value = sent;
          if (!isKept) part.abort();
          if (isLast) this.#lease = undefined;
        },
      }), part.signal, away);
      return ended === "stopped" && !stop.aborted ? "done" : ended;
    } finally {
      stop.removeEventListener("abort", end);
    }
  }

  /** Sends a run. What the service has of it stays, also if the lease is over: then it says false. */
  async #send(run, isLast, stop, away) {
    const path = `${this.#path}/leases/${encodeURIComponent(this.#lease)}`;
    try {
      const answer = await patiently(() => api.post(path, { runs: [run], done: isLast }), stop, away);
      if (answer !== "stopped") {
        this.#kept += answer.kept ?? 0;
        this.#status.textContent = `${many(this.#kept, "run")} kept by the service so far`;
        this.element.dataset.kept = this.#kept;
      }
      if (!answer.over) return true;
    } catch (problem) {
      if (!GONE.includes(problem.status)) throw problem;
    }
    this.#lease = undefined;
    if (!isLast) this.#says("The lease was over; another one is taken");
    return false;
  }

  async #giveBack() {
    const lease = this.#lease;
    this.#lease = undefined;
    if (!lease) return;
    const path = `${this.#path}/leases/${encodeURIComponent(lease)}`;
    await api.post(path, { runs: [], done: true }, { keepalive: true }).catch(() => {});
  }

  #says(text, aloud = true) {
    fill(this.#message, h("p", { class: "dim" }, `${capital(text)}.`));
    if (aloud) announce(text);
  }
}
