// Work on a campaign: takes leases of a few pieces, runs them, sends what comes of each, and goes on until all is done.

import * as api from "./api.js";
import { Messages, fill, h, warning } from "./dom.js";
import { Shown, key } from "./histogram.js";
import { patiently, stayAwake, wait } from "./patience.js";
import { LOST_IN_A_ROW, runPieces } from "./pieces.js";
import { CLOSED, capital, many } from "./words.js";

/** Pieces of a lease: few, so that what a closed tab leaves behind is soon somebody else's. */
const AT_ONCE = 8;

/** How many seconds there are at most between two questions for what others have left. */
const LONGEST = 15;

/** What the service answers when it does not know a lease any more. */
const GONE = [404, 410];

/** What it means that the service has no more pieces. */
const OVER = {
  done: "All of it is done for this device.",
  budget: "The campaign's time for this device is used up.",
  closed: "The campaign has ended: no more of it is handed out.",
};

/**
 * How work ends. Why is, of a problem, what it is, and of what is done, one of those above.
 * @typedef {{end: "done" | "stopped" | "lost" | "problem", why?: string}} Ending
 */

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
  #messages = new Messages();
  #piece = h("p", { class: "dim" });
  #shown = h("div");

  /**
   * @param {string} path of the campaign's API
   * @param {object} campaign
   * @param {import("./gpu.js").Gpu | undefined} gpu
   * @param {boolean} isClosed whether the service takes what comes of it only with its token
   * @param {{changes: (state: string) => void, rests: () => void}} on
   */
  constructor(path, campaign, gpu, isClosed, on) {
    this.#path = path;
    this.#campaign = campaign;
    this.#gpu = gpu;
    this.#on = on;
    const isOff = !gpu || !campaign.open || isClosed;
    this.#start = h("button", { type: "button", class: "main", disabled: isOff, onclick: () => this.start() }, "Work on it");
    this.#pause = h("button", { type: "button", disabled: true, onclick: () => this.stop() }, "Stop");
    this.element = h("section", { "aria-label": "Work on it" }, h("div", { class: "actions" }, this.#start, this.#pause),
      !campaign.open ? warning(OVER.closed) : isClosed && warning(`${CLOSED}: work on it by `,
        h("code", {}, `hirace litmus run --server ${location.origin} --campaign ${campaign.name} --token-file TOKEN`)),
      this.#progress, this.#status, this.#messages.element, this.#piece, this.#shown);
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
    this.#messages.say("Running.");
    stayAwake(signal);
    const { end, why } = await this.#work(signal).catch((error) => ({ end: "problem", why: error.message }));
    await this.#giveBack();
    this.#stop.abort();
    this.#stop = undefined;
    this.#progress.hidden = true;
    // A button that is off cannot keep the focus.
    const isLeft = [this.#pause, document.body].includes(document.activeElement);
    this.#start.disabled = end === "done";
    this.#pause.disabled = true;
    const words = {
      done: OVER[why] ?? OVER.done,
      stopped: "Stopped. What is not done is left to others.",
      lost: `The device was lost ${LOST_IN_A_ROW} times in a row: given up.`,
      problem: `${capital(why ?? "")}.`,
    };
    const isFailure = end === "lost" || end === "problem";
    fill(this.#piece);
    this.#messages.say(words[end], isFailure ? "warning" : "dim");
    if (isLeft) (this.#start.disabled ? this.#status : this.#start).focus();
    this.#on.changes(isFailure ? "failed" : end);
    this.#on.rests();
  }

  /** @returns {Promise<Ending>} */
  async #work(stop) {
    const away = (seconds, problem) => this.#messages.say(`${capital(problem.message)}: next try in ${seconds} s.`);
    while (!stop.aborted) {
      const body = { target: this.#gpu.target, most: AT_ONCE };
      const leased = await patiently(() => api.post(`${this.#path}/leases`, body), stop, away);
      if (leased === "stopped") break;
      if (leased.why) return { end: "done", why: leased.why };
      if (!leased.lease) {
        // Others may give back what they have before their lease is over.
        const seconds = Math.min(LONGEST, Math.max(1, leased.wait ?? LONGEST));
        this.#messages.say(`Others work on all that is left: next try in ${Math.ceil(seconds)} s.`);
        await wait(seconds, stop);
        continue;
      }
      const end = await this.#part(leased, stop, away);
      if (end !== "done") return { end };
      this.#on.rests();
    }
    return { end: "stopped" };
  }

  /** Runs the pieces of a lease, until it is over. @returns {Promise<"done" | "stopped" | "lost">} */
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
          fill(this.#shown, key(), shown.element);
          // Nobody is to hear of every piece.
          this.#piece.textContent = `${test} in environment ${environment}`;
          this.#messages.say("Running.");
        },
        counted: (_, job, ran) => shown.counted(job, ran),
        ended: async (run) => {
          shown.ended(run);
          const isLast = sent + 1 === pieces.length;
          const came = await this.#send(run, isLast, part.signal, away);
          // It was not sent: its lease is still there to be given back.
          if (came === "stopped") return;
          sent += 1;
          this.#progress.value = sent;
          if (came === "over") part.abort();
          if (isLast) this.#lease = undefined;
        },
      }), part.signal, away);
      return ended === "stopped" && !stop.aborted ? "done" : ended;
    } finally {
      stop.removeEventListener("abort", end);
    }
  }

  /**
   * Sends a run. What the service has of it stays, also if the lease is over.
   * @returns {Promise<"kept" | "over" | "stopped">}
   */
  async #send(run, isLast, stop, away) {
    const path = `${this.#path}/leases/${encodeURIComponent(this.#lease)}`;
    try {
      const answer = await patiently(() => api.post(path, { runs: [run], done: isLast }), stop, away);
      if (answer === "stopped") return "stopped";
      this.#kept += answer.kept ?? 0;
      this.#status.textContent = `${many(this.#kept, "run")} kept by the service so far`;
      this.element.dataset.kept = this.#kept;
      if (!answer.over) return "kept";
    } catch (problem) {
      if (!GONE.includes(problem.status)) throw problem;
    }
    this.#lease = undefined;
    if (!isLast) this.#messages.say("The lease was over; another one is taken.");
    return "over";
  }

  async #giveBack() {
    const lease = this.#lease;
    this.#lease = undefined;
    if (!lease) return;
    const path = `${this.#path}/leases/${encodeURIComponent(lease)}`;
    await api.post(path, { runs: [], done: true }, { keepalive: true }).catch(() => {});
  }
}
