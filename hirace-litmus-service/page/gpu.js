// The device that tests run on, with the highest limits that WebGPU offers. It is replaced by a new one when it is
// lost.

import { Failure, ofError } from "./failure.js";
import { platform } from "./platform.js";
import { software } from "./words.js";

/** The time limit of a dispatch, in seconds. */
export const TIME_LIMIT = 60;

/** The time to wait for a dispatch to end after a stop, in milliseconds. */
const PATIENCE = 1000;

const LIMITS = [
  "maxStorageBufferBindingSize", "maxBufferSize", "maxComputeWorkgroupsPerDimension", "maxComputeInvocationsPerWorkgroup",
  "maxComputeWorkgroupSizeX", "maxStorageBuffersPerShaderStage",
];

let found;

/** Finds the device once. Returns it, or the reason why there is none. @returns {Promise<{gpu?: Gpu, reason?: string}>} */
export function findGpu() {
  found ??= Gpu.find().then((gpu) => ({ gpu }), (error) => ({ reason: error.message }));
  return found;
}

export class Gpu {
  #opened;
  #turn = Promise.resolve();

  static async find() {
    if (!navigator.gpu) {
      throw new Error(isSecureContext
        ? "This browser does not support WebGPU."
        : "This page was not loaded over https, and browsers offer WebGPU only to secure pages.");
    }
    return new Gpu(await adapter(), await platform());
  }

  /** @param {{operating_system?: object, browser?: object}} platform */
  constructor(adapter, platform) {
    this.info = adapter.info ?? {};
    const limits = adapter.limits;
    /** The limits for the validation of environments, as the service expects them. */
    this.limits = {
      max_workgroups: limits.maxComputeWorkgroupsPerDimension,
      max_workgroup_size: Math.min(limits.maxComputeInvocationsPerWorkgroup, limits.maxComputeWorkgroupSizeX),
      max_words: Math.floor(Math.min(limits.maxStorageBufferBindingSize, limits.maxBufferSize) / 4),
    };
    const { vendor, architecture, device, description } = this.info;
    /** The description of the device in results: that of WebGPU, and the name of the browser. */
    this.target = {
      name: description || device || architecture || "unknown",
      vendor: vendor || "unknown",
      driver: ["WebGPU", software(platform.browser)].filter(Boolean).join(", "),
      ...platform,
    };
    const all = [vendor, architecture, device, description].join(" ").toLowerCase();
    this.isProcessor = /swiftshader|llvmpipe|softpipe|lavapipe|basic render/.test(all)
      || Boolean(this.info.isFallbackAdapter ?? adapter.isFallbackAdapter);
    this.isPhone = navigator.userAgentData?.mobile ?? /Mobi|Android/i.test(navigator.userAgent);
  }

  /** The maximum sizes that this device runs in reasonable time. */
  get sizes() {
    const isSlow = this.isProcessor || this.isPhone;
    return { maxWorkgroups: isSlow ? 32 : 1024, maxWorkgroupSize: isSlow ? 32 : Math.min(256, this.limits.max_workgroup_size) };
  }

  /**
   * Runs `body` while nothing else runs on the device. A stopped test takes a moment to end, and only then releases the
   * device.
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

  /** Returns the device, ready for use. @returns {Promise<Opened>} */
  async open() {
    if (this.#opened && !this.#opened.gone) return this.#opened;
    const from = await adapter().catch((error) => {
      throw new Failure("lost", error.message);
    });
    const requiredLimits = Object.fromEntries(LIMITS.map((name) => [name, from.limits[name]]));
    const device = await from.requestDevice({ requiredLimits }).catch((error) => {
      throw new Failure("lost", `cannot open the device: ${error.message}`);
    });
    this.#opened = new Opened(device);
    return this.#opened;
  }

  /** Destroys the device with everything that runs on it; the next test gets a new one. */
  drop() {
    this.#opened?.device.destroy();
    this.#opened = undefined;
  }
}

/** An open device, and the operations that wait for it. */
export class Opened {
  #waiting = new Set();

  constructor(device) {
    this.device = device;
    /** The reason why the device is lost. @type {Failure | undefined} */
    this.gone = undefined;
    device.lost.then(({ reason, message }) => {
      this.gone = new Failure("lost", `the device was lost: ${message || reason}`);
      for (const reject of this.#waiting) reject(this.gone);
    });
  }

  /**
   * Waits for work of the device until the device is lost, a stop is requested, or the time limit is reached.
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
      timer = setTimeout(() => reject(new Failure("hangs", `a dispatch did not terminate within ${limit} s`)), limit * 1000);
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

  /** Runs `body`, and throws the first error that WebGPU reports for its commands. */
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
    // The innermost scope comes first, and a rejected command explains later errors best.
    const error = errors.find(Boolean);
    if (error) throw ofError(error);
    return result;
  }

  /** Promises of a lost device are rejected, some of them before the reason is known. Waits for the reason. */
  async #reason(error) {
    if (error instanceof Failure) return error;
    const isOfDevice = error instanceof DOMException && error.constructor.name !== "GPUPipelineError";
    if (!this.gone && isOfDevice) await new Promise((resolve) => setTimeout(resolve, 500));
    return this.gone ?? ofError(error);
  }
}

async function adapter() {
  const adapter = await navigator.gpu.requestAdapter({ powerPreference: "high-performance" });
  if (!adapter) throw new Error("This browser supports WebGPU, but offers no device.");
  return adapter;
}
