// The device that tests run on: as much of it as WebGPU gives, and a new one where the last was lost.

import { Failure, ofError } from "./failure.js";

/** How many seconds a dispatch may take. */
export const TIME_LIMIT = 60;

/** How long a dispatch that is stopped is waited for, in milliseconds. */
const PATIENCE = 1000;

const LIMITS = [
  "maxStorageBufferBindingSize", "maxBufferSize", "maxComputeWorkgroupsPerDimension", "maxComputeInvocationsPerWorkgroup",
  "maxComputeWorkgroupSizeX", "maxStorageBuffersPerShaderStage",
];

let found;

/** The device, or why there is none: looked for once. @returns {Promise<{gpu?: Gpu, why?: string}>} */
export function findGpu() {
  found ??= Gpu.find().then((gpu) => ({ gpu }), (error) => ({ why: error.message }));
  return found;
}

export class Gpu {
  #opened;
  #turn = Promise.resolve();

  static async find() {
    if (!navigator.gpu) {
      throw new Error(isSecureContext
        ? "This browser has no WebGPU."
        : "This page was not loaded over https, and browsers give WebGPU to secure pages alone.");
    }
    return new Gpu(await adapter());
  }

  constructor(adapter) {
    this.info = adapter.info ?? {};
    const limits = adapter.limits;
    /** What environments are checked against, as the service asks for it. */
    this.limits = {
      max_workgroups: limits.maxComputeWorkgroupsPerDimension,
      max_workgroup_size: Math.min(limits.maxComputeInvocationsPerWorkgroup, limits.maxComputeWorkgroupSizeX),
      max_words: Math.floor(Math.min(limits.maxStorageBufferBindingSize, limits.maxBufferSize) / 4),
    };
    const { vendor, architecture, device, description } = this.info;
    /** What results say of it: what WebGPU gives, and the browser's name. */
    this.target = {
      name: description || device || architecture || "unknown",
      vendor: vendor || "unknown",
      driver: ["WebGPU", browser()].filter(Boolean).join(", "),
    };
    const all = [vendor, architecture, device, description].join(" ").toLowerCase();
    this.isProcessor = /swiftshader|llvmpipe|softpipe|lavapipe|basic render/.test(all)
      || Boolean(this.info.isFallbackAdapter ?? adapter.isFallbackAdapter);
    this.isPhone = navigator.userAgentData?.mobile ?? /Mobi|Android/i.test(navigator.userAgent);
  }

  /** The sizes that this device takes in good time. */
  get sizes() {
    const isSlow = this.isProcessor || this.isPhone;
    return { maxWorkgroups: isSlow ? 32 : 1024, maxWorkgroupSize: isSlow ? 32 : Math.min(256, this.limits.max_workgroup_size) };
  }

  /**
   * Does `body` while nothing else runs on the device: what is stopped takes a moment to end, and gives the device up then.
   * @template T
   * @param {() => Promise<T>} body
   * @returns {Promise<T>}
   */
  async alone(body) {
    const before = this.#turn;
    let end;
    this.#turn = new Promise((resolve) => {
      end = resolve;
    });
    await before;
    try {
      return await body();
    } finally {
      end();
    }
  }

  /** The device, ready for use. @returns {Promise<Opened>} */
  async open() {
    if (this.#opened && !this.#opened.gone) return this.#opened;
    const from = await adapter().catch((error) => {
      throw new Failure("lost", error.message);
    });
    const requiredLimits = Object.fromEntries(LIMITS.map((name) => [name, from.limits[name]]));
    const device = await from.requestDevice({ requiredLimits }).catch((error) => {
      throw new Failure("lost", `the device could not be opened: ${error.message}`);
    });
    this.#opened = new Opened(device);
    return this.#opened;
  }

  /** Gives the device up, with whatever runs on it: the next test gets a new one. */
  drop() {
    this.#opened?.device.destroy();
    this.#opened = undefined;
  }
}

/** A device that is open, and what waits for it. */
export class Opened {
  #waiting = new Set();

  constructor(device) {
    this.device = device;
    /** Why it is no more. @type {Failure | undefined} */
    this.gone = undefined;
    device.lost.then(({ reason, message }) => {
      this.gone = new Failure("lost", `the device was lost: ${message || reason}`);
      for (const reject of this.#waiting) reject(this.gone);
    });
  }

  /**
   * Waits for what the device does, until it is lost, stopped, or the time is over.
   * @template T
   * @param {Promise<T>} work
   * @param {AbortSignal} [stop]
   * @returns {Promise<T>}
   */
  async within(work, stop, limit = TIME_LIMIT) {
    let timer;
    let onStop;
    let reject;
    const ended = new Promise((_, rejected) => {
      reject = rejected;
      this.#waiting.add(reject);
      timer = setTimeout(() => reject(new Failure("hangs", `a dispatch did not end in ${limit} s`)), limit * 1000);
      onStop = () => setTimeout(() => reject(new Failure("stopped", "stopped")), PATIENCE);
      if (stop?.aborted) onStop();
      else stop?.addEventListener("abort", onStop);
      if (this.gone) reject(this.gone);
    });
    try {
      return await Promise.race([work, ended]);
    } catch (error) {
      throw await this.#reason(error);
    } finally {
      clearTimeout(timer);
      stop?.removeEventListener("abort", onStop);
      this.#waiting.delete(reject);
    }
  }

  /** What is created or sent in `body`, of which nothing may be refused. */
  async checked(body, stop) {
    const filters = ["internal", "out-of-memory", "validation"];
    for (const filter of filters) this.device.pushErrorScope(filter);
    let result;
    let thrown;
    try {
      result = body();
    } catch (error) {
      thrown = error;
    }
    const reported = filters.map(() => this.device.popErrorScope());
    for (const report of reported) report.catch(() => {});
    if (thrown) throw ofError(thrown);
    const errors = await this.within(Promise.all(reported), stop);
    // The innermost scope is the first, and what was refused explains the rest best.
    const error = errors.find(Boolean);
    if (error) throw ofError(error);
    return result;
  }

  /** Promises of a device that is lost are rejected, some before it is known why: that is waited for. */
  async #reason(error) {
    if (error instanceof Failure) return error;
    const isOfDevice = error instanceof DOMException && error.constructor.name !== "GPUPipelineError";
    if (!this.gone && isOfDevice) await new Promise((resolve) => setTimeout(resolve, 500));
    return this.gone ?? ofError(error);
  }
}

async function adapter() {
  const adapter = await navigator.gpu.requestAdapter({ powerPreference: "high-performance" });
  if (!adapter) throw new Error("This browser has WebGPU, but gives no device for it.");
  return adapter;
}

/** The browser's name and version, where it says them without being asked for more. */
function browser() {
  // One of the brands is made up, to keep pages from relying on the list: «Not A(Brand», with other signs each time.
  const isMadeUp = ({ brand }) => /^notabrand$/i.test(brand.replace(/[^a-z]/gi, ""));
  const brands = (navigator.userAgentData?.brands ?? []).filter((brand) => !isMadeUp(brand));
  const own = brands.find(({ brand }) => brand !== "Chromium") ?? brands[0];
  return own && `${own.brand} ${own.version}`;
}
