// The worker of a campaign: leases a few pieces, runs them, submits each result, and continues until all pieces are
// done.

import * as api from "./api.js";
import { Messages, fill, h, warning } from "./dom.js";
import { Shown, key } from "./histogram.js";
import { patiently, stayAwake, wait } from "./patience.js";
import { LOST_IN_A_ROW, runPieces } from "./pieces.js";
import { CLOSED, capital, many } from "./words.js";

/** The number of pieces per lease: few, so that pieces of a closed tab are soon leased to others. */
const AT_ONCE = 8;

/** The maximum number of seconds between two requests while others have the remaining pieces. */
const LONGEST = 15;

/** The statuses of responses for an expired lease that the service has forgotten. */
const GONE = [404, 410];

/** The messages for the reasons why there are no more pieces. */
const OVER = {
  done: "All pieces are done for this device.",
  budget: "The time budget of the campaign for this device is used up.",
  closed: "The campaign is closed: its pieces are no longer leased.",
};

/**
 * The reason why work ended. `reason` is the message of a problem, or one of the reasons above if all is done.
 * @typedef {{end: "done" | "stopped" | "lost" | "problem", reason?: string}} Ending
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
   * @param {boolean} isClosed whether submissions need the token of the service
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
    this.element = h("section", { "aria-label": "Work on the campaign" }, h("div", { class: "actions" }, this.#start, this.#pause),
      !campaign.open ? warning(OVER.closed) : isClosed && warning(`${CLOSED}: work on the campaign with `,
        h("code", {}, `hirace litmus run --server ${location.origin} --campaign ${campaign.name} --token-file TOKEN`)),
      this.#progress, this.#status, this.#messages.element, this.#piece, this.#shown);
  }

  stop() {
    this.#stop?.abort();
    this.#pause.disabled = true;
  }

  /** Called when the user leaves the view. Returns the lease, even if the tab is being closed. */
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
    const { end, reason } = await this.#work(signal).catch((error) => ({ end: "problem", reason: error.message }));
    await this.#giveBack();
    this.#stop.abort();
    this.#stop = undefined;
    this.#progress.hidden = true;
    // A disabled button cannot keep the focus.
    const isLeft = [this.#pause, document.body].includes(document.activeElement);
    this.#start.disabled = end === "done";
    this.#pause.disabled = true;
    const words = {
      done: OVER[reason] ?? OVER.done,
      stopped: "Stopped. The remaining pieces are available to others.",
      lost: `Gave up after the device was lost ${LOST_IN_A_ROW} times in a row.`,
      problem: `${capital(reason ?? "")}.`,
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
    const away = (seconds, problem) => this.#messages.say(`${capital(problem.message)}: retrying in ${seconds} s.`);
    while (!stop.aborted) {
      const body = { target: this.#gpu.target, most: AT_ONCE };
      const leased = await patiently(() => api.post(`${this.#path}/leases`, body), stop, away);
      if (leased === "stopped") break;
      if (leased.reason) return { end: "done", reason: leased.reason };
      if (!leased.lease) {
        // Others may return their pieces before their lease expires.
        const seconds = Math.min(LONGEST, Math.max(1, leased.retry_after ?? LONGEST));
        this.#messages.say(`Others work on all remaining pieces: retrying in ${Math.ceil(seconds)} s.`);
        await wait(seconds, stop);
        continue;
      }
      const end = await this.#part(leased, stop, away);
      if (end !== "done") return { end };
      this.#on.rests();
    }
    return { end: "stopped" };
  }

  /** Runs the pieces of a lease until it ends. @returns {Promise<"done" | "stopped" | "lost">} */
  async #part({ lease, pieces }, stop, away) {
    const campaign = this.#campaign;
    const { tests } = campaign;
    this.#lease = lease;
    this.#progress.hidden = false;
    this.#progress.max = pieces.length;
    this.#progress.value = 0;
    // A lease that has passed to another worker ends this part, but not the work.
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
          // Screen readers do not announce every piece.
          this.#piece.textContent = `${test} in environment ${environment}`;
          this.#messages.say("Running.");
        },
        counted: (_, job, ran) => shown.counted(job, ran),
        ended: async (run) => {
          shown.ended(run);
          const isLast = sent + 1 === pieces.length;
          const came = await this.#send(run, isLast, part.signal, away);
          // The result was not sent, and the lease still has to be returned.
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
   * Submits a run. The service stores it even if the lease has expired.
   * @returns {Promise<"kept" | "over" | "stopped">}
   */
  async #send(run, isLast, stop, away) {
    const path = `${this.#path}/leases/${encodeURIComponent(this.#lease)}`;
    try {
      const answer = await patiently(() => api.post(path, { runs: [run], done: isLast }), stop, away);
      if (answer === "stopped") return "stopped";
      this.#kept += answer.kept ?? 0;
      this.#status.textContent = `${many(this.#kept, "run")} stored by the service so far`;
      this.element.dataset.kept = this.#kept;
      if (!answer.expired) return "kept";
    } catch (problem) {
      if (!GONE.includes(problem.status)) throw problem;
    }
    this.#lease = undefined;
    if (!isLast) this.#messages.say("The lease has expired; requesting another one.");
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
